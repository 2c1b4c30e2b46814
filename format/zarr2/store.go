// Package zarr2 shows Zarr v2 hierarchies as Zarr v3: a Store answers zarr.json
// from .zarray, .zgroup, .zattrs and .zmetadata, takes it apart again when it is
// written, and leaves chunks as they are, since v3 knows the keys of v2. Nothing
// above it knows of Zarr v2.
//
// Filters and compressors keep their names from numcodecs ("numcodecs.delta"),
// except where Zarr v3 has the same codec under a name of its own.
package zarr2

import (
	"context"
	"encoding/json"
	"errors"
	"path"
	"strings"

	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store"
)

// The documents of Zarr v2, and that of Zarr v3 which stands for them.
const (
	arrayName        = ".zarray"
	groupName        = ".zgroup"
	attributesName   = ".zattrs"
	consolidatedName = ".zmetadata"
	documentName     = "zarr.json"
)

// Format is what Info.Format says of documents that were made from Zarr v2.
const Format = "zarr2"

// Mode says which documents count where a hierarchy may have both.
type Mode uint8

const (
	// Either takes a node for Zarr v3 if it has a zarr.json, else for Zarr v2.
	// The two are never mixed. A new node is what the group above it is, and
	// Zarr v3 where there is none.
	Either Mode = iota
	// Only looks at Zarr v2 alone, and makes it.
	Only
)

// Store is a store whose Zarr v2 nodes look like Zarr v3.
type Store struct {
	store.Store
	mode Mode
	reg  meta.Registry
}

// New gives the nodes of s as Zarr v3; reg is for the documents that are
// written.
func New(s store.Store, mode Mode, reg meta.Registry) *Store { return &Store{s, mode, reg} }

// Unwrap shows the store that holds the Zarr v2 documents. Chunks have the same
// keys in both.
func (s *Store) Unwrap() store.Store { return s.Store }

// node is the path of the node whose document has the key.
func node(key string) (path string, ok bool) {
	if key == documentName {
		return "", true
	}
	path, ok = strings.CutSuffix(key, "/"+documentName)
	return path, ok
}

func key(node, name string) string { return path.Join(node, name) }

// Get gives a value, or the document of a Zarr v2 node as Zarr v3.
func (s *Store) Get(ctx context.Context, k string, r store.Range, dst []byte) ([]byte, store.Info, error) {
	path, ok := node(k)
	if !ok {
		return s.Store.Get(ctx, k, r, dst)
	}
	if s.mode == Either {
		out, info, err := s.Store.Get(ctx, k, r, dst)
		if !errors.Is(err, store.ErrNotExist) {
			return out, info, err
		}
	}
	doc, err := s.read(ctx, path)
	if err != nil {
		return dst, store.Info{}, err
	}
	text, err := doc.v3()
	if err != nil {
		return dst, store.Info{}, store.WrapError("get", s.URL(), "", err)
	}
	off, n, err := r.Resolve(int64(len(text)))
	if err != nil {
		return dst, store.Info{}, store.WrapError("get", s.URL(), k, err)
	}
	return append(dst, text[off:off+n]...), store.Info{Size: int64(len(text)), ETag: doc.etag(), Format: Format}, nil
}

// Open holds a value open.
func (s *Store) Open(ctx context.Context, k string) (store.Object, error) {
	if _, ok := node(k); ok {
		return store.Open(ctx, store.Reader(keyed{s}), k)
	}
	return store.Open(ctx, s.Store, k)
}

// keyed hides that Store is an Opener, for documents, which are made anew.
type keyed struct{ store.Reader }

// document2 is the documents of a Zarr v2 node as they are stored.
type document2 struct {
	array, group, attributes, consolidated []byte // nil if absent
	tags                                   [2]string
}

const etagSeparator = "\n"

// etag changes when one of the documents does; it is empty where the store has
// none.
func (d *document2) etag() string {
	if d.tags[0] == "" {
		return ""
	}
	return d.tags[0] + etagSeparator + d.tags[1]
}

// read gets the documents of a Zarr v2 node.
func (s *Store) read(ctx context.Context, path string) (*document2, error) {
	d := &document2{}
	get := func(name string, tag *string) ([]byte, error) {
		text, info, err := s.Store.Get(ctx, key(path, name), store.UpTo(meta.MaxBytes), nil)
		if errors.Is(err, store.ErrNotExist) {
			return nil, nil
		}
		if text == nil && err == nil {
			text = []byte{}
		}
		if tag != nil {
			*tag = info.ETag
		}
		return text, err
	}
	var err error
	if d.array, err = get(arrayName, &d.tags[0]); err == nil && d.array == nil {
		d.group, err = get(groupName, &d.tags[0])
	}
	if err == nil && d.array == nil && d.group == nil {
		return nil, store.WrapError("get", s.URL(), key(path, documentName), store.ErrNotExist)
	}
	if err == nil {
		d.attributes, err = get(attributesName, &d.tags[1])
	}
	if err == nil && d.group != nil {
		d.consolidated, err = get(consolidatedName, nil)
	}
	return d, err
}

// v3 gives the document of the node in Zarr v3.
func (d *document2) v3() ([]byte, error) {
	n, err := d.parse()
	if err != nil {
		return nil, err
	}
	return n.Marshal()
}

func (d *document2) parse() (meta.Node, error) {
	if d.array != nil {
		return parseNode(ParseArray(d.array, d.attributes))
	}
	g, err := ParseGroup(d.group, d.attributes)
	if err == nil && d.consolidated != nil {
		g.Consolidated, err = parseConsolidated(d.consolidated)
	}
	return parseNode(g, err)
}

// parseNode keeps a nil pointer from becoming a node.
func parseNode[N meta.Node](n N, err error) (meta.Node, error) {
	if err != nil {
		return nil, err
	}
	return n, nil
}

// Draft tells how a node that is made at a path now is stored, and which
// chunk_key_encoding its chunks can have, nil if any.
func (s *Store) Draft(ctx context.Context, path string) (format string, keys json.RawMessage, err error) {
	v2, err := s.isV2(ctx, path)
	if err != nil || !v2 {
		return "", nil, err
	}
	return Format, json.RawMessage(`{"name":"v2","configuration":{"separator":"."}}`), nil
}

// isV2 reports whether the node at a path is stored as Zarr v2, or would be if
// it were made now.
func (s *Store) isV2(ctx context.Context, path string) (bool, error) {
	if s.mode == Only {
		return true, nil
	}
	for {
		names := []string{documentName, arrayName, groupName}
		for i, name := range names {
			_, _, err := s.Store.Get(ctx, key(path, name), store.UpTo(meta.MaxBytes), nil)
			if err == nil {
				return i > 0, nil
			}
			if !errors.Is(err, store.ErrNotExist) {
				return false, err
			}
		}
		if path == "" {
			return false, nil
		}
		path = path[:max(strings.LastIndexByte(path, '/'), 0)]
	}
}

// Put stores a value; the document of a node that is Zarr v2 as such.
func (s *Store) Put(ctx context.Context, k string, data []byte, opt store.PutOptions) (store.Info, error) {
	path, ok := node(k)
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
	if err := s.write(ctx, path, n, opt); err != nil {
		return store.Info{}, err
	}
	return store.Info{Size: int64(len(data)), Format: Format}, nil
}

// write stores the documents of a node: attributes first, so that a new node is
// there only when all of it is. Documents that stay as they are are not touched.
func (s *Store) write(ctx context.Context, path string, n meta.Node, opt store.PutOptions) error {
	old, err := s.read(ctx, path)
	if errors.Is(err, store.ErrNotExist) {
		old, err = &document2{}, nil
	}
	if err != nil {
		return err
	}
	var name string
	var was, now, attributes, consolidated []byte
	switch n := n.(type) {
	case *meta.Array:
		name, was = arrayName, old.array
		now, attributes, err = remarshal(was, n)
	case *meta.Group:
		name, was = groupName, old.group
		if now, attributes, err = MarshalGroup(n); err == nil && was != nil {
			now = was // it says nothing that could change
		}
		if err == nil && n.Consolidated != nil {
			consolidated, err = marshalConsolidated(n)
		}
	}
	if err != nil {
		return store.WrapError("put", s.URL(), key(path, documentName), err)
	}
	if opt.IfAbsent && (old.array != nil || old.group != nil) {
		return store.WrapError("put", s.URL(), key(path, name), store.ErrPrecondition)
	}
	if attributes == nil && old.attributes != nil {
		attributes = emptied(old.attributes)
	}
	tags := strings.SplitN(opt.IfMatch, etagSeparator, 2)
	if err := s.replace(ctx, key(path, attributesName), old.attributes, attributes, tagged(tags, 1)); err != nil {
		return err
	}
	when := tagged(tags, 0)
	when.IfAbsent = opt.IfAbsent
	if err := s.replace(ctx, key(path, name), was, now, when); err != nil {
		return err
	}
	return s.replace(ctx, key(path, consolidatedName), old.consolidated, consolidated, store.PutOptions{})
}

// emptied is the .zattrs of a node that has one and no attributes any more.
func emptied(was []byte) []byte {
	if a, err := meta.ParseAttributes(was); err == nil && a.Len() == 0 {
		return was
	}
	return []byte("{}\n")
}

// tagged is the condition that the i-th document has not changed.
func tagged(tags []string, i int) store.PutOptions {
	if len(tags) <= i {
		return store.PutOptions{}
	}
	return store.PutOptions{IfMatch: tags[i]}
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

// Delete removes a value; with the document of a node all that Zarr v2 and v3
// have of it.
func (s *Store) Delete(ctx context.Context, k string) error {
	path, ok := node(k)
	if ok {
		if err := Remove(ctx, s.Store, path); err != nil {
			return err
		}
	}
	return s.Store.Delete(ctx, k)
}

// Remove deletes the Zarr v2 documents of a node, the one that makes it a node
// first.
func Remove(ctx context.Context, s store.Writer, path string) error {
	for _, name := range []string{arrayName, groupName, attributesName, consolidatedName} {
		if err := s.Delete(ctx, key(path, name)); err != nil {
			return err
		}
	}
	return nil
}
