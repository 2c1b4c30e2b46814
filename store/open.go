package store

import (
	"context"
	"os"
	"sync"
	"time"
)

// FileObject is an object whose bytes are those of a plain file of the system, so
// that the kernel can send them somewhere without a copy.
type FileObject interface {
	Object
	// File is the file, which stays open until the object is closed. Where it is read
	// next is up to the caller.
	File() *os.File
	// Info is what Get says of the value.
	Info() Info
	// Modified is when the file was changed last.
	Modified() time.Time
}

// Open holds the value at key open. Where s is no Opener the object asks s
// anew each time; then a missing key may show only at its first Get. The
// caller must Close the object.
func Open(ctx context.Context, s Reader, key string) (Object, error) {
	if o, ok := s.(Opener); ok {
		return o.Open(ctx, key)
	}
	if CheckKey(key) != nil {
		return nil, WrapError("open", s.URL(), key, ErrBadKey)
	}
	if err := ctx.Err(); err != nil {
		return nil, WrapError("open", s.URL(), key, err)
	}
	return &keyed{s: s, key: key}, nil
}

// keyed is an object that holds nothing but its key, and sees to it that all its
// ranges are of one value.
type keyed struct {
	s   Reader
	key string

	mu    sync.Mutex
	etag  string // of the first answer that had one
	size  int64  // of the value, if sized
	sized bool
}

func (k *keyed) Get(ctx context.Context, r Range, dst []byte) ([]byte, Info, error) {
	out, info, err := k.s.Get(ctx, k.key, r, dst)
	if err != nil {
		return out, info, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.etag == "" {
		k.etag = info.ETag
	}
	if info.Size >= 0 && !k.sized {
		k.size, k.sized = info.Size, true
	}
	// Of a store that has no tags, the size may tell.
	if info.ETag != "" && k.etag != info.ETag || info.Size >= 0 && k.size != info.Size {
		return dst, Info{}, WrapError("get", k.s.URL(), k.key, ErrChanged)
	}
	return out, info, nil
}

// Tag is that of the first answer, "" before there was one.
func (k *keyed) Tag() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.etag
}

func (*keyed) Close() error { return nil }

// Near says what the store is.
func (k *keyed) Near() bool { return IsNear(k.s) }

// Concurrency lets a store inside the object, such as an archive, ask.
func (k *keyed) Concurrency() int { return concurrency(k.s) }
