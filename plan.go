package zarr

import (
	"slices"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/grid"
	"github.com/omnizarr/zarr/nd"
)

// plan is a selection on a grid: which chunks it touches and which part of each
// goes where. Along every axis it is a list of pieces, one per chunk; a task is
// one piece of every axis. A selection of points is a list of groups instead.
//
// A fresh plan knows only the shape of its result, so that a result which is too
// large is refused before any work is done for it; cut does the rest.
type plan struct {
	shape  []int // of the result
	full   []int // the same with dropped axes as length 1
	drop   []bool
	sel    []resolved
	points [][]int // per axis
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

// group is the points that fall into one cell of a chunk.
type group struct {
	chunk  []int
	box    nd.Box // inside the chunk, around all points
	length []int
	inside []int
	from   [][]int // per axis, counted from box.Start
	to     []int   // positions in the result
}

func planAxes(res []resolved) *plan {
	p := &plan{sel: res, full: make([]int, len(res)), drop: make([]bool, len(res)), shape: []int{}}
	for i, r := range res {
		p.full[i] = r.count
		p.drop[i] = r.drop
		if !r.drop {
			p.shape = append(p.shape, r.count)
		}
	}
	return p
}

func planPoints(pts [][]int) *plan {
	n := len(pts[0])
	return &plan{points: pts, shape: []int{n}, full: []int{n}, drop: []bool{false}}
}

// cells is a grid with the parts of its chunks that are coded by themselves:
// what is selected here and there is cut along those, so that what lies between
// is not read. Without inner chunks the chunks are the cells.
type cells struct {
	grid.Grid
	shape []int
	inner []int
}

// cell is the part of an axis from start to start+length, in a chunk.
type cell struct {
	chunk       int
	chunkStart  int
	chunkLength int
	start, end  int
}

func (c cells) at(axis, pos int, fine bool) cell {
	k := c.Find(axis, pos)
	start, length := c.Span(axis, k)
	out := cell{k, start, length, start, start + length}
	if fine && c.inner != nil {
		out.start += (pos - start) / c.inner[axis] * c.inner[axis]
		out.end = min(out.end, out.start+c.inner[axis])
	}
	return out
}

// inside is the part of the chunk's length that lies inside the array.
func (c cells) inside(axis int, at cell) int {
	return min(at.chunkLength, c.shape[axis]-at.chunkStart)
}

// cut sorts what is selected into the cells of an array.
func (p *plan) cut(c cells) {
	if slices.Contains(p.full, 0) {
		return
	}
	if p.points != nil {
		p.cutPoints(c)
		return
	}
	p.tasks, p.axes = 1, make([][]piece, len(p.sel))
	for i, r := range p.sel {
		if r.list != nil {
			p.axes[i] = c.listPieces(i, r.list)
		} else {
			p.axes[i] = c.slicePieces(i, r)
		}
		p.tasks *= len(p.axes[i])
	}
}

// splitsChunks reports whether several tasks are about one chunk, of which each reads the
// cells that it needs.
func (p *plan) splitsChunks() bool {
	for _, axis := range p.axes {
		for i := 1; i < len(axis); i++ {
			if axis[i].chunk == axis[i-1].chunk {
				return true
			}
		}
	}
	for i := 1; i < len(p.groups); i++ {
		if slices.Equal(p.groups[i].chunk, p.groups[i-1].chunk) {
			return true
		}
	}
	return false
}

// slicePieces cuts an evenly spaced selection; fine cells pay only if it passes
// over some of them.
func (c cells) slicePieces(axis int, r resolved) []piece {
	var out []piece
	fine := c.inner != nil && max(r.step, -r.step) >= 2*c.inner[axis]
	for k := 0; k < r.count; {
		pos := r.start + k*r.step
		at := c.at(axis, pos, fine)
		count := r.count - k
		if r.step > 0 {
			count = min(count, (at.end-1-pos)/r.step+1)
		} else {
			count = min(count, (pos-at.start)/-r.step+1)
		}
		last := pos + (count-1)*r.step
		lo := min(pos, last)
		out = append(out, piece{
			chunk: at.chunk, lo: lo - at.chunkStart, n: max(pos, last) - lo + 1,
			out: k, count: count, step: r.step, length: at.chunkLength, inside: c.inside(axis, at),
		})
		k += count
	}
	return out
}

// listPieces sorts positions into their cells.
func (c cells) listPieces(axis int, list []int) []piece {
	order := make([]int, len(list))
	at := make([]cell, len(list))
	for k, pos := range list {
		order[k], at[k] = k, c.at(axis, pos, true)
	}
	slices.SortStableFunc(order, func(a, b int) int { return at[a].start - at[b].start })
	var out []piece
	for len(order) > 0 {
		here := at[order[0]]
		m := 1
		for m < len(order) && at[order[m]].start == here.start {
			m++
		}
		p := piece{chunk: here.chunk, count: m, length: here.chunkLength, inside: c.inside(axis, here), to: order[:m:m], from: make([]int, m)}
		lo, hi := list[order[0]], list[order[0]]
		for k, o := range p.to {
			p.from[k] = list[o]
			lo, hi = min(lo, list[o]), max(hi, list[o])
		}
		for k := range p.from {
			p.from[k] -= lo
		}
		p.lo, p.n = lo-here.chunkStart, hi-lo+1
		out = append(out, p)
		order = order[m:]
	}
	return out
}

// cutPoints sorts points into their cells.
func (p *plan) cutPoints(c cells) {
	rank, n := len(p.points), len(p.points[0])
	order := make([]int, n)
	at := make([]cell, n*rank)
	for k := range n {
		order[k] = k
		for i := range rank {
			at[k*rank+i] = c.at(i, p.points[i][k], true)
		}
	}
	compare := func(a, b int) int {
		return slices.CompareFunc(at[a*rank:(a+1)*rank], at[b*rank:(b+1)*rank], func(x, y cell) int { return x.start - y.start })
	}
	slices.SortStableFunc(order, compare)
	for len(order) > 0 {
		m := 1
		for m < len(order) && compare(order[m], order[0]) == 0 {
			m++
		}
		first := order[0] * rank
		p.groups = append(p.groups, c.group(at[first:first+rank], p.points, order[:m:m]))
		order = order[m:]
	}
	p.tasks = len(p.groups)
}

func (c cells) group(at []cell, pts [][]int, members []int) group {
	rank := len(at)
	mem := make([]int, 5*rank)
	out := group{chunk: mem[4*rank:], to: members, from: make([][]int, rank),
		box: nd.Box{Start: mem[:rank], Shape: mem[rank : 2*rank]}, length: mem[2*rank : 3*rank], inside: mem[3*rank : 4*rank]}
	for i, here := range at {
		out.chunk[i], out.length[i], out.inside[i] = here.chunk, here.chunkLength, c.inside(i, here)
		lo, hi := pts[i][members[0]], pts[i][members[0]]
		for _, k := range members {
			lo, hi = min(lo, pts[i][k]), max(hi, pts[i][k])
		}
		out.box.Start[i], out.box.Shape[i] = lo-here.chunkStart, hi-lo+1
		out.from[i] = make([]int, len(members))
		for k, o := range members {
			out.from[i][k] = pts[i][o] - lo
		}
	}
	return out
}

// largest is, per axis, the longest box and the longest chunk of any task.
func (p *plan) largest(rank int) (box, chunk []int) {
	box, chunk = make([]int, rank), make([]int, rank)
	for i, pieces := range p.axes {
		for _, pc := range pieces {
			box[i], chunk[i] = max(box[i], pc.n), max(chunk[i], pc.length)
		}
	}
	for _, g := range p.groups {
		for i := range rank {
			box[i], chunk[i] = max(box[i], g.box.Shape[i]), max(chunk[i], g.length[i])
		}
	}
	return box, chunk
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

// Positions are those along one axis of an array that a selection names.
type Positions struct {
	// Count is how many there are.
	Count int
	// Along is the axis of the result that goes along them, -1 if the selection
	// drops the axis.
	Along int
	sel   resolved
}

// At is the k-th of them.
func (p Positions) At(k int) int {
	if p.sel.list != nil {
		return p.sel.list[k]
	}
	return p.sel.start + k*p.sel.step
}

// Even gives the first position and the distance of each to the next, if they are
// evenly spaced.
func (p Positions) Even() (start, step int, ok bool) {
	return p.sel.start, p.sel.step, p.sel.list == nil
}

// Resolve gives the positions that a selection names along every axis of an array of
// a shape. Selections of chunks, and of axes by name, need an array.
func Resolve(sel Selection, shape []int) ([]Positions, error) {
	p, err := space{shape: shape}.plan(sel)
	if err != nil {
		return nil, fail("resolve", "selection", err)
	}
	out := make([]Positions, len(shape))
	for i, list := range p.points {
		out[i] = Positions{Count: len(list), sel: evenly(list)}
	}
	kept := 0
	for i, r := range p.sel {
		out[i] = Positions{Count: r.count, Along: -1, sel: r}
		if !r.drop {
			out[i].Along = kept
			kept++
		}
	}
	return out, nil
}

// run is how many tasks one goroutine does in turn where each holds weight bytes: those of a row of small chunks. They
// most often lie in one folder, where a file system lets only one at a time make files.
func (p *plan) run(weight int64) int {
	const runs, held = 64, 4 << 20 // enough for everybody, and for each to end soon
	if len(p.axes) == 0 {
		return 1
	}
	n := len(p.axes[len(p.axes)-1])
	if n == 0 || p.tasks/n < runs || weight > held || int64(n)*weight > held {
		return 1
	}
	return n
}

// task is one chunk's share of a plan.
type task struct {
	chunk  []int  // index in the grid
	box    nd.Box // inside the chunk
	length []int  // shape of the chunk
	inside []int  // the part of it inside the array
	user   nd.View
	pieces []piece // nil if all are plain ranges: box is just what user holds
	points *group
	seen   *versions // nil unless other tasks read of the same chunk
	// reading is what the task is part of, nil if it is by itself.
	reading *reading
	limits  *codec.Limits // of the task alone, nil for those of all
}

// task computes task k, of which user is the caller's memory for the whole
// result. Its small slices are in mem where that is large enough.
func (p *plan) task(k int, user nd.View, mem []int) task {
	if p.groups != nil {
		g := &p.groups[k]
		return task{chunk: g.chunk, box: g.box, length: g.length, inside: g.inside, user: user, points: g}
	}
	rank := len(p.axes)
	if cap(mem) < 6*rank {
		mem = make([]int, 6*rank)
	}
	mem = mem[:6*rank]
	t := task{
		chunk: mem[:rank], box: nd.Box{Start: mem[rank : 2*rank], Shape: mem[2*rank : 3*rank]},
		length: mem[3*rank : 4*rank], inside: mem[4*rank : 5*rank], user: user,
	}
	t.user.Shape = mem[5*rank:]
	dense := true
	for i := rank - 1; i >= 0; i-- {
		pc := &p.axes[i][k%len(p.axes[i])]
		k /= len(p.axes[i])
		t.chunk[i], t.box.Start[i], t.box.Shape[i] = pc.chunk, pc.lo, pc.n
		t.length[i], t.inside[i] = pc.length, pc.inside
		t.user.Shape[i] = pc.count
		if pc.from == nil {
			t.user.Offset += pc.out * user.Strides[i]
		}
		if !pc.dense() {
			dense = false
			if t.pieces == nil {
				t.pieces = make([]piece, rank)
			}
		}
		if t.pieces != nil {
			t.pieces[i] = *pc
		}
	}
	if !dense {
		// Axes before the first uneven one were passed over above.
		for i := rank - 1; i >= 0 && t.pieces[i].count == 0; i-- {
			t.pieces[i] = piece{n: t.box.Shape[i], count: t.box.Shape[i], step: 1}
		}
	}
	return t
}

// whole reports whether the task is all that the array has of the chunk.
func (t *task) whole() bool {
	if t.pieces != nil || t.points != nil {
		return false
	}
	for i, n := range t.inside {
		if t.box.Start[i] != 0 || t.box.Shape[i] != n {
			return false
		}
	}
	return true
}

// scratch lends memory for the box when the caller's memory is no plain view of
// it.
func (t *task) scratch(limits *codec.Limits, typ dtype.Type) (nd.View, *codec.Buffer, error) {
	v, mem, err := (&codec.Chunk{Limits: limits}).LendView(typ.Size(), t.box.Shape)
	v.Heap = t.user.Heap
	return v, mem, err
}

// indexes gives, per axis, the positions in the caller's memory and in the box.
func (t *task) indexes() (user, box []nd.Index) {
	user, box = make([]nd.Index, len(t.pieces)), make([]nd.Index, len(t.pieces))
	for i, p := range t.pieces {
		if p.from != nil {
			user[i] = nd.Index{N: p.count, List: p.to}
			box[i] = nd.Index{N: p.count, List: p.from}
			continue
		}
		user[i] = nd.Index{N: p.count, Step: 1}
		box[i] = nd.Index{N: p.count, Step: p.step}
		if p.step < 0 {
			box[i].Start = p.n - 1
		}
	}
	return user, box
}

// gather copies from the box to the caller's memory.
func (t *task) gather(box nd.View) {
	if t.points != nil {
		for k, to := range t.points.to {
			copy(t.user.At(to), box.At(t.points.at(k)...))
		}
		return
	}
	user, from := t.indexes()
	nd.CopyIndexed(t.user, user, box, from)
}

// scatter copies from the caller's memory to the box.
func (t *task) scatter(box nd.View) {
	if t.points != nil {
		for k, to := range t.points.to {
			copy(box.At(t.points.at(k)...), t.user.At(to))
		}
		return
	}
	user, to := t.indexes()
	nd.CopyIndexed(box, to, t.user, user)
}

func (g *group) at(k int) []int {
	var mem [nd.MaxRank]int
	idx := mem[:len(g.from)]
	for i := range idx {
		idx[i] = g.from[i][k]
	}
	return idx
}
