package export

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"math"
	"slices"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store"
)

// rasterGrid cuts a level of a raster into blocks, which are read at once. Its
// axes are those of the planes, then rows and columns; a block has all samples of
// its pixels, and begins where a tile does.
type rasterGrid struct {
	source *zarr.Array
	axes   []int  // of the source, -1 for one that there is not
	shape  []int  // of the level
	block  []int  // of a block
	count  []int  // blocks along each axis
	curve  bool   // blocks of a plane come along a curve, see order
	atOnce int    // blocks that are in memory at the same time
	stored []bool // whether the source stores something of a block; nil if it cannot tell
}

// smallBlock is how many bytes are worth to be read at once.
const smallBlock = 1 << 20

// mostBlocks bounds the bytes of blocks, however much memory there is: larger ones read
// what is not stored.
const mostBlocks = 512 << 20

// grid cuts a level into blocks, in as much memory.
func (p *tiffImage) grid(level int, memory int64) *rasterGrid {
	g := &rasterGrid{source: p.levels[level], curve: p.half != nil}
	for _, a := range p.lead {
		g.axes, g.shape = append(g.axes, a.at), append(g.shape, a.length)
	}
	g.axes = append(g.axes, p.y, p.x)
	g.shape = append(g.shape, p.sizes[level][0], p.sizes[level][1])
	pixel := int64(p.layout.Samples) * int64(max(g.source.DataType().Size(), p.typ.Size()))
	// At least two blocks are in memory, one that is encoded and the next, and of
	// each perhaps a second version: in another type, or smaller ones.
	memory = min(memory, mostBlocks)
	enough := g.enough(pixel)
	most := min(max(memory/4/pixel, 1), g.most(p.layout.Height, p.layout.Width, enough))
	g.cut(p.layout.Height, p.layout.Width, most, enough)
	for i, n := range g.shape {
		g.count = append(g.count, (n+g.block[i]-1)/g.block[i])
	}
	o := &p.copy.opts
	g.atOnce = int(max(min(memory/2/pixel/g.pixels(), int64(o.Workers+o.AtOnce(g.source.Store()))), 2))
	return g
}

// enough is how many pixels are worth to be read at once: no more than one in some
// hundred, because the blocks that are under way when a copy is killed are read again.
func (g *rasterGrid) enough(pixel int64) int64 {
	all := 1.0
	for _, n := range g.shape {
		all *= float64(n)
	}
	return max(int64(min(smallBlock/float64(pixel), all/512)), 1)
}

// most is how many pixels a block may have, so that an interruption costs little; but
// blocks have whole chunks, and are as large as can be where they share chunks, which
// are decoded twice.
func (g *rasterGrid) most(height, width int, little int64) int64 {
	chunk := g.chunk()
	n := len(g.shape)
	whole := int64(1)
	for i, c := range chunk {
		c = min(c, g.shape[i])
		if i >= n-2 {
			tile := []int{height, width}[i-n+2]
			k := (c + tile - 1) / tile
			if c < g.shape[i] && tile%c != 0 && (c%tile != 0 || g.curve && k&(k-1) != 0) {
				return math.MaxInt64
			}
			c = k * tile
		}
		if whole *= int64(c); whole > math.MaxInt64/math.MaxInt32/2 {
			return math.MaxInt64
		}
	}
	if g.curve { // whose blocks are as many tiles high as wide
		whole *= int64(max(chunk[n-2], height)/max(chunk[n-1], width) + max(chunk[n-1], width)/max(chunk[n-2], height))
	}
	return max(little, whole)
}

// chunk is the shape of the source's chunks along the axes of the grid.
func (g *rasterGrid) chunk() []int {
	chunk := slices.Repeat([]int{1}, len(g.shape))
	if c := g.source.Metadata().Grid.Uniform(); c != nil {
		for i, at := range g.axes {
			if at >= 0 {
				chunk[i] = c[at]
			}
		}
	}
	return chunk
}

// cut chooses the shape of blocks: whole chunks of the source where most pixels
// allow it, so that every chunk is decoded once, and at least enough pixels to
// keep everyone busy, if there are.
func (g *rasterGrid) cut(height, width int, most, enough int64) {
	n := len(g.shape)
	chunk := g.chunk()
	unit := make([]int, n) // what blocks are made of
	for i := range n - 2 {
		unit[i] = min(chunk[i], g.shape[i])
	}
	unit[n-2], unit[n-1] = height, width
	g.block = slices.Clone(unit)
	for i := range n - 2 { // the slowest axis first
		if g.pixels() > most {
			g.block[i] = max(g.longest(i, 1, most), 1)
		}
	}
	if g.curve {
		g.double(most)
	} else {
		for _, i := range []int{n - 2, n - 1} {
			unit[i] = (min(chunk[i], g.shape[i]) + unit[i] - 1) / unit[i] * unit[i]
		}
		g.block[n-2] = cmp.Or(min(g.longest(n-2, height, most), unit[n-2]), height)
		g.block[n-1] = cmp.Or(g.longest(n-1, unit[n-1], most), g.longest(n-1, width, most), width)
		if unit[n-2]%chunk[n-2] != 0 {
			enough = most // chunks that two blocks share are decoded twice
		}
	}
	// More of the other axes, as long as all of those inside them is there.
	for i := n - 2; i >= 0 && g.block[i+1] >= g.shape[i+1]; i-- {
		if i < n-2 || !g.curve {
			g.block[i] = max(g.longest(i, unit[i], min(enough, most)), g.block[i])
		}
	}
}

// double makes blocks of as many tiles as become one tile of a smaller version,
// of the smallest that most pixels allow.
func (g *rasterGrid) double(most int64) {
	y, x := len(g.shape)-2, len(g.shape)-1
	for g.block[y] < g.shape[y] || g.block[x] < g.shape[x] {
		g.block[y], g.block[x] = 2*g.block[y], 2*g.block[x]
		if g.pixels() > most {
			g.block[y], g.block[x] = g.block[y]/2, g.block[x]/2
			return
		}
	}
}

// pixels is how many pixels a block has.
func (g *rasterGrid) pixels() int64 {
	n := int64(1)
	for i, b := range g.block {
		n *= int64(min(b, g.shape[i]))
	}
	return n
}

// longest is the largest multiple of unit that covers an axis at most once, and
// with which a block has at most so many pixels; it may be 0.
func (g *rasterGrid) longest(axis, unit int, most int64) int {
	others := g.pixels() / int64(min(g.block[axis], g.shape[axis]))
	k := min(most/others/int64(unit), int64((g.shape[axis]+unit-1)/unit))
	return int(k) * unit
}

// findStored finds the blocks of which the source stores something.
func (g *rasterGrid) findStored(ctx context.Context) error {
	total, ok := nd.Len(g.count)
	if !ok {
		return errors.New("there are more blocks than can be counted")
	}
	g.stored = make([]bool, total)
	lo, n, idx := make([]int, len(g.count)), make([]int, len(g.count)), make([]int, len(g.count))
	for c, err := range g.source.Stored(ctx) {
		if errors.Is(err, store.ErrNoList) {
			g.stored = nil
			return nil
		}
		if err != nil {
			return err
		}
		for i, at := range g.axes {
			lo[i], n[i] = 0, 1
			if at >= 0 {
				lo[i] = c.Box.Start[at] / g.block[i]
				n[i] = (c.Box.Start[at]+c.Box.Shape[at]-1)/g.block[i] - lo[i] + 1
			}
		}
		clear(idx)
		for {
			k := 0
			for i := range idx {
				k = k*g.count[i] + lo[i] + idx[i]
			}
			g.stored[k] = true
			if !nd.Next(idx, n) {
				break
			}
		}
	}
	return nil
}

// rasterBlock is a block of a grid.
type rasterBlock struct {
	at     []int // which, along each axis
	box    nd.Box
	stored bool
}

// blockPlane is a plane of a block.
type blockPlane struct {
	number int   // in the block
	page   int   // in the image
	at     []int // along the axes that planes have, in the block
}

// planes yields the planes of a block.
func (g *rasterGrid) planes(b rasterBlock) iter.Seq[blockPlane] {
	return func(yield func(blockPlane) bool) {
		lead := b.box.Shape[:len(g.axes)-2]
		p := blockPlane{at: make([]int, len(lead))}
		for {
			p.page = 0
			for i, x := range p.at {
				p.page = p.page*g.shape[i] + b.box.Start[i] + x
			}
			if !yield(p) || !nd.Next(p.at, lead) {
				return
			}
			p.number++
		}
	}
}

// total is how many blocks there are.
func (g *rasterGrid) total() int {
	n, _ := nd.Len(g.count)
	return n
}

// blocks yields all blocks, those of the same planes one after another.
func (g *rasterGrid) blocks() iter.Seq[rasterBlock] {
	return func(yield func(rasterBlock) bool) {
		n := len(g.count)
		at := make([]int, n)
		for {
			for row, col := range g.order() {
				at[n-2], at[n-1] = row, col
				if !yield(g.one(at)) {
					return
				}
			}
			if !nd.Next(at[:n-2], g.count[:n-2]) {
				return
			}
		}
	}
}

func (g *rasterGrid) one(at []int) rasterBlock {
	b := rasterBlock{at: slices.Clone(at), box: nd.Box{Start: make([]int, len(at)), Shape: make([]int, len(at))}}
	k := 0
	for i, x := range at {
		k = k*g.count[i] + x
		b.box.Start[i] = x * g.block[i]
		b.box.Shape[i] = min(g.block[i], g.shape[i]-b.box.Start[i])
	}
	b.stored = g.stored == nil || g.stored[k]
	return b
}

// order is the order of the blocks of a plane: row by row, or, where smaller
// versions are made, along a curve that does the four which become one directly
// after each other, and so on with what they become. No more than a tile of every
// smaller version is unfinished then at any time.
func (g *rasterGrid) order() iter.Seq2[int, int] {
	rows, cols := g.count[len(g.count)-2], g.count[len(g.count)-1]
	if !g.curve {
		return func(yield func(int, int) bool) {
			for i := range rows * cols {
				if !yield(i/cols, i%cols) {
					return
				}
			}
		}
	}
	side := 1
	for side < rows || side < cols {
		side *= 2
	}
	return func(yield func(int, int) bool) { curve(0, 0, side, rows, cols, yield) }
}

func curve(row, col, side, rows, cols int, yield func(int, int) bool) bool {
	if row >= rows || col >= cols {
		return true
	}
	if side == 1 {
		return yield(row, col)
	}
	h := side / 2
	return curve(row, col, h, rows, cols, yield) && curve(row, col+h, h, rows, cols, yield) &&
		curve(row+h, col, h, rows, cols, yield) && curve(row+h, col+h, h, rows, cols, yield)
}
