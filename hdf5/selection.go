package hdf5

import (
	"math/bits"
	"slices"
)

// SelectionKind is how a selection is told.
type SelectionKind uint8

// The kinds of selections, by their numbers in files.
const (
	SelectNone SelectionKind = iota
	SelectPoints
	SelectBoxes
	SelectAll
)

// Selection is a part of a dataset.
type Selection struct {
	Kind   SelectionKind
	Points [][]uint64
	// A regular selection of boxes has these, one for each axis; Count or Block
	// may be Unlimited.
	Start, Stride, Count, Block []uint64
	// Another one has the first and last element of each box.
	Boxes [][2][]uint64
}

// parseSelection reads a selection, which may be followed by something else.
func parseSelection(c *cursor) Selection {
	kind := c.u32()
	version := c.u32()
	s := Selection{Kind: SelectionKind(kind)}
	switch {
	case c.err != nil:
	case kind > 3:
		c.fail("a selection of kind %d is not known", kind)
	case kind == 0 || kind == 3:
		c.skip(8)
	case version < 1 || version > 3 || kind == 1 && version > 2:
		c.fail("version %d of a selection is not known", version)
	case kind == 1:
		wide := 4
		if version == 1 {
			c.skip(8)
		} else {
			wide = c.u8()
		}
		rank := int(c.u32())
		s.Points = parseCorners(c, rank, wide, 1)
	default:
		s.parseBoxes(c, int(version))
	}
	if c.err != nil {
		return Selection{} // not one with strides of nothing
	}
	return s
}

// parseCorners reads a number and as many times k corners of boxes, or points.
func parseCorners(c *cursor, rank, wide, k int) [][]uint64 {
	if c.err == nil && (wide != 1 && wide != 2 && wide != 4 && wide != 8 || rank < 1 || rank > maxRank) {
		c.fail("a selection of rank %d in numbers of %d bytes", rank, wide)
	}
	n := c.uint(wide)
	if c.err == nil && n > uint64(c.left()/(k*rank*wide)) {
		c.fail("a selection of %d blocks or points in %d bytes", n, c.left())
	}
	if c.err != nil {
		return nil
	}
	out := make([][]uint64, int(n)*k)
	all := make([]uint64, len(out)*rank)
	for i := range all {
		all[i] = c.uint(wide)
	}
	for i := range out {
		out[i] = all[i*rank : (i+1)*rank : (i+1)*rank]
	}
	return out
}

func (s *Selection) parseBoxes(c *cursor, version int) {
	wide, regular := 4, false
	switch version {
	case 1:
		c.skip(8)
	case 2:
		regular = c.u8()&1 != 0
		wide = 8
		c.skip(4)
	case 3:
		regular = c.u8()&1 != 0
		wide = c.u8()
	}
	rank := int(c.u32())
	if !regular {
		corners := parseCorners(c, rank, wide, 2)
		for i := 0; i+1 < len(corners); i += 2 {
			for j, first := range corners[i] {
				if corners[i+1][j] < first {
					c.fail("a box of a selection ends before it begins")
					return
				}
			}
			s.Boxes = append(s.Boxes, [2][]uint64{corners[i], corners[i+1]})
		}
		s.regular()
		return
	}
	if c.err == nil && (wide != 1 && wide != 2 && wide != 4 && wide != 8 || rank < 1 || rank > maxRank) {
		c.fail("a selection of rank %d in numbers of %d bytes", rank, wide)
	}
	for i := 0; i < rank && c.err == nil; i++ {
		start, stride, count, block := c.uint(wide), c.uint(wide), c.wide(wide), c.wide(wide)
		if stride == 0 || block != Unlimited && count != 1 && block > stride {
			c.fail("boxes of %d elements with a stride of %d", block, stride)
		}
		s.Start, s.Stride = append(s.Start, start), append(s.Stride, stride)
		s.Count, s.Block = append(s.Count, count), append(s.Block, block)
	}
}

// regular tells boxes by starts and strides where that is possible.
func (s *Selection) regular() {
	if len(s.Boxes) == 0 || len(s.Boxes) > 1<<16 {
		return
	}
	rank := len(s.Boxes[0][0])
	var start, stride, count, block []uint64
	n := uint64(1)
	for i := range rank {
		var starts []uint64
		size := s.Boxes[0][1][i] - s.Boxes[0][0][i] + 1
		for _, b := range s.Boxes {
			if b[1][i]-b[0][i]+1 != size {
				return
			}
			starts = append(starts, b[0][i])
		}
		slices.Sort(starts)
		starts = slices.Compact(starts)
		step := size
		if len(starts) > 1 {
			step = starts[1] - starts[0]
		}
		for j := 2; j < len(starts); j++ {
			if starts[j]-starts[j-1] != step {
				return
			}
		}
		if step < size {
			return
		}
		start, stride = append(start, starts[0]), append(stride, step)
		count, block = append(count, uint64(len(starts))), append(block, size)
		if n *= uint64(len(starts)); n > uint64(len(s.Boxes)) {
			return
		}
	}
	if n == uint64(len(s.Boxes)) {
		s.Start, s.Stride, s.Count, s.Block, s.Boxes = start, stride, count, block, nil
	}
}

// axis is a regular selection along one axis.
type axis struct{ start, stride, count, block uint64 }

// axes gives a selection of a dataset of some shape as one of regular axes,
// false if it is none. Axes without end are cut to the shape.
func (s *Selection) axes(shape []uint64) ([]axis, bool) {
	if s.Kind == SelectAll {
		out := make([]axis, len(shape))
		for i, n := range shape {
			out[i] = axis{0, max(n, 1), 1, n}
		}
		return out, true
	}
	if s.Kind != SelectBoxes || len(s.Start) != len(shape) {
		return nil, false
	}
	out := make([]axis, len(shape))
	for i, n := range shape {
		a := axis{s.Start[i], s.Stride[i], s.Count[i], s.Block[i]}
		left := n - min(a.start, n)
		if a.block == Unlimited {
			a.block, a.count = left, 1
		} else if a.count == Unlimited {
			if a.count = 0; left > 0 {
				a.count = (left + a.stride - 1) / a.stride
			}
		}
		if a.count == 1 {
			a.stride = max(a.stride, a.block, 1)
		}
		out[i] = a
	}
	return out, true
}

// len is how many elements are selected, false if that is not a sane number.
func (a axis) len() (uint64, bool) {
	hi, lo := bits.Mul64(a.count, a.block)
	return lo, hi == 0 && lo < 1<<62
}

// place is where the element of a number lies.
func (a axis) place(i uint64) uint64 {
	if a.block == 0 {
		return a.start
	}
	return a.start + i/a.block*a.stride + i%a.block
}

// within gives the numbers of the elements that lie in lo to hi.
func (a axis) within(lo, hi uint64) (uint64, uint64) {
	return a.before(lo), a.before(hi)
}

// before is how many elements lie before a place.
func (a axis) before(p uint64) uint64 {
	if p <= a.start || a.block == 0 {
		return 0
	}
	p -= a.start
	k := p / a.stride
	if k >= a.count {
		return a.count * a.block
	}
	return k*a.block + min(p%a.stride, a.block)
}
