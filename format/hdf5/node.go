package hdf5

import (
	"context"
	"errors"
	"fmt"
	pathpkg "path"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/omnizarr/zarr/hdf5"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store"
)

// node is a group or an array.
type node struct {
	o *hdf5.Object
	d *hdf5.Dataset // nil of a group
	// Of an array: how elements are shown, and how it is cut into chunks.
	element element
	extent  []uint64 // the shape that is shown
	chunk   []uint64
	grid    []uint64
	path    string // by which it was found first
	name    string // of the object, if the path spells it otherwise
	mosaic  *mosaic
	turned  bool             // axes are shown in the other order than they are stored
	letters bool             // is text of which each element is a letter
	list    []hdf5.Attribute // while the document is made

	making  sync.Mutex
	doc     meta.Node
	plain   bool  // chunks are as they are in the file
	filters []int // those that some chunk went through
	masked  bool  // chunks have a header that says which of them
	err     error

	write    sync.Once
	document []byte // doc as JSON, once somebody wants that
	unsaid   error
}

// maxNodes is how many nodes are kept.
const maxNodes = 1 << 12

// node finds the node at a path.
func (s *Store) node(path string) (*node, error) {
	s.mu.Lock()
	n := s.nodes[path]
	s.mu.Unlock()
	if n != nil {
		return n, nil
	}
	o := s.f.Root()
	name := ""
	if path != "" {
		parent, last := "", path
		if i := strings.LastIndexByte(path, '/'); i >= 0 {
			parent, last = path[:i], path[i+1:]
		}
		p, err := s.node(parent)
		if err != nil {
			return nil, err
		}
		if p.d != nil || p.o.Kind != hdf5.KindGroup {
			return nil, store.ErrNotExist
		}
		stored, ok := unescape(last)
		if !ok {
			return nil, store.ErrNotExist
		}
		means := s.convention()
		if m := means.compose(p, stored); m != nil {
			if n, err = s.composed(m, "/"+path); err != nil {
				return nil, fmt.Errorf("%s: %w", path, present(err))
			}
			return s.keep(path, n), nil
		}
		if stored != last {
			name = stored
		}
		stored = means.stored(p, stored)
		l, err := p.o.Link(stored)
		if errors.Is(err, hdf5.ErrNotFound) {
			return nil, store.ErrNotExist
		}
		if err != nil {
			return nil, err
		}
		if l.Kind != hdf5.Hard { // its group tells it
			return nil, store.ErrNotExist
		}
		if o, err = p.o.Follow(l); err != nil {
			return nil, fmt.Errorf("%s: %w", path, present(err))
		}
	}
	n = &node{o: o, path: "/" + path, name: name}
	switch o.Kind {
	case hdf5.KindDatatype: // is no node of Zarr
		return nil, store.ErrNotExist
	case hdf5.KindDataset:
		d, err := o.Dataset()
		if err == nil {
			n.d = d
			if err = n.shape(); err == nil {
				s.convention().show(n)
			}
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, present(err))
		}
	}
	return s.keep(path, n), nil
}

// keep keeps a node, unless there is one by now.
func (s *Store) keep(path string, n *node) *node {
	s.mu.Lock()
	defer s.mu.Unlock()
	if old := s.nodes[path]; old != nil {
		return old
	}
	if len(s.nodes) >= maxNodes {
		clear(s.nodes)
	}
	s.nodes[path] = n
	return n
}

// describe gives the document of a node, which is made once and must not be changed.
func (s *Store) describe(n *node) (meta.Node, error) {
	n.making.Lock()
	defer n.making.Unlock()
	if n.doc == nil && n.err == nil {
		n.filters, n.masked = nil, false // of one that failed
		doc, err := s.made(n)
		n.list = nil
		if _, failed := errors.AsType[unread](err); failed {
			return nil, err // who asks again may have more luck
		}
		n.doc, n.err = doc, err
	}
	return n.doc, n.err
}

// marshal gives the document of a node as JSON.
func (s *Store) marshal(n *node) ([]byte, error) {
	doc, err := s.describe(n)
	if err != nil {
		return nil, err
	}
	n.write.Do(func() { n.document, n.unsaid = doc.Marshal() })
	return n.document, n.unsaid
}

// Node gives the document of a node without writing it as JSON, which takes longer
// than all the rest. It is the caller's.
func (s *Store) Node(ctx context.Context, path string) (meta.Node, store.Info, error) {
	doc, err := s.described(ctx, path)
	if err != nil {
		return nil, store.Info{}, store.WrapError("get", s.url, pathpkg.Join(path, documentName), store.Damaged(err))
	}
	return doc, store.Info{Size: -1, ETag: s.etag, Format: Format}, nil
}

func (s *Store) described(ctx context.Context, path string) (meta.Node, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	n, err := s.node(path)
	if err != nil {
		return nil, err
	}
	doc, err := s.describe(n)
	if err != nil {
		return nil, present(err)
	}
	if m, ok := doc.(*meta.Array); ok {
		return m.Clone(), nil
	}
	return doc.(*meta.Group).Clone(), nil
}

func (s *Store) made(n *node) (meta.Node, error) {
	attrs, err := s.attributes(n)
	if err != nil {
		return nil, err
	}
	if n.d == nil {
		g := &meta.Group{Attributes: attrs}
		if err := s.convention().group(n, g); err != nil {
			return nil, err
		}
		return g, nil
	}
	m, err := s.array(n)
	if err != nil {
		return nil, err
	}
	m.Attributes = attrs
	if n.mosaic != nil {
		for _, name := range n.mosaic.names {
			m.DimensionNames = append(m.DimensionNames, &name)
		}
		return m, nil
	}
	if err := s.convention().array(n, m); err != nil {
		return nil, err
	}
	return m, nil
}

// escape spells a name of HDF5 as a part of a key.
func escape(name string) string {
	plain := utf8.ValidString(name) && name != "c" && name != "zarr.json" && strings.Trim(name, ".") != "" && !strings.ContainsAny(name, "%/\\\x00")
	if plain {
		return name
	}
	var b strings.Builder
	first := name == "c" || name == "zarr.json" || strings.Trim(name, ".") == ""
	for i := 0; i < len(name); {
		r, n := utf8.DecodeRuneInString(name[i:])
		x := name[i]
		hex := i+2 < len(name) && isHex(name[i+1]) && isHex(name[i+2])
		if r == utf8.RuneError && n == 1 || x == '\\' || x == '/' || x == 0 || x == '%' && hex || i == 0 && first {
			fmt.Fprintf(&b, "%%%02X", x)
			i++
			continue
		}
		b.WriteString(name[i : i+n])
		i += n
	}
	return b.String()
}

// unescape undoes escape, false if nothing is spelled so.
func unescape(part string) (string, bool) {
	if part == "c" || part == "zarr.json" {
		return "", false
	}
	if !strings.Contains(part, "%") {
		return part, true
	}
	var b strings.Builder
	for i := 0; i < len(part); i++ {
		if part[i] == '%' && i+2 < len(part) && isHex(part[i+1]) && isHex(part[i+2]) {
			b.WriteByte(digit(part[i+1])<<4 | digit(part[i+2]))
			i += 2
			continue
		}
		b.WriteByte(part[i])
	}
	name := b.String()
	return name, escape(name) == part
}

func isHex(c byte) bool { return c >= '0' && c <= '9' || c >= 'A' && c <= 'F' || c >= 'a' && c <= 'f' }

func digit(c byte) byte {
	switch {
	case c <= '9':
		return c - '0'
	case c <= 'F':
		return c - 'A' + 10
	}
	return c - 'a' + 10
}
