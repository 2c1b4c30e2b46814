package translate

import (
	"context"
	"errors"
	"iter"
	"path"
	"slices"
	"strings"

	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store"
)

// Store is a store whose nodes look like Zarr v3, whatever documents they have.
type Store struct {
	store.Store
	shown  []Form
	hidden []Form
	reg    meta.Registry
}

// New gives the nodes of s that have documents of the formats shown; a node with
// documents of several is of the first, and a new one of what the group above it
// is, or of the first. Nodes of the hidden formats are not there, but in the way
// of new ones, and what is deleted loses their documents too. reg is for documents
// that are written as zarr.json.
func New(s store.Store, reg meta.Registry, shown, hidden []Form) *Store {
	return &Store{s, shown, hidden, reg}
}

// Raw gives the store with the documents as they are, if s is a Store.
func Raw(s store.Store) store.Store {
	if t, ok := s.(*Store); ok {
		return t.Store
	}
	return s
}

// Unwrap shows the store that has the documents as they are. Chunks have the same
// keys in both.
func (s *Store) Unwrap() store.Store { return s.Store }

// Format is that of all nodes, "" if they can have different ones.
func (s *Store) Format() string {
	if len(s.shown) > 1 {
		return ""
	}
	return s.shown[0].Format()
}

// Names are those of the documents that make a folder a node of one of the formats.
func (s *Store) Names() (names []string) {
	for _, d := range s.shown {
		names = append(names, d.Nodes...)
	}
	return names
}

// Expect asks ahead for the documents of a node that probably is of the format like, in
// a context of Looking.
func (s *Store) Expect(ctx context.Context, node, like string) {
	at := slices.IndexFunc(s.shown, func(d Form) bool { return d.Format() == like })
	for i := 0; i <= at; i++ { // a node of one before is none of this
		s.shown[i].expect(ctx, node)
	}
}

// Get gives a value, or the document of a node as Zarr v3.
func (s *Store) Get(ctx context.Context, key string, r store.Range, dst []byte) ([]byte, store.Info, error) {
	node, ok := meta.PathOf(key)
	if !ok {
		return s.Store.Get(ctx, key, r, dst)
	}
	var missing error
	for _, d := range s.shown {
		out, info, err := s.document(ctx, d, key, node, r, dst)
		if !errors.Is(err, store.ErrNotExist) {
			return out, info, err
		}
		missing = err
	}
	return dst, store.Info{}, missing
}

// document makes zarr.json of the documents of one format.
func (s *Store) document(ctx context.Context, d Form, key, node string, r store.Range, dst []byte) ([]byte, store.Info, error) {
	if d.areKept() {
		return s.Store.Get(ctx, key, r, dst)
	}
	n, info, err := d.Node(ctx, node, true)
	if err != nil {
		return dst, store.Info{}, err
	}
	text, err := n.Marshal()
	if err != nil {
		return dst, store.Info{}, store.WrapError("get", s.URL(), key, err)
	}
	info.Size, info.Format = int64(len(text)), d.Format()
	dst, err = r.Append(dst, text)
	return dst, info, store.WrapError("get", s.URL(), key, err)
}

// Open holds a value open.
func (s *Store) Open(ctx context.Context, key string) (store.Object, error) {
	if _, ok := meta.PathOf(key); ok {
		return store.Open(ctx, store.Reader(unopened{s}), key)
	}
	return store.Open(ctx, s.Store, key)
}

// unopened hides that Store is an Opener, for documents, which are made anew.
type unopened struct{ store.Reader }

// List yields what lies below prefix, with zarr.json in place of other documents.
func (s *Store) List(ctx context.Context, prefix, delimiter string) iter.Seq2[store.Entry, error] {
	seq := s.Store.List(ctx, prefix, delimiter)
	shown := map[string]string{documentName: ""} // what to call a document, "" to leave it out
	for _, d := range s.shown {
		for _, name := range d.Others {
			shown[name] = ""
		}
		for _, name := range d.Nodes {
			shown[name] = documentName
		}
	}
	if len(shown) == 1 && shown[documentName] == documentName {
		return seq
	}
	return relist(seq, func(name string) string {
		if to, ok := shown[name]; ok {
			return to
		}
		return name
	})
}

// Put stores a value, zarr.json as the documents that the node has or would have.
func (s *Store) Put(ctx context.Context, key string, data []byte, opt store.PutOptions) (store.Info, error) {
	node, ok := meta.PathOf(key)
	if !ok {
		return s.Store.Put(ctx, key, data, opt)
	}
	d, err := s.formAt(ctx, node)
	if err != nil {
		return store.Info{}, err
	}
	if d.areKept() {
		return s.Store.Put(ctx, key, data, opt)
	}
	n, err := meta.Parse(data, s.reg.Until(ctx))
	if err != nil {
		return store.Info{}, store.WrapError("put", s.URL(), key, err)
	}
	return store.Info{Size: int64(len(data)), Format: d.Format()}, d.PutNode(ctx, node, n, opt)
}

// Delete removes a value; with zarr.json all other documents of the node.
func (s *Store) Delete(ctx context.Context, key string) error {
	node, ok := meta.PathOf(key)
	if !ok {
		return s.Store.Delete(ctx, key)
	}
	for _, d := range slices.Concat(s.shown, s.hidden) {
		for _, name := range slices.Concat(d.Nodes, d.Others) {
			if name == documentName {
				continue
			}
			if err := s.Store.Delete(ctx, path.Join(node, name)); err != nil {
				return err
			}
		}
	}
	return s.Store.Delete(ctx, key)
}

// Node reads a node without making JSON of it. Consolidated metadata that is a
// document of its own is read only if it is asked for.
func (s *Store) Node(ctx context.Context, node string, consolidated bool) (meta.Node, store.Info, error) {
	var missing error
	for _, d := range s.shown {
		n, info, err := d.Node(ctx, node, consolidated)
		if info.Format == "" {
			info.Format = d.Format()
		}
		if !errors.Is(err, store.ErrNotExist) {
			return n, info, err
		}
		missing = err
	}
	return nil, store.Info{}, missing
}

// PutNode stores a node in a format, as Draft or Node gave it. A node of a hidden
// format is in the way of a new one.
func (s *Store) PutNode(ctx context.Context, node string, n meta.Node, format string, opt store.PutOptions) error {
	if opt.IfAbsent {
		for _, d := range s.hidden {
			if name, err := s.nodeName(ctx, d, node); err != nil {
				return err
			} else if name != "" {
				return store.WrapError("put", s.URL(), path.Join(node, name), store.ErrPrecondition)
			}
		}
	}
	at := max(0, slices.IndexFunc(s.shown, func(d Form) bool { return d.Format() == format }))
	return s.shown[at].PutNode(ctx, node, n, opt)
}

// Draft tells how a node that is made at a path now will be stored.
func (s *Store) Draft(ctx context.Context, node string) (Draft, error) {
	d, err := s.formAt(ctx, node)
	if err != nil {
		return Draft{}, err
	}
	return Draft{d.Format(), d.Keys(), d.Adapt}, nil
}

// formAt gives the documents that the node at a path has, or would have if it were
// made now: those of the nearest node above it.
func (s *Store) formAt(ctx context.Context, node string) (Form, error) {
	if len(s.shown) == 1 {
		return s.shown[0], nil
	}
	for {
		for _, d := range s.shown {
			if name, err := s.nodeName(ctx, d, node); err != nil || name != "" {
				return d, err
			}
		}
		if node == "" {
			return s.shown[0], nil
		}
		node = node[:max(strings.LastIndexByte(node, '/'), 0)]
	}
}

// nodeName looks for the document that makes a folder a node of a format, "" if
// there is none.
func (s *Store) nodeName(ctx context.Context, d Form, node string) (string, error) {
	for _, name := range d.Nodes {
		_, _, err := Document(ctx, s.Store, path.Join(node, name), s.reg)
		if err == nil {
			return name, nil
		}
		if !errors.Is(err, store.ErrNotExist) {
			return "", err
		}
	}
	return "", nil
}
