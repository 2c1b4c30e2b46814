package export

import (
	"context"
	"sync"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/format/tiff/writer"
	"github.com/omnizarr/zarr/internal/buf"
	"github.com/omnizarr/zarr/internal/par"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/nd"
)

// write writes all planes of an image. Tiles come in the same order whatever
// their encoding takes, so that a copy started again has the same bytes.
func (p *tiffImage) write(ctx context.Context) error {
	for level, g := range p.grids {
		if err := p.writeLevel(ctx, level, g); err != nil {
			return &zarr.Error{Op: "copy", URL: g.source.URL(), Err: err}
		}
	}
	return nil
}

// writeLevel reads a level block by block, the next while one is encoded.
func (p *tiffImage) writeLevel(ctx context.Context, level int, g *rasterGrid) error {
	ctx, cancel := context.WithCancel(ctx)
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
		for b := range g.blocks() {
			r := read{block: b}
			if b.stored || p.fill == nil {
				r.err = par.Catch(func() (err error) {
					r.view, r.mem, err = p.read(ctx, g, b)
					return err
				})
			}
			select {
			case ahead <- r:
			case <-ctx.Done():
				r.mem.Free()
				return
			}
		}
	})
	s := p.newShrinker(g)
	defer s.free()
	for r := range ahead {
		if r.err != nil {
			return r.err
		}
		err := p.writeBlock(ctx, s, level, g, r.block, r.view)
		r.mem.Free()
		if err != nil {
			return err
		}
		n, _ := nd.Bytes(r.block.box.Shape, p.layout.Samples*p.typ.Size())
		p.copy.track.Done(g.source.Path(), 1, int64(n))
	}
	return ctx.Err()
}

// read reads a block, as planes of (samples, rows, columns) along the axes that
// planes have, in the type of the copy.
func (p *tiffImage) read(ctx context.Context, g *rasterGrid, b rasterBlock) (nd.View, *buf.Buffer, error) {
	n := len(b.box.Shape)
	// Samples come between the axes of planes and those in a plane.
	shape := append(append(append([]int{}, b.box.Shape[:n-2]...), p.layout.Samples), b.box.Shape[n-2:]...)
	v, mem := blockMemory(g.source.DataType(), shape)
	rank := len(g.source.Metadata().Shape)
	start, length := make([]int, rank), make([]int, rank)
	into := nd.View{Data: v.Data, Size: v.Size, Shape: length, Strides: make([]int, rank)}
	place := func(axis, from, n, stride int) {
		if axis >= 0 {
			start[axis], length[axis], into.Strides[axis] = from, n, stride
		}
	}
	for i, axis := range g.axes {
		to := i
		if i >= n-2 {
			to++
		}
		place(axis, b.box.Start[i], b.box.Shape[i], v.Strides[to])
	}
	place(p.samples, 0, p.layout.Samples, v.Strides[n-2])
	if err := g.source.ReadInto(ctx, zarr.Box(start, length), into); err != nil {
		mem.Free()
		return nd.View{}, nil, err
	}
	if dtype.Equal(g.source.DataType(), p.typ) {
		return v, mem, nil
	}
	defer mem.Free()
	out, outMem := blockMemory(p.typ, shape)
	if err := copying.Convert(p.typ, out, g.source.DataType(), v); err != nil {
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

// writeBlock writes the tiles of a block, and those of smaller versions that it
// completes. A view without data stands for the fill value.
func (p *tiffImage) writeBlock(ctx context.Context, s *shrinker, level int, g *rasterGrid, b rasterBlock, v nd.View) error {
	var tiles []rasterTile
	n := len(g.axes)
	lead := b.box.Shape[:n-2]
	idx := make([]int, n-2)
	defer s.release()
	for k := 0; ; k++ {
		plane := 0
		for i, x := range idx {
			plane = plane*g.shape[i] + b.box.Start[i] + x
		}
		part := nd.View{Shape: []int{p.layout.Samples, b.box.Shape[n-2], b.box.Shape[n-1]}}
		if v.Data != nil {
			part = nd.View{Data: v.Data, Size: v.Size, Offset: v.Offset + v.Dot(idx), Shape: part.Shape, Strides: v.Strides[n-2:]}
		}
		tiles = p.cutTiles(tiles, plane, level, b.box.Start[n-2], b.box.Start[n-1], part)
		if p.half != nil {
			var err error
			if tiles, err = s.shrink(tiles, k, plane, b, part); err != nil {
				return err
			}
		}
		if !nd.Next(idx, lead) {
			break
		}
	}
	return p.writeTiles(ctx, tiles)
}

// pageOf is the directory of a plane in a resolution.
func (p *tiffImage) pageOf(plane, level int) *writer.Image {
	if level == 0 {
		return p.pages[plane]
	}
	return p.pages[plane].Levels[level-1]
}

// cutTiles appends the tiles of a part of a plane that begins at a row and column.
func (p *tiffImage) cutTiles(tiles []rasterTile, plane, level, row, col int, v nd.View) []rasterTile {
	l := &p.layout
	page := p.pageOf(plane, level)
	across := (p.sizes[level][1] + l.Width - 1) / l.Width
	for y := 0; y < v.Shape[1]; y += l.Height {
		for x := 0; x < v.Shape[2]; x += l.Width {
			t := rasterTile{page: page, index: (row+y)/l.Height*across + (col+x)/l.Width}
			if v.Data != nil {
				t.view = v.Box(nd.Box{Start: []int{0, y, x}, Shape: []int{l.Samples, min(l.Height, v.Shape[1]-y), min(l.Width, v.Shape[2]-x)}})
			}
			tiles = append(tiles, t)
		}
	}
	return tiles
}
