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

// release gives back what a block needed.
func (s *shrinker) release() {
	for _, mem := range s.lent {
		mem.Free()
	}
	s.lent = s.lent[:0]
}

func (s *shrinker) free() {
	s.release()
	for _, tiles := range s.open {
		for _, t := range tiles {
			t.mem.Free()
		}
	}
}

// shrink appends the tiles that a block completes in all smaller versions of its
// plane k.
func (s *shrinker) shrink(tiles []rasterTile, k, plane int, b rasterBlock, v nd.View) ([]rasterTile, error) {
	p := s.p
	n := len(b.at)
	row, col := b.at[n-2], b.at[n-1]
	y, x := b.box.Start[n-2], b.box.Start[n-1]
	for level := 1; level < len(p.sizes); level++ {
		half, err := s.half(v)
		if err != nil {
			return nil, err
		}
		if level <= s.depth {
			v, y, x = half, y/2, x/2
		} else {
			var whole bool
			if v, whole = s.gather(&s.open[k][level], level, row, col, half); !whole {
				return tiles, nil
			}
			row, col = row/2, col/2
			y, x = row*p.layout.Height, col*p.layout.Width
		}
		tiles = p.cutTiles(tiles, plane, level, y, x, v)
	}
	return tiles, nil
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
	l, size, below := &s.p.layout, s.p.sizes[level], s.p.sizes[level-1]
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
	lastRow, lastCol := (below[0]-1)/l.Height, (below[1]-1)/l.Width
	if row%2 == 0 && row < lastRow || col%2 == 0 && col < lastCol {
		return nd.View{}, false
	}
	v := t.view
	v.Shape = shape
	s.lent = append(s.lent, t.mem)
	*t = openTile{}
	return v, true
}
