package zarr

import (
	"context"
	"fmt"
	pathpkg "path"
	"regexp"
	"strings"

	"github.com/omnizarr/zarr/format/translate"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/refs"
)

// Remove removes a node and all below it, as ArraySpec.Overwrite does. If the
// folder holds something that is neither a document nor a chunk of a node there,
// nothing is removed, and the error, which is ErrExist, names it.
func Remove(ctx context.Context, n Node) error {
	e := engineOf(n)
	return fail("remove", n.URL(), removeNode(ctx, e, n.Path()))
}

func removeNode(ctx context.Context, e *engine, path string) error {
	key, err := foreign(ctx, e, path)
	if err != nil {
		return err
	}
	if key != "" {
		return mark(ErrExist, fmt.Errorf("%q in its folder belongs to no node, and is not removed", key))
	}
	return deleteNode(ctx, e, path)
}

// foreign finds a value in a folder that is no part of a node there; "" if there
// is none. What is left of an array without its document passes for chunks.
func foreign(ctx context.Context, e *engine, path string) (string, error) {
	prefix := (&node{engine: e, path: path}).prefix()
	s, names := translate.Raw(e.store), documentNames(e)
	nodes := map[string]func(key string) bool{} // by folder: whether a key in it is a chunk
	for entry, err := range s.List(ctx, prefix, "") {
		if err != nil {
			return "", err
		}
		if dir, name := pathpkg.Split(entry.Key); names[name] {
			nodes[strings.TrimSuffix(dir, "/")] = nil
		}
	}
	for entry, err := range s.List(ctx, prefix, "") {
		if err != nil {
			return "", err
		}
		dir, name := pathpkg.Split(entry.Key)
		if names[name] {
			continue
		}
		dir = strings.TrimSuffix(dir, "/")
		for _, is := nodes[dir]; !is && len(dir) > len(path); _, is = nodes[dir] {
			dir = strings.TrimSuffix(pathpkg.Dir(dir), ".")
		}
		chunk, is := nodes[dir]
		if is && chunk == nil {
			chunk = chunksOf(ctx, e, dir)
			nodes[dir] = chunk
		}
		if key := strings.TrimPrefix(entry.Key[len(dir):], "/"); is && !chunk(key) || !is && !likeChunk.MatchString(key) {
			return entry.Key, nil
		}
	}
	return "", nil
}

// likeChunk are the keys of chunks in any of the usual encodings.
var likeChunk = regexp.MustCompile(`^(c[/.])?[0-9]+([/.][0-9]+)*$|^c$`)

// chunksOf tells the keys that belong to a node besides its documents.
func chunksOf(ctx context.Context, e *engine, path string) func(key string) bool {
	doc, _, err := readDocument(ctx, e, path, false)
	m, ok := doc.(*meta.Array)
	if err == nil && !ok {
		return func(string) bool { return false }
	}
	return func(key string) bool {
		return key == refs.ManifestName || likeChunk.MatchString(key) ||
			ok && m.Keys.Parse(key, make([]int, len(m.Shape)))
	}
}

// documentNames are the names that documents of nodes have, in any format.
func documentNames(e *engine) map[string]bool {
	names := map[string]bool{Unfinished: true}
	for _, f := range e.formats.All() {
		if f.Folder == nil {
			continue
		}
		for _, list := range [][]string{f.Folder.Documents.Nodes, f.Folder.Documents.Others} {
			for _, name := range list {
				names[name] = true
			}
		}
	}
	return names
}

// deleteNode removes a node and all below it: its document first, so that what
// an interruption leaves is no node any more.
func deleteNode(ctx context.Context, e *engine, path string) error {
	name := strings.TrimSuffix(store.Identity(e.store, path), "/") + "/"
	defer e.cache.Drop(name)
	defer partCache.Drop(name)
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
