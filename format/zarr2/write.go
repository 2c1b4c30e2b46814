package zarr2

import (
	"context"
	"strings"

	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store"
)

// PutNode stores the documents of a node. Those that stay as they are are
// not touched.
func (h hierarchy) PutNode(ctx context.Context, path string, n meta.Node, opt store.PutOptions) error {
	old, err := h.read(ctx, path)
	if err != nil {
		return err
	}
	// The tag of consolidated metadata, if that was looked at, is for itself.
	rest, same := strings.CutPrefix(opt.IfMatch, old.etag())
	if opt.IfAbsent && old.exists() || opt.IfMatch != "" && !(same && (rest == "" || rest[0] == '\n')) {
		return store.WrapError("put", h.store.URL(), key(path, documentName), store.ErrPrecondition)
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
		return store.WrapError("put", h.store.URL(), key(path, documentName), err)
	}
	main := func() error {
		return h.replace(ctx, key(path, name), was, now, store.PutOptions{IfAbsent: opt.IfAbsent, IfMatch: matching(opt, old.tag)})
	}
	if !old.exists() {
		// A new node: what makes it one comes first, so that of two who make it
		// the second notices; then what an old node may have left is replaced.
		if err := main(); err != nil {
			return err
		}
		if err := h.settle(ctx, path, attributes); err != nil {
			return err
		}
	} else {
		if attributes == nil && old.attributes != nil {
			attributes = emptied(old.attributes)
		}
		when := store.PutOptions{IfMatch: matching(opt, old.attributesTag)}
		when.IfAbsent = opt.IfMatch != "" && old.attributes == nil
		if err := h.replace(ctx, key(path, attributesName), old.attributes, attributes, when); err != nil {
			return err
		}
		if err := main(); err != nil {
			return err
		}
	}
	if g, ok := n.(*meta.Group); ok && g.Consolidated != nil {
		when := store.PutOptions{}
		if rest != "" {
			when.IfMatch = rest[1:]
			when.IfAbsent = when.IfMatch == ""
		}
		return h.writeConsolidated(ctx, path, g, when)
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
func (h hierarchy) settle(ctx context.Context, path string, attributes []byte) error {
	if attributes == nil {
		if err := h.store.Delete(ctx, key(path, attributesName)); err != nil {
			return err
		}
	} else if _, err := h.store.Put(ctx, key(path, attributesName), attributes, store.PutOptions{}); err != nil {
		return err
	}
	return h.store.Delete(ctx, key(path, consolidatedName))
}

// emptied is the .zattrs of a node that has one and no attributes any more.
func emptied(was []byte) []byte {
	if a, err := meta.ParseAttributes(was); err == nil && a.Len() == 0 {
		return was
	}
	return []byte("{}\n")
}

// replace stores a document that has changed, and removes one that is gone.
func (h hierarchy) replace(ctx context.Context, k string, was, now []byte, opt store.PutOptions) error {
	switch {
	case now == nil && was == nil, now != nil && was != nil && string(now) == string(was):
		return nil
	case now == nil:
		return h.store.Delete(ctx, k)
	}
	_, err := h.store.Put(ctx, k, now, opt)
	return err
}

// Remove deletes the Zarr v2 documents of a node, the one that makes it a node
// last: what an interruption leaves is found again.
func Remove(ctx context.Context, s store.Writer, path string) error {
	for _, name := range []string{consolidatedName, attributesName, arrayName, groupName} {
		if err := s.Delete(ctx, key(path, name)); err != nil {
			return err
		}
	}
	return nil
}
