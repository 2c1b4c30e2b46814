package write

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/store"
)

// newTarget finds the place of a new file, which must not be that of one of
// others.
func newTarget(ctx context.Context, at string, opts Options, others ...*zarr.Group) (*target, error) {
	if opts.Layout != hdmf.V2 && opts.Layout != hdmf.V3 {
		return nil, fmt.Errorf("there is no layout %d", opts.Layout)
	}
	for _, other := range others {
		// Before folders are made, which could be in the other file.
		if place := zarr.Place(ctx, other); place != "" && isPath(at) && overlap(realPath(local(at)), place) {
			return nil, errPlace(at, other)
		}
	}
	t, err := openTarget(ctx, at, opts, true, isRoot)
	if err != nil {
		return nil, err
	}
	t.layout = opts.Layout
	for _, other := range others {
		if t.overlaps(ctx, other) {
			return nil, errors.Join(errPlace(t.held.URL(), other), t.where.Discard())
		}
	}
	return t, nil
}

func errPlace(url string, other *zarr.Group) error {
	return &zarr.Error{Op: "create", URL: url, Err: fmt.Errorf("is the place of %s itself", other.URL())}
}

// overlaps says whether the new file would lie in another one, or around it.
func (t *target) overlaps(ctx context.Context, other *zarr.Group) bool {
	if overlap(store.Identity(t.held.base, ""), store.Identity(other.Store(), other.Path())) {
		return true
	}
	place, its := t.realPlace(), zarr.Place(ctx, other) // by another name, through symbolic links
	return place != "" && its != "" && overlap(place, its)
}

// overlap says whether a place is another one, or lies in it or around it.
func overlap(a, b string) bool {
	a, b = strings.TrimSuffix(a, "/")+"/", strings.TrimSuffix(b, "/")+"/"
	return strings.HasPrefix(a, b) || strings.HasPrefix(b, a)
}

// realPlace is where the new file lies, as zarr.Place names places; "" where that
// cannot be told before it is there.
func (t *target) realPlace() string {
	u, err := url.Parse(strings.TrimSuffix(store.Identity(t.held.base, ""), "/"))
	switch {
	case err != nil || u.Scheme == "" || u.Scheme == "mem" || u.Opaque != "":
		return ""
	case u.Scheme == "file":
		return realPath(u.Path)
	}
	u.RawQuery = ""
	return u.String()
}

// realPath is a local path without symbolic links. The last parts of it need not
// be there.
func realPath(name string) string {
	at, err := filepath.Abs(filepath.FromSlash(name))
	if err != nil {
		return ""
	}
	rest := ""
	for {
		if real, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.ToSlash(filepath.Join(real, rest))
		}
		if filepath.Dir(at) == at {
			return filepath.ToSlash(filepath.Join(at, rest))
		}
		at, rest = filepath.Dir(at), filepath.Join(filepath.Base(at), rest)
	}
}

// local is the path that a URL of a file has, or at itself.
func local(at string) string {
	if u, err := url.Parse(at); err == nil && u.Scheme == "file" {
		return u.Path
	}
	return at
}

// isPath says whether a URL names a folder or file by its path.
func isPath(at string) bool {
	return !strings.Contains(at, "|") && (!strings.Contains(at, "://") || strings.HasPrefix(at, "file://"))
}
