package export

import (
	"github.com/omnizarr/zarr/downsample"
	"github.com/omnizarr/zarr/internal/buf"
	"github.com/omnizarr/zarr/nd"
)

// shrinker makes the smaller versions of blocks that come along their curve. A
// block is halved as long as it is more than a tile; from then on four become a
// tile of the next level.
type shrinker struct {
	p     *tiffImage
	depth int           // the level of which a block is one tile
	open  [][]openTile  // of every plane of a block, of every level
	lent  []*buf.Buffer // what is needed until the block is written
}

// openTile is a tile of which some quarters are there. It has no memory as long as
// there is nothing in it but the fill value.
type openTile struct {
	view nd.View
	mem  *buf.Buffer
}

func (p *tiffImage) newShrinker(g *rasterGrid) *shrinker {
	s := &shrinker{p: p}
	n := len(g.block)
	for p.layout.Height<<s.depth < g.block[n-2] {
		s.depth++
	}
	planes, _ := nd.Len(g.block[:n-2])
	for range planes {
		s.open = append(s.open, make([]openTile, len(p.sizes)))
	}
	return s
}

// hand gives away what a block needs until it is written.
func (s *shrinker) hand() []*buf.Buffer {
	lent := s.lent
	s.lent = nil
	return lent
}

func (s *shrinker) free() {
	for _, tiles := range s.open {
		for _, t := range tiles {
			t.mem.Free()
		}
	}
}

// inside appends the tiles of a plane's part of a block: its own, and those of smaller
// versions that lie in it as a whole. It gives the smallest.
func (s *shrinker) inside(tiles []rasterTile, plane, level int, b rasterBlock, v nd.View) ([]rasterTile, nd.View, error) {
	p := s.p
	n := len(b.at)
	y, x := b.box.Start[n-2], b.box.Start[n-1]
	tiles = p.cutTiles(tiles, plane, level, y, x, v)
	if p.half == nil {
		return tiles, v, nil
	}
	for level := 1; level <= s.depth && level < len(p.sizes); level++ {
		var err error
		if v, err = s.half(v); err != nil {
			return nil, v, err
		}
		y, x = y/2, x/2
		tiles = p.cutTiles(tiles, plane, level, y, x, v)
	}
	return tiles, v, nil
}

// climb appends the tiles that are complete with a tile of the level below a given
// one, in row and column of its own level: v is what it holds.
func (s *shrinker) climb(tiles []rasterTile, k, plane, level, row, col int, v nd.View) ([]rasterTile, error) {
	p := s.p
	for ; level < len(p.sizes); level++ {
		half, err := s.half(v)
		if err != nil {
			return nil, err
		}
		var whole bool
		if v, whole = s.gather(&s.open[k][level], level, row, col, half); !whole {
			break
		}
		row, col = row/2, col/2
		tiles = p.cutTiles(tiles, plane, level, row*p.layout.Height, col*p.layout.Width, v)
	}
	return tiles, nil
}

// climbDone is climb where the tile was done by an earlier run: what it holds is
// read from the file, if anything is still to be made of it.
func (s *shrinker) climbDone(tiles []rasterTile, k, plane, level, row, col int) ([]rasterTile, error) {
	p := s.p
	for ; level < len(p.sizes); level++ {
		if !p.done(plane, level, row/2, col/2) {
			v, err := s.written(plane, level-1, row, col)
			if err != nil {
				return nil, err
			}
			return s.climb(tiles, k, plane, level, row, col, v)
		}
		if !s.last(level, row, col) {
			break
		}
		row, col = row/2, col/2
	}
	return tiles, nil
}

// done reports whether a tile is in the file.
func (p *tiffImage) done(plane, level, row, col int) bool {
	across := (p.sizes[level][1] + p.layout.Width - 1) / p.layout.Width
	return p.copy.out.Done(p.pageOf(plane, level), row*across+col)
}

// written reads a tile that is in the file.
func (s *shrinker) written(plane, level, row, col int) (nd.View, error) {
	p, l, size := s.p, &s.p.layout, s.p.sizes[level]
	shape := []int{l.Samples, min(l.Height, size[0]-row*l.Height), min(l.Width, size[1]-col*l.Width)}
	across := (size[1] + l.Width - 1) / l.Width
	b := buf.Get(0)
	defer b.Free()
	var err error
	if b.B, err = p.copy.out.Tile(p.pageOf(plane, level), row*across+col, b.B); err != nil || len(b.B) == 0 {
		return nd.View{Shape: shape}, err
	}
	v, mem := blockMemory(p.typ, shape)
	s.lent = append(s.lent, mem)
	err = l.DecodeBox(v, b.B, nd.Whole(shape), shape[1])
	if err == nil && p.fill != nil && nd.IsFill(v, p.fill) {
		return nd.View{Shape: shape}, nil
	}
	return v, err
}

// half makes the next version of a part, which is nothing but the fill value if
// that was nothing else.
func (s *shrinker) half(v nd.View) (nd.View, error) {
	shape := []int{v.Shape[0], downsample.Half(v.Shape[1]), downsample.Half(v.Shape[2])}
	if v.Data == nil {
		return nd.View{Shape: shape}, nil
	}
	out, mem := blockMemory(s.p.typ, shape)
	s.lent = append(s.lent, mem)
	return out, s.p.half.Halve(out, v)
}

// gather puts what a tile of the level below became in its quarter of a tile, and
// reports whether that was the last one.
func (s *shrinker) gather(t *openTile, level, row, col int, half nd.View) (nd.View, bool) {
	l, size := &s.p.layout, s.p.sizes[level]
	shape := []int{l.Samples, min(l.Height, size[0]-row/2*l.Height), min(l.Width, size[1]-col/2*l.Width)}
	if half.Data != nil {
		if t.mem == nil {
			t.view, t.mem = blockMemory(s.p.typ, shape)
			if s.p.fill != nil {
				nd.Fill(t.view, s.p.fill)
			}
		}
		nd.Copy(t.view.Box(nd.Box{Start: []int{0, row % 2 * l.Height / 2, col % 2 * l.Width / 2}, Shape: half.Shape}), half)
	}
	if !s.last(level, row, col) {
		return nd.View{}, false
	}
	v := t.view
	v.Shape = shape
	s.lent = append(s.lent, t.mem)
	*t = openTile{}
	return v, true
}

// last reports whether a tile of the level below one, in row and column of its own
// level, is the last of those that become one tile.
func (s *shrinker) last(level, row, col int) bool {
	l, below := &s.p.layout, s.p.sizes[level-1]
	lastRow, lastCol := (below[0]-1)/l.Height, (below[1]-1)/l.Width
	return (row%2 == 1 || row == lastRow) && (col%2 == 1 || col == lastCol)
}
