package job

import (
	"context"
	"errors"
	"iter"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/std"
	"github.com/omnizarr/zarr/format/translate"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/refs"
)

// Stray is a value in the folder of a hierarchy that no node needs.
type Stray struct {
	Path string // of the nearest node above it, "/" for the root
	Key  string // below the folder of that node
	// Orphan says that it is a chunk of the array at Path, but lies outside of the
	// array's shape, as what shrank the array may have left it. Anything else is
	// somebody's own.
	Orphan bool
}

// Strays yields the values at and below a node that are neither documents nor chunks
// of nodes. root should be open without consolidated metadata, so that all nodes are
// known. Nodes that do not open own what looks like their chunks. A hierarchy that is
// one file has none.
func Strays(ctx context.Context, root zarr.Node) iter.Seq2[Stray, error] {
	return func(yield func(Stray, error) bool) {
		formats := std.Registry()
		if f := formats.Find(root.Format()); f != nil && f.File != nil {
			return
		}
		owners, err := owners(ctx, root)
		if err != nil {
			yield(Stray{}, err)
			return
		}
		documents := map[string]bool{}
		for _, f := range formats.All() {
			if f.Folder != nil {
				for _, name := range append(f.Folder.Documents.Nodes, f.Folder.Documents.Others...) {
					documents[name] = true
				}
			}
		}
		prefix := strings.TrimSuffix(DocumentOf(root), Document)
		type stray struct {
			key string
			Stray
		}
		var found []stray // which are few of all
		for entry, err := range translate.Raw(root.Store()).List(store.NamesOnly(ctx), prefix, "") {
			if err != nil {
				yield(Stray{}, err)
				return
			}
			key := entry.Key[len(prefix):]
			// What is a document elsewhere is one here if its folder is a node: a container of
			// another format inside is somebody's own.
			_, isNode := owners[path.Dir("/"+key)]
			if isNode && documents[path.Base(key)] || isOwn(key) {
				continue
			}
			at, below := Nearest(owners, key)
			if kind := owners[at].owns(below); kind != own {
				found = append(found, stray{key, Stray{Path: at, Key: below, Orphan: kind == orphan}})
			}
		}
		slices.SortFunc(found, func(x, y stray) int { return strings.Compare(x.key, y.key) })
		for _, s := range found {
			if !yield(s.Stray, nil) {
				return
			}
		}
	}
}

// isOwn reports whether a part of a key is a name that the engine keeps for itself.
func isOwn(key string) bool { return strings.Contains("/"+key, ".omnizarr-") }

// Nearest is the path of the nearest node above a key of a hierarchy, and the key below
// that node.
func Nearest[N any](nodes map[string]N, key string) (at, below string) {
	for dir := path.Dir(key); dir != "."; dir = path.Dir(dir) {
		if _, ok := nodes["/"+dir]; ok {
			return "/" + dir, key[len(dir)+1:]
		}
	}
	return "/", key
}

// BrokenPath is the path below root of a node that did not open.
func BrokenPath(root zarr.Node, err error) (string, bool) {
	known, ok := errors.AsType[*zarr.Error](err)
	if !ok {
		return "/", false
	}
	path, _ := strings.CutPrefix(known.URL, root.URL())
	if plain, err := url.PathUnescape(path); err == nil && strings.Contains(known.URL, "://") {
		path = plain
	}
	return "/" + strings.Trim(path, "/"), true
}

// owner is a node that values may belong to: an array, a group without chunks, or one
// that does not open.
type owner struct {
	array  *meta.Array
	broken bool
}

func owners(ctx context.Context, root zarr.Node) (map[string]owner, error) {
	out := map[string]owner{}
	add := func(n zarr.Node) {
		o := owner{}
		if a, ok := n.(*zarr.Array); ok {
			o.array = a.Metadata()
		}
		out[Path(root, n)] = o
	}
	add(root)
	g, ok := root.(*zarr.Group)
	if !ok {
		return out, nil
	}
	for n, err := range g.Walk(ctx) {
		switch {
		case err == nil:
			add(n)
		case errors.Is(err, store.ErrNoList) || ctx.Err() != nil:
			return nil, err
		default:
			if at, ok := BrokenPath(root, err); ok {
				out[at] = owner{broken: true}
			}
		}
	}
	return out, ctx.Err()
}

type ownership int

const (
	foreign ownership = iota
	own
	orphan
)

// likeChunk are the keys of chunks in any of the usual encodings.
var likeChunk = regexp.MustCompile(`^(c[/.])?[0-9]+([/.][0-9]+)*$|^c$`)

// owns says whose a key below a node is. A file or folder that is called 2024 may be
// somebody's own, where the array has no such chunk: only keys that begin with a
// letter, or are several numbers in one name, are certain to be chunks.
func (o owner) owns(key string) ownership {
	if o.broken && likeChunk.MatchString(key) {
		return own
	}
	if o.array == nil {
		return foreign
	}
	if key == refs.ManifestName {
		return own
	}
	idx := make([]int, len(o.array.Shape))
	if !o.array.Keys.Parse(key, idx) {
		return foreign
	}
	inside := true
	for i, n := range o.array.Grid.Count() {
		inside = inside && idx[i] < n
	}
	switch {
	case inside:
		return own
	case key[0] < '0' || key[0] > '9', strings.Contains(key, "."):
		return orphan
	}
	return foreign
}
