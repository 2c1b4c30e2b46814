package zfp

// grid walks over the blocks of an array. Axes are numbered from the fastest on,
// and those that an array does not have are one long.
type grid struct {
	n     [4]int // values along the axes of the array
	per   [4]int // values along the axes of a block
	count [4]int // blocks along the axes
	at    [4]int // the block
	from  [4]int // the box that is wanted
	to    [4]int
}

func newGrid(shape []int) grid {
	g := grid{n: [4]int{1, 1, 1, 1}, per: [4]int{1, 1, 1, 1}}
	for i, n := range shape {
		a := len(shape) - 1 - i
		g.n[a], g.per[a] = n, 4
	}
	for a := range g.count {
		g.count[a] = (g.n[a] + 3) / 4
	}
	g.to = g.n
	return g
}

// next goes to the next block in the order of streams; it is false behind the
// last.
func (g *grid) next() bool {
	for a := range g.at {
		if g.at[a]++; g.at[a] < g.count[a] {
			return true
		}
		g.at[a] = 0
	}
	return false
}

// blocks is the number of blocks.
func (g *grid) blocks() int {
	return g.count[0] * g.count[1] * g.count[2] * g.count[3]
}

// cut makes the box of shape at start the one that is wanted. It tells whether
// that is all, and the number of the last block that it touches.
func (g *grid) cut(start, shape []int) (whole bool, last int) {
	for i := range start {
		a := len(start) - 1 - i
		g.from[a], g.to[a] = start[i], start[i]+shape[i]
	}
	for a := 3; a >= 0; a-- {
		last = last*g.count[a] + (g.to[a]-1)/4
	}
	return g.from == [4]int{} && g.to == g.n, last
}

// wanted reports whether the block touches the box.
func (g *grid) wanted() bool {
	for a, k := range g.at {
		if 4*k >= g.to[a] || 4*k+4 <= g.from[a] {
			return false
		}
	}
	return true
}

// part is what the block and the box share on an axis, counted in the block, and
// where it starts, counted in the box.
func (g *grid) part(a int) (lo, hi, at int) {
	first := 4 * g.at[a]
	lo, hi = max(first, g.from[a]), min(first+4, g.to[a])
	return lo - first, hi - first, lo - g.from[a]
}
