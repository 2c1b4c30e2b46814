package codec

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/omnizarr/zarr/store"
)

// Memory is a source whose bytes are all there.
type Memory struct {
	Bytes []byte
	// Of is how many bytes there would be in all if these are only the first of them,
	// which only a serializer with the trait Front gets; else it is 0.
	Of   int
	kept atomic.Bool
}

// Len is how many bytes there are in all.
func (m *Memory) Len() int { return max(m.Of, len(m.Bytes)) }

// Keep returns the bytes and takes them over: they will not be used for
// anything else. Decoders whose values refer to the encoded bytes call it.
func (m *Memory) Keep() []byte {
	m.kept.Store(true)
	return m.Bytes
}

// Get appends the bytes in r.
func (m *Memory) Get(_ context.Context, r store.Range, dst []byte) ([]byte, store.Info, error) {
	off, n, err := r.Resolve(int64(len(m.Bytes)))
	if err != nil {
		return dst, store.Info{}, err
	}
	return append(dst, m.Bytes[off:off+n]...), store.Info{Size: int64(len(m.Bytes))}, nil
}

// Kept reports whether somebody took the bytes over.
func (m *Memory) Kept() bool { return m.kept.Load() }

// ReadAll appends all bytes of src to dst; more than the size allows is an
// error, and so is less where the size is exact, and more than may be allocated
// where dst has no room for it.
func (ck *Chunk) ReadAll(ctx context.Context, src Source, size Size, dst []byte) ([]byte, error) {
	n := len(dst)
	limit := ck.Room(size)
	if size.Known {
		limit = max(limit, min(size.N, cap(dst)-n))
	}
	out, _, err := src.Get(ctx, store.UpTo(int64(limit)), dst)
	if err != nil {
		var known *sizeError
		switch {
		case errors.As(err, &known) || !errors.Is(err, store.ErrTooLarge):
			return nil, err
		case !size.Known || limit < size.N:
			return nil, &sizeError{ck.MaxChunk(), ck.MaxChunk()}
		}
		return nil, tooLong(size, limit, err)
	}
	if err := checkSize(size, len(out)-n); err != nil {
		return nil, err
	}
	return out, nil
}

func tooLong(size Size, limit int, err error) error {
	if size.Exact {
		return Bad("chunk is longer than the %d bytes that its shape and type need", limit)
	}
	var known *store.KeyError
	if errors.As(err, &known) {
		err = known.Err // whoever reads a chunk names it
	}
	return Bad("%v", reason(err))
}

// reason is what a store says without the key and URL, which the caller names.
func reason(err error) error {
	var known *store.KeyError
	if errors.As(err, &known) {
		return known.Err
	}
	return err
}

func checkSize(size Size, n int) error {
	if size.Known && n > size.N && !size.Exact {
		return Bad("got %d bytes, at most %d are possible", n, size.N)
	}
	if size.Exact && n != size.N {
		return Bad("got %d bytes, want %d", n, size.N)
	}
	return nil
}

// ReadRange appends length bytes from off of src to dst; a source that ends
// before is bad data.
func (ck *Chunk) ReadRange(ctx context.Context, src Source, off, length int, dst []byte) ([]byte, error) {
	if m, ok := src.(*Memory); ok {
		if off < 0 || length < 0 || off > len(m.Bytes)-length {
			return nil, Bad("bytes %d to %d of %d", off, off+length, len(m.Bytes))
		}
		return append(dst, m.Bytes[off:off+length]...), nil
	}
	dst, err := ck.Grow(dst, length)
	if err != nil {
		return nil, err
	}
	out, _, err := src.Get(ctx, store.Part(int64(off), int64(length)), dst)
	return out, RangeError(err)
}

// RangeError marks the error of a range outside the value as bad data, since it
// was computed from what the chunk should be.
func RangeError(err error) error {
	if !errors.Is(err, store.ErrRange) {
		return err
	}
	var named *Error
	if errors.As(err, &named) {
		return wrap(named.Codec, Bad("chunk is too short: %v", reason(named.Err)))
	}
	return Bad("chunk is too short: %v", reason(err))
}
