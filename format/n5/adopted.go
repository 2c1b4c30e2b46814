package n5

import (
	"context"
	"errors"
	"path"

	"github.com/omnizarr/zarr/format/translate"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store"
)

// adopted reads the zarr.json that may lie beside attributes.json, nil if there is
// none.
func (c *container) adopted(ctx context.Context, node string) ([]byte, error) {
	text, _, err := translate.Document(ctx, c.store, path.Join(node, documentName), c.reg)
	if errors.Is(err, store.ErrNotExist) {
		return nil, nil
	}
	return text, err
}

// updateAdopted brings a zarr.json beside attributes.json, whose text it is given,
// up to what the node is now. Its codecs stay, which may not be those that the
// store shows.
func (c *container) updateAdopted(ctx context.Context, node string, text []byte, n meta.Node) error {
	if text == nil {
		return nil
	}
	key := path.Join(node, documentName)
	old, _ := meta.Parse(text, c.reg.Until(ctx)) // one that cannot be read is replaced
	var doc meta.Node = n
	if m, ok := n.(*meta.Array); ok {
		m = m.Clone()
		if c.opt.reversed {
			if err := restore(m); err != nil {
				return store.WrapError("put", c.store.URL(), key, err)
			}
		}
		if was, ok := old.(*meta.Array); ok && was.DataType.Name() == m.DataType.Name() {
			m.Codecs = was.Codecs
		}
		doc = m
	}
	now, err := doc.Marshal()
	if err != nil {
		return store.WrapError("put", c.store.URL(), key, err)
	}
	if string(now) == string(text) {
		return nil
	}
	_, err = c.store.Put(ctx, key, now, store.PutOptions{})
	return err
}
