package zarr

import (
	"cmp"
	"context"

	"github.com/omnizarr/zarr/format/translate"
	"github.com/omnizarr/zarr/internal/reach"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/refs"
)

// Allow lets nodes refer to files at and below places, which are paths or URLs.
// By default an array may only refer to files below the folder that its
// hierarchy lies in, or below that folder on the same server.
func Allow(places ...string) Option {
	return func(o *options) { o.allow = append(o.allow, places...) }
}

// ErrNotAllowed says that a node refers to a file that it may not, see Allow.
var ErrNotAllowed = reach.ErrNotAllowed

// OpenReferred opens the root of another hierarchy that node n refers to by a path
// or URL, relative to the folder that n's store starts at. It must lie below the
// folder around n's own hierarchy, or where Allow says: else the error is
// ErrNotAllowed, and nothing was asked of anybody. where names the hierarchy: two
// references to one give the same. The caller closes what was opened, and n after it.
func OpenReferred(ctx context.Context, n Node, ref string, opts ...Option) (opened Node, where string, err error) {
	from := engineOf(n)
	h, where, err := from.reach.Hierarchy(ctx, ref)
	if err != nil {
		return nil, where, fail("open", cmp.Or(where, ref), err)
	}
	opts = append([]Option{Allow(from.allow...)}, opts...)
	opened, err = OpenStore(ctx, translate.Raw(h.Store), h.Path, opts...)
	if err == nil {
		h.Bind(engineOf(opened).reach)
	}
	return opened, where, err
}

// Place names the hierarchy that a node lies in as OpenReferred does, "" if it lies
// nowhere that others can refer to.
func Place(ctx context.Context, n Node) string { return engineOf(n).reach.Place(ctx) }

func engineOf(n Node) *engine {
	if a, ok := n.(*Array); ok {
		return a.engine
	}
	return n.(*Group).engine
}

// withReferences gives the node of an array whose chunks may be references: its engine
// has another store then, in which they look as if they were stored.
func withReferences(n node, m *meta.Array) (node, error) {
	if len(m.Transformers) == 0 {
		return n, nil
	}
	if s, ok := n.store.(*referred); ok && s.prefix == n.prefix() {
		return n, nil // it came out of this very array
	}
	s, err := n.reach.References(n.store, n.path, n.prefix(), m)
	if err != nil {
		return n, err
	}
	e := *n.engine
	e.store = &referred{s, n.store, n.prefix()}
	n.engine = &e
	return n, nil
}

// referred is the store of an array whose chunks are references: documents are
// those of the store inside.
type referred struct {
	*refs.Store
	translator
	prefix string
}

// PutNode refuses.
func (s *referred) PutNode(context.Context, string, meta.Node, string, store.PutOptions) error {
	return refs.ErrWrite
}
