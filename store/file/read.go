package file

import (
	"context"
	"io"
	"os"
	"sync"
	"time"

	"github.com/omnizarr/zarr/internal/buf"
	"github.com/omnizarr/zarr/store"
)

// step is how much is read or written between two looks at the context.
const step = 64 << 20

// Get reads straight into dst. A file that shrinks meanwhile is
// io.ErrUnexpectedEOF.
func (s *Store) Get(ctx context.Context, key string, r store.Range, dst []byte) ([]byte, store.Info, error) {
	err := ctx.Err()
	if err == nil {
		err = s.enter(key)
	}
	if err != nil {
		return dst, store.Info{}, store.WrapError("get", s.url, key, err)
	}
	defer s.leave()
	out, info, err := s.b.get(ctx, key, r, dst)
	if err != nil {
		return dst, store.Info{}, store.WrapError("get", s.url, key, err)
	}
	return out, info, nil
}

// Open holds the file open: each Get of the object is one read.
func (s *Store) Open(ctx context.Context, key string) (store.Object, error) {
	err := ctx.Err()
	if err == nil {
		err = s.enter(key)
	}
	if err != nil {
		return nil, store.WrapError("open", s.url, key, err)
	}
	defer s.leave()
	o, err := s.b.open(s, key)
	return o, store.WrapError("open", s.url, key, err)
}

// read appends the bytes in r of a file of the given size to dst.
func read[F source](ctx context.Context, f F, size int64, r store.Range, dst []byte) ([]byte, error) {
	off, n, err := r.Resolve(size)
	if err != nil {
		return dst, err
	}
	if n != int64(int(n)) {
		return dst, store.ErrTooLarge
	}
	start := len(dst)
	out := buf.Extend(dst, int(n))
	for rest := out[start:]; len(rest) > 0; {
		got, err := f.ReadAt(rest[:min(len(rest), step)], off)
		rest, off = rest[got:], off+int64(got)
		if len(rest) == 0 {
			break
		}
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return dst, err
		}
	}
	return out, nil
}

// object is a file held open.
type object[F source] struct {
	url, key string
	size     int64
	mtime    int64 // nanoseconds
	info     store.Info

	mu     sync.RWMutex // held for reading while f is in use
	f      F
	file   *os.File // f, once somebody has asked for it
	closed bool
}

var _ store.FileObject = (*object[osFile])(nil)

func newObject[F source](s *Store, key string, f F, t stat) *object[F] {
	return &object[F]{url: s.url, key: key, size: t.size, mtime: t.mtime, info: t.info(), f: f}
}

func (o *object[F]) Get(ctx context.Context, r store.Range, dst []byte) ([]byte, store.Info, error) {
	o.mu.RLock()
	defer o.mu.RUnlock()
	err := ctx.Err()
	if o.closed {
		err = os.ErrClosed
	}
	out := dst
	if err == nil {
		out, err = read(ctx, o.f, o.size, r, dst)
	}
	if err != nil {
		return dst, store.Info{}, store.WrapError("get", o.url, o.key, err)
	}
	return out, o.info, nil
}

func (o *object[F]) Close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return nil
	}
	o.closed = true
	if o.file != nil {
		return o.file.Close()
	}
	return o.f.Close()
}

// File is the file itself; nil once the object is closed.
func (o *object[F]) File() *os.File {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.file == nil && !o.closed {
		o.file = o.f.system()
	}
	return o.file
}

// Descriptor is that of the file, which costs less to have than File, and is good until the
// object is closed; false where there is none.
func (o *object[F]) Descriptor() (uintptr, bool) {
	o.mu.RLock()
	defer o.mu.RUnlock()
	if o.closed {
		return 0, false
	}
	return o.f.descriptor()
}

// Info is what was known when the file was opened.
func (o *object[F]) Info() store.Info { return o.info }

// Modified is when the file was changed, as of when it was opened.
func (o *object[F]) Modified() time.Time { return time.Unix(0, o.mtime) }

// Tag is the ETag of the file that is open.
func (o *object[F]) Tag() string { return o.info.ETag }

// Near is true: a range of an open file costs little more than a copy.
func (o *object[F]) Near() bool { return true }
