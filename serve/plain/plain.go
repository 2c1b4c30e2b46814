// Package plain shows nodes of any format as a store of plain Zarr, version 3 or 2, which
// every client can be expected to read: the documents of nodes, consolidated metadata, and
// chunks. Where zarr-python, tensorstore, zarrita and neuroglancer have all codecs of an
// array, its chunks are those of the source, byte by byte, and ranges of them are ranges
// of the source. All other chunks are decoded and written anew when they are asked for,
// and kept.
//
// What clients do not know is shown as what they do:
//
//	integers below 8 bits                 int8, uint8
//	bfloat16 and floats of 4 to 8 bits    float32
//	complex numbers of such               complex64
//	text of fixed length (in Zarr v3)     string
//	objects, lists, optional values,
//	structs with parts of any length      string, each a JSON value
//	shards in Zarr v2, nested shards,
//	shards with their index in front      chunks
//	grids of uneven chunks                even chunks
package plain

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/codec/std"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/serve/fresh"
	"github.com/omnizarr/zarr/serve/kept"
	"github.com/omnizarr/zarr/store"
)

// Nodes is what is shown: nodes by their paths, such as "/a/b", "/" for the root. What it
// gives is good until the context ends. A *source.Source is one.
type Nodes interface {
	// URL names all of it for people.
	URL() string
	// Node opens a node; the error is zarr.ErrNoNode if there is none.
	Node(ctx context.Context, path string) (zarr.Node, error)
	// Names lists what lies directly below a group; some of it may be no nodes.
	Names(ctx context.Context, path string) ([]string, error)
	// Folder reports whether a group is a folder of stores, which are opened one by one.
	Folder(ctx context.Context, path string) (bool, error)
	// Version changes when the documents of a node change.
	Version(ctx context.Context, path string) (string, error)
}

// Options say how nodes are shown.
type Options struct {
	// Version is 3 or 2, that of Zarr. 0 stands for 3.
	Version int
	// Codecs are those that all chunks have: "zstd", "blosc", "gzip", "none", or the
	// JSON of a list of codecs as Zarr v3 has it. "" leaves chunks as they are where
	// clients know their codecs, and is zstd elsewhere. Arrays of a type that the list
	// cannot code have zstd too.
	Codecs string
	// Cache keeps the chunks that are made; nil keeps none. A chunk is made anew when the
	// values that it was made of change, as far as that can be known without asking another
	// machine, and when the document of its array does.
	Cache *kept.Cache
}

// Store is a read-only store of plain Zarr.
type Store struct {
	nodes  Nodes
	opt    Options
	codecs json.RawMessage // those that are asked for, nil if any will do
	// old shows the same as Zarr v2, for arrays that are stored so; nil in such a view.
	old    *Store
	groups kept.Cache // keeps nothing: parts of one chunk are made by one at a time
	chunks fresh.Chunks

	mu           sync.Mutex
	arrays       map[string]*shown
	consolidated map[string]*collected
}

var (
	_ store.Store  = (*Store)(nil)
	_ store.Opener = (*Store)(nil)
)

// mostArrays is how many arrays are remembered.
const mostArrays = 4096

// New shows nodes. Nothing is opened yet.
func New(nodes Nodes, opt Options) (*Store, error) {
	if opt.Version == 0 {
		opt.Version = 3
	}
	if opt.Version != 2 && opt.Version != 3 {
		return nil, fmt.Errorf("no version %d of Zarr, only 2 and 3", opt.Version)
	}
	if opt.Cache == nil {
		opt.Cache = &kept.Cache{}
	}
	s := &Store{nodes: nodes, opt: opt, arrays: map[string]*shown{}, consolidated: map[string]*collected{}}
	switch opt.Codecs {
	case "", "zstd", "blosc", "gzip", "none":
	default:
		list, err := meta.ParseCodecs(json.RawMessage(opt.Codecs))
		if err != nil {
			return nil, fmt.Errorf("codecs %q: must be zstd, blosc, gzip, none or a list of codecs as in zarr.json: %w", opt.Codecs, err)
		}
		if s.codecs, err = json.Marshal(list); err != nil {
			return nil, err
		}
		// What no array can have is told; what some cannot have, these get otherwise.
		if _, err = std.Registry().ParseList(s.codecs); err != nil {
			return nil, fmt.Errorf("codecs: %w", err)
		}
	}
	if opt.Version == 3 {
		opt.Version = 2
		var err error
		if s.old, err = New(nodes, opt); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// URL is that of what is shown.
func (s *Store) URL() string { return s.nodes.URL() }

// Put refuses.
func (s *Store) Put(_ context.Context, key string, _ []byte, _ store.PutOptions) (store.Info, error) {
	return store.Info{}, s.wrap("put", key, store.ErrReadOnly)
}

// Delete refuses.
func (s *Store) Delete(_ context.Context, key string) error {
	return s.wrap("delete", key, store.ErrReadOnly)
}

func (s *Store) wrap(op, key string, err error) error {
	return store.WrapError(op, s.URL(), key, err)
}

// Get gives a document, or a chunk.
func (s *Store) Get(ctx context.Context, key string, r store.Range, dst []byte) ([]byte, store.Info, error) {
	if err := store.CheckKey(key); err != nil {
		return dst, store.Info{}, s.wrap("get", key, err)
	}
	if node, name, ok := s.isDocument(key); ok {
		text, err := s.document(ctx, node, name)
		if err != nil {
			return dst, store.Info{}, s.wrap("get", key, missing(err))
		}
		dst, err = r.Append(dst, text)
		return dst, store.Info{Size: int64(len(text)), ETag: hash(string(text))}, s.wrap("get", key, err)
	}
	c, err := s.chunk(ctx, key)
	if err != nil {
		return dst, store.Info{}, s.wrap("get", key, missing(err))
	}
	if c.pass {
		return c.array.Store().Get(ctx, c.sourceKey(c.index), r, dst)
	}
	o := Made{store: s, chunk: c, key: key}
	return o.Get(ctx, r, dst)
}

// Open holds a value open. What passes through is the object of the source, such as an
// open file; what is made costs nothing until it is read.
func (s *Store) Open(ctx context.Context, key string) (store.Object, error) {
	if _, _, ok := s.isDocument(key); !ok && store.CheckKey(key) == nil {
		c, err := s.chunk(ctx, key)
		if err != nil {
			return nil, s.wrap("open", key, missing(err))
		}
		if c.pass {
			return store.Open(ctx, c.array.Store(), c.sourceKey(c.index))
		}
		return &Made{store: s, chunk: c, key: key}, nil
	}
	return store.Open(ctx, store.Reader(unopened{s}), key)
}

// unopened hides that Store is an Opener.
type unopened struct{ store.Reader }

// missing says by ErrNotExist that there is no such node.
func missing(err error) error {
	if errors.Is(err, zarr.ErrPath) || errors.Is(err, zarr.ErrNotArray) || errors.Is(err, zarr.ErrNotGroup) {
		return store.ErrNotExist
	}
	return err
}

func hash(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:16])
}

// isDocument takes the key of a document apart.
func (s *Store) isDocument(key string) (node, name string, ok bool) {
	node, name = path.Split(key)
	node = strings.TrimSuffix(node, "/")
	switch name {
	case documentName:
		return node, name, s.opt.Version == 3
	case consolidatedName: // which would tell of all nodes below
		return node, name, s.opt.Version == 2
	case arrayName, groupName, attributesName:
		return node, name, true
	}
	return node, name, false
}

// chunkOf is a chunk that somebody asks for.
type chunkOf struct {
	*shown
	index []int
}

// chunk finds the array that a key belongs to, and which of its chunks it names.
func (s *Store) chunk(ctx context.Context, key string) (chunkOf, error) {
	for _, node := range s.likely(key) {
		v, err := s.array(ctx, node)
		if errors.Is(err, zarr.ErrNotArray) || errors.Is(err, zarr.ErrNoNode) || errors.Is(err, store.ErrNotExist) {
			continue
		}
		if err != nil {
			return chunkOf{}, err
		}
		index := make([]int, len(v.doc.Shape))
		if !v.doc.Keys.Parse(strings.TrimPrefix(key[len(node):], "/"), index) {
			break // an array has no nodes in it
		}
		for i, n := range v.doc.Grid.Count() {
			if index[i] >= n {
				return chunkOf{}, store.ErrNotExist
			}
		}
		return chunkOf{v, index}, nil
	}
	return chunkOf{}, store.ErrNotExist
}

// likely gives the owners of a key, with one that is known first, so that nobody is asked
// for nodes that are not there.
func (s *Store) likely(key string) []string {
	nodes := slices.Collect(s.owners(key))
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, node := range nodes {
		if s.arrays[node] != nil {
			nodes[0], nodes[i] = nodes[i], nodes[0]
			break
		}
	}
	return nodes
}

// owners gives the paths of arrays that a key may be a chunk of, which are few: the folders
// of chunks may be called like those of arrays.
func (s *Store) owners(key string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for rest := key; rest != ""; {
			dir, name := path.Split(rest)
			rest = strings.TrimSuffix(dir, "/")
			if isC := name == "c" && s.opt.Version == 3; isC || !isNumber(name) {
				if isC {
					yield(rest)
				}
				return
			}
			if !yield(rest) {
				return
			}
		}
	}
}

// isNumber reports whether a name is an index, or several.
func isNumber(name string) bool {
	return name != "" && strings.Trim(name, "0123456789.") == ""
}
