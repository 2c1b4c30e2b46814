package zarr

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"sync"

	"github.com/omnizarr/zarr/grid"
	"github.com/omnizarr/zarr/internal/par"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store"
)

// Block is a part of an array, or of what a selection gives, in memory.
type Block[T any] struct {
	// Start is where the block lies: in the array, or in the result of
	// BlockOptions.Select.
	Start []int
	// Number is which one it is of all blocks, in C order.
	Number int
	// The elements, in C order, with the shape of the block. The memory is used
	// again for another block.
	nd.Array[T]
}

// BlockMode says what is done with the elements of a block.
type BlockMode uint8

const (
	// ReadBlocks reads every block and leaves the array as it is.
	ReadBlocks BlockMode = iota
	// UpdateBlocks reads every block and writes what the function has made of it.
	UpdateBlocks
	// WriteBlocks begins with zeros and writes what the function has made of them.
	WriteBlocks
)

// BlockOptions says how to go over an array in blocks; the zero value is fine.
type BlockOptions struct {
	// Shape is that of the blocks; those at the edges are smaller. The default is
	// whole shards, or chunks where there are none, and several of those that are
	// small. Blocks lie on a grid that begins where the array does, so that a shape
	// of whole chunks reads every chunk once.
	Shape []int
	// Select restricts the blocks to a selection, which must not be one of points.
	// The default is the whole array.
	Select Selection
	// Mode is ReadBlocks unless said otherwise. Blocks that are written must consist
	// of whole chunks (shards, if there are any), or end where the array does: others
	// are refused, so that no two of them change the same chunk.
	Mode BlockMode
	// Part, from 1 on, restricts the blocks to one of Of shares, each some that follow
	// each other and about as many as any other; 0 is all of them.
	Part, Of int
	// Workers is how many blocks are worked on at once, besides those that wait for a
	// network. The default is the number of processors.
	Workers int
	// Memory bounds the bytes of the blocks that are held at once; one is always
	// allowed. The default is 256 MiB. Chunks that are being decoded come on top, see
	// InFlight.
	Memory int64
	// Progress, if not nil, is called after every block, never twice at once.
	Progress func(done, total int)

	source store.Reader // that functions read from, if another
}

// smallBlock is how large blocks become by default if chunks are smaller.
const smallBlock = 1 << 20

// Blocks calls f with every block of an array, several at once, roughly in C order.
// T must have the layout of the array's type, as in Read. The first error, also one
// of f, ends it, and so does the end of ctx; blocks that were written by then stay.
func Blocks[T any](ctx context.Context, a *Array, opt BlockOptions, f func(ctx context.Context, b *Block[T]) error) error {
	s := a.now.Load()
	err := s.checkGo(reflect.TypeFor[T]())
	if err == nil {
		err = runBlocks(ctx, a, s, opt, blockIO[T]{
			read: func(ctx context.Context, p *plan, dst []T) error { return readTyped(ctx, a, s, p, dst) },
			write: func(ctx context.Context, p *plan, src []T) error {
				return a.writeBlock(ctx, s, func(s *state) error { return writeTyped(ctx, a, s, p, src) })
			},
		}, func(ctx context.Context, _ int, b *Block[T]) error { return f(ctx, b) })
	}
	return a.fail("go over", err)
}

// BlockViews is Blocks for those who do not know the type of the elements, which have
// a fixed length: v is the memory of the block that begins at start.
func BlockViews(ctx context.Context, a *Array, opt BlockOptions, f func(ctx context.Context, start []int, v nd.View) error) error {
	s := a.now.Load()
	size := s.spec.Type.Size()
	var err error
	if len(s.spec.Type.Refs()) > 0 {
		err = mark(ErrType, fmt.Errorf("elements of %s have no fixed length", s.spec.Type.Name()))
	}
	view := func(mem []byte, shape []int) nd.View { return nd.Of(mem, size, shape...) }
	if err == nil {
		err = runBlocks(ctx, a, s, opt, blockIO[byte]{
			each: size,
			read: func(ctx context.Context, p *plan, dst []byte) error {
				return a.readPlan(ctx, s, p, view(dst, p.shape), a.failMissing)
			},
			write: func(ctx context.Context, p *plan, src []byte) error {
				return a.writeBlock(ctx, s, func(s *state) error { return a.writePlan(ctx, s, p, view(src, p.shape)) })
			},
		}, func(ctx context.Context, _ int, b *Block[byte]) error { return f(ctx, b.Start, view(b.Data, b.Shape)) })
	}
	return a.fail("go over", err)
}

// BlocksAs is Blocks for arrays of any numbers, which are converted as by ReadAs.
// It writes nothing.
func BlocksAs[T Number](ctx context.Context, a *Array, opt BlockOptions, f func(ctx context.Context, b *Block[T]) error) error {
	s := a.now.Load()
	err := mark(ErrType, errors.New("numbers that were converted are not written"))
	if opt.Mode == ReadBlocks {
		err = runBlocks(ctx, a, s, opt, converted[T](a, s), func(ctx context.Context, _ int, b *Block[T]) error { return f(ctx, b) })
	}
	return a.fail("go over", err)
}

// ReduceBlocks makes one value of an array: f is called with every block as by
// BlocksAs, and join with two results, that of earlier blocks first. They are joined
// in the order of the blocks, so that the same array gives the same value.
func ReduceBlocks[T Number, R any](ctx context.Context, a *Array, opt BlockOptions, f func(ctx context.Context, b *Block[T]) (R, error), join func(x, y R) R) (R, error) {
	var mu sync.Mutex
	var all R
	next, waiting := 0, map[int]R{}
	if err := opt.check(); err != nil {
		return all, a.fail("go over", err)
	}
	s := a.now.Load()
	opt.Mode = ReadBlocks
	err := runBlocks(ctx, a, s, opt, converted[T](a, s), func(ctx context.Context, k int, b *Block[T]) error {
		r, err := f(ctx, b)
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		for waiting[k] = r; ; next++ {
			r, ok := waiting[next]
			if !ok {
				return nil
			}
			delete(waiting, next)
			if next == 0 {
				all = r
			} else {
				all = join(all, r)
			}
		}
	})
	return all, a.fail("go over", err)
}

// MapBlocks writes to dst what f makes of every block of src, which has the same
// shape: in has the elements of src, and out, which begins with zeros, becomes those
// of dst. The blocks go by the chunks of dst.
func MapBlocks[D, S any](ctx context.Context, dst, src *Array, opt BlockOptions, f func(ctx context.Context, out *Block[D], in []S) error) error {
	if err := opt.check(); err != nil {
		return dst.fail("go over", err)
	}
	if !slices.Equal(dst.Shape(), src.Shape()) {
		return dst.fail("go over", mark(ErrSelection, fmt.Errorf("shape %v, that of %s is %v", dst.Shape(), src.URL(), src.Shape())))
	}
	from := src.now.Load()
	if err := from.checkGo(reflect.TypeFor[S]()); err != nil {
		return src.fail("go over", err)
	}
	sel := opt.Select
	if sel == nil {
		sel = All()
	}
	whole, err := from.plan(sel)
	if err != nil {
		return src.fail("go over", err)
	}
	opt.Mode, opt.source = WriteBlocks, src.store
	var free sync.Pool
	return Blocks(ctx, dst, opt, func(ctx context.Context, out *Block[D]) error {
		in, _ := free.Get().(*[]S)
		if in == nil {
			in = new([]S)
		}
		defer free.Put(in)
		*in = slices.Grow((*in)[:0], len(out.Data))[:len(out.Data)]
		if err := readTyped(ctx, src, from, whole.part(out.Start, out.Shape), *in); err != nil {
			return err
		}
		return f(ctx, out, *in)
	})
}

// part is the plan of a part of the result.
func (p *plan) part(start, shape []int) *plan {
	sel := slices.Clone(p.sel)
	k := 0
	for i := range sel {
		if !p.drop[i] {
			sel[i] = sel[i].part(start[k], shape[k])
			k++
		}
	}
	return planAxes(sel)
}

// blockIO is how blocks come into memory and out of it.
type blockIO[T any] struct {
	each        int // how many T an element is, if not one
	read, write func(context.Context, *plan, []T) error
}

// converted reads numbers of any type.
func converted[T Number](a *Array, s *state) blockIO[T] {
	return blockIO[T]{read: func(ctx context.Context, p *plan, dst []T) error { return readAs(ctx, a, s, p, dst) }}
}

// runBlocks cuts an array into blocks and calls f with each and its number.
func runBlocks[T any](ctx context.Context, a *Array, s *state, opt BlockOptions, io blockIO[T], f func(context.Context, int, *Block[T]) error) error {
	if err := opt.check(); err != nil {
		return err
	}
	if s.noCodec != nil {
		return s.noCodec
	}
	if opt.Select == nil {
		opt.Select = All()
	}
	p, err := s.plan(opt.Select)
	if err != nil {
		return err
	}
	each := max(io.each, 1)
	size := max(each*int(reflect.TypeFor[T]().Size()), s.spec.Type.Size())
	cuts, err := s.blockCuts(p, opt, size)
	if err != nil {
		return err
	}
	count, largest := make([]int, len(cuts)), make([]int, len(cuts))
	for i, c := range cuts {
		count[i], largest[i] = c.count, c.size
	}
	total, ok := nd.Len(count)
	if !ok {
		return mark(ErrTooLarge, fmt.Errorf("%v blocks are more than can be counted", count))
	}
	if _, err := a.room(largest, size); err != nil {
		return err
	}
	first := 0
	if opt.Of > 0 {
		first, total = share(total, opt.Part, opt.Of)
	}
	bytes, _ := nd.Bytes(largest, size)
	workers := opt.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	workers = store.AtOnce(workers, a.store, opt.source)
	var free sync.Pool
	var mu sync.Mutex
	done := 0
	// The goroutine that calls works too, so that there is always one block.
	limit := par.NewLimiter(workers-1, opt.memory()-int64(bytes))
	var turn *par.Turn // of blocks that hold more than they were weighed for
	if len(s.spec.Type.Refs()) > 0 {
		turn = par.NewTurn(workers, opt.memory())
	}
	return limit.Run(ctx, total, int64(bytes), func(k int) error {
		at := make([]int, len(cuts))
		sel := slices.Clone(p.sel)
		b := &Block[T]{Start: []int{}, Number: first + k}
		for i, n := len(cuts)-1, first+k; i >= 0; i-- {
			at[i], n = n%count[i], n/count[i]
			from, length := cuts[i].span(at[i])
			sel[i] = sel[i].part(from, length)
			at[i] = from
		}
		part := planAxes(sel)
		b.Shape = part.shape
		for i, from := range at {
			if !p.drop[i] {
				b.Start = append(b.Start, from)
			}
		}
		mem, _ := free.Get().(*[]T)
		if mem == nil {
			mem = new([]T)
		}
		defer free.Put(mem)
		n, _ := nd.Len(b.Shape)
		n *= each
		*mem = slices.Grow((*mem)[:0], n)[:n]
		b.Data = *mem
		switch {
		case opt.Mode == WriteBlocks:
			clear(b.Data)
		case turn == nil:
			if err := io.read(ctx, part, b.Data); err != nil {
				return err
			}
		default:
			end, err := turn.Hold(ctx, int64(bytes), func(ctx context.Context) error { return io.read(ctx, part, b.Data) })
			if err != nil {
				return err
			}
			defer end()
			defer func() { clear((*mem)[:n]) }() // else what it refers to stayed
		}
		if err := f(ctx, k, b); err != nil {
			return err
		}
		if opt.Mode != ReadBlocks {
			if len(b.Data) != n {
				return mark(ErrSelection, fmt.Errorf("a block of shape %v has %d elements now", b.Shape, len(b.Data)))
			}
			if err := io.write(ctx, planAxes(sel), b.Data); err != nil {
				return err
			}
		}
		if opt.Progress != nil {
			mu.Lock()
			defer mu.Unlock()
			done++
			opt.Progress(done, total)
		}
		return nil
	})
}

// share is the first of a number of things, and how many there are, in one of some equal
// parts.
func share(total, part, of int) (first, count int) {
	at := func(n int) int { return total/of*n + total%of*n/of }
	return at(part - 1), at(part) - at(part-1)
}

// writeBlock calls write while the array has the shape that blocks were cut from.
func (a *Array) writeBlock(ctx context.Context, s *state, write func(*state) error) error {
	now, held, err := a.holdShape(ctx)
	if err != nil {
		return err
	}
	defer held.Unlock()
	if !slices.Equal(now.meta.Shape, s.meta.Shape) {
		return became(s.meta.Shape, now.meta.Shape)
	}
	return write(now)
}

// became is the error of an array whose shape changed while somebody went over it.
func became(before, now []int) error {
	return mark(ErrRange, fmt.Errorf("the shape %v has become %v meanwhile", before, now))
}

// blockCut is how one axis of a selection is cut into blocks.
type blockCut struct {
	n     int // length of the axis in the result
	size  int // of a block
	first int // of the first block, which may be shorter; 0 if the axis is empty
	count int
	// Where blocks are chunks that differ in length, the grid, and the first position
	// and chunk.
	grid               grid.Grid
	axis, start, chunk int
}

func (c blockCut) span(k int) (start, length int) {
	if c.grid != nil {
		at, length := c.grid.Span(c.axis, c.chunk+k)
		from := max(at, c.start)
		return from - c.start, min(at+length, c.start+c.n) - from
	}
	if k == 0 {
		return 0, c.first
	}
	start = c.first + (k-1)*c.size
	return start, min(c.size, c.n-start)
}

// blockCuts cuts what is selected into blocks.
func (s *state) blockCuts(p *plan, opt BlockOptions, size int) ([]blockCut, error) {
	if p.points != nil {
		return nil, mark(ErrSelection, errors.New("points are not cut into blocks"))
	}
	shape := opt.Shape
	unit := s.meta.Grid.Uniform()
	if shape == nil {
		shape = s.defaultBlock(opt, size)
	}
	if len(shape) != len(p.sel) || len(shape) > 0 && slices.Min(shape) < 1 {
		return nil, mark(ErrSelection, fmt.Errorf("blocks of shape %v in an array of shape %v", opt.Shape, s.meta.Shape))
	}
	cuts := make([]blockCut, len(shape))
	for i, r := range p.sel {
		even := r.list == nil && r.step == 1
		c := blockCut{n: r.count, size: min(shape[i], max(r.count, 1))}
		if c.first = min(c.size, c.n); even && c.n > 0 && r.count > c.size {
			c.first = min(shape[i]-r.start%shape[i], c.n)
			c.size = shape[i]
		}
		if c.n > 0 {
			c.count = 1 + (c.n-c.first+c.size-1)/c.size
		}
		if opt.Shape == nil && unit == nil && even && c.n > 0 {
			c.grid, c.axis, c.start, c.chunk = s.meta.Grid, i, r.start, s.meta.Grid.Find(i, r.start)
			c.count = s.meta.Grid.Find(i, r.start+r.count-1) - c.chunk + 1
		}
		cuts[i] = c
		if opt.Mode == ReadBlocks || c.count < 2 || c.grid != nil {
			continue
		}
		if !even || !s.beginWithChunks(i, r.start, c) {
			return nil, mark(ErrSelection, fmt.Errorf("axis %d: blocks of %d do not consist of whole chunks, and two would change the same one", i, shape[i]))
		}
	}
	return cuts, nil
}

// beginWithChunks reports whether all blocks along an axis but the first begin where
// a chunk does.
func (s *state) beginWithChunks(axis, start int, c blockCut) bool {
	if unit := s.meta.Grid.Uniform(); unit != nil {
		return c.size%unit[axis] == 0 && (start+c.first)%unit[axis] == 0
	}
	for k := 1; k < c.count; k++ {
		from, _ := c.span(k)
		if first, _ := s.meta.Grid.Span(axis, s.meta.Grid.Find(axis, start+from)); first != start+from {
			return false
		}
	}
	return true
}

// defaultBlock is one stored chunk, or some of those that are small, the longest
// along each axis where they differ. Shards that are larger than the memory for
// blocks are read by the chunks inside.
func (s *state) defaultBlock(opt BlockOptions, size int) []int {
	out := grid.Longest(s.meta.Grid)
	if s.meta.Grid.Uniform() == nil {
		return out
	}
	if bytes, ok := nd.Bytes(out, size); opt.Mode == ReadBlocks && s.uniform != nil && (!ok || int64(bytes) > opt.memory()) {
		out = slices.Clone(s.uniform.InnerShape())
	}
	for i := len(out) - 1; i >= 0; i-- {
		for bytes, ok := nd.Bytes(out, size); ok && bytes <= smallBlock/2 && out[i] < s.meta.Shape[i]; bytes, ok = nd.Bytes(out, size) {
			out[i] *= 2
		}
	}
	return out
}

// check says what is wrong with the options, whatever the array.
func (o BlockOptions) check() error {
	switch {
	case o.Mode > WriteBlocks:
		return fmt.Errorf("option Mode: %d is none", o.Mode)
	case o.Workers < 0:
		return fmt.Errorf("option Workers: %d is negative", o.Workers)
	case o.Memory < 0:
		return fmt.Errorf("option Memory: %d is negative", o.Memory)
	case o.Of < 0 || o.Of > maxParts || o.Of > 0 && (o.Part < 1 || o.Part > o.Of):
		return fmt.Errorf("options Part, Of: %d of %d is no part", o.Part, o.Of)
	}
	return nil
}

// maxParts bounds BlockOptions.Of.
const maxParts = 1 << 30

func (o BlockOptions) memory() int64 {
	if o.Memory <= 0 {
		return 256 << 20
	}
	return o.Memory
}
