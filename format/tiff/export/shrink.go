package export

import (
	"github.com/omnizarr/zarr/downsample"
	"github.com/omnizarr/zarr/format/tiff/tile"
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
// one, in row and column of its own level: the last that was appended, which holds v.
func (s *shrinker) climb(tiles []rasterTile, k, plane, level, row, col int, v nd.View) ([]rasterTile, error) {
	if level >= len(s.p.sizes) {
		return tiles, nil
	}
	half, err := s.half(v)
	if err != nil {
		return nil, err
	}
	tiles[len(tiles)-1].keep(s.p, half)
	return s.join(tiles, k, plane, level, row, col, half)
}

// join is climb, given the half of what the tile holds.
func (s *shrinker) join(tiles []rasterTile, k, plane, level, row, col int, half nd.View) ([]rasterTile, error) {
	p := s.p
	v, whole := s.gather(&s.open[k][level], level, row, col, half)
	if !whole {
		return tiles, nil
	}
	row, col = row/2, col/2
	tiles = p.cutTiles(tiles, plane, level, row*p.layout.Height, col*p.layout.Width, v)
	return s.climb(tiles, k, plane, level+1, row, col, v)
}

// climbDone is climb where the tile was done by an earlier run: half of what it holds is
// read from the file, if anything is still to be made of it.
func (s *shrinker) climbDone(tiles []rasterTile, k, plane, level, row, col int) ([]rasterTile, error) {
	level, row, col, wanted := s.wanted(plane, level, row, col)
	if !wanted {
		return tiles, nil
	}
	half, err := s.halfDone(plane, level-1, row, col)
	if err != nil {
		return nil, err
	}
	return s.join(tiles, k, plane, level, row, col, half)
}

// wanted finds the tile that something is still to be made of, from one of the level below
// a given one on, which is done and the last of those that become one.
func (s *shrinker) wanted(plane, level, row, col int) (atLevel, atRow, atCol int, wanted bool) {
	for ; level < len(s.p.sizes); level++ {
		if !s.p.done(plane, level, row/2, col/2) {
			return level, row, col, true
		}
		if !s.last(level, row, col) {
			break
		}
		row, col = row/2, col/2
	}
	return 0, 0, 0, false
}

// halfDone is the next version of a tile that is in the file.
func (s *shrinker) halfDone(plane, level, row, col int) (nd.View, error) {
	if s.p.keepsHalves() {
		return s.kept(plane, level, row, col)
	}
	v, err := s.written(plane, level, row, col)
	if err != nil {
		return v, err
	}
	return s.half(v)
}

// canClimb reports whether climbDone has what it needs.
func (s *shrinker) canClimb(plane, level, row, col int) bool {
	if !s.p.keepsHalves() {
		return true
	}
	level, row, col, wanted := s.wanted(plane, level, row, col)
	return !wanted || s.p.copy.out.HasKept(s.p.pageOf(plane, level-1), s.p.indexOf(level-1, row, col))
}

// keepsHalves reports whether halves of tiles are kept until they are needed, because they can not
// be made of what was written, which the compression has changed.
func (p *tiffImage) keepsHalves() bool { return p.half != nil && p.layout.Compression == tile.JPEG }

// keptLayout is how halves are kept.
func (p *tiffImage) keptLayout(height, width int) *tile.Layout {
	l := p.layout
	l.Height, l.Width, l.Compression, l.Predictor, l.JPEGTables, l.Photometric = height, width, tile.Zstd, 2, nil, blackIsZero
	return &l
}

// kept reads the half of a tile that was kept.
func (s *shrinker) kept(plane, level, row, col int) (nd.View, error) {
	p := s.p
	shape := p.tileShapeAt(level, row, col)
	shape[1], shape[2] = downsample.Half(shape[1]), downsample.Half(shape[2])
	b := buf.Get(0)
	defer b.Free()
	var err error
	if b.B, _, err = p.copy.out.Kept(p.pageOf(plane, level), p.indexOf(level, row, col), b.B); err != nil || len(b.B) == 0 {
		return nd.View{Shape: shape}, err
	}
	v, mem := blockMemory(p.typ, shape)
	s.lent = append(s.lent, mem)
	return v, p.keptLayout(shape[1], shape[2]).DecodeBox(v, b.B, nd.Whole(shape), shape[1])
}

// tileShapeAt is the shape of what of the image is in a tile.
func (p *tiffImage) tileShapeAt(level, row, col int) []int {
	l, size := &p.layout, p.sizes[level]
	return []int{l.Samples, min(l.Height, size[0]-row*l.Height), min(l.Width, size[1]-col*l.Width)}
}

// indexOf is the number of a tile in its page.
func (p *tiffImage) indexOf(level, row, col int) int {
	return row*((p.sizes[level][1]+p.layout.Width-1)/p.layout.Width) + col
}

// done reports whether a tile is in the file.
func (p *tiffImage) done(plane, level, row, col int) bool {
	return p.copy.out.Done(p.pageOf(plane, level), p.indexOf(level, row, col))
}

// written reads a tile that is in the file.
func (s *shrinker) written(plane, level, row, col int) (nd.View, error) {
	p := s.p
	shape := p.tileShapeAt(level, row, col)
	b := buf.Get(0)
	defer b.Free()
	var err error
	if b.B, err = p.copy.out.Tile(p.pageOf(plane, level), p.indexOf(level, row, col), b.B); err != nil || len(b.B) == 0 {
		return nd.View{Shape: shape}, err
	}
	v, mem := blockMemory(p.typ, shape)
	s.lent = append(s.lent, mem)
	err = p.layout.DecodeBox(v, b.B, nd.Whole(shape), shape[1])
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
	l, shape := &s.p.layout, s.p.tileShapeAt(level, row/2, col/2)
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
