package copying

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync/atomic"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/bigmem"
	"github.com/omnizarr/zarr/job"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store"
)

// copyOf is the copy of one array: a grid of blocks, each some whole chunks of
// the copy, and those of them that have something to copy.
type copyOf struct {
	path     string
	src, dst *zarr.Array
	resumed  bool // the copy was there already and may hold chunks

	group []int // chunks of the copy along each axis of a block
	count []int // blocks along each axis
	total int   // blocks
	some  []int // those of which the source stores something, in order; nil: all
}

// run plans the copies and does their blocks.
func (c *copier) run(ctx context.Context, work []*copyOf) error {
	for _, w := range work {
		if err := w.plan(ctx, c.opts.Memory/int64(c.opts.Workers)); err != nil {
			return err
		}
		c.track.Add(int64(w.items()))
	}
	p := job.NewPool(ctx, c.opts.Workers, c.opts.Memory)
	c.sum.Arrays = int64(len(work))
	var elements atomic.Int64
	defer func() { c.sum.Elements = elements.Load() }()
	for _, w := range work {
		for box := range w.boxes() {
			bytes := job.Weight(w.src, box.Shape)
			more := p.Run(2*bytes, func(ctx context.Context) error {
				if err := w.block(ctx, box); err != nil {
					return err
				}
				elements.Add(bytes)
				c.track.Done(w.path, 1, bytes)
				return nil
			})
			if !more {
				return p.Wait()
			}
		}
	}
	return p.Wait()
}

// plan cuts the array into blocks of at most the given number of bytes, where
// chunks are not larger, and finds out which of them are needed.
func (w *copyOf) plan(ctx context.Context, memory int64) error {
	grid := w.dst.Metadata().Grid
	chunks := grid.Count()
	w.group = blockGroup(w.src.Metadata().Grid.Uniform(), w.dst.Metadata().Grid.Uniform(), chunks, memory/int64(max(w.src.DataType().Size(), w.dst.DataType().Size(), 1)))
	w.count = make([]int, len(chunks))
	for i, n := range chunks {
		w.count[i] = (n + w.group[i] - 1) / w.group[i]
	}
	var ok bool
	if w.total, ok = nd.Len(w.count); !ok {
		return &zarr.Error{Op: "copy", URL: w.src.URL(), Err: fmt.Errorf("%v blocks are more than can be counted", w.count)}
	}
	if !w.sameFill() {
		return nil
	}
	if err := w.findStored(ctx); err != nil {
		return err
	}
	if w.resumed && w.some != nil {
		return w.clean(ctx)
	}
	return nil
}

// sameFill reports whether what is not stored has the same value in the copy. Where
// it has not, in a format that has nothing but zero, all blocks must be written.
func (w *copyOf) sameFill() bool {
	from, to := w.src.DataType(), w.dst.DataType()
	switch {
	case len(from.Refs()) > 0:
		return bytes.Equal(w.src.Metadata().FillValue, w.dst.Metadata().FillValue)
	case dtype.Equal(from, to):
		return bytes.Equal(w.src.FillValue(), w.dst.FillValue())
	}
	fill := nd.Make(to.Size(), 1)
	err := Convert(to, fill, from, nd.Of(w.src.FillValue(), from.Size(), 1))
	return err == nil && bytes.Equal(fill.Data, w.dst.FillValue())
}

// blockGroup says how many chunks of the copy to take together along each axis:
// as many as make whole chunks of the source, so that each of these is decoded
// once, as far as most elements allow.
func blockGroup(src, dst, count []int, most int64) []int {
	group := make([]int, len(count))
	size := int64(1)
	for i := range group {
		group[i] = 1
		if dst != nil {
			size *= min(int64(dst[i]), most+1)
			size = min(size, most+1)
		}
	}
	if src == nil || dst == nil {
		return group
	}
	for i := len(group) - 1; i >= 0; i-- {
		want := src[i] / gcd(src[i], dst[i]) // the least common multiple, in chunks of the copy
		if size*int64(want) > most {
			want = src[i] / dst[i]
		}
		if want = min(want, count[i]); want > 1 && int64(want) <= most/size {
			group[i] = want
			size *= int64(want)
		}
	}
	return group
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// findStored finds the blocks of which the source stores something. Where the
// store cannot list, all blocks are done.
func (w *copyOf) findStored(ctx context.Context) error {
	srcChunks, ok := nd.Len(w.src.Metadata().Grid.Count())
	n := 0
	blocks := []int{}
	for c, err := range w.src.Stored(ctx) {
		if errors.Is(err, store.ErrNoList) {
			return nil
		}
		if err != nil {
			return err
		}
		n++
		blocks = w.touch(blocks, c.Box)
	}
	if ok && n == srcChunks {
		return nil
	}
	slices.Sort(blocks)
	w.some = slices.Compact(blocks)
	return nil
}

// touch appends the blocks that share elements with a chunk of the source.
func (w *copyOf) touch(blocks []int, box nd.Box) []int {
	g := w.dst.Metadata().Grid
	lo, shape := make([]int, len(box.Start)), make([]int, len(box.Start))
	for i, start := range box.Start {
		lo[i] = g.Find(i, start) / w.group[i]
		shape[i] = g.Find(i, start+box.Shape[i]-1)/w.group[i] - lo[i] + 1
	}
	idx := make([]int, len(lo))
	for {
		k := 0
		for i := range idx {
			k = k*w.count[i] + lo[i] + idx[i]
		}
		if len(blocks) == 0 || blocks[len(blocks)-1] != k {
			blocks = append(blocks, k)
		}
		if !nd.Next(idx, shape) {
			break
		}
	}
	if len(blocks) > 1<<16 && len(blocks) == cap(blocks) {
		slices.Sort(blocks)
		blocks = slices.Compact(blocks)
	}
	return blocks
}

// clean removes chunks of a copy that was there before from blocks that are
// passed over.
func (w *copyOf) clean(ctx context.Context) error {
	for c, err := range w.dst.Stored(ctx) {
		if errors.Is(err, store.ErrNoList) {
			w.some = nil // do them all instead
			return nil
		}
		if err != nil {
			return err
		}
		k := 0
		for i, n := range c.Index {
			k = k*w.count[i] + n/w.group[i]
		}
		if _, needed := slices.BinarySearch(w.some, k); needed {
			continue
		}
		if err := w.dst.DeleteChunk(ctx, c.Index...); err != nil {
			return err
		}
	}
	return nil
}

func (w *copyOf) items() int {
	if w.some != nil {
		return len(w.some)
	}
	return w.total
}

// boxes yields the needed blocks in order.
func (w *copyOf) boxes() iter.Seq[nd.Box] {
	return func(yield func(nd.Box) bool) {
		for k := range w.items() {
			if w.some != nil {
				k = w.some[k]
			}
			if !yield(w.box(k)) {
				return
			}
		}
	}
}

// box is the elements of block k.
func (w *copyOf) box(k int) nd.Box {
	m := w.dst.Metadata()
	chunks := m.Grid.Count()
	box := nd.Box{Start: make([]int, len(chunks)), Shape: make([]int, len(chunks))}
	for i := len(chunks) - 1; i >= 0; i-- {
		first := k % w.count[i] * w.group[i]
		k /= w.count[i]
		last := min(first+w.group[i], chunks[i]) - 1
		box.Start[i], _ = m.Grid.Span(i, first)
		end, length := m.Grid.Span(i, last)
		box.Shape[i] = min(end+length, m.Shape[i]) - box.Start[i]
	}
	return box
}

// block copies one block. Nothing else writes its chunks.
func (w *copyOf) block(ctx context.Context, box nd.Box) error {
	from, to := w.src.DataType(), w.dst.DataType()
	if n, ok := nd.Bytes(box.Shape, max(from.Size(), to.Size())); !ok || uint64(n) > bigmem.Total() {
		return &zarr.Error{Op: "copy", URL: w.src.URL(), Err: fmt.Errorf("chunks of shape %v are larger than memory", box.Shape)}
	}
	v := nd.Make(from.Size(), box.Shape...)
	if len(from.Refs()) > 0 {
		v.Heap = &nd.Heap{}
	}
	sel := zarr.Box(box.Start, box.Shape)
	if err := w.src.ReadInto(ctx, sel, v); err != nil {
		return err
	}
	if !dtype.Equal(from, to) {
		converted := nd.Make(to.Size(), box.Shape...)
		if err := Convert(to, converted, from, v); err != nil {
			return &zarr.Error{Op: "copy", URL: w.src.URL(), Err: fmt.Errorf("elements from %v on: %w", box.Start, err)}
		}
		v = converted
	}
	return w.dst.WriteFrom(ctx, sel, v)
}
