package view

import (
	"context"
	"fmt"

	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/meta"
)

// make gives the document of a node, which it makes once, and the dataset of text
// that it is of, if it is one.
func (v *view) make(ctx context.Context, n *node) ([]byte, *texts, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.document == nil {
		doc, text, err := v.build(ctx, n)
		if err != nil {
			return nil, nil, err
		}
		n.document, n.text = doc, text
	}
	return n.document, n.text, nil
}

func (v *view) build(ctx context.Context, n *node) ([]byte, *texts, error) {
	switch o := n.object.(type) {
	case *hdmf.Group:
		g := o.Zarr().Metadata().Clone()
		g.Consolidated = nil
		var err error
		if g.Attributes, err = v.attributes(ctx, o); err != nil {
			return nil, nil, err
		}
		doc, err := g.Marshal()
		return doc, nil, err
	case *hdmf.Dataset:
		a := o.Array().Metadata().Clone()
		var err error
		if a.Attributes, err = v.attributes(ctx, o); err != nil {
			return nil, nil, err
		}
		t, err := v.textsOf(o)
		if err != nil {
			return nil, nil, err
		}
		if t != nil {
			t.describe(a)
		}
		doc, err := a.Marshal()
		return doc, t, err
	}
	g := meta.Group{}
	if n.round != "" {
		if err := g.Attrs().Set(linkName, n.round); err != nil {
			return nil, nil, err
		}
	}
	doc, err := g.Marshal()
	return doc, nil, err
}

// attributes are those of an object without what the layout reserves, and with
// paths where there were references.
func (v *view) attributes(ctx context.Context, o hdmf.Object) (*meta.Attributes, error) {
	out := &meta.Attributes{}
	for _, a := range o.Attributes() {
		value, err := a.Rewrite(func(dst []byte, r hdmf.Reference) ([]byte, error) {
			return strictjson.AppendString(dst, v.reference(ctx, o.File(), r)), nil
		})
		if err == nil {
			err = out.Set(a.Name, value)
		}
		if err != nil {
			return nil, fmt.Errorf("attribute %s: %w", a.Name, err)
		}
	}
	return out, ctx.Err()
}
