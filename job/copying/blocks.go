package copying

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/bigmem"
	"github.com/omnizarr/zarr/internal/par"
	"github.com/omnizarr/zarr/internal/words"
	"github.com/omnizarr/zarr/job"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store"
)

// Record knows which blocks of which arrays are done, across runs of the same copy.
// A grid is a text that names how an array is cut into blocks. Between takes arrays by way
// of which others are copied; it is nil if there is no room for them.
type Record interface {
	Done(array, grid string, block int) bool
	Mark(ctx context.Context, array, grid string, block int) error
	Between() store.Store
}

// Elements copies the elements of arrays whose copies are made already, by way of others
// where that spares much. record may be nil: nothing is done yet then, and nobody asks.
func Elements(ctx context.Context, pairs []Pair, opts Options, record Record) (sum Summary, err error) {
	opts.waits = opts.waits || opts.Workers == 0
	if opts.Workers, opts.Memory, err = job.Limits(opts.Workers, opts.Memory); err != nil {
		return sum, fmt.Errorf("copy: %w", err)
	}
	r := &runner{opts: opts, track: job.NewTracker(opts.Progress), record: record}
	if record != nil {
		r.between = record.Between
	}
	if err := r.lay(ctx, pairs, opts.Workers); err != nil {
		return sum, err
	}
	if err = r.find(ctx); err == nil {
		r.pending()
	}
	for _, pass := range r.passes() {
		if err == nil {
			err = r.run(ctx, pass, nil)
		}
	}
	if err == nil && opts.Verify {
		comparing, done := r.done.comparing(ctx)
		err = r.verify(comparing)
		done()
	}
	return r.summary(), err
}

// runner does the blocks of all arrays.
type runner struct {
	opts    Options
	work    []*blocks
	track   *job.Tracker
	record  Record
	between func() store.Store // for arrays that others are copied by way of; nil: there are none
	done    tally
}

// lay cuts all arrays into blocks, for so many workers.
func (r *runner) lay(ctx context.Context, pairs []Pair, workers int) error {
	for _, p := range pairs {
		w := &blocks{Pair: p, streams: store.CanStream(p.To.Store())}
		if err := w.lay(r.opts.Memory, workers); err != nil {
			return err
		}
		if r.between != nil && !r.opts.Direct {
			var err error
			if w, err = r.divert(ctx, w, workers); err != nil {
				return err
			}
		}
		r.work = append(r.work, w)
	}
	return nil
}

func (r *runner) find(ctx context.Context) error {
	for _, w := range r.work {
		if err := w.find(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (r *runner) summary() Summary {
	sum := r.done.summary()
	sum.Arrays = int64(len(r.work))
	return sum
}

// isDone reports whether a block was done before.
func (r *runner) isDone(w *blocks, k int) bool {
	return r.record != nil && !w.passing && r.record.Done(w.Path, w.name(), k) || w.isDone(k)
}

// run does the blocks of a pass that are wanted, of those that are needed; nil is all.
func (r *runner) run(ctx context.Context, pass []*blocks, wanted func(w *blocks, k int) bool) error {
	for _, w := range pass {
		numbers, n := job.Cells(w.some, w.total)
		if wanted != nil {
			n = 0
			for k := range numbers {
				if wanted(w, k) {
					n++
				}
			}
		}
		r.track.Add(int64(n))
	}
	p := job.NewPool(ctx, r.atOnce(pass), Usable(r.opts.Memory))
	for _, w := range pass {
		grid := w.name()
		numbers, _ := job.Cells(w.some, w.total)
		for k := range numbers {
			if wanted != nil && !wanted(w, k) {
				continue
			}
			box := w.box(k)
			bytes := job.Weight(w.To, box.Shape)
			weight := r.weight(w, bytes)
			if w.passing {
				bytes = 0 // they are on their way, and counted when they arrive
			}
			if r.isDone(w, k) {
				r.done.resume(w)
				r.track.Done(w.Path, 1, bytes)
				continue
			}
			more := p.Run(weight, func(ctx context.Context) error {
				if err := r.one(ctx, w, box, &r.done); err != nil {
					return err
				}
				if r.record != nil && !w.passing {
					if err := r.record.Mark(ctx, w.Path, grid, k); err != nil {
						return err
					}
				}
				r.track.Done(w.Path, 1, bytes)
				return nil
			})
			if !more {
				return p.Wait()
			}
		}
	}
	return p.Wait()
}

// one copies a block. Who makes a part of a copy compares it at once: nobody sees the
// whole.
func (r *runner) one(ctx context.Context, w *blocks, box nd.Box, t *tally) error {
	metered, done := t.meter(ctx, w)
	err := t.block(metered, w, box)
	if done(); err != nil {
		return err
	}
	if !w.passing {
		t.elements.Add(job.Weight(w.To, box.Shape))
	}
	if r.opts.Spread != nil && r.opts.Verify {
		comparing, done := t.comparing(ctx)
		defer done()
		return w.verify(comparing, box)
	}
	return nil
}

// weight is the memory that one takes, of a block of so many bytes.
func (r *runner) weight(w *blocks, bytes int64) int64 {
	if r.opts.Spread != nil && r.opts.Verify {
		return w.need + w.coded() + 3*w.compared(bytes)
	}
	return w.need
}

// Usable is what of the memory of a copy its blocks may hold: the rest is for the
// engine's chunks in flight and for the runtime.
func Usable(memory int64) int64 {
	const runtime = 40 << 20
	return max(min(memory/4*3, memory-runtime), memory/4)
}

// blocks is the copy of one array: a grid of blocks, each some whole chunks of the
// copy, and those of them that have something to copy.
type blocks struct {
	Pair
	passing bool    // what is filled is no copy, but an array by way of which another one is made
	before  *blocks // what fills the array that is read here, if that is such a one
	asBytes bool
	group   []int       // chunks of the copy along each axis of a block
	part    []int       // the shape of parts of a block that is a shard, which is written part by part; else nil
	streams bool        // the store takes values piece by piece
	count   []int       // blocks along each axis
	total   int         // blocks
	reads   float64     // how often the source is decoded
	need    int64       // bytes that a block holds while it is copied
	some    []int       // those of which the source stores something, in order; nil: all
	taken   spare       // for what was read
	made    spare       // for what that was converted to, and for what is compared
	parts   job.Halves  // of blocks whose elements have no fixed length
	there   map[int]int // by block: the chunks that an earlier run has stored
}

// lay cuts the array into blocks that a number of workers can hold together in so
// much memory. Nothing is read.
func (w *blocks) lay(memory int64, workers int) error {
	m := w.To.Metadata()
	chunks := m.Grid.Count()
	axes := w.axes()
	w.asBytes = !w.passing && w.before == nil && w.AsBytes()
	w.group, w.reads = slices.Repeat([]int{1}, len(chunks)), 1
	size := float64(w.elementSize())
	if !w.asBytes && m.Grid.Uniform() != nil {
		w.group, w.reads = w.best(axes, size, Usable(memory)/int64(2*workers), workers)
		// Fewer blocks at once may be larger, and their chunks are still decoded by all
		// workers.
		for _, n := range []int{workers, 2, 1} {
			if group, reads := w.best(axes, size, Usable(memory)/int64(n), workers); reads < 0.9*w.reads {
				w.group, w.reads = group, reads
			}
		}
	}
	if m.Grid.Uniform() != nil {
		w.grow(axes, size, workers)
	}
	w.need = w.weight(axes, size, workers)
	if w.cutShards(axes, size, Usable(memory), workers); w.need > Usable(memory) {
		return &zarr.Error{Op: "copy", URL: w.From.URL(), Err: fmt.Errorf("%w: a chunk or shard of the copy needs %s of memory, and %s of the allowed %s are for it; allow at least %s (--max-memory) or make chunks or shards smaller",
			zarr.ErrTooLarge, words.Bytes(float64(w.need)), words.Bytes(float64(Usable(memory))), words.Bytes(float64(memory)), words.Bytes(float64(least(w.need))))}
	}
	w.count = make([]int, len(chunks))
	for i, n := range chunks {
		w.count[i] = (n + w.group[i] - 1) / w.group[i]
	}
	var ok bool
	if w.total, ok = nd.Len(w.count); !ok {
		return &zarr.Error{Op: "copy", URL: w.From.URL(), Err: fmt.Errorf("%v blocks are more than can be counted", w.count)}
	}
	return nil
}

// best chooses blocks that take so much memory, or one chunk of the copy if that takes
// more.
func (w *blocks) best(axes []axis, size float64, memory int64, workers int) (group []int, reads float64) {
	try := blocks{Pair: w.Pair}
	for most := float64(memory); ; most /= 2 {
		try.group, reads = bestBlock(axes, most/size)
		one := !slices.ContainsFunc(try.group, func(k int) bool { return k > 1 })
		if one || try.weight(axes, size, workers) <= memory {
			return try.group, reads
		}
	}
}

// elementSize is the memory of an element while it is copied.
func (w *blocks) elementSize() int {
	from, to := w.From.DataType(), w.To.DataType()
	if dtype.Equal(from, to) {
		return max(from.Size(), 1)
	}
	return from.Size() + to.Size()
}

// coded is what coding takes for each block beside its elements: a part of the source
// as it is stored and as it is decoded.
func (w *blocks) coded() int64 {
	b, err := w.From.Codec()
	if err != nil {
		return 0
	}
	return 2 * sizeOf(b.InnerShape(), w.From.DataType().Size())
}

// weight is the memory that a block takes: its elements, parts of the source that are
// decoded, and chunks that are encoded by several workers, in buffers
// that may be twice as large, and in pieces.
func (w *blocks) weight(axes []axis, size float64, workers int) int64 {
	block, chunk, chunks := size, float64(max(w.To.DataType().Size(), 1)), 1.0
	for i, a := range axes {
		chunks *= float64(w.group[i])
		block *= float64(min(w.group[i]*a.dst, max(a.n, 1)))
		chunk *= float64(a.dst)
	}
	if w.asBytes {
		const most = 16 << 20 // larger ones are copied piece by piece
		return int64(min(chunk+1<<16, most))
	}
	return int64(min(block+3*chunk*min(chunks, float64(workers)), 1<<60)) + w.coded()
}

// grow joins small blocks, as long as there are many: each costs something. Those that
// are under way when a copy is killed are done again, which is to be few of all.
func (w *blocks) grow(axes []axis, size float64, workers int) {
	const small = 1 << 20
	total := 1.0
	for i, a := range axes {
		size *= float64(w.group[i] * a.dst)
		total *= math.Ceil(float64(a.n) / float64(w.group[i]*a.dst))
	}
	for i := len(axes) - 1; i >= 0; i-- {
		a := axes[i]
		for 2*size <= small && total > float64(256*workers) && 2*w.group[i]*a.dst <= a.n {
			w.group[i] *= 2
			size *= 2
			total /= 2
		}
	}
}

// name tells one way of cutting the array from others.
func (w *blocks) name() string { return fmt.Sprint(w.group) }

// find finds out which blocks are needed: those of which the source stores something.
// Where the store cannot list, and where what is not stored is another value in the
// copy, that is all of them.
func (w *blocks) find(ctx context.Context) error {
	if w.before != nil && w.Begun {
		if err := w.before.findDone(ctx); err != nil {
			return err
		}
	}
	if w.Begun {
		if err := w.findDone(ctx); err != nil {
			return err
		}
	}
	of := w.origin()
	if of.Cut != nil || !of.sameFill() || of.allStored() {
		return nil
	}
	var err error
	w.some, err = job.Stored(ctx, w.count, w.touch, of.From)
	return err
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// touch gives the blocks that share elements with a box.
func (w *blocks) touch(box nd.Box) nd.Box {
	g := w.To.Metadata().Grid
	lo, shape := make([]int, len(box.Start)), make([]int, len(box.Start))
	for i, start := range box.Start {
		lo[i] = g.Find(i, start) / w.group[i]
		shape[i] = g.Find(i, start+box.Shape[i]-1)/w.group[i] - lo[i] + 1
	}
	return nd.Box{Start: lo, Shape: shape}
}

// findDone finds the chunks that an earlier run has stored: a block with all of them
// need not be done again.
func (w *blocks) findDone(ctx context.Context) error {
	w.there = map[int]int{}
	for c, err := range w.To.Stored(ctx) {
		if errors.Is(err, store.ErrNoList) {
			return nil
		}
		if err != nil {
			return err
		}
		k := 0
		for i, n := range c.Index {
			k = k*w.count[i] + n/w.group[i]
		}
		w.there[k]++
	}
	return nil
}

// isDone reports whether all chunks of a block are stored.
func (w *blocks) isDone(k int) bool {
	n, chunks, have := 1, w.To.Metadata().Grid.Count(), w.there[k]
	for i := len(chunks) - 1; i >= 0; i-- {
		first := k % w.count[i] * w.group[i]
		k /= w.count[i]
		n *= min(first+w.group[i], chunks[i]) - first
	}
	return have == n
}

// needs reports whether a block is needed.
func (w *blocks) needs(k int) bool {
	if w.some == nil {
		return true
	}
	_, found := slices.BinarySearch(w.some, k)
	return found
}

// chunks are the first chunk of the copy in block k, and how many there are, along
// each axis.
func (w *blocks) chunks(k int) (first, count []int) {
	all := w.To.Metadata().Grid.Count()
	first, count = make([]int, len(all)), make([]int, len(all))
	for i := len(all) - 1; i >= 0; i-- {
		first[i] = k % w.count[i] * w.group[i]
		count[i] = min(w.group[i], all[i]-first[i])
		k /= w.count[i]
	}
	return first, count
}

// box is the elements of block k.
func (w *blocks) box(k int) nd.Box {
	m := w.To.Metadata()
	first, count := w.chunks(k)
	box := nd.Box{Start: make([]int, len(first)), Shape: make([]int, len(first))}
	for i := range first {
		box.Start[i], _ = m.Grid.Span(i, first[i])
		end, length := m.Grid.Span(i, first[i]+count[i]-1)
		box.Shape[i] = min(end+length, m.Shape[i]) - box.Start[i]
	}
	return box
}

// block copies one block. Nothing else writes its chunks.
func (t *tally) block(ctx context.Context, w *blocks, box nd.Box) error {
	if w.asBytes {
		return t.pass(ctx, w, box)
	}
	if w.part != nil {
		g, index := w.To.Metadata().Grid, make([]int, len(box.Start))
		for i, start := range box.Start {
			index[i] = g.Find(i, start)
		}
		return w.To.WriteChunk(ctx, index, w.part, w.read)
	}
	return w.whole(ctx, box, func(ctx context.Context, box nd.Box) error {
		v, free, err := w.read(ctx, box)
		if err != nil {
			return err
		}
		defer free()
		return w.To.WriteFrom(ctx, zarr.Box(box.Start, box.Shape), v)
	})
}

// whole calls f with a box of whole chunks of the copy, or with parts of it that are whole chunks too.
func (w *blocks) whole(ctx context.Context, box nd.Box, f func(ctx context.Context, box nd.Box) error) error {
	if !w.refers() {
		return f(ctx, box)
	}
	return w.parts.Run(ctx, w.From, w.To.Metadata().Grid, box, f)
}

// refers reports whether elements have no fixed length.
func (w *blocks) refers() bool {
	return len(w.From.DataType().Refs()) > 0 || len(w.To.DataType().Refs()) > 0
}

// pass copies the chunks of a block as they are stored.
func (t *tally) pass(ctx context.Context, w *blocks, box nd.Box) error {
	g := w.To.Metadata().Grid
	at, count := make([]int, len(box.Start)), make([]int, len(box.Start))
	first := make([]int, len(box.Start))
	for i, start := range box.Start {
		first[i] = g.Find(i, start)
		count[i] = g.Find(i, start+box.Shape[i]-1) - first[i] + 1
	}
	idx := make([]int, len(at))
	for {
		for i, k := range idx {
			at[i] = first[i] + k
		}
		stored, err := w.To.CopyChunk(ctx, w.From, at...)
		if err != nil {
			return err
		}
		if stored {
			t.passed.Add(1)
		} else if w.allStored() {
			if err := w.fill(ctx, at); err != nil {
				return err
			}
		}
		if !nd.Next(idx, count) {
			return nil
		}
	}
}

// fill stores a chunk that the source leaves out.
func (w *blocks) fill(ctx context.Context, index []int) error {
	m := w.To.Metadata()
	box := nd.Box{Start: make([]int, len(index)), Shape: make([]int, len(index))}
	for i, k := range index {
		start, length := m.Grid.Span(i, k)
		box.Start[i], box.Shape[i] = start, min(length, m.Shape[i]-start)
	}
	v, free, err := w.read(ctx, box)
	if err != nil {
		return err
	}
	defer free()
	return w.To.WriteFrom(ctx, zarr.Box(box.Start, box.Shape), v)
}

// read gives the elements of a block of the copy, in memory that is lent until free is
// called.
func (w *blocks) read(ctx context.Context, box nd.Box) (v nd.View, free func(), err error) {
	if !w.refers() {
		return w.take(ctx, box)
	}
	end, err := par.Hold(ctx, 0, job.Weight(w.From, box.Shape), func(ctx context.Context) (err error) {
		v, free, err = w.take(ctx, box)
		return err
	})
	if err != nil {
		return nd.View{}, nil, err
	}
	mine := free
	return v, func() { mine(); end() }, nil
}

// take is read without regard to how much that is.
func (w *blocks) take(ctx context.Context, box nd.Box) (v nd.View, free func(), err error) {
	from, to := w.From.DataType(), w.To.DataType()
	v, free = w.taken.lend(from.Size(), box.Shape)
	if len(from.Refs()) > 0 {
		v.Heap = &nd.Heap{}
	}
	if err := w.From.ReadInto(ctx, w.selection(box), v); err != nil {
		free()
		return v, nil, err
	}
	if dtype.Equal(from, to) {
		return v, free, nil
	}
	converted, done := w.made.lend(to.Size(), box.Shape)
	err = Convert(to, converted, from, v)
	free()
	if err != nil {
		done()
		return v, nil, &zarr.Error{Op: "copy", URL: w.From.URL(), Err: fmt.Errorf("elements from %v on: %w", box.Start, err)}
	}
	return converted, done, nil
}

// spare is memory of blocks that were copied, for others. Unlike lent buffers it is
// just as large as the largest block: what is held is bounded.
type spare struct{ sync.Pool }

// lend gives memory for a block, which laying it out has bounded, until free is called.
func (s *spare) lend(size int, shape []int) (v nd.View, free func()) {
	n, _ := nd.Bytes(shape, size)
	mem, _ := s.Get().(*[]byte)
	if mem == nil || cap(*mem) < n {
		mem = new([]byte)
		*mem = bigmem.Make[byte](n)
	}
	return nd.Of((*mem)[:n], size, shape...), func() { s.Put(mem) }
}

// atOnce is how many blocks are worked on at once.
func (r *runner) atOnce(pass []*blocks) int {
	n := r.opts.Workers
	for _, w := range pass {
		n = max(n, r.opts.AtOnce(w.From.Store(), w.To.Store()))
	}
	return n
}

// AtOnce is how many blocks of some stores are worked on at once: as many as there are
// Workers, and unless that was said, some more wait for a network.
func (o Options) AtOnce(stores ...store.Reader) int {
	if !o.waits {
		return o.Workers
	}
	return store.AtOnce(o.Workers, stores...)
}
