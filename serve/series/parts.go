package series

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/numeric"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/serve/kept"
)

// pyramid keeps the extremes of blocks of samples, part by part, as they are asked for.
type pyramid struct {
	geometry
	key      string
	cache    *kept.Cache
	n        int // samples along time
	channels int
	group    int // channels that are read together
	bytes    int // of a sample in memory
	keepFine bool
	kernel   kernel
	// read reads samples of some channels, as the kernel wants them.
	read func(ctx context.Context, start, stop, from, to int) ([]byte, layout, error)
	// tags tell what is stored of them; nil where the key tells all.
	tags func(ctx context.Context, start, stop, from, to int) (string, error)
}

// mostFine is how much of fine blocks may be kept besides when coarse ones are wanted.
const mostFine = 64 << 20

// fit decides what is kept.
func (p *pyramid) fit(chunk int) {
	p.geometry = geometryOf(max(chunk, 1), p.group*p.bytes)
	blocks := float64(p.n) / float64(p.fine) * float64(p.channels)
	p.keepFine = blocks*float64(p.kernel.size()) <= mostFine
}

// extent is a part of a group of channels.
type extent struct{ part, group int }

// cut is which samples and channels that is.
func (p *pyramid) cut(e extent) (start, stop, from, to int) {
	start, from = e.part*p.part, e.group*p.group
	return start, min(start+p.part, p.n), from, min(from+p.group, p.channels)
}

// budget is how many bytes of samples may still be read.
type budget struct{ left, asked atomic.Int64 }

// errLater says that a part is not read now.
var errLater = errors.New("is left for later")

func (b *budget) take(n int64) error {
	if b.asked.Add(1) > 1 && b.left.Load() < n { // one is read in any case
		return errLater
	}
	b.left.Add(-n)
	return nil
}

// get gives the extremes of the blocks of a part: those that are kept, or else as long
// as the budget lasts. Blocks are fine ones or coarse ones.
func (p *pyramid) get(ctx context.Context, e extent, coarse bool, b *budget) ([]byte, error) {
	start, stop, from, to := p.cut(e)
	blocks := (stop - start + p.fine - 1) / p.fine
	fine := func(ctx context.Context) ([]byte, error) {
		if err := b.take(int64(stop-start) * int64(to-from) * int64(p.bytes)); err != nil {
			return nil, err
		}
		elems, l, err := p.read(ctx, start, stop, from, to)
		if err != nil {
			return nil, err
		}
		out := make([]byte, (to-from)*blocks*p.kernel.size())
		l.block = p.fine
		p.kernel.run(out, elems, l)
		return out, nil
	}
	key := fmt.Sprintf("series %s %d.%d.%d %d.%d", p.key, p.fine, p.coarse, p.part, e.part, e.group)
	if p.tags != nil {
		tags, err := p.tags(ctx, start, stop, from, to)
		if err != nil {
			return nil, err
		}
		key += " " + tags
	}
	kept := func(ctx context.Context) ([]byte, error) { return p.cache.Get(ctx, key+" fine", fine) }
	if !coarse {
		return kept(ctx)
	}
	return p.cache.Get(ctx, key+" coarse", func(ctx context.Context) ([]byte, error) {
		blocksOf := fine
		if p.keepFine {
			blocksOf = kept
		}
		all, err := blocksOf(ctx)
		if err != nil {
			return nil, err
		}
		return p.kernel.join(all, to-from, blocks, p.coarse/p.fine), nil
	})
}

// arrayPyramid is that of the samples of an array.
func (s *Series) arrayPyramid() *pyramid {
	shape, chunk := s.array.Shape(), s.array.ChunkShape()
	p := &pyramid{key: s.key, cache: s.cache, n: s.clock.n, channels: s.channels, group: s.channels, bytes: s.array.DataType().Size(), kernel: s.kernel, read: s.readBytes, tags: s.tags}
	if s.decode != nil {
		p.bytes = 8
	}
	rows := p.n
	if chunk != nil {
		if rows = chunk[s.axis]; len(shape) == 2 {
			p.group = min(max(chunk[1-s.axis], 1), s.channels)
		}
	}
	p.fit(rows)
	return p
}

// timePyramid is that of the times of samples, in the same blocks.
func (s *Series) timePyramid() *pyramid {
	p := &pyramid{key: s.timesKey + " times", cache: s.cache, n: s.clock.n, channels: 1, group: 1, bytes: 8, keepFine: true, kernel: kernels["float64"], geometry: s.data.geometry}
	p.read = func(ctx context.Context, start, stop, _, _ int) ([]byte, layout, error) {
		list, err := s.clock.times(ctx, start, stop)
		return numeric.Bytes(list), layout{rows: stop - start, channels: 1, row: 1}, err
	}
	return p
}

// selection is of samples from start up to stop, of channels from one up to another.
func (s *Series) selection(start, stop, from, to int) zarr.Selection {
	shape := s.array.Shape()
	axes := make([]zarr.Axis, len(shape))
	for i := range axes {
		axes[i] = zarr.Full()
	}
	axes[s.axis] = zarr.Span(start, stop)
	if len(shape) == 2 {
		axes[1-s.axis] = zarr.Span(from, to)
	}
	return zarr.Select(axes...)
}

// tags tell which chunks samples lie in.
func (s *Series) tags(ctx context.Context, start, stop, from, to int) (string, error) {
	box := nd.Whole(s.array.Shape())
	box.Start[s.axis], box.Shape[s.axis] = start, stop-start
	if len(box.Shape) == 2 {
		box.Start[1-s.axis], box.Shape[1-s.axis] = from, to-from
	}
	now, err := s.chunks.Of(ctx, s.array, box)
	return now.Tags, err
}

// readBytes reads samples as the kernel wants them. Of an array of more than two axes
// all channels are read.
func (s *Series) readBytes(ctx context.Context, start, stop, from, to int) ([]byte, layout, error) {
	sel := s.selection(start, stop, from, to)
	shape, err := s.array.ResultShape(sel)
	if err != nil {
		return nil, layout{}, err
	}
	v, err := s.array.Make(shape...)
	if err != nil {
		return nil, layout{}, err
	}
	if err := s.array.ReadInto(ctx, sel, v); err != nil {
		return nil, layout{}, err
	}
	elems := v.Data
	if s.decode != nil {
		list := make([]float64, len(elems)/s.array.DataType().Size())
		s.decode(list, elems)
		elems = numeric.Bytes(list)
	}
	l := layout{rows: stop - start, channels: to - from, row: 1, channel: stop - start}
	if s.axis == 0 && l.channels > 1 {
		l.row, l.channel = l.channels, 1
	}
	return elems, l, nil
}
