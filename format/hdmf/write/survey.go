package write

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/locate"
	"github.com/omnizarr/zarr/store"
)

// survey makes sure that none of the files that the source refers to is what would be
// replaced.
func (c *copier) survey(ctx context.Context) error {
	defer c.forget()
	sources := map[string]bool{}
	for m, err := range hdmf.References(ctx, c.src.Root(), true) {
		// A list of references is copied one by one; an attribute that is none as it is.
		if _, element := m.Holder.(*hdmf.Dataset); err == nil && element && m.Attribute == "" && !m.Empty {
			err = m.Err
		}
		if err != nil {
			return c.unread(m.Path(), err)
		}
		sources[m.To.Source] = true
	}
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		if c.isHere(ctx, name) {
			return &zarr.Error{Op: "create", URL: c.held.URL(), Err: fmt.Errorf("%s refers to it by the source %q, and would refer to itself or to nothing", c.src.URL(), name)}
		}
	}
	return nil
}

// isHere says whether a source of the old file means what lies where the new one
// is to be.
func (c *copier) isHere(ctx context.Context, name string) bool {
	if name == "." || name == "" {
		return false
	}
	if o, err := c.src.Resolve(ctx, hdmf.Reference{Source: name, Path: "/"}); err == nil {
		return o.File() != c.src && store.Overlap(c.here, identity(o.File().Zarr()))
	}
	// There may be no leave to open it, which is no leave to remove it.
	if c.dst == "" {
		return false
	}
	own := zarr.Place(ctx, c.src.Zarr())
	switch {
	case strings.Contains(name, "://") || filepath.IsAbs(name):
		return store.Overlap(c.here, locate.Identity(name))
	case own == "":
		return false
	}
	return store.Overlap(c.here, locate.Identity(beside(own, name))) || store.Overlap(c.here, locate.Identity(beside(own, "../"+name)))
}
