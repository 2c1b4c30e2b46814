package grid

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/nd"
)

// Regular is the grid whose chunks all have the same shape; those at the end
// of an axis may reach past the array.
type Regular struct {
	chunks, count []int
}

// NewRegular makes the grid of chunks of the given shape for an array. Chunk
// lengths are at least 1, and the last chunk must end before 2^63.
func NewRegular(shape, chunks []int) (*Regular, error) {
	if len(chunks) != len(shape) {
		return nil, strictjson.Errorf("chunk_shape", "has %d dimensions, the array %d", len(chunks), len(shape))
	}
	g := &Regular{chunks: append([]int{}, chunks...), count: make([]int, len(shape))}
	for axis, n := range shape {
		count, err := steps(n, chunks[axis])
		if err != nil {
			return nil, strictjson.At("chunk_shape", strictjson.AtIndex(axis, err))
		}
		g.count[axis] = count
	}
	return g, nil
}

// steps is how many chunks of one length hold the elements of an axis.
func steps(n, length int) (int, error) {
	if length < 1 {
		return 0, fmt.Errorf("chunk length %d is less than 1", length)
	}
	if n < 0 {
		return 0, fmt.Errorf("array length %d is negative", n)
	}
	count := n / length
	if n%length != 0 {
		if count >= math.MaxInt/length {
			return 0, errPastEnd
		}
		count++
	}
	return count, nil
}

var errPastEnd = errors.New("the last chunk would reach past the largest possible index")

// parseRegular reads the configuration of "regular".
func parseRegular(config json.RawMessage, shape []int) (Grid, error) {
	chunks, err := parseChunkShape(config)
	if err != nil {
		return nil, err
	}
	return NewRegular(shape, chunks)
}

// parseChunkShape reads a configuration that has the member chunk_shape only.
func parseChunkShape(config json.RawMessage) ([]int, error) {
	members, err := members(config)
	if err != nil {
		return nil, err
	}
	var chunks []int
	for _, m := range members {
		if m.Name != "chunk_shape" {
			return nil, strictjson.AtMember(m.Name, errUnknownMember)
		}
		if chunks, err = strictjson.Lengths(m.Raw, 1, nd.MaxRank); err != nil {
			return nil, strictjson.At(m.Name, err)
		}
	}
	if chunks == nil {
		return nil, errors.New(`missing member "chunk_shape"`)
	}
	return chunks, nil
}

// Name is "regular".
func (g *Regular) Name() string { return "regular" }

// MarshalJSON gives the chunk_grid member of Zarr v3 metadata.
func (g *Regular) MarshalJSON() ([]byte, error) {
	dst := []byte(`{"name":"regular","configuration":{"chunk_shape":`)
	return append(strictjson.AppendInts(dst, g.chunks), "}}"...), nil
}

// Count is the number of chunks along each axis. The slice is the grid's own:
// it must not be changed.
func (g *Regular) Count() []int { return g.count }

// Span is where chunk i of an axis starts and how long it is.
func (g *Regular) Span(axis, i int) (start, length int) {
	length = g.chunks[axis]
	return i * length, length
}

// Find is the chunk of an axis that holds the element at pos.
func (g *Regular) Find(axis, pos int) int { return pos / g.chunks[axis] }

// Uniform returns the chunk shape. The slice is the grid's own: it must not be
// changed.
func (g *Regular) Uniform() []int { return g.chunks }

// Resize returns the grid with the same chunks for another array shape.
func (g *Regular) Resize(shape []int) (Grid, error) {
	r, err := NewRegular(shape, g.chunks)
	if err != nil {
		return nil, err
	}
	return r, nil
}
