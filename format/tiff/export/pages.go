package export

import (
	"cmp"
	"context"
	"slices"
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

// blockRead is a block that is read ahead.
type blockRead struct {
	block rasterBlock
	done  func(plane int) bool
	all   bool          // planes are done
	ready chan struct{} // closed when what follows is known
	view  nd.View
	mem   *buf.Buffer
	err   error
}

// writeLevel reads a level block by block, the next ones while others are encoded.
func (p *tiffImage) writeLevel(ctx context.Context, level int, g *rasterGrid) error {
	ctx, cancel := context.WithCancel(ctx)
	s := p.newShrinker(g)
	defer s.free()
	slots := make(chan struct{}, g.atOnce)
	ahead := make(chan *blockRead, g.atOnce)
	var reading sync.WaitGroup
	defer reading.Wait()
	defer cancel()
	reading.Go(func() {
		defer close(ahead)
		for b := range g.blocks() {
			select {
			case slots <- struct{}{}:
			case <-ctx.Done():
				return
			}
			r := &blockRead{block: b, ready: make(chan struct{})}
			r.done, r.all = p.doneBefore(s, level, g, b)
			ahead <- r
			if r.all || !b.stored && p.fill != nil {
				close(r.ready)
				continue
			}
			reading.Go(func() {
				defer close(r.ready)
				r.err = par.Catch(func() (err error) {
					r.view, r.mem, err = p.read(ctx, g, b)
					return err
				})
			})
		}
	})
	out := p.newLine(ctx, cancel)
	var err error
	for r := range ahead {
		if <-r.ready; err != nil { // which has stopped all
			r.mem.Free()
			continue
		}
		var tiles []rasterTile
		if err = r.err; err == nil {
			tiles, err = p.tiles(s, level, g, r.block, r.view, r.done)
		}
		lent := s.hand()
		free := func() {
			for _, mem := range append(lent, r.mem) {
				mem.Free()
			}
			<-slots
		}
		if err != nil {
			free()
		} else {
			err = out.add(tiles, func() { p.blockDone(g, r) }, free)
		}
		if err != nil {
			cancel()
		}
	}
	if also := out.wait(); also != nil {
		return also
	}
	return cmp.Or(err, ctx.Err())
}

// blockDone counts a block that is written.
func (p *tiffImage) blockDone(g *rasterGrid, r *blockRead) {
	if r.all {
		p.copy.resumed++
	}
	n, _ := nd.Bytes(r.block.box.Shape, p.layout.Samples*p.typ.Size())
	p.copy.elements += int64(n)
	p.copy.track.Done(g.source.Path(), 1, int64(n))
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

// tiles cuts a block into tiles, and adds those of smaller versions that it completes.
// A view without data stands for the fill value, or for planes that are done.
func (p *tiffImage) tiles(s *shrinker, level int, g *rasterGrid, b rasterBlock, v nd.View, done func(plane int) bool) ([]rasterTile, error) {
	var tiles []rasterTile
	n := len(g.axes)
	for plane := range g.planes(b) {
		part := nd.View{Shape: []int{p.layout.Samples, b.box.Shape[n-2], b.box.Shape[n-1]}}
		if v.Data != nil {
			part = nd.View{Data: v.Data, Size: v.Size, Offset: v.Offset + v.Dot(plane.at), Shape: part.Shape, Strides: v.Strides[n-2:]}
		}
		var err error
		row, col := b.at[n-2], b.at[n-1]
		switch {
		case !done(plane.page):
			var small nd.View
			if tiles, small, err = s.inside(tiles, plane.page, level, b, part); err == nil && p.half != nil {
				tiles, err = s.climb(tiles, plane.number, plane.page, s.depth+1, row, col, small)
			}
		case p.half != nil:
			tiles, err = s.climbDone(tiles, plane.number, plane.page, s.depth+1, row, col)
		}
		if err != nil {
			return nil, err
		}
	}
	return tiles, nil
}

// none says that no plane is done.
func none(int) bool { return false }

// doneBefore tells of the planes of a block which of them an earlier run has done.
func (p *tiffImage) doneBefore(s *shrinker, level int, g *rasterGrid, b rasterBlock) (func(plane int) bool, bool) {
	if p.copy.out.Resumed() == 0 {
		return none, false
	}
	n := len(g.axes)
	done, all := map[int]bool{}, true
	for plane := range g.planes(b) {
		tiles, _, _ := s.inside(nil, plane.page, level, b, nd.View{Shape: []int{p.layout.Samples, b.box.Shape[n-2], b.box.Shape[n-1]}})
		done[plane.page] = !slices.ContainsFunc(tiles, func(t rasterTile) bool { return !p.copy.out.Done(t.page, t.index) }) &&
			s.canClimb(plane.page, s.depth+1, b.at[n-2], b.at[n-1])
		all = all && done[plane.page]
	}
	return func(plane int) bool { return done[plane] }, all
}

// order is how the tiles of an image lie in a file, whatever memory there is.
func (p *tiffImage) order(yield func(*writer.Image, int) bool) bool {
	for level, g := range p.ideal {
		s := p.newShrinker(g)
		for b := range g.blocks() {
			tiles, _ := p.tiles(s, level, g, b, nd.View{}, none) // which has nothing to halve
			for _, t := range tiles {
				if !yield(t.page, t.index) {
					return false
				}
			}
		}
	}
	return true
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
