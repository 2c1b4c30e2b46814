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
	// Two looks at Zarr v2 alone, and makes it.
	Two
	// Three looks at Zarr v3 alone, and makes it.
	Three
)

// Store is a store whose Zarr v2 nodes look like Zarr v3.
type Store struct {
	store.Store
	mode Mode
	reg  meta.Registry
}

// New gives the nodes of s as Zarr v3; reg is for documents of Zarr v3.
func New(s store.Store, mode Mode, reg meta.Registry) *Store {
	if z, ok := s.(*Store); ok {
		s = z.Store
	}
	return &Store{s, mode, reg}
}

// Unwrap shows the store that holds the documents as they are. Chunks have the
// same keys in both.
func (s *Store) Unwrap() store.Store { return s.Store }

func key(node, name string) string { return path.Join(node, name) }

// get reads a document, nil if there is none.
func (s *Store) get(ctx context.Context, node, name string) ([]byte, store.Info, error) {
	text, info, err := s.Store.Get(ctx, key(node, name), store.UpTo(meta.MaxBytes), nil)
	switch {
	case errors.Is(err, store.ErrNotExist):
		return nil, info, nil
	case err != nil:
		return nil, info, err
	case text == nil:
		text = []byte{}
	}
	return text, info, nil
}

// Get gives a value, or the document of a Zarr v2 node as Zarr v3.
func (s *Store) Get(ctx context.Context, k string, r store.Range, dst []byte) ([]byte, store.Info, error) {
	path, ok := meta.PathOf(k)
	if !ok || s.mode == Three {
		return s.Store.Get(ctx, k, r, dst)
	}
	if s.mode == Either {
		out, info, err := s.Store.Get(ctx, k, r, dst)
		if !errors.Is(err, store.ErrNotExist) {
			return out, info, err
		}
	}
	n, info, err := s.node2(ctx, path, true)
	if err != nil {
		return dst, store.Info{}, err
	}
	text, err := n.Marshal()
	if err != nil {
		return dst, store.Info{}, store.WrapError("get", s.URL(), k, err)
	}
	info.Size = int64(len(text))
	dst, err = r.Append(dst, text)
	return dst, info, store.WrapError("get", s.URL(), k, err)
}

// Open holds a value open.
func (s *Store) Open(ctx context.Context, k string) (store.Object, error) {
	if _, ok := meta.PathOf(k); ok {
		return store.Open(ctx, store.Reader(keyed{s}), k)
	}
	return store.Open(ctx, s.Store, k)
}

// keyed hides that Store is an Opener, for documents, which are made anew.
type keyed struct{ store.Reader }

// Node reads the document of a node without making JSON of it. Consolidated
// metadata of Zarr v2 is looked at only if it is asked for.
func (s *Store) Node(ctx context.Context, path string, consolidated bool) (meta.Node, store.Info, error) {
	if s.mode != Two {
		k := key(path, documentName)
		text, info, err := s.Store.Get(ctx, k, store.UpTo(meta.MaxBytes), nil)
		if err == nil {
			n, err := meta.Parse(text, s.reg)
			return n, info, store.WrapError("get", s.URL(), k, err)
		}
		if s.mode == Three || !errors.Is(err, store.ErrNotExist) {
			return nil, info, err
		}
	}
	return s.node2(ctx, path, consolidated)
}

// node2 reads the documents of a Zarr v2 node.
func (s *Store) node2(ctx context.Context, path string, consolidated bool) (meta.Node, store.Info, error) {
	d, err := s.read(ctx, path)
	if err == nil && !d.exists() {
		err = store.WrapError("get", s.URL(), key(path, documentName), store.ErrNotExist)
	}
	if err == nil && d.group != nil && consolidated {
		d.consolidated, _, err = s.get(ctx, path, consolidatedName)
	}
	if err != nil {
		return nil, store.Info{}, err
	}
	n, err := d.parse()
	if err != nil {
		// The error names the document.
		return nil, store.Info{}, store.WrapError("get", s.URL(), "", err)
	}
	return n, store.Info{Size: -1, ETag: d.etag(), Format: Format}, nil
}

// documents are those of a Zarr v2 node as they are stored.
type documents struct {
	array, group, attributes, consolidated []byte // nil if absent
	tag, attributesTag                     string
}

// exists reports whether there is a node.
func (d *documents) exists() bool { return d.array != nil || d.group != nil }

// etag changes when one of the documents does; it is empty where the store has
// none.
func (d *documents) etag() string {
	if d.tag == "" {
		return ""
	}
	return d.tag + "\n" + d.attributesTag
}

// read gets the documents of a node but for consolidated metadata, also those
// that are left over from another.
func (s *Store) read(ctx context.Context, path string) (*documents, error) {
	d := &documents{}
	var info store.Info
	var err error
	if d.array, info, err = s.get(ctx, path, arrayName); err == nil && d.array == nil {
		d.group, info, err = s.get(ctx, path, groupName)
	}
	if err != nil || !d.exists() {
		return d, err
	}
	d.tag = info.ETag
	d.attributes, info, err = s.get(ctx, path, attributesName)
	d.attributesTag = info.ETag
	return d, err
}

func (d *documents) parse() (meta.Node, error) {
	if d.array != nil {
		return parsed(ParseArray(d.array, d.attributes))
	}
	g, err := ParseGroup(d.group, d.attributes)
	if err == nil && d.consolidated != nil {
		// One that cannot be read counts as none: the nodes' own documents tell.
		g.Consolidated, _ = ParseConsolidated(d.consolidated)
	}
	return parsed(g, err)
}

// parsed keeps a nil pointer from becoming a node.
func parsed[N meta.Node](n N, err error) (meta.Node, error) {
	if err != nil {
		return nil, err
	}
	return n, nil
}

// Draft tells how a node that is made at a path now is stored, as Info.Format,
// and which chunk_key_encoding its chunks can have, nil if any.
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
	if s.mode != Either {
		return s.mode == Two, nil
	}
	for {
		for i, name := range []string{documentName, arrayName, groupName} {
			text, _, err := s.get(ctx, path, name)
			if err != nil || text != nil {
				return i > 0, err
			}
		}
		if path == "" {
			return false, nil
		}
		path = path[:max(strings.LastIndexByte(path, '/'), 0)]
	}
}
