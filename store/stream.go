package store

import (
	"context"
	"errors"
	"fmt"
	"io"
)

// Streamer is a store that takes a value piece by piece, so that it need not be in
// memory whole; use PutFrom.
type Streamer interface {
	// PutFrom stores what r gives until its end, size bytes, wholly or not at all.
	PutFrom(ctx context.Context, key string, r io.Reader, size int64) (Info, error)
}

// PutFrom stores what r gives, which must be size bytes: piece by piece where the
// store can, else by way of memory, where more than limit bytes are ErrTooLarge.
func PutFrom(ctx context.Context, s Store, key string, r io.Reader, size, limit int64) (Info, error) {
	if to, ok := As[Streamer](s); ok {
		return to.PutFrom(ctx, key, r, size)
	}
	if size > limit {
		return Info{}, WrapError("put", s.URL(), key, fmt.Errorf("%w: %d bytes go by way of memory, at most %d", ErrTooLarge, size, limit))
	}
	data := make([]byte, size)
	if err := Fill(r, data); err != nil {
		return Info{}, WrapError("put", s.URL(), key, err)
	}
	return s.Put(ctx, key, data, PutOptions{})
}

// Fill reads all of data, behind which r must end.
func Fill(r io.Reader, data []byte) error {
	if _, err := io.ReadFull(r, data); err != nil {
		return fmt.Errorf("%d bytes were announced: %w", len(data), err)
	}
	if n, err := r.Read(make([]byte, 1)); n > 0 || !errors.Is(err, io.EOF) {
		return fmt.Errorf("there are more than the %d bytes that were announced", len(data))
	}
	return nil
}

// Ranges reads an object of a known size from its begin to its end, a range at a
// time.
func Ranges(ctx context.Context, o Object, size int64) io.Reader {
	return &ranges{ctx: ctx, o: o, size: size}
}

type ranges struct {
	ctx      context.Context
	o        Object
	at, size int64
}

func (r *ranges) Read(p []byte) (int, error) {
	n := min(int64(len(p)), r.size-r.at)
	if n == 0 && r.at == r.size {
		return 0, io.EOF
	}
	out, _, err := r.o.Get(r.ctx, Part(r.at, n), p[:0:n])
	if err != nil {
		return 0, err
	}
	r.at += int64(len(out))
	return copy(p, out), nil
}
