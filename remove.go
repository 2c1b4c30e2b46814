package zarr

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	pathpkg "path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/omnizarr/zarr/format/translate"
	"github.com/omnizarr/zarr/internal/locks"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/refs"
)

// Remove removes a node and all below it, as ArraySpec.Overwrite does, after the
// writes to it that this process has under way. If the folder holds something that
// is neither a document nor a chunk of a node there, nothing is removed, and the
// error, which is ErrExist, names it.
//
// A chunk is what has a key as the array's document spells them. One outside the
// array, as an interrupted Resize leaves it, counts unless its key begins with a
// number: "c/2024" is one, and a file or folder called "2024" is somebody else's.
// Where the document cannot be read, all keys that are usual count.
func Remove(ctx context.Context, n Node) error {
	e := engineOf(n)
	return fail("remove", n.URL(), removeNode(ctx, e, n.Path()))
}

// Replace puts something else in the place of what lies at a path of a store, under
// the conditions of Remove: replace is called after the writes that this process has
// under way, and handles of nodes there are told when they write. If replace is nil,
// what is there is removed. What is left of a node whose document is gone may be
// replaced too: keys such as "c/0/0", and numbers where other documents of it are.
func Replace(ctx context.Context, s store.Store, path string, replace func() error, opts ...Option) error {
	if s == nil {
		return fail("replace", strconv.Quote(path), errNoStore)
	}
	url := store.JoinURL(s.URL(), path)
	o, err := newOptions(opts)
	if err != nil {
		return fail("replace", url, err)
	}
	e := newEngine(s, o)
	if replace == nil {
		replace = func() error { return deleteNode(ctx, e, path) }
	}
	return fail("replace", url, replaceNode(ctx, e, path, true, func() error {
		defer forget(e, path)
		return replace()
	}))
}

func removeNode(ctx context.Context, e *engine, path string) error {
	return replaceNode(ctx, e, path, false, func() error { return deleteNode(ctx, e, path) })
}

// replaceNode calls replace if there is nothing but nodes at a path and, if broken
// ones may be replaced, what is left of them.
func replaceNode(ctx context.Context, e *engine, path string, broken bool, replace func() error) error {
	nodes, err := nodesIn(ctx, e, path)
	if err != nil {
		return err
	}
	unlock, err := lockShapes(ctx, e, slices.Collect(maps.Keys(nodes)))
	if err != nil {
		return err
	}
	defer unlock()
	key, err := foreign(ctx, e, path, nodes, broken)
	if err != nil {
		return err
	}
	if key != "" {
		return mark(ErrExist, fmt.Errorf("%q in its folder belongs to no node, and is not removed", key))
	}
	return replace()
}

// lockShapes waits for the writers of arrays and keeps others from beginning; they
// look at the documents when they go on.
func lockShapes(ctx context.Context, e *engine, paths []string) (unlock func(), err error) {
	places := make([]string, len(paths))
	for i, path := range paths {
		places[i] = placeOf(e.store, path)
	}
	slices.Sort(places) // all take locks in the same order
	var held []locks.Held
	unlock = func() {
		for _, h := range held {
			resizesOf(h.Name()).Add(1)
			h.Unlock()
		}
	}
	for _, place := range slices.Compact(places) {
		h, err := shapes.Lock(ctx, place)
		if err != nil {
			unlock()
			return nil, err
		}
		held = append(held, h)
	}
	return unlock, nil
}

// nodesIn finds the nodes in a folder by path, and the formats of their documents.
func nodesIn(ctx context.Context, e *engine, path string) (map[string][]string, error) {
	formats := map[string][]string{} // by the name of a document
	for _, f := range e.formats.All() {
		if f.Folder != nil {
			for _, name := range f.Folder.Documents.Nodes {
				formats[name] = append(formats[name], f.Name)
			}
		}
	}
	nodes := map[string][]string{}
	for entry, err := range translate.Raw(e.store).List(ctx, (&node{path: path}).prefix(), "") {
		if err != nil {
			return nil, err
		}
		if dir, name := pathpkg.Split(entry.Key); formats[name] != nil {
			dir = strings.TrimSuffix(dir, "/")
			nodes[dir] = append(nodes[dir], formats[name]...)
		}
	}
	return nodes, nil
}

// foreign finds a value in a folder that is no part of the nodes there; "" if there
// is none. What is left of nodes belongs to them if broken ones count.
func foreign(ctx context.Context, e *engine, path string, nodes map[string][]string, broken bool) (string, error) {
	names := documentNames(e)
	own := map[string][]string{} // by node: the formats that it is of
	left := &remains{nodes: nodes, broken: broken, documents: map[string]bool{}, files: map[string]int64{}}
	chunks := map[string]func(key string) bool{} // by node: whether a key in it is a chunk
	for entry, err := range translate.Raw(e.store).List(ctx, (&node{path: path}).prefix(), "") {
		if err != nil {
			return "", err
		}
		dir, name := pathpkg.Split(entry.Key)
		below := entry.Key[len((&node{path: path}).prefix()):]
		if name == Copied {
			left.copied(ctx, e, dir)
		}
		if of, known := names[name]; known {
			at := strings.TrimSuffix(dir, "/")
			if own[at] == nil {
				own[at] = formatsOf(ctx, e, at, path, nodes, broken)
			}
			if of != nil && !slices.ContainsFunc(of, func(f string) bool { return slices.Contains(own[at], f) }) {
				left.add(entry, at)
				continue
			}
			left.seen(at)
			continue
		}
		if slices.ContainsFunc(strings.Split(below, "/"), IsOwn) {
			continue
		}
		dir = strings.TrimSuffix(dir, "/")
		for len(dir) > len(path) && nodes[dir] == nil {
			dir = strings.TrimSuffix(pathpkg.Dir(dir), ".")
		}
		if nodes[dir] == nil {
			left.add(entry, path)
			continue
		}
		if chunks[dir] == nil {
			chunks[dir] = chunksOf(ctx, e, dir, nodes[dir])
		}
		if !chunks[dir](strings.TrimPrefix(entry.Key[len(dir):], "/")) {
			left.add(entry, dir)
		}
	}
	if key := left.foreign(); key != "" {
		return key, nil
	}
	// Links, pipes and the like are nobody's here, although a listing passes over them.
	for entry, err := range store.Hidden(ctx, e.store, (&node{path: path}).prefix()) {
		if err != nil || entry.Why != store.Temporary {
			return entry.Key, err
		}
	}
	return "", nil
}

// remains tells keys that no node owns, but that are left of one whose document is
// gone, from those of others. A chunk of Zarr v3 is known by its key; a number may be
// anything, and is left of an array only where other documents of it are.
type remains struct {
	nodes     map[string][]string
	broken    bool            // whether there can be any
	documents map[string]bool // folders that have one of any name
	entries   []store.Entry   // that no node owns
	above     []string        // by entry: the folder in which a node may have been
	files     map[string]int64
}

// copied reads which other files a copy brought along: as long as they are of that
// size, they are its own.
func (r *remains) copied(ctx context.Context, e *engine, dir string) {
	text, _, err := translate.Raw(e.store).Get(ctx, dir+Copied, store.UpTo(meta.MaxBytes), nil)
	var record struct {
		Files map[string]int64 `json:"files"`
	}
	if err != nil || json.Unmarshal(text, &record) != nil {
		return
	}
	for key, size := range record.Files {
		r.files[dir+key] = size
	}
}

func (r *remains) seen(dir string) { r.documents[dir] = true }

func (r *remains) add(e store.Entry, above string) {
	r.entries, r.above = append(r.entries, e), append(r.above, above)
}

// foreign is the first key that is left of no node, "" if there is none.
func (r *remains) foreign() string {
	for i, e := range r.entries {
		size, own := r.files[e.Key]
		if own = own && size == e.Size; !own && (!r.broken || !r.isLeft(e.Key, r.above[i])) {
			return e.Key
		}
	}
	return ""
}

func (r *remains) isLeft(key, above string) bool {
	for dir := strings.TrimSuffix(pathpkg.Dir(key), "."); len(dir) >= len(above); dir = strings.TrimSuffix(pathpkg.Dir(dir), ".") {
		rest := strings.TrimPrefix(key[len(dir):], "/")
		if r.nodes[dir] == nil && likeChunk.MatchString(rest) && rest != "c" && (rest[0] == 'c' || r.documents[dir]) {
			return true
		}
		if dir == "" {
			break
		}
	}
	return false
}

// likeChunk are the keys of chunks in any of the usual encodings.
var likeChunk = regexp.MustCompile(`^(c[/.])?[0-9]+([/.][0-9]+)*$|^c$`)

// chunksOf tells the keys that belong to a node with documents of some formats,
// besides these.
func chunksOf(ctx context.Context, e *engine, path string, formats []string) func(key string) bool {
	var arrays []*meta.Array
	broken := false
	read := func(e *engine) error {
		doc, _, err := readDocument(ctx, e, path, false)
		if m, ok := doc.(*meta.Array); ok && err == nil {
			arrays = append(arrays, m)
		}
		broken = broken || err != nil && !errors.Is(err, ErrNoNode)
		return err
	}
	if err := read(e); errors.Is(err, ErrNoNode) || len(formats) > 1 {
		for _, name := range formats {
			other := *e
			other.store = e.formats.Open(translate.Raw(e.store), name, e.env())
			_ = read(&other)
		}
	}
	return func(key string) bool {
		if broken && likeChunk.MatchString(key) {
			return true
		}
		return slices.ContainsFunc(arrays, func(m *meta.Array) bool {
			idx := make([]int, len(m.Shape))
			return key == refs.ManifestName ||
				m.Keys.Parse(key, idx) && (inside(idx, m.Grid.Count()) || key[0] < '0' || key[0] > '9')
		})
	}
}

// strayChunk finds a chunk where an array is to be made and there is no node: what
// it holds would become the new array's. It looks where that costs one listing.
// listed is what lies in the folder.
func strayChunk(ctx context.Context, e *engine, path string, m *meta.Array, listed iter.Seq2[store.Entry, error]) error {
	prefix, idx := (&node{path: path}).prefix(), make([]int, len(m.Shape))
	raw := translate.Raw(e.store)
	stray := func(key string) error {
		if !m.Keys.Parse(key[len(prefix):], idx) {
			return nil
		}
		if _, _, err := readDocument(ctx, e, path, false); !errors.Is(err, ErrNoNode) {
			return ErrExist
		}
		return mark(ErrExist, fmt.Errorf("%q is left of another array, whose document is gone", key))
	}
	for entry, err := range listed {
		if errors.Is(err, store.ErrNoList) {
			return nil
		}
		if err != nil {
			return err
		}
		if !entry.IsPrefix {
			if err := stray(entry.Key); err != nil {
				return err
			}
			continue
		}
		if !likeChunk.MatchString(strings.TrimSuffix(entry.Key[len(prefix):], "/")) {
			continue
		}
		for below, err := range raw.List(ctx, entry.Key, "") {
			if err == nil {
				err = stray(below.Key)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// documentNames are the names that documents of nodes have, in any format, and of those that
// make a folder a node the formats.
func documentNames(e *engine) map[string][]string {
	names := map[string][]string{Unfinished: nil, Copied: nil}
	for _, f := range e.formats.All() {
		if f.Folder == nil {
			continue
		}
		for _, name := range f.Folder.Documents.Others {
			if names[name] == nil {
				names[name] = nil
			}
		}
		for _, name := range f.Folder.Documents.Nodes {
			names[name] = append(names[name], f.Name)
		}
	}
	return names
}

// formatsOf finds of which formats a folder is a node by its documents. What is called like a document of
// another format may be somebody's own: it counts if it can be read, or if nothing else says what the folder is
// and the node that it lies below, at path, is of that format, or is itself what is left of one.
func formatsOf(ctx context.Context, e *engine, dir, path string, nodes map[string][]string, broken bool) []string {
	var out []string
	for _, name := range nodes[dir] {
		other := *e
		other.store = e.formats.Open(translate.Raw(e.store), name, e.env())
		if _, _, err := readDocument(ctx, &other, dir, false); err == nil {
			out = append(out, name)
		}
	}
	if len(out) > 0 {
		return out
	}
	if dir == path || broken && nodes[path] == nil {
		return nodes[dir]
	}
	above := formatsOf(ctx, e, path, path, nodes, broken)
	return slices.DeleteFunc(slices.Clone(nodes[dir]), func(name string) bool { return !slices.Contains(above, name) })
}

// deleteNode removes a node and all below it: its document first, so that what
// an interruption leaves is no node any more.
func deleteNode(ctx context.Context, e *engine, path string) error {
	defer forget(e, path)
	e.changes.removed(path)
	if err := e.store.Delete(ctx, documentKey(path)); err != nil {
		return err
	}
	if path != "" {
		return e.store.Delete(ctx, path+"/")
	}
	for entry, err := range e.store.List(ctx, "", "/") {
		if err != nil {
			return err
		}
		if err := e.store.Delete(ctx, entry.Key); err != nil {
			return err
		}
	}
	return nil
}

// forget drops what caches have of a node and of all below it.
func forget(e *engine, path string) {
	name := placeOf(e.store, path)
	partCache.Drop(name)
	for c := range caches.all() {
		c.Drop(name)
	}
}
