package zarr2

import (
	"context"

	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store"
)

// Put stores a value; the document of a node that is Zarr v2 as such.
func (s *Store) Put(ctx context.Context, k string, data []byte, opt store.PutOptions) (store.Info, error) {
	path, ok := meta.PathOf(k)
	if !ok {
		return s.Store.Put(ctx, k, data, opt)
	}
	v2, err := s.isV2(ctx, path)
	if err != nil {
		return store.Info{}, err
	}
	if !v2 {
		return s.Store.Put(ctx, k, data, opt)
	}
	n, err := meta.Parse(data, s.reg)
	if err != nil {
		return store.Info{}, store.WrapError("put", s.URL(), k, err)
	}
	return store.Info{Size: int64(len(data)), Format: Format}, s.write(ctx, path, n, opt)
}

// PutNode stores the document of a node in a format, as Draft or Info.Format
// gave it. A node of the other format is in the way of a new one.
func (s *Store) PutNode(ctx context.Context, path string, n meta.Node, format string, opt store.PutOptions) error {
	if opt.IfAbsent && s.mode != Either {
		if err := s.checkOther(ctx, path); err != nil {
			return err
		}
	}
	if format == Format {
		return s.write(ctx, path, n, opt)
	}
	text, err := n.Marshal()
	if err != nil {
		return err
	}
	_, err = s.Store.Put(ctx, key(path, documentName), text, opt)
	return err
}

// checkOther looks for documents of the format that the mode passes over.
func (s *Store) checkOther(ctx context.Context, path string) error {
	names := []string{arrayName, groupName}
	if s.mode == Two {
		names = []string{documentName}
	}
	for _, name := range names {
		text, _, err := s.get(ctx, path, name)
		if err != nil {
			return err
		}
		if text != nil {
			return store.WrapError("put", s.URL(), key(path, name), store.ErrPrecondition)
		}
	}
	return nil
}

var noCondition store.PutOptions

// write stores the documents of a Zarr v2 node. Those that stay as they are are
// not touched.
func (s *Store) write(ctx context.Context, path string, n meta.Node, opt store.PutOptions) error {
	old, err := s.read(ctx, path)
	if err != nil {
		return err
	}
	if opt.IfAbsent && old.exists() || opt.IfMatch != "" && opt.IfMatch != old.etag() {
		return store.WrapError("put", s.URL(), key(path, documentName), store.ErrPrecondition)
	}
	var name string
	var was, now, attributes []byte
	switch n := n.(type) {
	case *meta.Array:
		name, was = arrayName, old.array
		now, attributes, err = remarshal(was, n)
	case *meta.Group:
		name, was = groupName, old.group
		if now, attributes, err = MarshalGroup(n); err == nil && was != nil {
			now = was // it says nothing that could change
		}
	}
	if err != nil {
		return store.WrapError("put", s.URL(), key(path, documentName), err)
	}
	main := func() error {
		return s.replace(ctx, key(path, name), was, now, store.PutOptions{IfAbsent: opt.IfAbsent, IfMatch: matching(opt, old.tag)})
	}
	if !old.exists() {
		// A new node: what makes it one comes first, so that of two who make it
		// the second notices; then what an old node may have left is replaced.
		if err := main(); err != nil {
			return err
		}
		if err := s.settle(ctx, path, attributes); err != nil {
			return err
		}
	} else {
		if attributes == nil && old.attributes != nil {
			attributes = emptied(old.attributes)
		}
		when := store.PutOptions{IfMatch: matching(opt, old.attributesTag)}
		when.IfAbsent = opt.IfMatch != "" && old.attributes == nil
		if err := s.replace(ctx, key(path, attributesName), old.attributes, attributes, when); err != nil {
			return err
		}
		if err := main(); err != nil {
			return err
		}
	}
	if g, ok := n.(*meta.Group); ok && g.Consolidated != nil {
		return s.writeConsolidated(ctx, path, g)
	}
	return nil
}

// matching is the tag that a document must have if the write is conditional.
func matching(opt store.PutOptions, tag string) string {
	if opt.IfMatch == "" {
		return ""
	}
	return tag
}

// settle gives a new node its attributes, and takes away what was left there.
func (s *Store) settle(ctx context.Context, path string, attributes []byte) error {
	if attributes == nil {
		if err := s.Store.Delete(ctx, key(path, attributesName)); err != nil {
			return err
		}
	} else if _, err := s.Store.Put(ctx, key(path, attributesName), attributes, store.PutOptions{}); err != nil {
		return err
	}
	return s.Store.Delete(ctx, key(path, consolidatedName))
}

// emptied is the .zattrs of a node that has one and no attributes any more.
func emptied(was []byte) []byte {
	if a, err := meta.ParseAttributes(was); err == nil && a.Len() == 0 {
		return was
	}
	return []byte("{}\n")
}

// replace stores a document that has changed, and removes one that is gone.
func (s *Store) replace(ctx context.Context, k string, was, now []byte, opt store.PutOptions) error {
	switch {
	case now == nil && was == nil, now != nil && was != nil && string(now) == string(was):
		return nil
	case now == nil:
		return s.Store.Delete(ctx, k)
	}
	_, err := s.Store.Put(ctx, k, now, opt)
	return err
}

// Delete removes a value; with the document of a node all that either format has
// of it.
func (s *Store) Delete(ctx context.Context, k string) error {
	if path, ok := meta.PathOf(k); ok {
		if err := remove(ctx, s.Store, path, arrayName, groupName, attributesName, consolidatedName); err != nil {
			return err
		}
	}
	return s.Store.Delete(ctx, k)
}

// Remove deletes the Zarr v2 documents of a node, the one that makes it a node
// last: what an interruption leaves is found again.
func Remove(ctx context.Context, s store.Writer, path string) error {
	return remove(ctx, s, path, consolidatedName, attributesName, arrayName, groupName)
}

func remove(ctx context.Context, s store.Writer, path string, names ...string) error {
	for _, name := range names {
		if err := s.Delete(ctx, key(path, name)); err != nil {
			return err
		}
	}
	return nil
}
