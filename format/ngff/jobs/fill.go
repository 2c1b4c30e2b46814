package jobs

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/job"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store"
)

// fill makes the elements of all levels, and then says how they are shown.
func (b *builder) fill(ctx context.Context) error {
	if err := b.keepDocument(ctx); err != nil {
		return err
	}
	for _, p := range b.plans {
		for i := range p.arrays {
			if err := b.level(ctx, p, i); err != nil {
				return err
			}
		}
	}
	if err := b.shown(ctx); err != nil || !b.opts.Verify {
		return err
	}
	return b.verify(ctx)
}

// keepDocument stores what described the images before.
func (b *builder) keepDocument(ctx context.Context) error {
	text := b.found.document
	if text == "" {
		return nil
	}
	key := strings.TrimPrefix(b.root.Path()+"/"+collection+"/"+document, "/")
	if _, err := b.root.Store().Put(ctx, key, []byte(text), store.PutOptions{}); err != nil {
		return err
	}
	b.landing.Keep(key)
	return nil
}

// shown says how images are shown, by the elements of their last levels.
func (b *builder) shown(ctx context.Context) error {
	for _, p := range b.plans {
		for _, a := range p.arrays {
			b.sum.Arrays++
			b.sum.Elements += job.Weight(a, a.Shape())
		}
		if p.label != nil {
			continue
		}
		shown, err := p.show(ctx, p.arrays[len(p.arrays)-1])
		if err != nil {
			return err
		}
		if err := b.tell(ctx, p, shown); err != nil {
			return err
		}
	}
	return nil
}

// filler fills a level in blocks.
type filler struct {
	b     *builder
	at    string // the path of the level
	dst   *zarr.Array
	read  func(context.Context, []int, nd.View) error
	block []int
	part  []int // of blocks that are shards and written in parts, else nil
	share int64 // of the memory
}

// filler plans how a level is filled: the first of the source, others of the one before.
func (b *builder) filler(p *plan, k int) (f *filler, err error) {
	f = &filler{b: b, dst: p.arrays[k], at: job.Path(b.root, p.arrays[k]), share: copying.Usable(b.opts.Memory) / int64(b.opts.Workers)}
	read, chunks, err := p.reader(k, f.share/4)
	if err != nil {
		return nil, err
	}
	f.read = read
	most := f.share / 4 / int64(f.dst.DataType().Size())
	f.block = blockShape(f.dst.Metadata().Grid.Uniform(), f.dst.Shape(), chunks, most)
	if f.part, err = b.parts(f.dst, chunks, most); err != nil {
		return nil, err
	}
	if f.part != nil {
		f.block = f.dst.Metadata().Grid.Uniform()
	}
	return f, nil
}

// weight is the memory that a block takes: its elements, their bytes, and what they are
// made of.
func (f *filler) weight(box nd.Box) int64 {
	if f.part != nil {
		return f.share
	}
	return 4*job.Weight(f.dst, box.Shape) + f.share/4
}

// write makes a block.
func (f *filler) write(ctx context.Context, box nd.Box) error {
	give := f.b.giver(f.read, f.dst.DataType().Size())
	if f.part == nil {
		return write(ctx, f.dst, box, give)
	}
	index := make([]int, len(box.Start))
	for i, n := range box.Start {
		index[i] = n / f.block[i]
	}
	return f.dst.WriteChunk(ctx, index, f.part, give)
}

// boxes are the blocks of a region of the level, which begins and ends with chunks, or
// shards.
func (f *filler) boxes(region nd.Box) []nd.Box {
	count, total := make([]int, len(region.Shape)), 1
	for i, n := range region.Shape {
		count[i] = (n + f.block[i] - 1) / f.block[i]
		total *= count[i]
	}
	out := make([]nd.Box, 0, total)
	for idx, more := make([]int, len(count)), total > 0; more; more = nd.Next(idx, count) {
		box := nd.Box{Start: make([]int, len(idx)), Shape: make([]int, len(idx))}
		for i, k := range idx {
			box.Start[i] = region.Start[i] + k*f.block[i]
			box.Shape[i] = min(f.block[i], region.Shape[i]-k*f.block[i])
		}
		out = append(out, box)
	}
	return out
}

// level fills a level block by block.
func (b *builder) level(ctx context.Context, p *plan, k int) error {
	f, err := b.filler(p, k)
	if err != nil {
		return err
	}
	boxes := f.boxes(nd.Whole(f.dst.Shape()))
	b.track.Add(int64(len(boxes)))
	pool := job.NewPool(ctx, b.opts.Workers, copying.Usable(b.opts.Memory))
	grid := fmt.Sprint(f.block)
	for n, box := range boxes {
		bytes := job.Weight(f.dst, box.Shape)
		if b.landing.Done(f.at, grid, n) {
			b.sum.Resumed++
			b.track.Done(f.at, 1, bytes)
			continue
		}
		more := pool.Run(f.weight(box), func(ctx context.Context) error {
			if err := f.write(ctx, box); err != nil {
				return err
			}
			b.track.Done(f.at, 1, bytes)
			return b.landing.Mark(ctx, f.at, grid, n)
		})
		if !more {
			break
		}
	}
	return pool.Wait()
}

// lend gives memory for a block until free is called.
func (b *builder) lend(size int, shape []int) (v nd.View, free func()) {
	mem, _ := b.free.Get().(*[]byte)
	if mem == nil {
		mem = new([]byte)
	}
	n, _ := nd.Bytes(shape, size) // as much as was planned
	*mem = slices.Grow((*mem)[:0], n)[:n]
	return nd.Of(*mem, size, shape...), func() { b.free.Put(mem) }
}

// giver lends what a reader makes of boxes.
func (b *builder) giver(read func(context.Context, []int, nd.View) error, size int) codec.Giver {
	return func(ctx context.Context, box nd.Box) (nd.View, func(), error) {
		v, free := b.lend(size, box.Shape)
		err := read(ctx, box.Start, v)
		if err != nil {
			free()
		}
		return v, free, err
	}
}

// write writes a box at once.
func write(ctx context.Context, dst *zarr.Array, box nd.Box, give codec.Giver) error {
	v, free, err := give(ctx, box)
	if err != nil {
		return err
	}
	defer free()
	return dst.WriteFrom(ctx, zarr.Box(box.Start, box.Shape), v)
}

// parts is the shape of parts that shards are written in, nil if they are small enough
// to be written at once, or the store takes them only so.
func (b *builder) parts(dst *zarr.Array, from []int, most int64) ([]int, error) {
	chain, err := dst.Codec()
	if err != nil {
		return nil, err
	}
	shard := dst.Metadata().Grid.Uniform()
	n, ok := nd.Len(shard)
	if !chain.Streams() || !store.CanStream(dst.Store()) || ok && int64(n) <= most {
		return nil, nil
	}
	return copying.Rows(shard, chain.Inner().Spec().Shape, from, most), nil
}

// blockShape says how many elements are written at once: whole chunks, or shards, and
// so many of them that each chunk of the source is decoded once, as far as most
// elements allow.
func blockShape(chunk, shape, from []int, most int64) []int {
	out := slices.Clone(chunk)
	n := int64(1)
	for _, c := range out {
		n *= int64(c)
	}
	grow := func(i, to int) {
		times := (to + out[i] - 1) / out[i]
		times = min(times, (shape[i]+out[i]-1)/out[i])
		if times > 1 && n*int64(times) <= most {
			n *= int64(times)
			out[i] *= times
		}
	}
	for i := len(out) - 1; i >= 0 && from != nil; i-- {
		grow(i, from[i])
	}
	// Blocks of very small chunks would cost more than the chunks.
	for i := len(out) - 1; i >= 0 && n < smallBlock; i-- {
		grow(i, out[i]*int(smallBlock/max(n, 1)+1))
	}
	return out
}

// smallBlock is how many elements a block has at least, if there are as many.
const smallBlock = 1 << 18
