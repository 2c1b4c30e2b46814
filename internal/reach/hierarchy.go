package reach

import (
	"context"

	"github.com/omnizarr/zarr/store"
)

// Hierarchy is another one that a node refers to, and may.
type Hierarchy struct {
	Store store.Store
	Path  string // of its root in Store
	home  *site  // what it may reach, if it is in another store
}

// Bind lets the nodes of the hierarchy reach no more than those that referred to
// it.
func (h Hierarchy) Bind(r *Reach) { r.given = h.home }

// Hierarchy finds the one that a reference means, which is a path or URL relative
// to the folder that the store starts at. where names it: two references to one
// give the same. If it may not be reached, nothing was asked of anybody.
func (r *Reach) Hierarchy(ctx context.Context, ref string) (h Hierarchy, where string, err error) {
	s, home, err := r.refer(ctx, "", ref)
	if err != nil {
		return h, "", err
	}
	if at, _ := r.look(ctx); at.scheme != "" {
		// What lies in the same store, such as an archive of several hierarchies, is
		// open already.
		if key, ok := s.below(at); ok {
			return Hierarchy{Store: r.store, Path: key}, s.String(), nil
		}
	}
	root, err := r.permit(s, home, s)
	if err != nil {
		return h, s.String(), err
	}
	h.home = &home
	if s.scheme == "http" || s.scheme == "https" {
		h.Store, err = r.opened.folder(ctx, s)
		return h, s.String(), err
	}
	// Symbolic links do not lead out of the root.
	at, err := r.opened.folder(ctx, root)
	if err == nil {
		key, _ := s.below(root)
		h.Store, err = store.Sub(store.ReadOnly(at), key)
	}
	return h, s.String(), err
}
