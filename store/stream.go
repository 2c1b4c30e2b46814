package store

import (
	"context"
	"errors"
	"fmt"
	"io"
)

// CanStream reports whether values that are put piece by piece are nowhere in memory
// whole.
func CanStream(s any) bool {
	if w, ok := As[interface{ CanStream() bool }](s); ok {
		return w.CanStream()
	}
	_, ok := As[Streamer](s)
	return ok
}

// Streamer is a store that takes a value piece by piece, so that it need not be in
// memory whole; use PutFrom. One that only passes them on has CanStream() bool too.
type Streamer interface {
	// PutFrom stores what r gives until its end, size bytes or, if that is negative, as
	// many as there are, wholly or not at all.
	PutFrom(ctx context.Context, key string, r io.Reader, size int64) (Info, error)
}

// Filler is a store into which values are written piece by piece, as fast as memory:
// one of files.
type Filler interface {
	// PutFilled stores what fill writes, about size bytes, wholly or not at all. It may be
	// called again, to write the same anew, where others remove folders at the same time.
	PutFilled(ctx context.Context, key string, size int64, fill func(io.Writer) error, opt PutOptions) (Info, error)
}

// PutFrom stores what r gives, which must be size bytes unless that is negative: piece
// by piece where the store can, else by way of memory, where more than limit bytes are
// ErrTooLarge.
func PutFrom(ctx context.Context, s Store, key string, r io.Reader, size, limit int64) (Info, error) {
	if to, ok := As[Streamer](s); ok {
		return to.PutFrom(ctx, key, r, size)
	}
	data, err := Collect(r, size, limit)
	if err != nil {
		return Info{}, WrapError("put", s.URL(), key, err)
	}
	return s.Put(ctx, key, data, PutOptions{})
}

// Collect reads what PutFrom is given into memory.
func Collect(r io.Reader, size, limit int64) ([]byte, error) {
	if size > limit {
		return nil, fmt.Errorf("%w: %d bytes go by way of memory, at most %d", ErrTooLarge, size, limit)
	}
	if size >= 0 {
		data := make([]byte, size)
		return data, Fill(r, data)
	}
	data, err := io.ReadAll(io.LimitReader(r, limit))
	if n, end := r.Read(make([]byte, 1)); err == nil && n > 0 {
		err = fmt.Errorf("%w: at most %d bytes go by way of memory", ErrTooLarge, limit)
	} else if err == nil && !errors.Is(end, io.EOF) {
		err = end
	}
	return data, err
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
