package zarr

import (
	"context"
	"fmt"
	"slices"

	"github.com/omnizarr/zarr/store"
)

// OpenBeside opens the root of another hierarchy that node n refers to by a path or
// URL, relative to the folder that n's store starts at. It must lie below the
// folder around n's own hierarchy, or where Allow says: else the error is
// ErrNotAllowed, and nothing was asked of anybody. where names the hierarchy: two
// references to one give the same.
func OpenBeside(ctx context.Context, n Node, ref string, opts ...Option) (opened Node, where string, err error) {
	around := aroundOf(n)
	f := files{surroundings: around}
	s, home, err := f.refer(ctx, ref)
	if err != nil {
		return nil, "", fail("open", ref, err)
	}
	if at, _ := f.look(ctx); at.scheme != "" {
		// What lies in the same store, such as an archive of several hierarchies, is
		// open already.
		if key, ok := s.below(at); ok {
			opened, err = OpenStore(ctx, rawStore(around.store), key, slices.Concat(opts, []Option{Allow(around.allow...)})...)
			return opened, s.String(), err
		}
	}
	root, err := f.permit(s, home, s)
	if err != nil {
		return nil, s.String(), fail("open", s.String(), err)
	}
	at, err := f.hierarchy(ctx, root, s)
	if err != nil {
		return nil, s.String(), fail("open", s.String(), err)
	}
	opened, err = OpenStore(ctx, at, "", slices.Concat(opts, []Option{Allow(around.allow...)})...)
	if err == nil {
		aroundOf(opened).given = &home
	}
	return opened, s.String(), err
}

// Place names the hierarchy that a node lies in as OpenBeside does, "" if it lies
// nowhere that others can refer to.
func Place(ctx context.Context, n Node) string {
	at, _ := aroundOf(n).look(ctx)
	if at.scheme == "" {
		return ""
	}
	return at.String()
}

// rawStore is the store below the one that knows nodes.
func rawStore(s store.Store) store.Store {
	if u, ok := s.(store.Unwrapper); ok {
		return u.Unwrap()
	}
	return s
}

func aroundOf(n Node) *surroundings {
	if a, ok := n.(*Array); ok {
		return a.around
	}
	return n.(*Group).around
}

// permit finds the root below which s may be opened. ask is what there would have
// to be leave for.
func (f *files) permit(s, home, ask site) (site, error) {
	if home.scheme != "" {
		if _, ok := s.below(home); ok {
			return home, nil
		}
	}
	if root, ok := f.allowed(s); ok {
		return root, nil
	}
	if home.scheme == "" {
		return site{}, fmt.Errorf("%w: needs leave to read %s (--allow %s)", ErrNotAllowed, s, ask)
	}
	return site{}, fmt.Errorf("%w: %s is not below %s, and needs leave (--allow %s)", ErrNotAllowed, s, home, ask)
}

// hierarchy gives the store that starts at s. Symbolic links do not lead out of
// the root.
func (r *roots) hierarchy(ctx context.Context, root, s site) (store.Store, error) {
	if s.scheme == "http" || s.scheme == "https" {
		return r.folder(ctx, s)
	}
	key, _ := s.below(root)
	at, err := r.folder(ctx, root)
	if err != nil {
		return nil, err
	}
	return store.Sub(store.ReadOnly(at), key)
}
