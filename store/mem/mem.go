// Package mem keeps values in memory.
package mem

import (
	"context"
	"iter"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/omnizarr/zarr/store"
)

// Store is a map from keys to values. Its methods may be called by several
// goroutines. A key may also be the prefix of other keys.
type Store struct {
	url string
	id  string

	mu     sync.RWMutex
	values map[string]value
	below  map[string]int // keys by each prefix of them that ends with "/"
	puts   uint64         // counts, and so names, the values put
}

// value is never changed once it is in the map.
type value struct {
	data []byte
	etag string
}

func (v value) info() store.Info { return store.Info{Size: int64(len(v.data)), ETag: v.etag} }

var (
	_ store.Store       = (*Store)(nil)
	_ store.Opener      = (*Store)(nil)
	_ store.Parallel    = (*Store)(nil)
	_ store.Conditional = (*Store)(nil)
)

// New gives an empty store that nobody else has.
func New() *Store {
	return &Store{url: "mem:", id: "mem:#" + strconv.FormatUint(made.Add(1), 10), values: make(map[string]value), below: make(map[string]int)}
}

var made atomic.Uint64 // stores, to tell them apart

var shared struct {
	sync.Mutex
	stores map[string]*Store
}

// Shared gives the store of that name, the same each time while the process
// runs, and empty at first.
func Shared(name string) *Store {
	shared.Lock()
	defer shared.Unlock()
	s := shared.stores[name]
	if s == nil {
		if shared.stores == nil {
			shared.stores = make(map[string]*Store)
		}
		s = New()
		s.url += name
		shared.stores[name] = s
	}
	return s
}

// URL is "mem:" and the name of a shared store.
func (s *Store) URL() string { return s.url }

// Concurrency is the number of processors.
func (s *Store) Concurrency() int { return runtime.GOMAXPROCS(0) }

// Conditional is true.
func (s *Store) Conditional() bool { return true }

// Get copies the value.
func (s *Store) Get(ctx context.Context, key string, r store.Range, dst []byte) ([]byte, store.Info, error) {
	v, err := s.find(ctx, key)
	if err != nil {
		return dst, store.Info{}, store.WrapError("get", s.url, key, err)
	}
	return v.get(s.url, key, r, dst)
}

// Open holds the value that key has now.
func (s *Store) Open(ctx context.Context, key string) (store.Object, error) {
	v, err := s.find(ctx, key)
	if err != nil {
		return nil, store.WrapError("open", s.url, key, err)
	}
	return object{v, s.url, key}, nil
}

func (s *Store) find(ctx context.Context, key string) (value, error) {
	if err := check(ctx, key); err != nil {
		return value{}, err
	}
	s.mu.RLock()
	v, ok := s.values[key]
	s.mu.RUnlock()
	if !ok {
		return value{}, store.ErrNotExist
	}
	return v, nil
}

func check(ctx context.Context, key string) error {
	if store.CheckKey(key) != nil {
		return store.ErrBadKey
	}
	return ctx.Err()
}

func (v value) get(url, key string, r store.Range, dst []byte) ([]byte, store.Info, error) {
	off, n, err := r.Resolve(int64(len(v.data)))
	if err != nil {
		return dst, store.Info{}, store.WrapError("get", url, key, err)
	}
	return append(dst, v.data[off:off+n]...), v.info(), nil
}

// object is a value held open.
type object struct {
	value
	url, key string
}

func (o object) Get(ctx context.Context, r store.Range, dst []byte) ([]byte, store.Info, error) {
	if err := ctx.Err(); err != nil {
		return dst, store.Info{}, store.WrapError("get", o.url, o.key, err)
	}
	return o.get(o.url, o.key, r, dst)
}

func (object) Close() error { return nil }

// Near is true: a range is a copy.
func (object) Near() bool { return true }

// Identity tells the store from others that have the same URL.
func (s *Store) Identity(key string) string { return store.JoinURL(s.id, key) }

// Put stores a copy of data.
func (s *Store) Put(ctx context.Context, key string, data []byte, opt store.PutOptions) (store.Info, error) {
	err := check(ctx, key)
	if err != nil {
		return store.Info{}, store.WrapError("put", s.url, key, err)
	}
	v := value{data: slices.Clone(data)}
	s.mu.Lock()
	defer s.mu.Unlock()
	old, ok := s.values[key]
	if opt.IfAbsent && ok || opt.IfMatch != "" && (!ok || old.etag != opt.IfMatch) {
		return store.Info{}, store.WrapError("put", s.url, key, store.ErrPrecondition)
	}
	s.puts++
	v.etag = strconv.FormatUint(s.puts, 10)
	s.values[key] = v
	if !ok {
		s.count(key, 1)
	}
	return v.info(), nil
}

// count counts a key that is new, or one that is gone, in all folders that it lies in:
// most that are listed when nodes are made are empty, which then takes no look at each key.
func (s *Store) count(key string, by int) {
	for i := range len(key) {
		if key[i] != '/' {
			continue
		}
		folder := key[:i+1]
		if s.below[folder] += by; s.below[folder] == 0 {
			delete(s.below, folder)
		}
	}
}

// drop removes a key, if it is there.
func (s *Store) drop(key string) {
	if _, ok := s.values[key]; ok {
		delete(s.values, key)
		s.count(key, -1)
	}
}

// Delete removes a key, or with "/" at the end all keys below it.
func (s *Store) Delete(ctx context.Context, key string) error {
	name, tree := strings.CutSuffix(key, "/")
	if err := check(ctx, name); err != nil {
		return store.WrapError("delete", s.url, key, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !tree {
		s.drop(key)
		return nil
	}
	if s.below[key] == 0 {
		return nil
	}
	for k := range s.values {
		if strings.HasPrefix(k, key) {
			s.drop(k)
		}
	}
	return nil
}

// Move gives all keys below from the prefix to.
func (s *Store) Move(ctx context.Context, from, to string) error {
	return store.WrapError("move", s.url, from, s.swap(ctx, from, to, false))
}

// Exchange gives the keys below two prefixes each the prefix of the other.
func (s *Store) Exchange(ctx context.Context, a, b string) error {
	return store.WrapError("exchange", s.url, a, s.swap(ctx, a, b, true))
}

func (s *Store) swap(ctx context.Context, a, b string, both bool) error {
	for _, key := range []string{a, b} {
		if err := check(ctx, key); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	values := make(map[string]value, len(s.values))
	for key, v := range s.values {
		if rest, ok := strings.CutPrefix(key, b+"/"); ok && !both {
			return store.ErrPrecondition
		} else if ok {
			key = a + "/" + rest
		} else if rest, ok := strings.CutPrefix(key, a+"/"); ok {
			key = b + "/" + rest
		}
		values[key] = v
	}
	s.values, s.below = values, make(map[string]int)
	for key := range values {
		s.count(key, 1)
	}
	return nil
}

// List yields the keys that there are when it is called.
func (s *Store) List(ctx context.Context, prefix, delimiter string) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		err := store.CheckList(prefix, delimiter)
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			yield(store.Entry{}, store.WrapError("list", s.url, prefix, err))
			return
		}
		for _, e := range s.entries(prefix, delimiter) {
			if err := ctx.Err(); err != nil {
				yield(store.Entry{}, store.WrapError("list", s.url, prefix, err))
				return
			}
			if !yield(e, nil) {
				return
			}
		}
	}
}

// entries gives what lies below prefix, sorted and each once.
func (s *Store) entries(prefix, delimiter string) []store.Entry {
	var list []store.Entry
	s.mu.RLock()
	if strings.HasSuffix(prefix, "/") && s.below[prefix] == 0 {
		s.mu.RUnlock()
		return nil
	}
	for key, v := range s.values {
		rest, ok := strings.CutPrefix(key, prefix)
		if !ok {
			continue
		}
		e := store.Entry{Key: key, Size: int64(len(v.data)), ETag: v.etag}
		if name, _, more := strings.Cut(rest, "/"); more && delimiter == "/" {
			e = store.Entry{Key: key[:len(prefix)+len(name)+1], IsPrefix: true}
		}
		list = append(list, e)
	}
	s.mu.RUnlock()
	slices.SortFunc(list, func(a, b store.Entry) int { return strings.Compare(a.Key, b.Key) })
	return slices.CompactFunc(list, func(a, b store.Entry) bool { return a.Key == b.Key })
}
