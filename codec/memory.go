package codec

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/bigmem"
	"github.com/omnizarr/zarr/internal/buf"
	"github.com/omnizarr/zarr/internal/par"
	"github.com/omnizarr/zarr/nd"
)

// What metadata and data say of sizes is only numbers, which anybody can write.
// Memory for them is to be had here alone: a codec that asks a Chunk for it cannot
// be made to take more than Limits.MaxChunk at once.

// Buffer is lent memory. B is what was asked for, and may be cut and grown by
// appending; Free takes it back.
type Buffer = buf.Buffer

// DefaultMaxChunk is what MaxChunk is where nobody says it: a sixth of the memory
// that the process may use, which is the least of what the machine has, what its
// control group allows, and GOMEMLIMIT. So there is room for a chunk, for its encoded bytes, for the
// forms between them that a chain of codecs has at the same time, three at most, and for the program.
func DefaultMaxChunk() int { return defaultMaxChunk() }

var defaultMaxChunk = sync.OnceValue(func() int { return int(min(bigmem.Available()/6, math.MaxInt)) })

// MaxChunk is the most that may be allocated at once for the chunk.
func (ck *Chunk) MaxChunk() int {
	if ck == nil || ck.Limits == nil || ck.Limits.MaxChunk <= 0 {
		return defaultMaxChunk()
	}
	return ck.Limits.MaxChunk
}

// Strict reports whether bytes that mean nothing are checked too.
func (ck *Chunk) Strict() bool { return ck != nil && ck.Limits != nil && ck.Limits.Strict }

// Check reports n bytes that are more than may be allocated at once; below zero
// are more than can be counted. What it says is ErrTooLarge.
func (ck *Chunk) Check(n int) error {
	if limit := ck.MaxChunk(); n < 0 || n > max(limit, harmless) {
		return &sizeError{n, limit}
	}
	return nil
}

// harmless is what codecs may always have, such as tables and pieces of fixed size.
const harmless = 64 << 10

// Lend lends memory with room for n bytes, and none in it yet.
func (ck *Chunk) Lend(n int) (*Buffer, error) {
	if err := ck.Check(n); err != nil {
		return nil, err
	}
	return buf.Get(n), nil
}

// LendView lends C-ordered memory for elements of size bytes. They are whatever
// was there before.
func (ck *Chunk) LendView(size int, shape []int) (nd.View, *Buffer, error) {
	n, err := ck.bytes(size, shape)
	if err != nil {
		return nd.View{}, nil, err
	}
	mem := buf.Get(n)
	mem.B = mem.B[:n]
	return nd.View{Data: mem.B, Size: size, Shape: shape, Strides: nd.Strides(shape, size)}, mem, nil
}

// Make gives C-ordered memory of its own, all zero.
func (ck *Chunk) Make(size int, shape ...int) (nd.View, error) {
	if _, err := ck.bytes(size, shape); err != nil {
		return nd.View{}, err
	}
	return nd.Make(size, shape...), nil
}

// Grow makes room for n more bytes behind dst, as slices.Grow does. Room that is
// there already is always enough.
func (ck *Chunk) Grow(dst []byte, n int) ([]byte, error) {
	if cap(dst)-len(dst) >= n && n >= 0 {
		return dst, nil
	}
	if err := ck.Check(n); err != nil {
		return nil, err
	}
	return slices.Grow(dst, n), nil
}

// bytes is the size of an array that is to be allocated.
func (ck *Chunk) bytes(size int, shape []int) (int, error) {
	n, ok := nd.Bytes(shape, size)
	if !ok {
		n = -1
	}
	return n, ck.Check(n)
}

// Piece is how many bytes may be read at once of a chunk that is read in pieces.
func (ck *Chunk) Piece() int { return max(ck.MaxChunk(), harmless) }

// Room is how many bytes to accept of a value of this size: never more than may be
// allocated.
func (ck *Chunk) Room(s Size) int {
	if limit := ck.MaxChunk(); !s.Known || s.N > limit {
		return limit
	}
	return s.N
}

// Over is the error for n decoded bytes, or where n is below zero some number of
// them, that are more than the limit a filter was given. It is ErrTooLarge if memory
// is what bounds it, else the data are bad.
func (ck *Chunk) Over(n, limit int) error {
	switch {
	case limit == ck.MaxChunk():
		return &sizeError{max(n, limit), limit}
	case n < 0:
		return Bad("holds more than the %d bytes that are possible", limit)
	}
	return Bad("holds %d bytes, at most %d are possible", n, limit)
}

// Run calls f for every i below n, on this goroutine and on as many more as the
// limits allow at the time, each of which holds weight bytes.
func (ck *Chunk) Run(ctx context.Context, n int, weight int64, f func(i int) error) error {
	if ck == nil || ck.Limits == nil || ck.Limits.Workers == nil {
		var none *par.Limiter
		return none.Run(ctx, n, weight, f)
	}
	return ck.Limits.Workers.Run(ctx, n, weight, f)
}

// RunParts is Run for parts of a chunk that hold nothing of their own, and take too little
// time to be stopped.
func (ck *Chunk) RunParts(n int, part func(i int) error) error {
	return ck.Run(context.Background(), n, 0, part)
}

// sizeError is a size above the limit.
type sizeError struct{ size, limit int }

func (e *sizeError) Error() string {
	size := "more bytes than can be counted"
	switch {
	case e.size > e.limit:
		size = fmt.Sprintf("%d bytes of memory", e.size)
	case e.size >= 0:
		size = fmt.Sprintf("more than %d bytes of memory", e.limit)
	}
	return fmt.Sprintf("too large: needs %s, the limit of a chunk is %d; zarr.MaxChunk or --max-chunk lifts it", size, e.limit)
}

func (e *sizeError) Is(target error) bool { return target == ErrTooLarge }

// newHeap is a heap for elements that need one.
func newHeap(t dtype.Type) *nd.Heap {
	if len(t.Refs()) == 0 {
		return nil
	}
	return &nd.Heap{}
}
