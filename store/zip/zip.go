// Package zip keeps values as the entries of one ZIP archive, zip64 included.
//
// Open reads an archive through any object: a local file, or one behind HTTP,
// of which only the directory and the wanted entries are fetched. Stored
// entries are read by range; deflated ones are inflated up to the size that
// the directory declares, never past it. Whole reads are checked against the
// CRC. Entries whose name is no valid key (with "..", a drive letter, a
// backslash, absolute) do not exist for the store, and of entries with the
// same name the last one counts.
//
// Create and Update write: to a file beside the archive that takes its place
// on Close, so that the archive is the whole new one or the old one. Entries lie in
// the order in which they were put, the directory is in the order of keys, and
// nothing tells of the time: who puts the same one after another makes the same
// archive.
package zip

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/omnizarr/zarr/store"
)

// ErrFormat says that the archive, or an entry in it, is damaged or of a kind
// that is not supported.
var ErrFormat = store.Damaged(errors.New("not a valid zip archive"))

// Store is an archive. Its methods may be called by several goroutines.
type Store struct {
	url    string
	id     string                 // of the file that is the archive
	obj    store.Object           // the archive as it was, nil for a new one
	limit  int64                  // where the entries in obj end
	target *target                // nil if read-only
	w      atomic.Pointer[writer] // nil until something is written

	use    sync.RWMutex // held for reading while files are in use
	closed bool

	mu      sync.RWMutex // guards what follows
	entries map[string]*entry
	dead    []dead   // entries of the new file that were replaced or deleted
	sorted  []string // the keys, nil when they have to be sorted anew
}

var (
	_ store.Store       = (*Store)(nil)
	_ store.Parallel    = (*Store)(nil)
	_ store.Conditional = (*Store)(nil)
)

// Open reads the directory of the archive in obj, which name names for people.
// The store owns obj from then on, and closes it in Close; obj stays the
// caller's when there is an error.
func Open(ctx context.Context, obj store.Object, name string) (*Store, error) {
	entries, limit, err := readDirectory(ctx, obj)
	if err != nil {
		var k *store.KeyError
		if errors.As(err, &k) {
			err = k.Err
		}
		return nil, store.WrapError("open zip", name, "", err)
	}
	return &Store{url: name, id: name, obj: whole{obj}, limit: limit, entries: entries}, nil
}

// OpenIn reads the directory of the archive that is a value of another store.
func OpenIn(ctx context.Context, in store.Reader, key string) (*Store, error) {
	obj, err := store.Open(ctx, in, key)
	if err != nil {
		return nil, err
	}
	s, err := Open(ctx, obj, store.JoinURL(in.URL(), key))
	if err != nil {
		obj.Close()
		return nil, err
	}
	s.id = store.Identity(in, key)
	return s, nil
}

// Identity is that of the file that is the archive, as if it were a folder.
func (s *Store) Identity(key string) string { return store.JoinURL(s.id, key) }

// whole is the object that holds everything: if it is gone, that does not mean
// that a key is missing.
type whole struct{ store.Object }

func (a whole) Get(ctx context.Context, r store.Range, dst []byte) ([]byte, store.Info, error) {
	out, info, err := a.Object.Get(ctx, r, dst)
	if errors.Is(err, store.ErrNotExist) {
		err = fmt.Errorf("the archive is gone: %v", err)
	}
	return out, info, err
}

// object is what was given to Open, nil for a new archive.
func (s *Store) object() store.Object {
	if a, ok := s.obj.(whole); ok {
		return a.Object
	}
	return nil
}

// Near says what the archive is.
func (s *Store) Near() bool {
	obj := s.object()
	return obj == nil || store.IsNear(obj)
}

// OpenFile reads the directory of the archive in a local file.
func OpenFile(ctx context.Context, path string) (*Store, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, store.WrapError("open zip", path, "", err)
	}
	obj, err := openFile(path)
	if err != nil {
		return nil, store.WrapError("open zip", store.PathURL(abs), "", err)
	}
	s, err := Open(ctx, obj, store.PathURL(abs))
	if err != nil {
		obj.Close()
		return nil, err
	}
	s.id = store.PathURL(store.RealPath(path))
	return s, nil
}

// URL is the name given to Open, or that of the file.
func (s *Store) URL() string { return s.url }

// Concurrency is what the object that holds the archive says, or else the
// number of processors.
func (s *Store) Concurrency() int {
	if p, ok := store.As[store.Parallel](s.object()); ok {
		return p.Concurrency()
	}
	return runtime.GOMAXPROCS(0)
}

// Conditional is false: an archive is written by one process.
func (s *Store) Conditional() bool { return false }

// Close gives up the archive once running calls have ended. If it was opened
// for writing, only a Close without error makes the changes happen.
func (s *Store) Close() error {
	return s.close(commit)
}

// Discard is Close without making the changes happen.
func (s *Store) Discard() error { return s.close(remove) }

// Leave is Discard, but what was written lies beside the archive then, for who
// creates it anew with Resume.
func (s *Store) Leave() error { return s.close(letLie) }

func (s *Store) close(how ending) error {
	s.use.Lock()
	defer s.use.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	var err error
	w := s.w.Load()
	if w != nil && how == commit {
		err = s.finish(context.Background(), w)
	}
	if s.obj != nil {
		err = errors.Join(err, s.obj.Close())
	}
	if w != nil {
		err = w.close(how, err)
	}
	if err != nil {
		return store.WrapError("close", s.url, "", err)
	}
	return nil
}

// enter keeps the files open until leave.
func (s *Store) enter(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.use.RLock()
	if s.closed {
		s.use.RUnlock()
		return os.ErrClosed
	}
	return nil
}

func (s *Store) leave() { s.use.RUnlock() }

// List yields the keys in the directory.
func (s *Store) List(ctx context.Context, prefix, delimiter string) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		err := store.CheckList(prefix, delimiter)
		if err == nil {
			err = s.enter(ctx)
		}
		if err != nil {
			yield(store.Entry{}, store.WrapError("list", s.url, prefix, err))
			return
		}
		keys := s.keys()
		s.leave()
		i, _ := slices.BinarySearch(keys, prefix)
		for i < len(keys) && strings.HasPrefix(keys[i], prefix) {
			if err := ctx.Err(); err != nil {
				yield(store.Entry{}, store.WrapError("list", s.url, prefix, err))
				return
			}
			key := keys[i]
			i++
			e := store.Entry{Key: key}
			if name, _, more := strings.Cut(key[len(prefix):], "/"); more && delimiter == "/" {
				e = store.Entry{Key: key[:len(prefix)+len(name)+1], IsPrefix: true}
				// "0" follows "/": the next key that is not below the prefix.
				n, _ := slices.BinarySearch(keys[i:], prefix+name+"0")
				i += n
			} else if found := s.find(key); found != nil {
				e.Size = found.size
			} else {
				continue // deleted meanwhile
			}
			if !yield(e, nil) {
				return
			}
		}
	}
}

// keys gives all keys in order. The slice is not changed later.
func (s *Store) keys() []string {
	s.mu.RLock()
	keys := s.sorted
	s.mu.RUnlock()
	if keys != nil {
		return keys
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sorted == nil {
		s.sorted = make([]string, 0, len(s.entries))
		for key := range s.entries {
			s.sorted = append(s.sorted, key)
		}
		slices.Sort(s.sorted)
	}
	return s.sorted
}

func (s *Store) find(key string) *entry {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.entries[key]
}
