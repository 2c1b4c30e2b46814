package landing

import (
	"context"
	"errors"
	neturl "net/url"
	"path"
	"slices"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/locate"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store"
)

// ConsolidateAbove makes the consolidated metadata of all groups above a node anew, of
// those that have some: what they keep of the node is not what it says any more. The
// node need not be the outermost of its store, and the store may lie in a group too.
func ConsolidateAbove(ctx context.Context, s store.Store, at string, opts ...zarr.Option) error {
	return above(ctx, s, at, opts, func(g *zarr.Group, _ string) error { return g.Consolidate(ctx) })
}

// mendAbove is ConsolidateAbove for the groups whose consolidated metadata does not say
// of a node, and of those below it, what they say themselves.
func mendAbove(ctx context.Context, s store.Store, at string, opts ...zarr.Option) error {
	own := map[string]meta.Node{}
	return above(ctx, s, at, opts, func(g *zarr.Group, path string) error {
		if len(own) == 0 {
			if err := documentsOf(ctx, s, at, own, opts); err != nil {
				return err
			}
		}
		if tells(g.Metadata().Consolidated, path, own) {
			return nil
		}
		return g.Consolidate(ctx)
	})
}

// above calls f with every group above a node that has consolidated metadata, and with
// the path of the node in it.
func above(ctx context.Context, s store.Store, at string, opts []zarr.Option, f func(g *zarr.Group, path string) error) error {
	each := func(n zarr.Node, path string) error {
		if g, ok := n.(*zarr.Group); ok && g.Metadata().Consolidated != nil {
			return f(g, path)
		}
		return nil
	}
	inside := ""
	for at != "" {
		inside = path.Join(path.Base(at), inside)
		if at = path.Dir(at); at == "." {
			at = ""
		}
		n, err := zarr.OpenStore(ctx, s, at, opts...)
		if err == nil {
			err = each(n, inside)
		} else if ctx.Err() == nil {
			err = nil // a folder that is no node may lie between two that are
		}
		if err != nil {
			return err
		}
	}
	// Beyond its store a hierarchy goes on for as far as there are nodes, or folders
	// with one around them.
	opts = append(slices.Clone(opts), zarr.Explicit())
	for url, none := s.URL(), 0; none < 2; {
		up, name, ok := locate.Above(url)
		if !ok {
			return nil
		}
		if plain, err := neturl.PathUnescape(name); err == nil {
			name = plain
		}
		url, inside = up, path.Join(name, inside)
		n, err := zarr.Open(ctx, url, opts...)
		if err != nil {
			none++
			continue
		}
		none = 0
		if err := errors.Join(each(n, inside), n.Close()); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// documentsOf reads the documents of a node and of all below it, by their paths below
// it.
func documentsOf(ctx context.Context, s store.Store, at string, into map[string]meta.Node, opts []zarr.Option) error {
	n, err := zarr.OpenStore(ctx, s, at, append(slices.Clone(opts), zarr.BypassConsolidated())...)
	if err != nil {
		return err
	}
	g, ok := n.(*zarr.Group)
	if !ok {
		into[""] = n.(*zarr.Array).Metadata()
		return nil
	}
	into[""] = g.Metadata()
	for n, err := range g.Walk(ctx) {
		if err != nil {
			return err
		}
		below := strings.Trim(strings.TrimPrefix(n.Path(), g.Path()), "/")
		switch n := n.(type) {
		case *zarr.Array:
			into[below] = n.Metadata()
		case *zarr.Group:
			into[below] = n.Metadata()
		}
	}
	return nil
}

// tells reports whether consolidated metadata says of the nodes at and below a path
// what their documents say.
func tells(c *meta.Consolidated, at string, own map[string]meta.Node) bool {
	for below, doc := range own {
		entry, err := c.Get(path.Join(at, below))
		if err != nil {
			return false
		}
		if same, err := meta.Same(entry, doc); err != nil || !same {
			return false
		}
	}
	for known := range c.Paths(at) {
		if _, ok := own[strings.Trim(strings.TrimPrefix(known, at), "/")]; !ok {
			return false
		}
	}
	return true
}
