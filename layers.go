package zarr

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store"
)

// layers is how large chunks are read whose bytes are their elements: those that lie beside each
// other together, a layer of each at a time. What is near in the caller's memory is then filled at
// once, while the processor's cache has it; one chunk after the other, all of it would come and go
// again for every chunk, after the system has cleared it for the first.
type layers struct {
	axis   int // that chunks are cut along, the first that they are longer than 1 along
	step   int // how long a layer is along it
	count  int // of layers
	beside int // tasks that have the same place along the axes up to it
}

const (
	// layer is how much of all chunks is read at once, and leastPart and mostPart of each.
	layer     = 4 << 20
	leastPart = 64 << 10
	mostPart  = 256 << 10
	// layered is the size from which parts of chunks are worth it.
	layered = 1 << 20
	// together is how many chunks are held open at most, or twice as many while the last layers of some are read.
	together = 64
)

// layers tells how a plan is read in layers, false if it is not.
func (a *Array) layers(s *state, p *plan, dst nd.View) (l layers, ok bool) {
	if a.cache != nil || a.limits.Strict || s.uniform == nil || !s.uniform.InLayers() || p.axes == nil {
		return l, false
	}
	box, _ := p.largest(len(p.axes))
	l.axis = slices.IndexFunc(box, func(n int) bool { return n > 1 })
	if l.axis < 0 {
		return l, false
	}
	row, outer := dst.Size, 0 // a row is what a chunk has at one position along the axis
	l.beside = 1
	for i := len(box) - 1; i >= 0; i-- {
		for k := range p.axes[i] {
			if !p.axes[i][k].dense() {
				return l, false
			}
		}
		if i > l.axis {
			row *= box[i]
			l.beside *= len(p.axes[i])
		}
		if i >= l.axis && p.full[i] > 1 {
			if dst.Strides[i] < outer { // other parts of memory are near each other
				return l, false
			}
			outer = dst.Strides[i]
		}
	}
	if l.beside == 1 || row*box[l.axis] < layered {
		return l, false
	}
	part := min(max(layer/min(l.beside, together), leastPart), mostPart)
	l.step = max(part/row, 1)
	l.count = (box[l.axis] + l.step - 1) / l.step
	return l, true
}

// errApart says that chunks must be read one by one: parts of them cost more than their bytes, or are
// not of one version.
var errApart = errors.New("chunks cannot be read in layers")

// readLayers carries out all tasks of a plan in layers. With errApart, nothing is known of what it has read.
func (a *Array) readLayers(ctx context.Context, s *state, p *plan, l layers, dst nd.View, strict bool) error {
	size := min(l.beside, together)
	per := (l.beside + size - 1) / size
	groups := make([]besides, p.tasks/l.beside*per)
	defer func() {
		for i := range groups { // those that an error has left open
			groups[i].close()
		}
	}()
	return a.pool.RunAround(ctx, len(groups)*l.count, mostPart, func(ctx context.Context, i int) error {
		n, k := i/l.count, i%l.count
		g := &groups[n]
		g.once.Do(func() {
			g.left.Store(int64(l.count))
			first := n/per*l.beside + n%per*size
			g.held = make([]heldChunk, min(size, l.beside-n%per*size))
			mem, each := make([]int, len(g.held)*6*len(p.axes)), 6*len(p.axes)
			for i := range g.held {
				g.held[i].task = p.task(first+i, dst, mem[i*each:(i+1)*each])
				if g.err = a.hold(ctx, s, &g.held[i], strict); g.err != nil {
					return
				}
			}
		})
		if g.err != nil {
			return g.err
		}
		for i := range g.held {
			if err := a.readLayer(ctx, s, &g.held[i], l.axis, k*l.step, l.step); err != nil {
				return err
			}
		}
		if g.left.Add(-1) == 0 {
			g.close()
		}
		return nil
	})
}

// besides are the chunks that are held open together.
type besides struct {
	once sync.Once // they are opened by whoever reads the first layer
	err  error
	held []heldChunk
	left atomic.Int64 // layers that are not read
}

func (g *besides) close() {
	for _, h := range g.held {
		if h.src != nil {
			h.src.Close()
		}
	}
	g.held = nil
}

// heldChunk is a chunk of which layers are read.
type heldChunk struct {
	task task
	key  string
	src  store.Object // nil if there is none
}

// hold opens the chunk of a task.
func (a *Array) hold(ctx context.Context, s *state, h *heldChunk, strict bool) (err error) {
	h.key = a.chunkKey(s, h.task.chunk)
	defer a.caught("read", h.key, &err)
	src, err := a.openChunk(ctx, h.key)
	switch {
	case err == nil:
		if h.src = src; !store.IsNear(src) {
			return errApart
		}
	case !errors.Is(err, store.ErrNotExist):
		return a.chunkError("read", h.key, err)
	case strict:
		return a.chunkError("read", h.key, ErrMissing)
	}
	return nil
}

// readLayer reads the part of a chunk from lo on, n long along an axis.
func (a *Array) readLayer(ctx context.Context, s *state, h *heldChunk, axis, lo, n int) (err error) {
	t := &h.task
	if n = min(n, t.box.Shape[axis]-lo); n <= 0 {
		return nil
	}
	defer a.caught("read", h.key, &err)
	r := readings.Get().(*reading)
	defer r.free()
	rank := len(t.chunk)
	mem := r.ints[:]
	if len(mem) < 2*rank {
		mem = make([]int, 2*rank)
	}
	box := nd.Box{Start: mem[:rank], Shape: mem[rank : 2*rank]}
	copy(box.Start, t.box.Start)
	copy(box.Shape, t.box.Shape)
	box.Start[axis] += lo
	box.Shape[axis] = n
	dst := t.user
	dst.Shape = box.Shape
	dst.Offset += lo * dst.Strides[axis]
	if h.src == nil {
		s.spec.FillView(dst)
		return nil
	}
	if m := metersOf(ctx); m != nil {
		defer m.decoded(time.Now())
	}
	r.chunk = codec.Chunk{Index: t.chunk, Extent: t.inside, Limits: a.limits}
	err = s.uniform.Decode(ctx, &r.chunk, h.src, box, dst)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, store.ErrChanged), errors.Is(err, store.ErrNotExist): // since it was opened
		return errApart
	}
	return a.chunkError("read", h.key, err)
}
