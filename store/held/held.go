// Package held is a store that keeps some values back, such as the documents of
// nodes, until all else is stored, and shows them as if they were stored already.
package held

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"iter"
	"maps"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

// Store keeps documents back. All else goes through. Its methods may be called by
// several goroutines.
type Store struct {
	base  store.Store
	kept  func(key string) bool // what is held back
	order []string              // of the documents of a node
	over  *mem.Store

	mu    sync.Mutex
	gone  map[string]bool    // documents to be removed
	when  map[string]int     // by key: the number of its first change
	grown map[string]int     // by node: the number of its last growth
	added map[string]bool    // nodes that are new, with all that is below them
	seen  map[string]version // by key: what was stored when it was read first
	loose map[string]bool    // values that went through; nil if nobody asks
	now   int
}

// version is what is known of a stored document.
type version struct {
	text string // its Version
	tag  string // its ETag, "" if the store gives none
}

// Version tells values apart: it is that of a value in pieces, or "" where there is none.
func Version(there bool, pieces ...[]byte) string {
	if !there {
		return ""
	}
	sum, size := uint32(0), 0
	for _, p := range pieces {
		sum, size = crc32.Update(sum, castagnoli, p), size+len(p)
	}
	return fmt.Sprintf("%08x-%d", sum, size)
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// New holds back what kept says. Order is the names of documents in the order in
// which those of one node are stored.
func New(base store.Store, kept func(key string) bool, order []string) *Store {
	return &Store{
		base: base, kept: kept, order: order, over: mem.New(),
		gone: map[string]bool{}, when: map[string]int{}, grown: map[string]int{}, added: map[string]bool{}, seen: map[string]version{},
	}
}

// Base is the store that takes the values in the end.
func (h *Store) Base() store.Store { return h.base }

// Get gives a value that is held back, or else that of the store inside.
func (h *Store) Get(ctx context.Context, key string, r store.Range, dst []byte) ([]byte, store.Info, error) {
	if !h.kept(key) {
		return h.base.Get(ctx, key, r, dst)
	}
	out, info, err := h.over.Get(ctx, key, r, dst)
	if !errors.Is(err, store.ErrNotExist) {
		return out, info, err
	}
	if h.removed(key) {
		return dst, store.Info{}, store.WrapError("get", h.URL(), key, store.ErrNotExist)
	}
	out, info, err = h.base.Get(ctx, key, r, dst)
	if _, all := r.IsAll(); all && (err == nil || errors.Is(err, store.ErrNotExist)) {
		h.saw(key, version{Version(err == nil, out[len(dst):]), info.ETag}, false)
	}
	return out, info, err
}

// saw remembers what is stored at a key, the first time or anew.
func (h *Store) saw(key string, v version, anew bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, known := h.seen[key]; anew || !known {
		h.seen[key] = v
	}
}

// Was is the Version of a document that is stored, as it was when it was read first.
// It is an error, store.ErrPrecondition, if it is another one now.
func (h *Store) Was(ctx context.Context, key string) (string, error) {
	h.mu.Lock()
	was, known := h.seen[key]
	h.mu.Unlock()
	if known && was.tag != "" {
		_, info, err := h.base.Get(ctx, key, store.Part(0, 0), nil)
		if err == nil && info.ETag == was.tag {
			return was.text, nil
		}
	}
	text, info, err := h.base.Get(ctx, key, store.All(), nil)
	if err != nil && !errors.Is(err, store.ErrNotExist) {
		return "", err
	}
	now := version{Version(err == nil, text), info.ETag}
	if known && now.text != was.text {
		return "", store.WrapError("replace", h.URL(), key, store.ErrPrecondition)
	}
	h.saw(key, now, true)
	return now.text, nil
}

// Holds reports whether a value is held back now.
func (h *Store) Holds(key string) bool {
	_, _, err := h.over.Get(context.Background(), key, store.Part(0, 0), nil)
	return err == nil
}

func (h *Store) removed(key string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.gone[key]
}

// Open forwards for values that are not held.
func (h *Store) Open(ctx context.Context, key string) (store.Object, error) {
	if h.kept(key) {
		return store.Open(ctx, plain{h}, key)
	}
	return store.Open(ctx, h.base, key)
}

// plain hides that held is an Opener.
type plain struct{ store.Reader }

// Put holds a value back, or passes it on.
func (h *Store) Put(ctx context.Context, key string, data []byte, opt store.PutOptions) (store.Info, error) {
	if !h.kept(key) {
		opt.Flush = h.passes(key) || opt.Flush
		return h.base.Put(ctx, key, data, opt)
	}
	if opt.IfAbsent {
		_, _, err := h.Get(ctx, key, store.Part(0, 0), nil)
		if err == nil || !errors.Is(err, store.ErrNotExist) {
			return store.Info{}, store.WrapError("put", h.URL(), key, cmp.Or(err, store.ErrPrecondition))
		}
	}
	info, err := h.over.Put(ctx, key, data, store.PutOptions{})
	if err == nil {
		h.changed(key, false)
	}
	return info, err
}

// PutFrom takes what is not held back piece by piece, where the store inside can.
func (h *Store) PutFrom(ctx context.Context, key string, r io.Reader, size int64) (store.Info, error) {
	if !h.kept(key) && !h.passes(key) {
		return store.PutFrom(ctx, h.base, key, r, size, maxWhole)
	}
	data, err := store.Collect(r, size, maxWhole)
	if err != nil {
		return store.Info{}, store.WrapError("put", h.URL(), key, err)
	}
	return h.Put(ctx, key, data, store.PutOptions{})
}

// Track remembers the values that go through from now on, and keys, for Loose. They are
// put such that a loss of power leaves the old value or the new one.
func (h *Store) Track(keys ...string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.loose == nil {
		h.loose = map[string]bool{}
	}
	for _, key := range keys {
		h.loose[key] = true
	}
}

// Loose are the keys of the values that went through, and forgets them.
func (h *Store) Loose() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	keys := slices.Collect(maps.Keys(h.loose))
	clear(h.loose)
	return keys
}

// passes remembers a value that goes through, if somebody asks, and says whether.
func (h *Store) passes(key string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.loose == nil {
		return false
	}
	h.loose[key] = true
	return true
}

// CanStream reports whether the store inside can.
func (h *Store) CanStream() bool { return store.CanStream(h.base) }

// maxWhole bounds a value that goes by way of memory.
const maxWhole = 1 << 30

func (h *Store) changed(key string, gone bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.now++
	if h.when[key] == 0 {
		h.when[key] = h.now
	}
	if gone {
		h.gone[key] = true
	} else {
		delete(h.gone, key)
	}
}

// Grows says that an array becomes longer: its document is stored behind those of
// all that grew before.
func (h *Store) Grows(node string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.now++
	h.grown[node] = h.now
}

// Adds says that a node is new: its document is stored behind all that is below it,
// which is nothing without it. The root is "".
func (h *Store) Adds(node string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.added[path.Clean(node)] = true
}

// isNew says whether a node is one that was added, or below one.
func (h *Store) isNew(node string) bool {
	for ; ; node = path.Dir(node) {
		if h.added[node] {
			return true
		}
		if node == "." {
			return false
		}
	}
}

// IsNew says whether a node is one that was added, or below one.
func (h *Store) IsNew(node string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.isNew(node)
}

// Added are the nodes that were added, without those below them.
func (h *Store) Added() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Sorted(maps.Keys(h.added))
}

// Delete removes a value: of those that are held back, when they are stored.
func (h *Store) Delete(ctx context.Context, key string) error {
	if strings.HasSuffix(key, "/") || !h.kept(key) {
		return h.base.Delete(ctx, key)
	}
	_, _, err := h.Get(ctx, key, store.Part(0, 0), nil)
	if errors.Is(err, store.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = h.over.Delete(ctx, key)
	}
	if err == nil {
		h.changed(key, true)
	}
	return err
}

// List merges what is held with what is stored.
func (h *Store) List(ctx context.Context, prefix, delimiter string) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		var own []store.Entry
		for e, err := range h.over.List(ctx, prefix, delimiter) {
			if err != nil {
				yield(e, err)
				return
			}
			own = append(own, e)
		}
		for e, err := range h.base.List(ctx, prefix, delimiter) {
			for err == nil && len(own) > 0 && own[0].Key < e.Key {
				if !yield(own[0], nil) {
					return
				}
				own = own[1:]
			}
			if err == nil && len(own) > 0 && own[0].Key == e.Key {
				e, own = own[0], own[1:]
			} else if err == nil && h.removed(e.Key) {
				continue
			}
			if !yield(e, err) {
				return
			}
		}
		for _, e := range own {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// URL is that of the store inside.
func (h *Store) URL() string { return h.base.URL() }

// Identity is that of the store inside: both have the same chunks.
func (h *Store) Identity(key string) string { return store.Identity(h.base, key) }

// Concurrency forwards.
func (h *Store) Concurrency() int {
	if p, ok := store.As[store.Parallel](h.base); ok {
		return p.Concurrency()
	}
	return runtime.GOMAXPROCS(0)
}

// Near forwards.
func (h *Store) Near() bool { return store.IsNear(h.base) }

// Changes are the keys of the documents that were changed, in the order in which
// they are to be stored: new nodes behind what they hold, then others in the order
// in which they grew last or else were changed first, and the root behind all.
func (h *Store) Changes() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	type place struct{ class, order int }
	places := map[string]place{}
	for key, n := range h.when {
		node := path.Dir(key)
		before, known := places[node]
		p := place{1, n}
		switch {
		case node == ".":
			p = place{2, 0}
		case h.isNew(node):
			p = place{0, -strings.Count(node, "/")}
		case h.grown[node] > 0:
			p.order = h.grown[node]
		case known:
			p.order = min(n, before.order)
		}
		places[node] = p
	}
	return slices.SortedFunc(maps.Keys(h.when), func(a, b string) int {
		x, y := path.Dir(a), path.Dir(b)
		return cmp.Or(cmp.Compare(places[x].class, places[y].class), cmp.Compare(places[x].order, places[y].order), cmp.Compare(x, y),
			cmp.Compare(slices.Index(h.order, path.Base(a)), slices.Index(h.order, path.Base(b))))
	})
}

// Document is what a key has now, nil if it was removed.
func (h *Store) Document(ctx context.Context, key string) ([]byte, error) {
	if h.removed(key) {
		return nil, nil
	}
	text, _, err := h.over.Get(ctx, key, store.All(), nil)
	return text, err
}

// Flush stores the documents of keys one after the other.
func (h *Store) Flush(ctx context.Context, keys []string) error {
	for _, key := range keys {
		text, err := h.Document(ctx, key)
		var info store.Info
		switch {
		case err != nil:
		case text == nil:
			err = h.base.Delete(ctx, key)
		default:
			info, err = h.base.Put(ctx, key, text, store.PutOptions{})
		}
		if err != nil {
			return err
		}
		h.Decided(key)
		h.Stored(key, text, info)
	}
	return nil
}

// Decided says that a document as it is held now is on its way to the store, and
// changed no more.
func (h *Store) Decided(key string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.when, key)
}

// Stored says what is stored at the key of a document now, nil if nothing is.
func (h *Store) Stored(key string, text []byte, info store.Info) {
	h.saw(key, version{Version(text != nil, text), info.ETag}, true)
}

// Settled says that all changes are stored.
func (h *Store) Settled() {
	h.mu.Lock()
	defer h.mu.Unlock()
	clear(h.grown)
	clear(h.added)
}
