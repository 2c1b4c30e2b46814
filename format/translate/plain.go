package translate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"

	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store"
)

// Plain are the documents of Zarr v3 in a store: zarr.json as it is. reg knows what
// they can say.
func Plain(s store.Store, reg meta.Registry) Form {
	return Form{plain{s, reg}, Names{Nodes: []string{documentName}}}
}

// PlainFormat is the name of Zarr v3.
const PlainFormat = "zarr3"

type plain struct {
	store store.Store
	reg   meta.Registry
}

func (d plain) Format() string { return PlainFormat }

// Noder is a store that has the documents of nodes as values, which need not be
// written as JSON only to be read again. What it gives is the caller's.
type Noder interface {
	Node(ctx context.Context, path string) (meta.Node, store.Info, error)
}

func (d plain) Node(ctx context.Context, node string, _ bool) (meta.Node, store.Info, error) {
	if s, ok := d.store.(Noder); ok && lookOf(ctx) == nil {
		n, info, err := s.Node(ctx, node)
		if err != nil || attributeBytes(n) < d.reg.Limit()/2 {
			return n, info, err
		} // else it may be longer than is allowed
	}
	key := path.Join(node, documentName)
	text, info, err := Document(ctx, d.store, key, d.reg)
	if err != nil {
		return nil, info, err
	}
	n, err := meta.Parse(text, d.reg.Until(ctx))
	return n, info, store.WrapError("get", d.store.URL(), key, err)
}

// attributeBytes is how long the attributes of a document are.
func attributeBytes(n meta.Node) int {
	var a *meta.Attributes
	switch n := n.(type) {
	case *meta.Array:
		a = n.Attributes
	case *meta.Group:
		a = n.Attributes
	}
	if a.Len() == 0 {
		return 0
	}
	return len(a.Append(nil))
}

func (d plain) PutNode(ctx context.Context, node string, n meta.Node, opt store.PutOptions) error {
	text, err := n.Marshal()
	if err == nil {
		_, err = d.store.Put(ctx, path.Join(node, documentName), text, opt)
	}
	return err
}

func (d plain) Keys() json.RawMessage { return nil }

func (d plain) Adapt(*meta.Array) error { return nil }

// Document reads a document, or takes it from what is known in a context of Looking.
// One that is longer than reg allows is ErrTooLarge, and is not read.
func Document(ctx context.Context, s store.Reader, key string, reg meta.Registry) ([]byte, store.Info, error) {
	if l := lookOf(ctx); l != nil {
		return l.document(ctx, key)
	}
	return document(ctx, s, key, reg)
}

func document(ctx context.Context, s store.Reader, key string, reg meta.Registry) ([]byte, store.Info, error) {
	text, info, err := s.Get(ctx, key, store.UpTo(int64(reg.Limit())), nil)
	if errors.Is(err, store.ErrTooLarge) {
		err = store.WrapError("get", s.URL(), key, fmt.Errorf("%w: the limit of a document is %d bytes; zarr.MaxDocument or --max-document lifts it", store.ErrTooLarge, reg.Limit()))
	}
	return text, info, err
}
