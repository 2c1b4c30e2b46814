package hdf5

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"sync"

	"github.com/omnizarr/zarr/format"
	"github.com/omnizarr/zarr/hdf5"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/refs"
)

// Store shows an HDF5 file as a Zarr v3 hierarchy. It cannot be written.
type Store struct {
	in       store.Store
	key, url string
	identity func() string // of the file, found out once
	obj      store.Object
	etag     string
	f        *hdf5.File
	files    format.Files // nil if nothing else may be opened
	head     reader       // of the file itself
	raw      bool         // groups and datasets are shown as they are stored
	nulls    bool         // see NullReferences

	meant sync.Once
	means convention

	mu    sync.Mutex
	nodes map[string]*node
	// Groups that were listed by the path that was first, and their other paths.
	listed  map[uint64]string
	aliases map[string]bool

	walked  sync.Mutex
	paths   map[uint64]string // of all objects, once somebody asks
	lost    error             // why there are none
	nowhere map[string]uint64 // by node: an address that it refers to, where nothing is
}

// Blocks of metadata that are read at once, near and far.
const (
	nearBlock = 16 << 10
	farBlock  = 256 << 10
)

// Open reads the superblock of a file. The store is good until it is closed.
func Open(ctx context.Context, s store.Store, key string, env format.Env) (*Store, error) {
	obj, err := store.Open(ctx, s, key)
	if err != nil {
		return nil, err
	}
	h := &Store{in: s, key: key, obj: obj, url: store.JoinURL(s.URL(), key), raw: env.Has(AsStored), nulls: env.Has(NullReferences), nodes: map[string]*node{}, listed: map[uint64]string{}, aliases: map[string]bool{}}
	h.identity = sync.OnceValue(func() string { return store.Identity(s, key) })
	if env.Files != nil {
		h.files = env.Files(s, strings.TrimSuffix(path.Dir(key), "."))
	}
	if err := h.open(ctx); err != nil {
		h.Close()
		if !errors.Is(err, format.ErrUnknown) {
			err = store.Damaged(err)
		}
		return nil, fmt.Errorf("read %s: %w", h.url, err)
	}
	return h, nil
}

func (s *Store) open(ctx context.Context) error {
	info, err := about(ctx, s.obj)
	if err != nil {
		return err
	}
	s.etag = info.ETag
	size := info.Size
	// What is read later is read for whoever asks then.
	far := context.WithoutCancel(ctx)
	o := hdf5.Options{Block: farBlock, Filters: decoders}
	if store.IsNear(s.obj) {
		o.Block = nearBlock
	}
	if s.files != nil {
		o.Outside = func(name string) (hdf5.Source, error) {
			obj, err := s.files.Open(far, refs.Reference{URL: name})
			if err != nil {
				return nil, err
			}
			info, err := about(far, obj)
			if err != nil {
				obj.Close()
				return nil, err
			}
			return reader{far, obj, info.Size}, nil
		}
	}
	s.head = reader{far, s.obj, size}
	s.f, err = hdf5.Open(s.head, size, o)
	if errors.Is(err, hdf5.ErrSignature) { // names say little: NetCDF-3 files are called .nc too
		head, _, _ := s.obj.Get(ctx, store.Part(0, min(size, 16)), nil)
		if what, known := format.Stranger(head); known {
			return stranger{errors.New(what)}
		}
		return stranger{err}
	}
	return err
}

// stranger is the error of a file of another format.
type stranger struct{ error }

func (s stranger) Is(target error) bool { return target == format.ErrUnknown }
func (s stranger) Unwrap() error        { return s.error }

// about tells the size of a file.
func about(ctx context.Context, obj store.Object) (store.Info, error) {
	_, info, err := obj.Get(ctx, store.Part(0, 1), nil)
	if errors.Is(err, store.ErrRange) { // it is empty
		return store.Info{}, nil
	}
	if err == nil && info.Size < 0 {
		err = errors.New("the size of the file is not known")
	}
	return info, err
}

// reader reads a value as a file.
type reader struct {
	ctx  context.Context
	obj  store.Object
	size int64
}

func (r reader) Size() int64  { return r.size }
func (r reader) Close() error { return r.obj.Close() }

func (r reader) ReadAt(b []byte, off int64) (int, error) {
	n := min(int64(len(b)), max(r.size-off, 0))
	if n > 0 {
		out, _, err := r.obj.Get(r.ctx, store.Part(off, n), b[:0])
		if err != nil {
			return 0, unread{present(err)}
		}
		copy(b, out)
	}
	if n < int64(len(b)) {
		return int(n), io.EOF
	}
	return int(n), nil
}

// unread is the error of a read that failed: unlike what is wrong in a file, it may be
// gone the next time.
type unread struct{ error }

func (u unread) Unwrap() error { return u.error }

// present makes a file that should be there and is not more than a missing
// chunk, which would be read as the fill value.
func present(err error) error {
	if errors.Is(err, store.ErrNotExist) {
		return store.Gone("the file", err)
	}
	return err
}

// URL names the file.
func (s *Store) URL() string { return s.url }

// Identity is that of the file.
func (s *Store) Identity(key string) string {
	return store.JoinURL(s.identity(), key)
}

// Near says what the file is.
func (s *Store) Near() bool { return store.IsNear(s.obj) }

// Concurrency is what the store of the file likes.
func (s *Store) Concurrency() int {
	if p, ok := store.As[store.Parallel](s.in); ok {
		return p.Concurrency()
	}
	return 1
}

// Close gives up the file, and those that were opened beside it.
func (s *Store) Close() error {
	var errs []error
	if s.f != nil {
		errs = append(errs, s.f.Close())
	}
	if s.files != nil {
		errs = append(errs, s.files.Close())
	}
	return errors.Join(append(errs, s.obj.Close())...)
}
