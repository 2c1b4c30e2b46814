package pyramid

import (
	"context"
	"slices"
	"sync"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/downsample"
	"github.com/omnizarr/zarr/nd"
)

// Reducer makes the blocks of a level of those of the level before, which is an array.
// It may be used by several goroutines.
type Reducer struct {
	src     *zarr.Array
	sampler *downsample.Sampler
	factors []int
	most    int64
	free    sync.Pool
}

// NewReducer returns the one that makes one element of so many along each axis. It
// holds about as many bytes of the level before as most says, for every block that is
// made at the time; 0 is as many as a block is made of. Elements that equal missing, if
// it is not nil, do not count.
func NewReducer(src *zarr.Array, how downsample.Method, factors []int, missing []byte, most int64) (*Reducer, error) {
	s, err := downsample.NewSampler(src.DataType().Name(), how, factors, missing)
	if err != nil {
		return nil, err
	}
	return &Reducer{src: src, sampler: s, factors: factors, most: most}, nil
}

// Shape is that of the level.
func (r *Reducer) Shape() []int { return r.sampler.Shape(r.src.Shape()) }

// Block fills v with the block of the level that begins at start.
func (r *Reducer) Block(ctx context.Context, start []int, v nd.View) error {
	shape := r.src.Shape()
	from, length := make([]int, len(start)), make([]int, len(start))
	for i, f := range r.factors {
		from[i] = start[i] * f
		length[i] = min(v.Shape[i]*f, shape[i]-from[i])
	}
	n, ok := nd.Bytes(length, v.Size)
	if r.most > 0 && (!ok || int64(n) > r.most) {
		// The longest of the slow axes is cut, so that rows stay whole.
		if i := cuttable(v.Shape); i >= 0 {
			half := v.Shape[i] / 2
			for _, part := range [][2]int{{0, half}, {half, v.Shape[i] - half}} {
				box := nd.Whole(v.Shape)
				box.Start, box.Shape = slices.Clone(box.Start), slices.Clone(box.Shape)
				box.Start[i], box.Shape[i] = part[0], part[1]
				at := slices.Clone(start)
				at[i] += part[0]
				if err := r.Block(ctx, at, v.Box(box)); err != nil {
					return err
				}
			}
			return nil
		}
	}
	if !ok {
		return zarr.ErrTooLarge
	}
	mem, _ := r.free.Get().(*[]byte)
	if mem == nil {
		mem = new([]byte)
	}
	defer r.free.Put(mem)
	*mem = slices.Grow((*mem)[:0], n)[:n]
	in := nd.Of(*mem, v.Size, length...)
	if err := r.src.ReadInto(ctx, zarr.Box(from, length), in); err != nil {
		return err
	}
	return r.sampler.Reduce(v, in)
}

// cuttable is the first axis that has more than one element, -1 if none has.
func cuttable(shape []int) int {
	return slices.IndexFunc(shape, func(n int) bool { return n > 1 })
}
