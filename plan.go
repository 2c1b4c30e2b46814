package zarr

import (
	"slices"

	"github.com/omnizarr/zarr/grid"
	"github.com/omnizarr/zarr/nd"
)

// plan is a selection on a grid: which chunks it touches and which part of each
// goes where. Along every axis it is a list of pieces, one per chunk; a task is
// one piece of every axis. A selection of points is a list of groups instead.
type plan struct {
	shape  []int // of the result
	full   []int // the same with dropped axes as length 1
	drop   []bool
	axes   [][]piece
	groups []group
	tasks  int
}

// piece is what one chunk gives along one axis.
type piece struct {
	chunk  int
	lo, n  int // the range inside the chunk that holds what is wanted
	out    int // first position in the result
	count  int // positions in the result
	step   int // distance inside the chunk from one position to the next
	length int // of the chunk along this axis
	inside int // the part of length that lies inside the array
	// Positions that are not evenly spaced: from[k], counted from lo, goes to
	// to[k].
	from, to []int
}

// dense reports whether the piece is just a range.
func (p *piece) dense() bool { return p.step == 1 && p.from == nil }

// group is the points that fall into one chunk.
type group struct {
	chunk  []int
	box    nd.Box // inside the chunk, around all points
	length []int
	inside []int
	from   [][]int // per axis, counted from box.Start
	to     []int   // positions in the result
}

func planAxes(shape []int, g grid.Grid, res []resolved) *plan {
	p := &plan{tasks: 1, axes: make([][]piece, len(shape)), full: make([]int, len(shape)), drop: make([]bool, len(shape)), shape: []int{}}
	for i, r := range res {
		p.full[i] = r.count
		p.drop[i] = r.drop
		if !r.drop {
			p.shape = append(p.shape, r.count)
		}
		if r.list != nil {
			p.axes[i] = listPieces(g, i, shape[i], r.list)
		} else {
			p.axes[i] = slicePieces(g, i, shape[i], r)
		}
		p.tasks *= len(p.axes[i])
	}
	return p
}

// slicePieces cuts an evenly spaced selection at the chunk borders.
func slicePieces(g grid.Grid, axis, n int, r resolved) []piece {
	var out []piece
	for k := 0; k < r.count; {
		pos := r.start + k*r.step
		c := g.Find(axis, pos)
		start, length := g.Span(axis, c)
		count := r.count - k
		if r.step > 0 {
			count = min(count, (start+length-1-pos)/r.step+1)
		} else {
			count = min(count, (pos-start)/-r.step+1)
		}
		lo := min(pos, pos+(count-1)*r.step) - start
		out = append(out, piece{
			chunk: c, lo: lo, n: max(pos, pos+(count-1)*r.step) - start - lo + 1,
			out: k, count: count, step: r.step, length: length, inside: min(length, n-start),
		})
		k += count
	}
	return out
}

// listPieces sorts positions into their chunks.
func listPieces(g grid.Grid, axis, n int, list []int) []piece {
	order := make([]int, len(list))
	chunks := make([]int, len(list))
	for k, pos := range list {
		order[k], chunks[k] = k, g.Find(axis, pos)
	}
	slices.SortStableFunc(order, func(a, b int) int { return chunks[a] - chunks[b] })
	var out []piece
	for len(order) > 0 {
		c := chunks[order[0]]
		m := 1
		for m < len(order) && chunks[order[m]] == c {
			m++
		}
		start, length := g.Span(axis, c)
		p := piece{chunk: c, count: m, length: length, inside: min(length, n-start), to: order[:m:m], from: make([]int, m)}
		lo, hi := list[order[0]], list[order[0]]
		for k, o := range p.to {
			p.from[k] = list[o]
			lo, hi = min(lo, list[o]), max(hi, list[o])
		}
		for k := range p.from {
			p.from[k] -= lo
		}
		p.lo, p.n = lo-start, hi-lo+1
		out = append(out, p)
		order = order[m:]
	}
	return out
}

// planPoints sorts points into their chunks.
func planPoints(shape []int, g grid.Grid, pts [][]int) *plan {
	rank, n := len(shape), len(pts[0])
	p := &plan{shape: []int{n}, full: []int{n}, drop: []bool{false}}
	order := make([]int, n)
	chunks := make([]int, n*rank)
	for k := range n {
		order[k] = k
		for i := range rank {
			chunks[k*rank+i] = g.Find(i, pts[i][k])
		}
	}
	chunkOf := func(k int) []int { return chunks[k*rank : (k+1)*rank] }
	slices.SortStableFunc(order, func(a, b int) int { return slices.Compare(chunkOf(a), chunkOf(b)) })
	for len(order) > 0 {
		at := chunkOf(order[0])
		m := 1
		for m < len(order) && slices.Equal(chunkOf(order[m]), at) {
			m++
		}
		p.groups = append(p.groups, pointGroup(shape, g, at, pts, order[:m:m]))
		order = order[m:]
	}
	p.tasks = len(p.groups)
	return p
}

func pointGroup(shape []int, g grid.Grid, at []int, pts [][]int, members []int) group {
	rank := len(shape)
	mem := make([]int, 4*rank)
	out := group{chunk: at, to: members, from: make([][]int, rank),
		box: nd.Box{Start: mem[:rank], Shape: mem[rank : 2*rank]}, length: mem[2*rank : 3*rank], inside: mem[3*rank:]}
	for i := range rank {
		start, length := g.Span(i, at[i])
		out.length[i], out.inside[i] = length, min(length, shape[i]-start)
		lo, hi := pts[i][members[0]], pts[i][members[0]]
		for _, k := range members {
			lo, hi = min(lo, pts[i][k]), max(hi, pts[i][k])
		}
		out.box.Start[i], out.box.Shape[i] = lo-start, hi-lo+1
		out.from[i] = make([]int, len(members))
		for k, o := range members {
			out.from[i][k] = pts[i][o] - lo
		}
	}
	return out
}

// expand gives a view of the result the rank of the array: dropped axes have
// length 1.
func (p *plan) expand(v nd.View) nd.View {
	if len(p.shape) == len(p.full) {
		return v
	}
	strides := make([]int, len(p.full))
	k := 0
	for i := range p.full {
		if !p.drop[i] {
			strides[i] = v.Strides[k]
			k++
		}
	}
	v.Shape, v.Strides = p.full, strides
	return v
}
