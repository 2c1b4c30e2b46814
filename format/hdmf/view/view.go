// Package view shows an HDMF file as plain Zarr v3: what a link leads to lies below
// the link's name, documents and chunks, also where it is in another file; and
// references are paths. So clients that know nothing of HDMF can follow both.
//
//   - Attributes that are references become paths, such as "/general/devices/probe".
//   - Datasets of references, and others whose elements only Python can read, become
//     arrays of text: paths, or JSON where an element is more than that. Their chunks
//     are made when they are read; all other chunks are those of the file.
//   - An object of another file that something refers to lies below "/_external" and
//     the name of that file.
//   - A link that leads back to a group around it is an empty group, whose attribute
//     "_link" is the path that it leads to.
//
// Consolidated metadata is left out, because it does not tell of what links lead to,
// and the attributes that the layouts reserve, because they say what is no longer so.
// Cached schemas are there, but not listed.
// Everything is made when it is asked for. A node that was looked at stays as it was
// then: make a new view of a file that was changed.
package view

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

const (
	documentName = "zarr.json"
	external     = "_external"
	linkName     = "_link"
)

// New gives the view of a file, which must stay open. That of none is empty.
func New(f *hdmf.File) store.Store {
	if f == nil {
		return store.ReadOnly(mem.New())
	}
	return store.ReadOnly(&view{file: f, nodes: map[string]*node{}, names: map[string]*hdmf.File{}})
}

type view struct {
	file *hdmf.File

	mu    sync.Mutex
	nodes map[string]*node      // by path without "/" in front
	names map[string]*hdmf.File // of other files, below _external
}

// node is what lies at a path of the view.
type node struct {
	object hdmf.Object // nil for a group that only the view has
	above  *node       // nil for the root
	depth  int
	round  string // of a link that leads back: where to

	mu       sync.Mutex
	document []byte // nil until it is made
	text     *texts // of a dataset whose chunks are made
}

// maxNodes is how many nodes are kept.
const maxNodes = 1 << 14

// maxDepth is how deep paths go. Links make them longer than those of a file.
const maxDepth = 128

// errNone says that there is nothing at a key.
var errNone = fmt.Errorf("nothing in the view: %w", store.ErrNotExist)

// at finds the node at a path, and if the path leads into a dataset, the rest of
// it.
func (v *view) at(ctx context.Context, at string) (n *node, rest string, err error) {
	// Chunks are mostly asked for right after their dataset.
	for end := len(at); ; {
		v.mu.Lock()
		n = v.nodes[at[:end]]
		v.mu.Unlock()
		if n != nil || end == 0 {
			rest = strings.TrimPrefix(at[end:], "/")
			break
		}
		end = max(strings.LastIndexByte(at[:end], '/'), 0)
	}
	if n == nil {
		n = v.keep("", &node{object: v.file.Root()})
	}
	for rest != "" {
		if _, ok := n.object.(*hdmf.Dataset); ok {
			return n, rest, nil
		}
		name, next, _ := strings.Cut(rest, "/")
		if n, err = v.child(ctx, n, name); err != nil {
			return nil, "", err
		}
		rest = next
		n = v.keep(strings.TrimSuffix(strings.TrimSuffix(at, rest), "/"), n)
	}
	return n, "", nil
}

// keep remembers a node, unless another did so meanwhile.
func (v *view) keep(at string, n *node) *node {
	v.mu.Lock()
	defer v.mu.Unlock()
	if known := v.nodes[at]; known != nil {
		return known
	}
	if len(v.nodes) >= maxNodes {
		clear(v.nodes)
	}
	v.nodes[at] = n
	return n
}

// child opens what a group holds under a name.
func (v *view) child(ctx context.Context, n *node, name string) (*node, error) {
	if n.depth >= maxDepth {
		return nil, fmt.Errorf("more than %d groups inside each other", maxDepth)
	}
	out := &node{above: n, depth: n.depth + 1}
	switch {
	case n.above == nil && name == external:
		return out, nil
	case n.object == nil && n.round == "": // _external itself
		v.mu.Lock()
		f := v.names[name]
		v.mu.Unlock()
		if f == nil {
			return nil, errNone
		}
		out.object = f.Root()
		return out, nil
	case n.round != "":
		return nil, errNone
	}
	g, ok := n.object.(*hdmf.Group)
	if !ok {
		return nil, errNone
	}
	o, err := g.Object(ctx, name)
	if err != nil {
		return nil, err
	}
	for up := n; up != nil; up = up.above {
		if up.object != nil && up.object.File() == o.File() && up.object.Path() == o.Path() {
			out.round = v.pathOf(o.File(), o.Path())
			return out, nil
		}
	}
	out.object = o
	return out, nil
}

// pathOf is where an object of a file lies in the view, without following links.
func (v *view) pathOf(f *hdmf.File, at string) string {
	at = path.Clean("/" + at)
	if f == v.file {
		return at
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	base := path.Base(strings.TrimSuffix(f.URL(), "/"))
	for i := 1; ; i++ {
		name := base
		if i > 1 {
			name = fmt.Sprint(base, ".", i)
		}
		switch v.names[name] {
		case nil:
			v.names[name] = f
			fallthrough
		case f:
			return strings.TrimSuffix("/"+external+"/"+name+at, "/")
		}
	}
}

// reference is the path that a reference which a file holds means, and the region.
// One to a file that cannot be opened is shown with its source.
func (v *view) reference(ctx context.Context, f *hdmf.File, r hdmf.Reference) string {
	other, err := f.Source(ctx, r.Source)
	if err != nil {
		return r.String()
	}
	region := ""
	if r.Region != nil {
		region = r.Region.String()
	}
	return v.pathOf(other, r.Path) + region
}

// members lists what a group of the view holds.
func (v *view) members(ctx context.Context, n *node) (names []string, problem error) {
	if n.object == nil {
		if n.round == "" {
			v.mu.Lock()
			defer v.mu.Unlock()
			for name := range v.names {
				names = append(names, name)
			}
		}
		return names, nil
	}
	g := n.object.(*hdmf.Group)
	for m, err := range g.Members(ctx) {
		if err != nil {
			problem = errors.Join(problem, err)
			continue
		}
		if store.CheckKey(m.Name) == nil && m.Name != documentName {
			names = append(names, m.Name)
		}
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if n.above == nil && len(v.names) > 0 && !slices.Contains(names, external) {
		names = append(names, external)
	}
	return names, problem
}

// source is the store that holds the chunks of a dataset, and its prefix there.
func source(d *hdmf.Dataset) (store.Store, string) {
	a := d.Array()
	if a.Path() == "" {
		return a.Store(), ""
	}
	return a.Store(), a.Path() + "/"
}
