package reach

import (
	"context"
	"path"

	"github.com/omnizarr/zarr/store"
)

// Hierarchy is another one that a node refers to, and may.
type Hierarchy struct {
	Store store.Store
	Path  string // of its root in Store
	// Around is where it lies, and Key its name there, for one that is a file and no
	// folder. Around is nil where that cannot be.
	Around store.Store
	Key    string
	home   *site // what it may reach, if it is in another store
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
		if h.Store, err = r.opened.folder(ctx, s); err == nil && s.path != "/" {
			var up store.Store
			if up, err = r.opened.folder(ctx, s.up()); err == nil {
				h.Around, h.Key = store.ReadOnly(up), path.Base(s.path)
			}
		}
		return h, s.String(), err
	}
	if s == root && s.path != "/" { // leave was given for just this one, which may be a file
		root = s.up()
	}
	// Symbolic links do not lead out of the root.
	at, err := r.opened.folder(ctx, root)
	if err == nil {
		h.Around = store.ReadOnly(at)
		h.Key, _ = s.below(root)
		h.Store, err = store.Sub(h.Around, h.Key)
	}
	return h, s.String(), err
}
