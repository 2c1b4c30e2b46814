package n5

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"path"
	"strings"

	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store"
)

// Store is a store whose N5 nodes look like Zarr v3.
type Store struct {
	store.Store
	opt Options
	reg meta.Registry
}

// New gives the nodes of a container in s as Zarr v3; reg is for documents that
// are written.
func New(s store.Store, opt Options, reg meta.Registry) *Store {
	if n, ok := s.(*Store); ok {
		s = n.Store
	}
	return &Store{s, opt, reg}
}

// Unwrap shows the store that holds the documents as they are. Blocks have the
// same keys in both.
func (s *Store) Unwrap() store.Store { return s.Store }

// read gets the attributes.json of a node, nil if there is none, and as it is
// spelled.
func (s *Store) read(ctx context.Context, node string) (*meta.Attributes, []byte, store.Info, error) {
	key := path.Join(node, attributesName)
	text, info, err := s.Store.Get(ctx, key, store.UpTo(meta.MaxBytes), nil)
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
	return attrs, text, info, store.WrapError("get", s.URL(), key, err)
}

// Node reads the document of a node.
func (s *Store) Node(ctx context.Context, node string, _ bool) (meta.Node, store.Info, error) {
	attrs, _, info, err := s.read(ctx, node)
	if err != nil {
		return nil, store.Info{}, err
	}
	if attrs == nil {
		if err := s.implicit(ctx, node); err != nil {
			return nil, store.Info{}, err
		}
	}
	info.Size, info.Format = -1, Format
	n, err := s.node(ctx, node, attrs)
	if err != nil {
		return nil, store.Info{}, store.WrapError("get", s.URL(), path.Join(node, attributesName), err)
	}
	return n, info, nil
}

// node makes the document of the node that has these attributes.
func (s *Store) node(ctx context.Context, node string, attrs *meta.Attributes) (meta.Node, error) {
	if !isDataset(attrs) {
		g := &meta.Group{}
		var err error
		if g.Attributes, err = users(attrs); err != nil {
			return nil, err
		}
		return g, s.addImage(ctx, node, attrs, g)
	}
	m, err := s.opt.array(attrs)
	if err != nil {
		return nil, err
	}
	if m.Attributes, err = users(attrs); err != nil {
		return nil, err
	}
	m.DimensionNames = dimensionNames(attrs, len(m.Shape))
	if s.opt.Reversed {
		err = reverse(m)
	}
	return m, err
}

// implicit checks that a folder without attributes.json is a group: the root
// always is, others if they hold something. The folders of a dataset's blocks
// are none.
func (s *Store) implicit(ctx context.Context, node string) error {
	if node == "" {
		return nil
	}
	missing := store.WrapError("get", s.URL(), path.Join(node, attributesName), store.ErrNotExist)
	for above := node; isNumber(path.Base(above)); {
		above = strings.TrimPrefix(path.Dir("/"+above), "/")
		attrs, text, _, err := s.read(ctx, above)
		if text != nil && err != nil || isDataset(attrs) {
			return missing // of a broken document nobody knows that it is no dataset
		}
		if above == "" {
			break
		}
	}
	for _, err := range s.Store.List(ctx, node+"/", "/") {
		if errors.Is(err, store.ErrNoList) {
			return missing
		}
		return err
	}
	return missing
}

// isNumber reports whether a name can be that of a folder of blocks.
func isNumber(name string) bool { return strings.Trim(name, "0123456789") == "" }

// Get gives a value, or the document of a node as Zarr v3.
func (s *Store) Get(ctx context.Context, key string, r store.Range, dst []byte) ([]byte, store.Info, error) {
	node, ok := meta.PathOf(key)
	if !ok {
		return s.Store.Get(ctx, key, r, dst)
	}
	n, info, err := s.Node(ctx, node, false)
	if err != nil {
		return dst, store.Info{}, err
	}
	text, err := n.Marshal()
	if err != nil {
		return dst, store.Info{}, store.WrapError("get", s.URL(), key, err)
	}
	info.Size = int64(len(text))
	dst, err = r.Append(dst, text)
	return dst, info, store.WrapError("get", s.URL(), key, err)
}

// Open holds a value open.
func (s *Store) Open(ctx context.Context, key string) (store.Object, error) {
	if _, ok := meta.PathOf(key); ok {
		return store.Open(ctx, store.Reader(keyed{s}), key)
	}
	return store.Open(ctx, s.Store, key)
}

// keyed hides that Store is an Opener, for documents, which are made anew.
type keyed struct{ store.Reader }

// Draft tells how a node that is made at a path is stored, and which
// chunk_key_encoding its chunks can have.
func (s *Store) Draft(context.Context, string) (format string, keys json.RawMessage, err error) {
	keys = json.RawMessage(`{"name":"v2","configuration":{"separator":"/"}}`)
	if s.opt.Reversed {
		keys = json.RawMessage(`{"name":"omnizarr.reversed","configuration":{"keys":` + string(keys) + `}}`)
	}
	return Format, keys, nil
}
