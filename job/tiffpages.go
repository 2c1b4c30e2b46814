package job

import (
	"context"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/format/tiff/reduce"
	"github.com/omnizarr/zarr/format/tiff/writer"
	"github.com/omnizarr/zarr/internal/buf"
	"github.com/omnizarr/zarr/nd"
)

// write writes all planes of an image. Tiles come in the same order whatever
// their encoding takes, so that a copy started again has the same bytes.
func (p *tiffImage) write(ctx context.Context) error {
	for level, a := range p.levels {
		if err := p.writeLevel(ctx, level, a); err != nil {
			return &zarr.Error{Op: "copy", URL: a.URL(), Err: err}
		}
	}
	return nil
}

// block is a part of a level: some planes, some rows, all columns.
type rasterBlock struct {
	plane, planes int // planes that follow each other along the last leading axis
	row, rows     int
}

// blocks cuts a level into parts that take whole chunks of the source where
// memory allows.
func (p *tiffImage) blocks(level int, a *zarr.Array) []rasterBlock {
	chunk := a.ChunkShape()
	height, width := p.sizes[level][0], p.sizes[level][1]
	tall, deep := p.layout.Height, 1
	if chunk != nil && p.y >= 0 {
		tall = max(tall, (chunk[p.y]+tall-1)/tall*tall)
	}
	fastest := 1
	if n := len(p.lead); n > 0 {
		fastest = p.lead[n-1].length
		if chunk != nil {
			deep = min(chunk[p.lead[n-1].at], fastest)
		}
	}
	row := int64(width) * int64(p.layout.Samples) * int64(max(a.DataType().Size(), p.typ.Size()))
	most := max(p.copy.opts.Memory/4, 1)
	for tall > p.layout.Height && row*int64(tall)*int64(deep) > most {
		tall -= p.layout.Height
	}
	for deep > 1 && row*int64(tall)*int64(deep) > most {
		deep = (deep + 1) / 2
	}
	var out []rasterBlock
	for plane := 0; plane < p.planes(); {
		n := min(deep, fastest-plane%fastest)
		for r := 0; r < height; r += tall {
			out = append(out, rasterBlock{plane, n, r, min(tall, height-r)})
		}
		plane += n
	}
	return out
}

// writeLevel reads a level block by block, the next while one is encoded.
func (p *tiffImage) writeLevel(ctx context.Context, level int, a *zarr.Array) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type read struct {
		block rasterBlock
		view  nd.View
		mem   *buf.Buffer
		err   error
	}
	ahead := make(chan read)
	var reading sync.WaitGroup
	defer reading.Wait()
	defer cancel()
	reading.Go(func() {
		defer close(ahead)
		for _, b := range p.blocks(level, a) {
			r := read{block: b}
			r.view, r.mem, r.err = p.read(ctx, level, a, b)
			select {
			case ahead <- r:
			case <-ctx.Done():
				r.mem.Free()
				return
			}
		}
	})
	feeds := map[int]*feed{}
	for r := range ahead {
		if r.err != nil {
			return r.err
		}
		err := p.push(ctx, feeds, level, r.block, r.view)
		r.mem.Free()
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

// push hands the planes of a block on to what writes them.
func (p *tiffImage) push(ctx context.Context, feeds map[int]*feed, level int, b rasterBlock, v nd.View) error {
	for i := range b.planes {
		f := feeds[b.plane+i]
		if f == nil {
			f = p.feed(b.plane+i, level)
			feeds[b.plane+i] = f
		}
		plane := v
		plane.Offset += i * v.Strides[0]
		plane.Shape, plane.Strides = v.Shape[1:], v.Strides[1:]
		if err := f.push(ctx, plane); err != nil {
			return err
		}
		if b.row+b.rows == p.sizes[level][0] {
			delete(feeds, b.plane+i)
			f.free()
		}
	}
	return nil
}

// read reads a block as (planes, samples, rows, columns), in the type of the
// copy.
func (p *tiffImage) read(ctx context.Context, level int, a *zarr.Array, b rasterBlock) (nd.View, *buf.Buffer, error) {
	shape := []int{b.planes, p.layout.Samples, b.rows, p.sizes[level][1]}
	v, mem := blockMemory(a.DataType(), shape)
	rank := len(a.Metadata().Shape)
	start, length, order := make([]int, rank), make([]int, rank), make([]int, rank)
	into := nd.View{Data: v.Data, Size: v.Size, Shape: make([]int, rank), Strides: make([]int, rank)}
	for i := range order {
		order[i] = -1
		length[i] = 1
	}
	rest := b.plane
	for i := len(p.lead) - 1; i >= 0; i-- {
		x := p.lead[i]
		start[x.at], rest = rest%x.length, rest/x.length
		if i == len(p.lead)-1 {
			length[x.at], order[x.at] = b.planes, 0
		}
	}
	for to, at := range map[int]int{1: p.samples, 2: p.y, 3: p.x} {
		if at >= 0 {
			length[at], order[at] = shape[to], to
		}
	}
	if p.y >= 0 {
		start[p.y] = b.row
	}
	for i, to := range order {
		into.Shape[i] = length[i]
		if to >= 0 {
			into.Strides[i] = v.Strides[to]
		}
	}
	if err := a.ReadInto(ctx, zarr.Box(start, length), into); err != nil {
		mem.Free()
		return nd.View{}, nil, err
	}
	if dtype.Equal(a.DataType(), p.typ) {
		return v, mem, nil
	}
	out, outMem := blockMemory(p.typ, shape)
	err := convert(p.typ, out, a.DataType(), v)
	mem.Free()
	if err != nil {
		outMem.Free()
		return nd.View{}, nil, err
	}
	return out, outMem, nil
}

func blockMemory(t dtype.Type, shape []int) (nd.View, *buf.Buffer) {
	n, _ := nd.Bytes(shape, t.Size())
	mem := buf.Get(n)
	mem.B = mem.B[:n]
	return nd.Of(mem.B, t.Size(), shape...), mem
}

// feed writes the rows of a plane in one resolution as they come, and halves them
// for the next.
type feed struct {
	p      *tiffImage
	page   *writer.Image
	level  int
	height int // rows that are to come in all
	row    int // rows that came
	band   nd.View
	mem    *buf.Buffer
	next   *feed // nil if there is none that is made
}

func (p *tiffImage) feed(plane, level int) *feed {
	f := &feed{p: p, page: p.pages[plane], level: level, height: p.sizes[level][0]}
	if level > 0 {
		f.page = p.pages[plane].Levels[level-1]
	}
	f.band, f.mem = blockMemory(p.typ, []int{p.layout.Samples, p.layout.Height, p.sizes[level][1]})
	if p.half != nil && level+1 < len(p.sizes) {
		f.next = p.feed(plane, level+1)
	}
	return f
}

func (f *feed) free() {
	for ; f != nil; f = f.next {
		f.mem.Free()
	}
}

// push takes rows, of shape (samples, rows, columns).
func (f *feed) push(ctx context.Context, v nd.View) error {
	for v.Shape[1] > 0 {
		at := f.row % f.p.layout.Height
		n := min(v.Shape[1], f.p.layout.Height-at)
		rows := nd.Box{Start: []int{0, 0, 0}, Shape: []int{v.Shape[0], n, v.Shape[2]}}
		nd.Copy(f.band.Box(nd.Box{Start: []int{0, at, 0}, Shape: rows.Shape}), v.Box(rows))
		v = v.Box(nd.Box{Start: []int{0, n, 0}, Shape: []int{v.Shape[0], v.Shape[1] - n, v.Shape[2]}})
		if f.row += n; f.row == f.height || f.row%f.p.layout.Height == 0 {
			if err := f.flush(ctx, at+n); err != nil {
				return err
			}
		}
	}
	return nil
}

// flush writes the band of tiles that is full, or the last, and halves it.
func (f *feed) flush(ctx context.Context, rows int) error {
	p := f.p
	band := f.band.Box(nd.Box{Start: []int{0, 0, 0}, Shape: []int{f.band.Shape[0], rows, f.band.Shape[2]}})
	width := f.band.Shape[2]
	cols := (width + p.layout.Width - 1) / p.layout.Width
	first := (f.row - 1) / p.layout.Height * cols
	workers := p.copy.workers()
	// A tile for every worker at a time, written in their order.
	room := make([]*buf.Buffer, min(workers, cols))
	for i := range room {
		room[i] = buf.Get(0)
		defer room[i].Free()
	}
	for col := 0; col < cols; col += len(room) {
		some := room[:min(len(room), cols-col)]
		g, gctx := errgroup.WithContext(ctx)
		for i, mem := range some {
			g.Go(func() error {
				if err := gctx.Err(); err != nil {
					return err
				}
				var err error
				mem.B, err = p.encode(mem.B[:0], band, (col+i)*p.layout.Width)
				return err
			})
		}
		if err := g.Wait(); err != nil {
			return err
		}
		for i, mem := range some {
			if err := p.copy.out.WriteTile(f.page, first+col+i, mem.B); err != nil {
				return err
			}
		}
	}
	if f.row == f.height {
		p.copy.track.done(p.levels[0].Path(), 1, int64(len(f.band.Data))*int64(f.height)/int64(p.layout.Height))
	}
	if f.next == nil {
		return nil
	}
	half, mem := blockMemory(p.typ, []int{band.Shape[0], reduce.Half(rows), reduce.Half(width)})
	defer mem.Free()
	if err := p.half.Halve(half, band); err != nil {
		return err
	}
	return f.next.push(ctx, half)
}

// encode appends the tile that begins in a column of a band. Behind the edges of
// the image the last row and column are repeated, which costs the least.
func (p *tiffImage) encode(dst []byte, band nd.View, col int) ([]byte, error) {
	l := &p.layout
	width := min(l.Width, band.Shape[2]-col)
	part := band.Box(nd.Box{Start: []int{0, 0, col}, Shape: []int{l.Samples, band.Shape[1], width}})
	if width == l.Width && band.Shape[1] == l.Height {
		return l.AppendEncode(dst, part, p.encoding)
	}
	whole, mem := blockMemory(p.typ, []int{l.Samples, l.Height, l.Width})
	defer mem.Free()
	extend(whole, part)
	return l.AppendEncode(dst, whole, p.encoding)
}

// extend copies src to the beginning of dst and repeats its last row and column.
func extend(dst, src nd.View) {
	from, to := make([]int, 3), make([]int, 3)
	copyTo := func(axis, start, n int) {
		shape := []int{src.Shape[0], src.Shape[1], src.Shape[2]}
		if axis == 2 {
			shape[1] = dst.Shape[1]
		}
		shape[axis] = n
		to[axis], from[axis] = start, start-1
		one := dst.Box(nd.Box{Start: from, Shape: shape})
		one.Strides = append([]int(nil), one.Strides...)
		one.Strides[axis] = 0
		nd.Copy(dst.Box(nd.Box{Start: to, Shape: shape}), one)
		to[axis], from[axis] = 0, 0
	}
	nd.Copy(dst.Box(nd.Whole(src.Shape)), src)
	if n := src.Shape[1]; n < dst.Shape[1] {
		copyTo(1, n, dst.Shape[1]-n)
	}
	if n := src.Shape[2]; n < dst.Shape[2] {
		copyTo(2, n, dst.Shape[2]-n)
	}
}
