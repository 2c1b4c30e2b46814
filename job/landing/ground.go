package landing

import (
	"context"
	"io"
	"iter"
	"path"
	"runtime"
	"strings"
	"sync/atomic"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/store"
)

// ground is the store below held-back documents: that of the place, in which the
// folder of the copy may be made beside its place, and looks empty until the copy
// starts. What is stored there of documents and marks is of interruptions, and does
// not count.
type ground struct {
	url      string
	root, at string
	node     func(folder string) bool    // whether a folder has a document that is held back
	put      func(context.Context) error // called behind every put, if there is one

	// Set once, by start.
	base  store.Store
	made  string
	ready atomic.Bool
}

func (g *ground) start(base store.Store, made string) {
	g.base, g.made = base, made
	g.ready.Store(true)
}

func (g *ground) started() bool { return g.ready.Load() }

// inside reports whether a key is of the copy.
func (g *ground) inside(key string) bool {
	_, ok := g.below(path.Join(g.root, key))
	return ok
}

// below gives what of a key or prefix of the base lies below the place.
func (g *ground) below(full string) (string, bool) {
	if g.at == "" || full == g.at {
		return strings.TrimPrefix(full, g.at), true
	}
	return strings.CutPrefix(full, g.at+"/")
}

// place gives the key in the base, and whether it is to be seen.
func (g *ground) place(key string) (at string, seen bool) {
	full := path.Join(g.root, key)
	below, in := g.below(full)
	if !in {
		return full, g.base != nil
	}
	own := isOwn(below) || isDocument(below)
	return path.Join(g.made, below), g.started() && !own
}

func (g *ground) missing(op, key string) error {
	err := store.CheckKey(key)
	if err == nil {
		err = store.ErrNotExist
	}
	return store.WrapError(op, g.url, key, err)
}

func (g *ground) Get(ctx context.Context, key string, r store.Range, dst []byte) ([]byte, store.Info, error) {
	at, seen := g.place(key)
	if !seen || store.CheckKey(key) != nil {
		return dst, store.Info{}, g.missing("get", key)
	}
	return g.base.Get(ctx, at, r, dst)
}

// Open holds a value open.
func (g *ground) Open(ctx context.Context, key string) (store.Object, error) {
	at, seen := g.place(key)
	if !seen || store.CheckKey(key) != nil {
		return nil, g.missing("open", key)
	}
	return store.Open(ctx, g.base, at)
}

func (g *ground) Put(ctx context.Context, key string, data []byte, opt store.PutOptions) (store.Info, error) {
	at, _ := g.place(key)
	if !g.started() || store.CheckKey(key) != nil {
		return store.Info{}, g.missing("put", key)
	}
	info, err := g.base.Put(ctx, at, data, opt)
	return info, g.done(ctx, err)
}

// done ends a put.
func (g *ground) done(ctx context.Context, err error) error {
	if err != nil || g.put == nil {
		return err
	}
	return g.put(ctx)
}

// PutFrom takes a value piece by piece, where the store of the place can.
func (g *ground) PutFrom(ctx context.Context, key string, r io.Reader, size int64) (store.Info, error) {
	at, _ := g.place(key)
	if !g.started() || store.CheckKey(key) != nil {
		return store.Info{}, g.missing("put", key)
	}
	info, err := store.PutFrom(ctx, g.base, at, r, size, maxWhole)
	return info, g.done(ctx, err)
}

// CanStream reports whether the store of the place can, as what is not there yet will.
func (g *ground) CanStream() bool { return g.base == nil || store.CanStream(g.base) }

// maxWhole bounds a value that goes by way of memory.
const maxWhole = 1 << 30

func (g *ground) Delete(ctx context.Context, key string) error {
	name, tree := strings.CutSuffix(key, "/")
	at, _ := g.place(name)
	if !g.started() || store.CheckKey(name) != nil {
		return g.missing("delete", key)
	}
	if tree {
		at += "/"
	}
	return g.base.Delete(ctx, at)
}

// List yields what lies below prefix. A folder whose document is not made yet holds
// nothing: chunks that were put before an interruption are not in the way of it.
func (g *ground) List(ctx context.Context, prefix, delimiter string) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		if err := store.CheckList(prefix, delimiter); err != nil {
			yield(store.Entry{}, store.WrapError("list", g.url, prefix, err))
			return
		}
		folder := strings.TrimSuffix(prefix, "/")
		full := path.Join(g.root, folder)
		from := full
		below, in := g.below(full)
		switch {
		case in && (!g.started() || delimiter == "/" && !g.node(folder)), g.base == nil:
			return
		case in:
			from = path.Join(g.made, below)
		}
		if from != "" {
			from += "/"
		}
		for e, err := range g.base.List(ctx, from, delimiter) {
			if err == nil {
				e.Key = prefix + strings.TrimPrefix(e.Key, from)
				if in && (isDocument(e.Key) || folder == strings.Trim(strings.TrimPrefix(g.at, g.root), "/") && isOwn(e.Key[len(prefix):])) {
					continue
				}
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// isOwn reports whether a key below the place is of what copies keep for themselves.
func isOwn(key string) bool {
	first, _, _ := strings.Cut(key, "/")
	return zarr.IsOwn(first)
}

func (g *ground) URL() string { return g.url }

// Concurrency forwards.
func (g *ground) Concurrency() int {
	if p, ok := store.As[store.Parallel](g.base); ok {
		return p.Concurrency()
	}
	return runtime.GOMAXPROCS(0)
}

// Near forwards; what is not there yet is a folder.
func (g *ground) Near() bool { return g.base == nil || store.IsNear(g.base) }
