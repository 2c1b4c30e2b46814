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
	"github.com/omnizarr/zarr/locate"
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
		if id := locate.Identity(at); id != "" && store.Overlap(id, identity(other)) {
			return nil, errPlace(at, other)
		}
	}
	t, err := openTarget(ctx, at, opts, true, isRoot)
	if err != nil {
		return nil, err
	}
	t.layout = opts.Layout
	for _, other := range others {
		if t.overlaps(other) {
			return nil, errors.Join(errPlace(t.held.URL(), other), t.where.Discard())
		}
	}
	return t, nil
}

func errPlace(url string, other *zarr.Group) error {
	return &zarr.Error{Op: "create", URL: url, Err: fmt.Errorf("is the place of %s itself", other.URL())}
}

// overlaps says whether the new file would lie in another one, or around it.
func (t *target) overlaps(other *zarr.Group) bool {
	return store.Overlap(store.Identity(t.held.Base(), ""), identity(other))
}

func identity(g *zarr.Group) string { return store.Identity(g.Store(), g.Path()) }

// realPlace is where the new file lies, as zarr.Place names places; "" where that
// cannot be told before it is there.
func (t *target) realPlace() string {
	u, err := url.Parse(strings.TrimSuffix(store.Identity(t.held.Base(), ""), "/"))
	switch {
	case err != nil || u.Scheme == "" || u.Scheme == "mem" || u.Opaque != "":
		return ""
	case u.Scheme == "file":
		return filepath.ToSlash(store.RealPath(filepath.FromSlash(u.Path)))
	}
	u.RawQuery = ""
	return u.String()
}
