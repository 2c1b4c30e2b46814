package plain

import (
	"context"
	"errors"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/zarr2"
	"github.com/omnizarr/zarr/internal/par"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store"
)

// The documents of Zarr v3 and v2.
const (
	documentName     = "zarr.json"
	arrayName        = ".zarray"
	groupName        = ".zgroup"
	attributesName   = ".zattrs"
	consolidatedName = ".zmetadata"
)

// Consolidated metadata is for hierarchies that are small, and looked through in no time:
// others are opened node by node.
const (
	mostNodes = 1000
	mostBytes = 8 << 20
	// It is made anew after a while, since nodes may come and go; where there was too
	// much, later.
	goodFor, nothingFor = 15 * time.Second, 10 * time.Minute
	// atOnce is how many nodes are asked for at the same time.
	atOnce = 16
)

// mostTime is how long it may take. Tests have more.
var mostTime = 3 * time.Second

// document makes one of the documents of a node.
func (s *Store) document(ctx context.Context, at, name string) ([]byte, error) {
	n, err := s.nodes.Node(ctx, "/"+at)
	if err != nil {
		return nil, err
	}
	if s.old != nil && name != documentName {
		if ok, err := s.isOld(ctx, at, n); err != nil || !ok {
			return nil, errors.Join(err, store.ErrNotExist)
		}
		return s.old.document(ctx, at, name)
	}
	if g, ok := n.(*zarr.Group); ok && (name == documentName || name == consolidatedName) {
		return s.groupDocument(ctx, at, g)
	}
	doc, err := s.node(ctx, at, n)
	if err != nil {
		return nil, err
	}
	texts, err := s.texts(doc)
	if err != nil {
		return nil, &zarr.Error{Op: "show", URL: n.URL(), Err: err}
	}
	text, ok := texts[name]
	if !ok {
		return nil, store.ErrNotExist
	}
	return text, nil
}

// isOld reports whether the documents that an array of Zarr v2 has are true of what is shown
// here: clients that are told to read Zarr v2 find them. Those of groups are left out, since
// neuroglancer, which finds out by itself what a group is, opens none that has both.
func (s *Store) isOld(ctx context.Context, at string, n zarr.Node) (bool, error) {
	a, ok := n.(*zarr.Array)
	if !ok || n.Format() != zarr2.Format {
		return false, nil
	}
	v, err := s.show(ctx, at, a)
	if err != nil || !v.pass {
		return false, err
	}
	old, err := s.old.show(ctx, at, a)
	return err == nil && old.pass, err
}

// node is the document of a node as Zarr v3 has it.
func (s *Store) node(ctx context.Context, at string, n zarr.Node) (meta.Node, error) {
	switch n := n.(type) {
	case *zarr.Array:
		v, err := s.show(ctx, at, n)
		if err != nil {
			return nil, err
		}
		return v.doc, nil
	case *zarr.Group:
		return s.group(ctx, at, n)
	}
	return nil, zarr.ErrNoNode
}

// group is the document of a group, with what it says by conventions said as this version
// of Zarr says it.
func (s *Store) group(ctx context.Context, at string, g *zarr.Group) (*meta.Group, error) {
	said, err := s.format().Groups(map[string]*zarr.Group{"/" + at: g})
	if err != nil {
		return nil, err
	}
	m := said.Groups["/"+at]
	m.Consolidated, m.Extra = nil, nil
	s.describe(ctx, g, m)
	return m, nil
}

// texts are the documents of a node by their names.
func (s *Store) texts(doc meta.Node) (map[string][]byte, error) {
	if s.opt.Version == 3 {
		text, err := doc.Marshal()
		return map[string][]byte{documentName: text}, err
	}
	var text, attributes []byte
	var err error
	name := groupName
	switch m := doc.(type) {
	case *meta.Array:
		name = arrayName
		text, attributes, err = zarr2.MarshalArray(m)
	case *meta.Group:
		text, attributes, err = zarr2.MarshalGroup(m)
	}
	if attributes == nil { // which some clients want to find
		attributes = []byte("{}\n")
	}
	return map[string][]byte{name: text, attributesName: attributes}, err
}

// groupDocument makes zarr.json of a group with the documents of all nodes below it in it,
// or .zmetadata, which is not there if those are too many.
func (s *Store) groupDocument(ctx context.Context, at string, g *zarr.Group) ([]byte, error) {
	m, err := s.group(ctx, at, g)
	if err != nil {
		return nil, err
	}
	below, err := s.collect(ctx, at)
	if err != nil {
		return nil, err
	}
	if s.opt.Version == 2 {
		if below == nil {
			return nil, store.ErrNotExist
		}
		return s.metadata(m, below)
	}
	if below != nil {
		if m.Consolidated, err = meta.NewConsolidated(below); err != nil {
			return nil, err
		}
	}
	return m.Marshal()
}

// metadata makes .zmetadata.
func (s *Store) metadata(root *meta.Group, below map[string]meta.Node) ([]byte, error) {
	all := map[string][]byte{}
	add := func(at string, n meta.Node) error {
		texts, err := s.texts(n)
		for name, text := range texts {
			all[path.Join(at, name)] = text
		}
		return err
	}
	if err := add("", root); err != nil {
		return nil, err
	}
	for at, n := range below {
		if err := add(at, n); err != nil {
			return nil, err
		}
	}
	out := []byte(`{"metadata":{`)
	for i, key := range slices.Sorted(maps.Keys(all)) {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(strictjson.AppendString(out, key), ':')
		out = append(out, all[key]...)
	}
	out = append(out, `},"zarr_consolidated_format":1}`...)
	return append(strictjson.Indent(nil, out), '\n'), nil
}

// collected are the documents of the nodes below a group, nil if they are too many.
type collected struct {
	nodes map[string]meta.Node // by paths from the group on
	until time.Time
}

// collect gives the documents of all nodes below a group, nil if they are too many.
func (s *Store) collect(ctx context.Context, at string) (map[string]meta.Node, error) {
	if nodes, ok := s.known(at); ok {
		return nodes, nil
	}
	limited, cancel := context.WithTimeout(ctx, mostTime)
	defer cancel()
	w := walk{s: s, top: at, nodes: map[string]meta.Node{}}
	folder, err := s.nodes.Folder(limited, "/"+at)
	if folder { // whose stores would all be opened
		err = errTooMany
	}
	if err == nil {
		err = w.below(limited)
	}
	c := &collected{until: time.Now().Add(goodFor)}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, errTooMany):
		c.until = time.Now().Add(nothingFor)
	case err == nil:
		c.nodes = w.nodes
	} // else what cannot be listed, or not soon, is opened node by node
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.consolidated) >= mostArrays {
		clear(s.consolidated)
	}
	s.consolidated[at] = c
	return c.nodes, nil
}

// known gives what was found before, for the group or one above it.
func (s *Store) known(at string) (map[string]meta.Node, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if c := s.consolidated[at]; c != nil && now.Before(c.until) {
		return c.nodes, true
	}
	for up := at; up != ""; {
		up = strings.TrimPrefix(path.Dir("/"+up), "/")
		c := s.consolidated[up]
		if c == nil || c.nodes == nil || !now.Before(c.until) {
			continue
		}
		nodes := map[string]meta.Node{}
		for inner, n := range c.nodes {
			if rest, ok := strings.CutPrefix(path.Join(up, inner), at+"/"); ok {
				nodes[rest] = n
			}
		}
		return nodes, true
	}
	return nil, false
}

var errTooMany = errors.New("more than consolidated metadata has")

// walk looks through the nodes below a group.
type walk struct {
	s    *Store
	top  string
	seen int // names

	mu    sync.Mutex
	nodes map[string]meta.Node
	bytes int
	next  []string // groups to look into
}

// below looks through one depth of the hierarchy after the other.
func (w *walk) below(ctx context.Context) error {
	for groups := []string{w.top}; len(groups) > 0; groups = w.next {
		lists := make([][]string, len(groups))
		err := each(ctx, len(groups), func(ctx context.Context, i int) (err error) {
			lists[i], err = w.s.nodes.Names(ctx, "/"+groups[i])
			return err
		})
		if err != nil {
			return err
		}
		var paths []string
		for i, names := range lists {
			if w.seen += len(names); w.seen > mostNodes {
				return errTooMany
			}
			for _, name := range names {
				paths = append(paths, path.Join(groups[i], name))
			}
		}
		w.next = nil
		if err := each(ctx, len(paths), func(ctx context.Context, i int) error { return w.look(ctx, paths[i]) }); err != nil {
			return err
		}
	}
	return nil
}

// each calls f for several numbers at a time, until one fails.
func each(ctx context.Context, n int, f func(ctx context.Context, i int) error) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(atOnce)
	for i := range n {
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return par.Catch(func() error { return f(ctx, i) })
		})
	}
	return g.Wait()
}

// look takes down the document of what lies at a path. What is no node, or one that cannot
// be shown, is told of when it is opened.
func (w *walk) look(ctx context.Context, at string) error {
	n, err := w.s.nodes.Node(ctx, "/"+at)
	if err != nil {
		return ctx.Err()
	}
	doc, err := w.s.node(ctx, at, n)
	if err != nil {
		return ctx.Err()
	}
	texts, err := w.s.texts(doc)
	if err != nil {
		return ctx.Err()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, text := range texts {
		w.bytes += len(text)
	}
	if w.bytes > mostBytes {
		return errTooMany
	}
	w.nodes[strings.TrimPrefix(strings.TrimPrefix(at, w.top), "/")] = doc
	if _, ok := n.(*zarr.Group); ok {
		w.next = append(w.next, at)
	}
	return nil
}
