package tiff

import (
	"slices"
	"strconv"
	"strings"
)

// settle gives every level its shape, when all is known of the series.
func (s *series) settle() {
	for i := range s.levels {
		l := &s.levels[i]
		k := l.kind
		add := func(length, chunk int) {
			l.shape = append(l.shape, length)
			l.chunks = append(l.chunks, chunk)
			l.grid = append(l.grid, (length+chunk-1)/chunk)
		}
		for _, a := range s.axes {
			add(a.length, 1)
		}
		switch {
		case k.planar == 2:
			add(k.samples, 1)
		case s.hasSamples():
			add(k.samples, k.samples)
		}
		add(k.height, k.tileHeight)
		add(k.width, k.tileWidth)
	}
}

// hasSamples reports whether there is an axis of samples.
func (s *series) hasSamples() bool { return s.bare || s.levels[0].kind.samples > 1 }

// all gives all axes of the arrays: those of planes, then samples if there are
// several, rows and columns. Those within a plane have no
// length here.
func (s *series) all() []axis {
	out := slices.Clone(s.axes)
	if s.hasSamples() {
		letter := s.sample
		if letter == 0 {
			letter = 's'
		}
		out = append(out, axis{letter: letter})
	}
	y, x := s.space[0], s.space[1]
	y.letter, x.letter = 'y', 'x'
	return append(out, y, x)
}

// letters are those of axes.
func letters(axes []axis) string {
	var b strings.Builder
	for _, a := range axes {
		b.WriteByte(a.letter)
	}
	return b.String()
}

// tile finds the plane and the tile in it of a chunk at a place in the grid of a
// level.
func (s *series) tile(l *level, at []int) (plane int, tile uint64) {
	for i, a := range s.axes {
		plane = plane*a.length + at[i]
	}
	return plane, l.kind.tile(at[len(s.axes):])
}

// tile is the number of the tile at a place in the grid: (plane, row, column),
// the first of which an image of one sample may lack.
func (k *kind) tile(at []int) uint64 {
	n := len(at)
	row, col := uint64(at[n-2]), uint64(at[n-1])
	tile := row*uint64(k.cols()) + col
	if n > 2 && k.planar == 2 {
		tile += uint64(at[0]) * uint64(k.rows()) * uint64(k.cols())
	}
	return tile
}

// names gives every axis a name of its own, its letter, followed by a number
// where it occurs more than once.
func names(letters string) []string {
	out := make([]string, len(letters))
	for i, c := range letters {
		out[i] = string(c)
		if strings.Count(letters, string(c)) > 1 {
			out[i] += strconv.Itoa(strings.Count(letters[:i], string(c)))
		}
	}
	return out
}
