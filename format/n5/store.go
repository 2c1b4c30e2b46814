package n5

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"path"
	"strings"

	"github.com/omnizarr/zarr/format/translate"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store"
)

// container is a store with nodes of N5.
type container struct {
	store store.Store
	opt   options
	reg   meta.Registry // of documents of Zarr beside those of N5
}

// Format is the name of the format.
func (c *container) Format() string { return Format }

// Keys is the chunk_key_encoding of blocks.
func (c *container) Keys() json.RawMessage {
	const keys = `{"name":"v2","configuration":{"separator":"/"}}`
	if c.opt.reversed {
		return json.RawMessage(`{"name":"omnizarr.reversed","configuration":{"keys":` + keys + `}}`)
	}
	return json.RawMessage(keys)
}

// read gets the attributes.json of a node, nil if there is none, and as it is
// spelled.
func (c *container) read(ctx context.Context, node string) (*meta.Attributes, []byte, store.Info, error) {
	key := path.Join(node, attributesName)
	text, info, err := translate.Document(ctx, c.store, key, c.reg)
	if errors.Is(err, store.ErrNotExist) {
		return nil, nil, store.Info{}, nil
	}
	if err != nil {
		return nil, nil, info, err
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return &meta.Attributes{}, text, info, nil // what Java leaves of a file that it emptied
	}
	attrs, err := meta.ParseAttributes(text)
	return attrs, text, info, store.WrapError("get", c.store.URL(), key, err)
}

// Node reads the document of a node.
func (c *container) Node(ctx context.Context, node string, _ bool) (meta.Node, store.Info, error) {
	attrs, _, info, err := c.read(ctx, node)
	if err != nil {
		return nil, store.Info{}, err
	}
	if attrs == nil {
		if err := c.implicit(ctx, node); err != nil {
			return nil, store.Info{}, err
		}
	}
	info.Size = -1
	n, err := c.node(ctx, node, attrs)
	if err != nil {
		return nil, store.Info{}, store.WrapError("get", c.store.URL(), path.Join(node, attributesName), err)
	}
	return n, info, nil
}

// node makes the document of the node that has these attributes.
func (c *container) node(ctx context.Context, node string, attrs *meta.Attributes) (meta.Node, error) {
	if !isDataset(attrs) {
		g := &meta.Group{}
		var err error
		if g.Attributes, err = users(attrs); err != nil {
			return nil, err
		}
		return g, c.addImage(ctx, node, attrs, g)
	}
	m, err := c.opt.array(attrs)
	if err != nil {
		return nil, err
	}
	if m.Attributes, err = users(attrs); err != nil {
		return nil, err
	}
	m.DimensionNames = dimensionNames(attrs, len(m.Shape))
	if c.opt.reversed {
		err = reverse(m)
	}
	return m, err
}

// implicit checks that a folder without attributes.json is a group: the root
// always is, others if they hold something. The folders of a dataset's blocks
// are none.
func (c *container) implicit(ctx context.Context, node string) error {
	if node == "" {
		return nil
	}
	missing := store.WrapError("get", c.store.URL(), path.Join(node, attributesName), store.ErrNotExist)
	for above := node; isNumber(path.Base(above)); {
		above = strings.TrimPrefix(path.Dir("/"+above), "/")
		attrs, text, _, err := c.read(ctx, above)
		if text != nil && err != nil || isDataset(attrs) {
			return missing // of a broken document nobody knows that it is no dataset
		}
		if above == "" {
			break
		}
	}
	for _, err := range c.store.List(ctx, node+"/", "/") {
		if errors.Is(err, store.ErrNoList) {
			return missing
		}
		return err
	}
	return missing
}

// isNumber reports whether a name can be that of a folder of blocks.
func isNumber(name string) bool { return strings.Trim(name, "0123456789") == "" }
