// Package file keeps values as files below a folder, one file per key.
//
// Neither keys nor symbolic links lead out of the folder. A Put is whole or
// absent: it writes a file of another name in the same folder and renames it.
// Such names are reserved: they are never listed and refused as keys. Other
// programs may use the folder at the same time.
//
// Folders that have become empty stay, and are listed as prefixes. A key
// cannot be a file and the prefix of other keys at once, and where the file
// system takes upper and lower case for the same so does the store.
package file

import (
	"hash/maphash"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/omnizarr/zarr/internal/disk"
	"github.com/omnizarr/zarr/store"
)

// Options says how to use the folder; the zero value is fine.
type Options struct {
	// Sync makes Put and Delete return only when the change would survive a
	// loss of power: the file and the folders it lies in are flushed.
	Sync bool
	// Allow are folders that symbolic links may lead to, for reading. Other links do not
	// lead out of the store.
	Allow []string

	// portable keeps to what package os offers on every system.
	portable bool
}

// Store is a folder. Its methods may be called by several goroutines.
type Store struct {
	url  string
	real string // the path of the folder without symbolic links
	id   string // its URL
	sync bool

	mu     sync.RWMutex // held for reading while b is in use
	b      backend
	closed bool

	seed  maphash.Seed
	locks [64]sync.Mutex // by key, held while a value is replaced
	clock atomic.Int64   // the last time given to a conditional Put

	// flushed are the folders whose names survive a loss of power, since they were
	// made here or somebody looked; only where sync is set.
	flushed sync.Map
}

var (
	_ store.Store       = (*Store)(nil)
	_ store.Opener      = (*Store)(nil)
	_ store.Parallel    = (*Store)(nil)
	_ store.Conditional = (*Store)(nil)
)

// Open uses the folder dir, which must exist.
func Open(dir string, opt Options) (*Store, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, store.WrapError("open", dir, "", err)
	}
	enter := func(dir string) (backend, error) {
		b, err := enterFolder(dir, opt.portable)
		if err != nil {
			return nil, err
		}
		return watch(b, dir), nil
	}
	b, err := enter(abs)
	if err != nil {
		return nil, store.WrapError("open", dir, "", err)
	}
	real := store.RealPath(abs)
	if len(opt.Allow) > 0 {
		b = newLinked(b, real, opt.Allow, enter)
	}
	return &Store{url: store.PathURL(abs), real: real, id: store.PathURL(real), sync: opt.Sync, b: b, seed: maphash.MakeSeed()}, nil
}

// Create makes the folder dir and those above it where they are missing, and
// opens it.
func Create(dir string, opt Options) (*Store, error) {
	if err := disk.MakeFolder(dir, opt.Sync); err != nil {
		return nil, store.WrapError("create", dir, "", err)
	}
	return Open(dir, opt)
}

// URL is "file://" and the absolute path of the folder.
func (s *Store) URL() string { return s.url }

// Concurrency is the number of processors.
func (s *Store) Concurrency() int { return runtime.GOMAXPROCS(0) }

// Conditional is true: conditions hold among all processes that use this package, by
// locks of files, which end with the process that has them. A file system without
// locks keeps them among users of this Store.
func (s *Store) Conditional() bool { return hasLocks }

// Close gives up the folder once running calls have ended; later ones fail.
// Objects that were opened stay open.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	return s.b.close()
}

// enter checks key and keeps the folder open until leave.
func (s *Store) enter(key string) error {
	if store.CheckKey(key) != nil || reserved(key) || !systemKey(key) {
		return store.ErrBadKey
	}
	return s.hold()
}

func (s *Store) hold() error {
	s.mu.RLock()
	if s.closed {
		s.mu.RUnlock()
		return os.ErrClosed
	}
	return nil
}

func (s *Store) leave() { s.mu.RUnlock() }

// lock is held while the value at key is looked at and replaced.
func (s *Store) lock(key string) *sync.Mutex {
	return &s.locks[maphash.String(s.seed, key)%uint64(len(s.locks))]
}

// Names of files that are being written: tempPrefix, 16 hexadecimal digits,
// tempSuffix.
const (
	tempPrefix = ".omnizarr-"
	tempSuffix = ".tmp"
)

// reserved reports whether a part of key is the name of a file being written.
func reserved(key string) bool {
	if !strings.Contains(key, tempPrefix) {
		return false
	}
	for name := range strings.SplitSeq(key, "/") {
		if reservedName(name) {
			return true
		}
	}
	return false
}

func reservedName(name string) bool {
	return len(name) == len(tempPrefix)+16+len(tempSuffix) &&
		strings.HasPrefix(name, tempPrefix) && strings.HasSuffix(name, tempSuffix)
}
