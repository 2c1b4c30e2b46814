package write

import (
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/job/landing"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/held"
)

// newTarget finds the place of a new file.
func newTarget(ctx context.Context, at string, opts Options) (*target, error) {
	if opts.Layout != hdmf.V2 && opts.Layout != hdmf.V3 {
		return nil, fmt.Errorf("there is no layout %d", opts.Layout)
	}
	t, err := openTarget(ctx, at, opts, true, isRoot)
	if err != nil {
		return nil, err
	}
	t.layout = opts.Layout
	return t, nil
}

// newCopy is a file that lands.
func newCopy(l *landing.Landing, opts Options) *target {
	t := &target{held: l.Store().(*held.Store), opts: opts}
	t.layout, t.pickle, t.json = opts.Layout, opts.Pickle, opts.NoPickle
	return t
}

func identity(g *zarr.Group) string { return store.Identity(g.Store(), g.Path()) }

// placeOf is where a file lies, "" if nowhere that others can refer to.
func placeOf(ctx context.Context, f *hdmf.File) string {
	at := zarr.Place(ctx, f.Zarr())
	if at != "" && f.Zarr().Path() != "" {
		at = strings.TrimSuffix(at, "/") + "/" + f.Zarr().Path()
	}
	return at
}

// realPlace is where a new file lies, as zarr.Place names places, by the identity of
// its place; "" where that cannot be told before it is there.
func realPlace(identity string) string {
	u, err := url.Parse(strings.TrimSuffix(identity, "/"))
	switch {
	case err != nil || u.Scheme == "" || u.Scheme == "mem" || u.Opaque != "":
		return ""
	case u.Scheme == "file":
		return filepath.ToSlash(store.RealPath(filepath.FromSlash(u.Path)))
	}
	u.RawQuery = ""
	return u.String()
}
