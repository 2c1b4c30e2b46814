package blosc2

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/omnizarr/zarr/internal/msgpack"
	"github.com/omnizarr/zarr/nd"
)

// array is the metalayer "b2nd": what a frame holds is an array, which is one chunk,
// and blocks are boxes of it, in order, those at the far ends filled up.
type array struct{ shape, chunk, block []int }

const (
	arrayLayer = "b2nd"
	maxRank    = 15
)

// parseLayers finds the metalayer of an array in the header of a frame, nil if there is
// none.
func parseLayers(header []byte) (*array, error) {
	r := msgpack.Reader{Src: header}
	n, pos, err := r.List(atLayers)
	if err != nil || n != 3 {
		return nil, errors.New("it has no list of metalayers")
	}
	if _, pos, err = r.Int(pos); err != nil {
		return nil, err
	}
	if len(header)-pos < 3 || header[pos] != 0xde {
		return nil, errors.New("it has no map of metalayers")
	}
	count := int(binary.BigEndian.Uint16(header[pos+1:]))
	pos += 3
	for range count {
		name, next, err := r.Text(pos)
		if err != nil {
			return nil, err
		}
		at, next, err := r.Int(next)
		if err != nil {
			return nil, err
		}
		if string(name) == arrayLayer {
			content, _, err := r.Text(at)
			if err != nil {
				return nil, err
			}
			return parseArray(content)
		}
		pos = next
	}
	return nil, nil
}

func parseArray(content []byte) (*array, error) {
	r := msgpack.Reader{Src: content}
	_, pos, err := r.List(0)
	if err != nil {
		return nil, err
	}
	version, pos, err := r.Int(pos)
	if err != nil {
		return nil, err
	}
	rank, pos, err := r.Int(pos)
	if err != nil || rank < 1 || rank > maxRank {
		return nil, fmt.Errorf("an array of version %d and rank %d is not known", version, rank)
	}
	a := &array{}
	for _, list := range []*[]int{&a.shape, &a.chunk, &a.block} {
		n, next, err := r.List(pos)
		if err != nil || n != rank {
			return nil, fmt.Errorf("an array of rank %d has a shape of %d", rank, n)
		}
		pos = next
		for range n {
			var k int
			if k, pos, err = r.Int(pos); err != nil {
				return nil, err
			}
			*list = append(*list, k)
		}
	}
	return a, nil
}

// check compares the shapes with what the frame holds.
func (a *array) check(f *frame) error {
	if !slices.Equal(a.shape, a.chunk) {
		return fmt.Errorf("an array of %d in chunks of %d is more than one chunk", a.shape, a.chunk)
	}
	full := make([]int, len(a.shape))
	for i, n := range a.shape {
		if a.block[i] < 1 || a.block[i] > max(n, 1) || n > math.MaxInt/2 {
			return fmt.Errorf("an array of %d has blocks of %d", a.shape, a.block)
		}
		full[i] = (n + a.block[i] - 1) / a.block[i] * a.block[i]
	}
	if n, ok := nd.Bytes(full, f.typeSize); !ok || n != f.bytes || f.bytes > 0 && f.chunk != f.bytes {
		return fmt.Errorf("an array of %d in blocks of %d has not %d bytes in a chunk of %d", a.shape, a.block, f.bytes, f.chunk)
	}
	return nil
}

// bytes is the size of an array that was checked.
func (a *array) bytes(typeSize int) int {
	n, _ := nd.Bytes(a.shape, typeSize)
	return n
}

// inOrder reports whether elements stand in the order of the array as they are.
func (a *array) inOrder() bool {
	return a.shape[0]%a.block[0] == 0 && slices.Equal(a.shape[1:], a.block[1:])
}

// place copies blocks to where they are in the array.
func (a *array) place(dst, src []byte, typeSize int) {
	if len(dst) == 0 {
		return
	}
	rank := len(a.shape)
	to := nd.Of(dst, typeSize, a.shape...)
	size := nd.Strides(append([]int{1}, a.block...), typeSize)[0]
	box := nd.Box{Start: make([]int, rank), Shape: make([]int, rank)}
	origin := make([]int, rank)
	for ; len(src) > 0; src = src[size:] {
		for i, at := range box.Start {
			box.Shape[i] = min(a.block[i], a.shape[i]-at)
		}
		from := nd.Of(src[:size], typeSize, a.block...)
		nd.Copy(to.Box(box), from.Box(nd.Box{Start: origin, Shape: box.Shape}))
		for i := rank - 1; i >= 0; i-- {
			if box.Start[i] += a.block[i]; box.Start[i] < a.shape[i] {
				break
			}
			box.Start[i] = 0
		}
	}
}
