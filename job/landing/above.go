package landing

import (
	"context"
	"errors"
	"path"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/locate"
	"github.com/omnizarr/zarr/store"
)

// ConsolidateAbove makes the consolidated metadata of all groups above a node anew, of
// those that have some: what they keep of the node is not what it says any more. The
// node need not be the outermost of its store, and the store may lie in a group too.
func ConsolidateAbove(ctx context.Context, s store.Store, at string, opts ...zarr.Option) error {
	for at != "" {
		if at = path.Dir(at); at == "." {
			at = ""
		}
		n, err := zarr.OpenStore(ctx, s, at, opts...)
		if err == nil {
			err = consolidateAgain(ctx, n)
		} else if ctx.Err() == nil {
			err = nil // a folder that is no node may lie between two that are
		}
		if err != nil {
			return err
		}
	}
	// Beyond its store a hierarchy goes on for as far as there are nodes, or folders
	// with one around them.
	for url, none := s.URL(), 0; none < 2; {
		var ok bool
		if url, _, ok = locate.Above(url); !ok {
			return nil
		}
		n, err := zarr.Open(ctx, url, opts...)
		if err != nil {
			none++
			continue
		}
		none = 0
		if err := errors.Join(consolidateAgain(ctx, n), n.Close()); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// consolidateAgain makes the consolidated metadata of a node anew if it has some.
func consolidateAgain(ctx context.Context, n zarr.Node) error {
	if g, ok := n.(*zarr.Group); ok && g.Metadata().Consolidated != nil {
		return g.Consolidate(ctx)
	}
	return nil
}
