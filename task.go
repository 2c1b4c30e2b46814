package zarr

import (
	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/nd"
)

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
