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
	"github.com/omnizarr/zarr/store/mem"
)

// replaces says whether there is something that the copy takes the place of.
func (c *copier) replaces(ctx context.Context) (bool, error) {
	if !c.opts.Overwrite {
		return false, nil
	}
	for _, err := range c.held.Base().List(ctx, "", "/") {
		return err == nil, err
	}
	return false, nil
}

// survey looks at all of the source before anything of the destination is removed:
// whether all objects can be opened and have a form in the new layout, and whether
// one of the files that the source refers to is what would be removed. Chunks of
// numbers and text are not read.
func (c *copier) survey(ctx context.Context) error {
	defer c.forget()
	if err := c.look(ctx, c.src.Root(), 0); err != nil {
		return err
	}
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

// look looks at a group and all below it.
func (c *copier) look(ctx context.Context, g *hdmf.Group, depth int) error {
	_, members, err := c.members(ctx, g, depth)
	if err != nil {
		return err
	}
	for _, o := range members {
		var err error
		switch o := o.(type) {
		case *hdmf.Group:
			err = c.look(ctx, o, depth+1)
		case *hdmf.Dataset:
			err = c.unread(o.Path(), c.lookAt(ctx, o))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// lookAt looks at a dataset: an array like it is made in memory.
func (c *copier) lookAt(ctx context.Context, d *hdmf.Dataset) error {
	src, attrs, err := c.read(ctx, d)
	if err != nil {
		return err
	}
	list, err := c.attributes(ctx, attrs, nil)
	if err != nil {
		return err
	}
	p, err := c.plan(ctx, src)
	if err != nil {
		return err
	}
	spec, err := c.spec(p, src, list)
	if err == nil {
		_, err = zarr.CreateArrayIn(ctx, mem.New(), "", spec, append(c.engine(), zarr.As(c.format()))...)
	}
	return err
}

// isHere says whether a source of the old file means what lies where the new one
// is to be.
func (c *copier) isHere(ctx context.Context, name string) bool {
	if name == "." || name == "" {
		return false
	}
	if o, err := c.src.Resolve(ctx, hdmf.Reference{Source: name, Path: "/"}); err == nil {
		return o.File() != c.src && c.overlaps(o.File().Zarr())
	}
	// There may be no leave to open it, which is no leave to remove it.
	if c.dst == "" {
		return false
	}
	here := store.Identity(c.held.Base(), "")
	own := zarr.Place(ctx, c.src.Zarr())
	switch {
	case strings.Contains(name, "://") || filepath.IsAbs(name):
		return store.Overlap(here, locate.Identity(name))
	case own == "":
		return false
	}
	return store.Overlap(here, locate.Identity(beside(own, name))) || store.Overlap(here, locate.Identity(beside(own, "../"+name)))
}
