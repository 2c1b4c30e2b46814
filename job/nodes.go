package job

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/codec"
	known "github.com/omnizarr/zarr/codec/std"
	"github.com/omnizarr/zarr/format/std"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store"
)

// Document is the name of a node's document.
const Document = "zarr.json"

// DocumentOf is the key of a node's document in its store.
func DocumentOf(n zarr.Node) string { return strings.TrimPrefix(n.Path()+"/"+Document, "/") }

// Nodes lists a node and all nodes below it by path, "/" for the node itself.
func Nodes(ctx context.Context, root zarr.Node) (groups map[string]*zarr.Group, arrays map[string]*zarr.Array, err error) {
	groups, arrays = map[string]*zarr.Group{}, map[string]*zarr.Array{}
	add := func(n zarr.Node) {
		switch n := n.(type) {
		case *zarr.Array:
			arrays[Path(root, n)] = n
		case *zarr.Group:
			groups[Path(root, n)] = n
		}
	}
	add(root)
	if g, ok := root.(*zarr.Group); ok {
		for n, err := range g.Walk(ctx) {
			if err != nil {
				return nil, nil, err
			}
			add(n)
		}
	}
	return groups, arrays, ctx.Err()
}

// Path is the path of a node below root, "/" for root itself.
func Path(root, n zarr.Node) string {
	return "/" + strings.Trim(strings.TrimPrefix(n.Path(), root.Path()), "/")
}

// Paths gives the paths of nodes in their order.
func Paths[N any](nodes map[string]N) []string {
	return slices.SortedFunc(maps.Keys(nodes), meta.ComparePaths)
}

// Reason is an error without the operation and URL in front, and the key that
// it names.
func Reason(err error) (key, text string) {
	var known *zarr.Error
	if errors.As(err, &known) {
		return known.Key, known.Err.Error()
	}
	var unread *store.KeyError
	if errors.As(err, &unread) && (unread.Key == "" || slices.Contains(documents(), path.Base(unread.Key))) {
		return "", unread.Err.Error()
	}
	return "", err.Error()
}

// documents are those that are all that a node has, of formats which do not mix.
var documents = sync.OnceValue(func() (names []string) {
	for _, f := range std.Registry().All() {
		if f.Folder != nil && !f.Folder.Mixed {
			names = append(names, f.Folder.Documents.Nodes...)
		}
	}
	return names
})

// CutDocument cuts the name of a node's document off what is said of it.
func CutDocument(text string) (name, rest string) {
	for _, name := range append([]string{Document}, documents()...) {
		if rest, ok := strings.CutPrefix(text, name+": "); ok {
			return name, rest
		}
	}
	return "", text
}

// CodecError says which codec of an array is missing.
func CodecError(a *zarr.Array) error {
	_, err := a.Codec()
	if known, ok := errors.AsType[*zarr.Error](err); ok {
		return known.Err
	}
	return err
}

// Completed is a list of codecs, which that of an array says, with everything written down, as if the
// array were made now: what may not be made is an error.
func Completed(a *zarr.Array, codecs []meta.Extension) (*codec.Chain, error) {
	b, err := a.Codec()
	if err != nil {
		return nil, err
	}
	list, err := json.Marshal(codecs)
	if err != nil {
		return nil, err
	}
	chain, err := known.Registry().ParseList(list)
	if err != nil {
		return nil, err
	}
	return chain.Complete(b.Spec())
}

// Metadata is what the document of a node says.
func Metadata(n zarr.Node) meta.Node {
	if a, ok := n.(*zarr.Array); ok {
		return a.Metadata()
	}
	return n.(*zarr.Group).Metadata()
}
