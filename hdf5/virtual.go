package hdf5

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
)

// Mapping says which part of a virtual dataset is which part of another.
type Mapping struct {
	File    string // "." is the same file; %b stands for the number of a block
	Dataset string
	From    Selection // in the other dataset
	To      Selection // in this one
}

// mappings reads the list of sources of a virtual dataset.
func (f *File) mappings(id heapID, rank int) ([]Mapping, error) {
	const what = "list of sources of a virtual dataset"
	if id.at == Undefined {
		return nil, nil
	}
	b, err := f.heapObject(id.at, id.index)
	if err != nil {
		return nil, fmt.Errorf("virtual dataset: %w", err)
	}
	c := cursor{what: what, at: id.at, b: b, o: f.offsets, l: f.lengths}
	if len(b) >= 4 {
		sum := c
		sum.skip(len(b) - 4)
		if sum.checksum(); sum.err != nil {
			return nil, sum.err
		}
		c.b = b[:len(b)-4]
	}
	version := c.version(0, 1)
	n := c.length()
	if c.err == nil && n > uint64(c.left())/10 {
		c.fail("%d entries in %d bytes", n, c.left())
	}
	var out []Mapping
	for i := uint64(0); i < n && c.err == nil; i++ {
		flags := 0
		if version == 1 {
			flags = c.u8()
		}
		// A name may be that of an entry before.
		earlier := func() *Mapping {
			k := c.length()
			if c.err == nil && k >= uint64(len(out)) {
				c.fail("entry %d takes its name from entry %d", i, k)
			}
			if c.err != nil {
				return &Mapping{}
			}
			return &out[k]
		}
		var m Mapping
		switch {
		case flags&4 != 0:
			m.File = "."
		case flags&1 != 0:
			m.File = earlier().File
		default:
			m.File = c.text()
		}
		if flags&2 != 0 {
			m.Dataset = earlier().Dataset
		} else {
			m.Dataset = c.text()
		}
		m.From, m.To = parseSelection(&c), parseSelection(&c)
		if c.err == nil && len(m.To.Start) > 0 && len(m.To.Start) != rank {
			c.fail("entry %d is for rank %d, and the dataset has %d", i, len(m.To.Start), rank)
		}
		out = append(out, m)
	}
	return out, c.err
}

// printf reports whether names of the mapping count blocks.
func (m *Mapping) printf() bool {
	return strings.Contains(m.File, "%b") || strings.Contains(m.Dataset, "%b")
}

// numbered gives the names of a block.
func (m *Mapping) numbered(n uint64) Mapping {
	name := func(s string) string {
		s = strings.ReplaceAll(s, "%%", "\x00")
		s = strings.ReplaceAll(s, "%b", strconv.FormatUint(n, 10))
		return strings.ReplaceAll(s, "\x00", "%")
	}
	return Mapping{File: name(m.File), Dataset: name(m.Dataset), From: m.From}
}

// unlimited is the axis of a selection that has no end, -1 if all have.
func (s *Selection) unlimited() int {
	for i := range s.Start {
		if s.Count[i] == Unlimited || s.Block[i] == Unlimited {
			return i
		}
	}
	return -1
}

// maxBlocks is how many sources names with %b are tried for.
const maxBlocks = 1 << 12

// grow sets the shape of a virtual dataset whose sources may grow: it is as long
// as what is there.
func (d *Dataset) grow(left *int) {
	for i := range d.Mappings {
		m := &d.Mappings[i]
		k := m.To.unlimited()
		if k < 0 || k >= len(d.Space.Shape) {
			continue
		}
		a := axis{m.To.Start[k], m.To.Stride[k], m.To.Count[k], m.To.Block[k]}
		var n uint64 // elements along the axis
		if m.printf() {
			if a.block == Unlimited {
				continue
			}
			blocks := uint64(0)
			for ; blocks < maxBlocks; blocks++ {
				x := m.numbered(blocks)
				if s, err := d.source(&x, left); s == nil || err != nil {
					break
				}
			}
			n = blocks * a.block
		} else {
			s, err := d.source(m, left)
			if s == nil || err != nil {
				continue
			}
			from, ok := m.From.axes(s.Space.Shape)
			j := m.From.unlimited()
			if !ok || j < 0 {
				continue
			}
			if n, ok = from[j].len(); !ok {
				continue
			}
		}
		if n == 0 {
			continue
		}
		if a.block == Unlimited {
			a.block = n
		}
		a.count = (n + a.block - 1) / a.block
		d.Space.Shape[k] = max(d.Space.Shape[k], a.place(n-1)+1)
	}
}

// source opens the source of a mapping, nil if it is not there. Left is how many
// may still be opened.
func (d *Dataset) source(m *Mapping, left *int) (*Dataset, error) {
	if *left--; *left < 0 {
		return nil, wrong("virtual dataset", d.Address(), "it is made of too many datasets, or in a loop")
	}
	f, err := d.file.other(m.File)
	var o *Object
	if err == nil {
		o, err = f.Lookup(m.Dataset)
	}
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("source %q of a virtual dataset: %w", m.File, err)
	}
	if o.file == d.file && o.Address() == d.Address() {
		return nil, wrong("virtual dataset", d.Address(), "it is made of itself, in a loop")
	}
	return o.dataset(left)
}

// reading is what a read of virtual datasets has come through.
type reading struct {
	way  []*Dataset
	left int // sources that may still be opened
}

// readVirtual reads a box of a virtual dataset.
func (d *Dataset) readVirtual(r *reading, dst []byte, start, count []uint64) error {
	d.Fill.fill(dst, d.Type.Size)
	for _, x := range r.way {
		if x.file == d.file && x.Address() == d.Address() {
			return wrong("virtual dataset", d.Address(), "it is made of itself, in a loop")
		}
	}
	if len(r.way) > 16 {
		return wrong("virtual dataset", d.Address(), "virtual datasets are made of each other, too deep")
	}
	r.way = append(r.way, d)
	defer func() { r.way = r.way[:len(r.way)-1] }()
	for i := range d.Mappings {
		m := &d.Mappings[i]
		if m.To.Kind == SelectNone || m.From.Kind == SelectNone {
			continue
		}
		k := m.To.unlimited()
		if !m.printf() || k < 0 || m.To.Block[k] == Unlimited {
			if err := d.readMapping(r, m, m.To, dst, start, count); err != nil {
				return err
			}
			continue
		}
		// Each block is a source of its own.
		a := axis{m.To.Start[k], m.To.Stride[k], 1 << 32, m.To.Block[k]}
		lo, hi := a.within(start[k], start[k]+count[k])
		if lo == hi {
			continue
		}
		for b := lo / a.block; b <= (hi-1)/a.block; b++ {
			x := m.numbered(b)
			to := m.To
			to.Start, to.Count = slices.Clone(to.Start), slices.Clone(to.Count)
			to.Start[k], to.Count[k] = a.place(b*a.block), 1
			if err := d.readMapping(r, &x, to, dst, start, count); err != nil {
				return err
			}
		}
	}
	return nil
}

// readMapping reads what one source has of a box.
func (d *Dataset) readMapping(r *reading, m *Mapping, sel Selection, dst []byte, start, count []uint64) error {
	to, ok := sel.axes(d.Space.Shape)
	if !ok {
		return d.readPoints(r, m, sel, dst, start, count)
	}
	// Numbers of selected elements along each axis that lie in the box.
	rank := len(to)
	lo, hi := make([]uint64, rank), make([]uint64, rank)
	for i, a := range to {
		if lo[i], hi[i] = a.within(start[i], start[i]+count[i]); lo[i] == hi[i] {
			return nil
		}
	}
	s, err := d.source(m, &r.left)
	if s == nil || err != nil {
		return err
	}
	from, ok := m.From.axes(s.Space.Shape)
	if !ok {
		return d.readPoints(r, m, sel, dst, start, count)
	}
	pairs, ok := pair(from, to)
	if !ok {
		return d.readPoints(r, m, sel, dst, start, count)
	}
	// Pieces of the source that lie together, along each of its axes.
	first, last := make([]uint64, len(from)), make([]uint64, len(from)) // numbers of elements
	for j := range from {
		if first[j], last[j] = 0, 1; pairs[j] >= 0 {
			n, _ := from[j].len()
			first[j], last[j] = min(lo[pairs[j]], n), min(hi[pairs[j]], n)
		}
		if first[j] == last[j] {
			return nil
		}
	}
	return s.pieces(from, first, last, func(at, n, number []uint64) error {
		size := uint64(d.Type.Size)
		total, ok := product(n)
		if !ok || total > uint64(len(dst))/size {
			return wrong("virtual dataset", d.Address(), "a source has more elements than there is room for")
		}
		raw := make([]byte, total*uint64(s.Type.Size))
		for i := range at {
			if at[i]+n[i] > s.Space.Shape[i] {
				return nil // the source is shorter than it is said to be
			}
		}
		if err := s.read(r, raw, at, n); err != nil {
			return err
		}
		raw, err := convert(d.Type, s.Type, raw)
		if err != nil {
			return err
		}
		d.scatter(to, pairs, number, n, raw, dst, start, count)
		return nil
	})
}

// pair finds for each axis of a source the one of the virtual dataset that has
// as many elements, -1 for those of one element that have none.
func pair(from, to []axis) ([]int, bool) {
	out := make([]int, len(from))
	j := 0
	for i, a := range from {
		out[i] = -1
		n, ok := a.len()
		if !ok {
			return nil, false
		}
		if n == 1 {
			continue
		}
		for ; ; j++ {
			if j == len(to) {
				return nil, false
			}
			m, ok := to[j].len()
			if !ok || m != 1 && m != n {
				return nil, false
			}
			if m == n {
				break
			}
		}
		out[i] = j
		j++
	}
	for ; j < len(to); j++ {
		if n, ok := to[j].len(); !ok || n != 1 {
			return nil, false
		}
	}
	return out, true
}

// pieces calls do for boxes of elements that lie together: where, how many, and
// the number of the first along each axis.
func (d *Dataset) pieces(axes []axis, first, last []uint64, do func(at, n, number []uint64) error) error {
	at, n, number := make([]uint64, len(axes)), make([]uint64, len(axes)), slices.Clone(first)
	var along func(k int) error
	along = func(k int) error {
		if k == len(axes) {
			return do(at, n, number)
		}
		a := axes[k]
		for i := first[k]; i < last[k]; i += n[k] {
			end := min((i/a.block+1)*a.block, last[k])
			if a.stride == a.block {
				end = last[k]
			}
			at[k], n[k], number[k] = a.place(i), end-i, i
			if err := along(k + 1); err != nil {
				return err
			}
		}
		return nil
	}
	return along(0)
}

// scatter puts elements of a source to their places in a box.
func (d *Dataset) scatter(to []axis, pairs []int, number, n []uint64, raw, dst []byte, start, count []uint64) {
	size := d.Type.Size
	pos := make([]uint64, len(to)) // numbers along the axes of this dataset
	index := make([]uint64, len(n))
	for k := 0; ; k++ {
		clear(pos)
		for j, p := range pairs {
			if p >= 0 {
				pos[p] = number[j] + index[j]
			}
		}
		off, inside := uint64(0), true
		for i, a := range to {
			x := a.place(pos[i])
			if x < start[i] || x-start[i] >= count[i] {
				inside = false
				break
			}
			off = off*count[i] + x - start[i]
		}
		if inside {
			copy(dst[off*uint64(size):][:size], raw[k*size:(k+1)*size])
		}
		if !next(index, n) {
			return
		}
	}
}

// mostPoints is how many elements a mapping may have that is told by points, or
// has another shape on either side.
const mostPoints = 1 << 20

// readPoints reads a mapping element by element.
func (d *Dataset) readPoints(r *reading, m *Mapping, sel Selection, dst []byte, start, count []uint64) error {
	s, err := d.source(m, &r.left)
	if s == nil || err != nil {
		return err
	}
	to, ok := sel.points(d.Space.Shape)
	from, also := m.From.points(s.Space.Shape)
	if !ok || !also {
		return wrong("virtual dataset", d.Address(), "a mapping between selections that are not alike has more than %d elements, which is too large", mostPoints)
	}
	one := slices.Repeat([]uint64{1}, len(s.Space.Shape))
	raw := make([]byte, s.Type.Size)
	size := uint64(d.Type.Size)
next:
	for k := range min(len(to), len(from)) {
		off := uint64(0)
		for i, x := range to[k] {
			if x < start[i] || x-start[i] >= count[i] {
				continue next
			}
			off = off*count[i] + x - start[i]
		}
		for i, x := range from[k] {
			if x >= s.Space.Shape[i] {
				continue next
			}
		}
		if err := s.read(r, raw, from[k], one); err != nil {
			return err
		}
		b, err := convert(d.Type, s.Type, raw)
		if err != nil {
			return err
		}
		copy(dst[off*size:][:size], b)
	}
	return nil
}

// points gives all elements of a selection in their order, false if they are
// too many.
func (s *Selection) points(shape []uint64) ([][]uint64, bool) {
	if s.Kind == SelectPoints {
		for _, p := range s.Points {
			if len(p) != len(shape) {
				return nil, false
			}
		}
		return s.Points, len(s.Points) <= mostPoints
	}
	var out [][]uint64
	if axes, ok := s.axes(shape); ok {
		counts := make([]uint64, len(axes))
		for i, a := range axes {
			n, ok := a.len()
			if !ok {
				return nil, false
			}
			counts[i] = n
		}
		n, ok := product(counts)
		if !ok || n > mostPoints {
			return nil, false
		}
		index := make([]uint64, len(axes))
		for range n {
			p := make([]uint64, len(axes))
			for i, a := range axes {
				p[i] = a.place(index[i])
			}
			out = append(out, p)
			next(index, counts)
		}
		return out, true
	}
	for _, b := range s.Boxes {
		if len(b[0]) != len(shape) {
			return nil, false
		}
		counts := make([]uint64, len(shape))
		for i := range counts {
			counts[i] = b[1][i] - b[0][i] + 1
		}
		n, ok := product(counts)
		if !ok || n > mostPoints-uint64(len(out)) {
			return nil, false
		}
		index := make([]uint64, len(shape))
		for range n {
			p := slices.Clone(b[0])
			for i := range p {
				p[i] += index[i]
			}
			out = append(out, p)
			next(index, counts)
		}
	}
	slices.SortFunc(out, slices.Compare[[]uint64])
	return out, true
}
