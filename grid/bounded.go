package grid

import (
	"encoding/json"
	"fmt"

	"github.com/omnizarr/zarr/internal/strictjson"
)

// Bounded is the grid "zarrs.regular_bounded" of the library zarrs: like
// Regular, but chunks at the end of an axis are cut where the array ends. They
// are stored in the shape that is left, without padding.
type Bounded struct {
	shape, chunks, count []int
	uniform              []int
}

// NewBounded makes the grid of chunks of the given shape for an array. Chunk
// lengths are at least 1.
func NewBounded(shape, chunks []int) (*Bounded, error) {
	if len(chunks) != len(shape) {
		return nil, strictjson.Errorf("chunk_shape", "has %d dimensions, the array %d", len(chunks), len(shape))
	}
	g := &Bounded{shape: append([]int{}, shape...), chunks: append([]int{}, chunks...), count: make([]int, len(shape)), uniform: make([]int, len(shape))}
	for axis, n := range shape {
		length := chunks[axis]
		if length < 1 || n < 0 {
			return nil, strictjson.At("chunk_shape", strictjson.AtIndex(axis, fmt.Errorf("chunk length %d for an axis of length %d", length, n)))
		}
		if g.count[axis] = n / length; n%length != 0 {
			g.count[axis]++
		}
		switch {
		case g.uniform == nil:
		case n%length == 0:
			g.uniform[axis] = length
		case n < length:
			g.uniform[axis] = n
		default:
			g.uniform = nil
		}
	}
	return g, nil
}

// parseBounded reads the configuration of "zarrs.regular_bounded", which is that
// of "regular".
func parseBounded(config json.RawMessage, shape []int) (Grid, error) {
	chunks, err := parseChunkShape(config)
	if err != nil {
		return nil, err
	}
	return NewBounded(shape, chunks)
}

// Name is "zarrs.regular_bounded".
func (g *Bounded) Name() string { return "zarrs.regular_bounded" }

// MarshalJSON gives the chunk_grid member of Zarr v3 metadata.
func (g *Bounded) MarshalJSON() ([]byte, error) {
	dst := []byte(`{"name":"zarrs.regular_bounded","configuration":{"chunk_shape":`)
	return append(strictjson.AppendInts(dst, g.chunks), "}}"...), nil
}

// Count is the number of chunks along each axis. The slice is the grid's own:
// it must not be changed.
func (g *Bounded) Count() []int { return g.count }

// Span is where chunk i of an axis starts and how long it is. None reaches past
// the end of the array.
func (g *Bounded) Span(axis, i int) (start, length int) {
	start = i * g.chunks[axis]
	return start, min(g.chunks[axis], g.shape[axis]-start)
}

// Find is the chunk of an axis that holds the element at pos.
func (g *Bounded) Find(axis, pos int) int { return pos / g.chunks[axis] }

// Uniform returns the shape that all chunks have, or nil if some are cut and
// others are not. The slice is the grid's own: it must not be changed.
func (g *Bounded) Uniform() []int { return g.uniform }

// Resize returns the grid for another array shape. A chunk that stays must keep
// its shape, since it is stored in that: where the array ends inside a chunk, it
// cannot grow, and it can only shrink to the end of one.
func (g *Bounded) Resize(shape []int) (Grid, error) {
	r, err := NewBounded(shape, g.chunks)
	if err != nil {
		return nil, err
	}
	for axis, n := range shape {
		last := min(g.count[axis], r.count[axis]) - 1
		if last < 0 {
			continue
		}
		_, was := g.Span(axis, last)
		if _, is := r.Span(axis, last); is != was {
			return nil, strictjson.At("chunk_shape", strictjson.AtIndex(axis,
				fmt.Errorf("from length %d to %d, chunk %d would have to be stored anew with length %d instead of %d", g.shape[axis], n, last, is, was)))
		}
	}
	return r, nil
}
