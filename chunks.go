package zarr

import (
	"context"
	"errors"
	"iter"
	"slices"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/internal/par"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store"
)

// ChunkInfo is one place of the grid, stored or not.
type ChunkInfo struct {
	Index []int  // in the grid
	Key   string // in the store
	Box   nd.Box // the elements of the array that it holds
}

// Grid yields all chunks of the array in C order, stored or not.
func (a *Array) Grid() iter.Seq[ChunkInfo] {
	return func(yield func(ChunkInfo) bool) {
		s := a.now.Load()
		count := s.meta.Grid.Count()
		if slices.Contains(count, 0) {
			return
		}
		idx := make([]int, len(count))
		for {
			if !yield(a.chunkInfo(s, slices.Clone(idx))) {
				return
			}
			if !nd.Next(idx, count) {
				return
			}
		}
	}
}

func (a *Array) chunkInfo(s *state, idx []int) ChunkInfo {
	c := ChunkInfo{Index: idx, Key: a.chunkKey(s, idx), Box: nd.Box{Start: make([]int, len(idx)), Shape: make([]int, len(idx))}}
	for i, k := range idx {
		start, length := s.meta.Grid.Span(i, k)
		c.Box.Start[i], c.Box.Shape[i] = start, min(length, s.meta.Shape[i]-start)
	}
	return c
}

// Stored yields the chunks that are in the store, in the order of its listing.
// Keys that are no chunks of the array are passed over.
func (a *Array) Stored(ctx context.Context) iter.Seq2[ChunkInfo, error] {
	return func(yield func(ChunkInfo, error) bool) {
		s := a.now.Load()
		count := s.meta.Grid.Count()
		for idx, err := range a.storedKeys(ctx, s) {
			if err != nil {
				yield(ChunkInfo{}, a.fail("list", err))
				return
			}
			if inside(idx, count) && !yield(a.chunkInfo(s, slices.Clone(idx)), nil) {
				return
			}
		}
	}
}

func inside(idx, count []int) bool {
	for i, k := range idx {
		if k < 0 || k >= count[i] {
			return false
		}
	}
	return true
}

// storedKeys yields the index of every key that is one of a chunk, also of
// chunks outside the array; the slice is used again.
func (a *Array) storedKeys(ctx context.Context, s *state) iter.Seq2[[]int, error] {
	return func(yield func([]int, error) bool) {
		idx := make([]int, len(s.meta.Shape))
		for entry, err := range a.store.List(ctx, a.prefix(), "") {
			if err != nil {
				yield(nil, err)
				return
			}
			if s.meta.Keys.Parse(entry.Key[len(a.prefix()):], idx) && !yield(idx, nil) {
				return
			}
		}
	}
}

// DeleteChunk removes the chunk at an index of the grid; its elements have the
// fill value then.
func (a *Array) DeleteChunk(ctx context.Context, index ...int) error {
	s := a.now.Load()
	count := s.meta.Grid.Count()
	if len(index) != len(count) || !inside(index, count) {
		return a.fail("delete chunk of", errNoChunk)
	}
	key := a.chunkKey(s, index)
	lock, err := chunks.Lock(ctx, a.identity(key))
	if err != nil {
		return a.chunkError("delete", key, err)
	}
	defer lock.Unlock()
	defer a.changing(key)()
	if err := a.store.Delete(ctx, key); err != nil {
		return a.chunkError("delete", key, err)
	}
	return nil
}

// Chunk is a chunk's elements inside the array.
type Chunk[T any] struct {
	ChunkInfo
	nd.Array[T]
}

// Chunks reads the array chunk by chunk in C order, some chunks ahead: as many as
// Workers and InFlight allow. The memory of a chunk is used again when the loop
// goes on: copy what must stay. Nothing is read any more when the loop has ended.
func Chunks[T any](ctx context.Context, a *Array) iter.Seq2[Chunk[T], error] {
	return func(yield func(Chunk[T], error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		r := &chunkReader[T]{ctx: ctx, a: a, shape: a.Shape(), refers: len(a.DataType().Refs()) > 0}
		defer r.end()
		defer cancel()
		next, stop := iter.Pull(a.Grid())
		defer stop()
		info, more := next()
		for {
			// What is ahead is read by others; while the first of it is not there
			// yet, one more is read here.
			for more && r.start(info) {
				info, more = next()
			}
			if more && !r.ready() && !r.own {
				r.read(info)
				info, more = next()
			}
			if len(r.ahead) == 0 {
				return
			}
			c := <-r.ahead[0]
			r.ahead = r.ahead[1:]
			r.release(c)
			if c.later {
				c = r.decode(ctx, c.chunk.ChunkInfo, c.chunk.Data, -1)
			}
			if err := ctx.Err(); err != nil && c.err == nil {
				c.err = a.fail("read", err)
			}
			if !yield(c.chunk, c.err) || c.err != nil {
				return
			}
			if r.refers {
				clear(c.chunk.Data) // else what it refers to stayed
			}
			r.free = append(r.free, c.chunk.Data)
		}
	}
}

// chunkReader reads chunks ahead of a loop.
type chunkReader[T any] struct {
	ctx   context.Context
	a     *Array
	shape []int               // of the array when the loop began
	ahead []chan readChunk[T] // those that were begun, in order
	own   bool                // one of them was read by the loop itself
	free  [][]T               // memory of chunks that the loop is done with
	// refers says that elements have no fixed length: how much a chunk takes shows when it is decoded.
	refers bool
}

// readChunk is a chunk that was read, or why it was not.
type readChunk[T any] struct {
	chunk  Chunk[T]
	weight int64 // what it takes of the limiter, -1 if the loop itself read it
	later  bool  // it needs more memory than may be held ahead, and is read when the loop comes to it
	err    error
}

// start begins to read a chunk if there is a worker and memory for it.
func (r *chunkReader[T]) start(info ChunkInfo) bool {
	n, ok := nd.Bytes(info.Box.Shape, r.a.DataType().Size())
	weight := int64(n) * 2 // encoded and decoded
	if !ok || weight < 0 || !r.a.pool.TryAcquire(weight) {
		return false
	}
	done, mem := make(chan readChunk[T], 1), r.memory()
	r.ahead = append(r.ahead, done)
	go func() { done <- r.early(info, mem, weight) }()
	return true
}

// read reads a chunk at once.
func (r *chunkReader[T]) read(info ChunkInfo) {
	done := make(chan readChunk[T], 1)
	if len(r.ahead) == 0 {
		done <- r.decode(r.ctx, info, r.memory(), -1)
	} else {
		done <- r.early(info, r.memory(), -1)
	}
	r.ahead, r.own = append(r.ahead, done), true
}

// ready reports whether the next chunk is there.
func (r *chunkReader[T]) ready() bool { return len(r.ahead) > 0 && len(r.ahead[0]) > 0 }

// release gives back what a chunk held when the loop has it.
func (r *chunkReader[T]) release(c readChunk[T]) {
	if c.weight < 0 {
		r.own = false
		return
	}
	r.a.pool.Release(c.weight)
}

// end waits for what was begun.
func (r *chunkReader[T]) end() {
	for _, done := range r.ahead {
		r.release(<-done)
	}
}

func (r *chunkReader[T]) memory() (mem []T) {
	if n := len(r.free); n > 0 {
		mem, r.free = r.free[n-1], r.free[:n-1]
	}
	return mem
}

// early reads a chunk before the loop comes to it.
func (r *chunkReader[T]) early(info ChunkInfo, mem []T, weight int64) (c readChunk[T]) {
	if !r.refers {
		return r.decode(r.ctx, info, mem, weight)
	}
	least := min(twice(info.Box.Shape, r.a.DataType()), r.a.inFlight)
	later, _ := r.a.turn.Try(r.ctx, least, func(ctx context.Context) error {
		c = r.decode(ctx, info, mem, weight)
		return c.err
	})
	if c.later = later; later {
		clear(c.chunk.Data)
		c.err = nil
	}
	return c
}

func (r *chunkReader[T]) decode(ctx context.Context, info ChunkInfo, mem []T, weight int64) (c readChunk[T]) {
	c.chunk, c.weight = Chunk[T]{ChunkInfo: info}, weight
	c.chunk.Shape = info.Box.Shape
	c.err = par.Catch(func() error {
		s := r.a.now.Load()
		n, err := r.a.room(info.Box.Shape, s.spec.Type.Size())
		if err == nil && info.Box.Check(s.meta.Shape) != nil {
			err = became(r.shape, s.meta.Shape)
		}
		if err == nil {
			c.chunk.Data = slices.Grow(mem[:0], n)[:n]
			err = readSlice(ctx, r.a, s, Box(info.Box.Start, info.Box.Shape), c.chunk.Data)
		}
		return r.a.fail("read", err)
	})
	return c
}

// errNoChunk is that of an index outside the grid.
var errNoChunk = mark(ErrRange, errors.New("no such chunk"))

// RawChunk returns a chunk as it is stored, without decoding; a missing one is
// store.ErrNotExist.
func (a *Array) RawChunk(ctx context.Context, index ...int) ([]byte, error) {
	s := a.now.Load()
	if len(index) != len(s.meta.Shape) || !inside(index, s.meta.Grid.Count()) {
		return nil, a.fail("read", errNoChunk)
	}
	key := a.chunkKey(s, index)
	b, _, err := a.store.Get(ctx, key, store.UpTo(int64(a.maxRead)), nil)
	if err != nil {
		return nil, a.chunkError("read", key, err)
	}
	return b, nil
}

// Inner tells where the chunks of a shard lie in it, by their index in the shard: find
// gives the first byte and how many there are; ok is false for one that is not stored.
// A shard that is not stored is ErrMissing, an array of which chunks are no ranges of
// what is stored errors.ErrUnsupported.
func (a *Array) Inner(ctx context.Context, index ...int) (find func(at []int) (off, n int, ok bool, err error), err error) {
	s := a.now.Load()
	if len(index) != len(s.meta.Shape) || !inside(index, s.meta.Grid.Count()) {
		return nil, a.fail("read", errNoChunk)
	}
	key := a.chunkKey(s, index)
	fail := func(err error) error { return a.chunkError("read", key, err) }
	if err := ctx.Err(); err != nil {
		return nil, fail(err)
	}
	if s.uniform == nil || s.uniform.Parts() == nil {
		return nil, fail(errors.ErrUnsupported)
	}
	src, err := store.Open(ctx, a.store, key)
	if errors.Is(err, store.ErrNotExist) {
		err = ErrMissing
	}
	if err != nil {
		return nil, fail(err)
	}
	defer src.Close()
	find, err = s.uniform.Parts()(ctx, &codec.Chunk{Limits: a.limits}, src)
	if errors.Is(err, store.ErrNotExist) {
		err = ErrMissing
	}
	if err != nil {
		return nil, fail(err)
	}
	return find, nil
}

// CheckChunk reads and decodes a chunk wholly and forgets it; a missing one is
// ErrMissing.
func (a *Array) CheckChunk(ctx context.Context, c ChunkInfo) error {
	s := a.now.Load()
	if s.noCodec != nil {
		return a.chunkError("read", c.Key, s.noCodec)
	}
	stored, err := a.isStored(ctx, s, c)
	if err == nil && !stored {
		err = ErrMissing
	}
	if err != nil {
		return a.chunkError("read", c.Key, err)
	}
	// A chunk that is larger than memory may be one that can be read in parts, as a shard
	// is, whatever the bytes are that it is stored in.
	part := s.checked(c.Box.Shape)
	if inner := s.innerShape(); inner != nil && len(s.spec.Type.Refs()) > 0 {
		// Parts of as many references as this may hold more than there is room for.
		least := min(twice(part, s.spec.Type), a.inFlight)
		refused, err := a.turn.Try(ctx, least, func(ctx context.Context) error { return a.checkParts(ctx, s, c, part) })
		if !refused {
			return err
		}
		for i := range part {
			part[i] = min(c.Box.Shape[i], inner[i])
		}
	}
	return a.checkParts(ctx, s, c, part)
}

// checkParts decodes a chunk part by part.
func (a *Array) checkParts(ctx context.Context, s *state, c ChunkInfo, part []int) error {
	for n, ok := nd.Bytes(part, s.spec.Type.Size()); !ok || n > max(a.limits.MaxChunk, s.spec.Type.Size()); n, ok = nd.Bytes(part, s.spec.Type.Size()) {
		longest := slices.Index(part, slices.Max(part))
		part[longest] = (part[longest] + 1) / 2
	}
	ck := &codec.Chunk{Limits: a.limits}
	v, mem, err := ck.LendView(s.spec.Type.Size(), part)
	if err != nil {
		return a.chunkError("read", c.Key, err)
	}
	defer mem.Free()
	err = eachPart(c.Box, part, func(box nd.Box) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		p, err := s.plan(Box(box.Start, box.Shape))
		if err != nil {
			return a.chunkError("read", c.Key, err)
		}
		piece := v.Box(nd.Box{Start: make([]int, len(part)), Shape: box.Shape})
		piece.Heap = &nd.Heap{}
		return a.readPlan(ctx, s, p, piece, true)
	})
	if err != nil && !isError(err) {
		err = a.chunkError("read", c.Key, err)
	}
	return err
}

// checked is the shape of the parts in which a chunk of a shape is checked: inner chunks,
// as many as some mebibytes have, or the whole if there are none.
func (s *state) checked(shape []int) []int {
	const enough = 32 << 20
	part, inner := slices.Clone(shape), s.innerShape()
	if inner == nil {
		return part
	}
	for i := range part {
		part[i] = min(part[i], inner[i])
	}
	for i := len(part) - 1; i >= 0; i-- {
		n, ok := nd.Bytes(part, s.spec.Type.Size())
		if !ok || n >= enough {
			break
		}
		if more := enough / max(n, 1); more < (shape[i]+part[i]-1)/max(part[i], 1) {
			part[i] *= max(more, 1)
		} else {
			part[i] = shape[i]
		}
	}
	return part
}

// isStored asks for a large chunk before there is memory for it. The others just
// get read.
func (a *Array) isStored(ctx context.Context, s *state, c ChunkInfo) (bool, error) {
	const large = 1 << 20
	if n, ok := nd.Bytes(c.Box.Shape, s.spec.Type.Size()); ok && n <= large {
		return true, nil
	}
	_, _, err := a.store.Get(ctx, c.Key, store.Part(0, 1), make([]byte, 0, 1))
	switch {
	case errors.Is(err, store.ErrNotExist):
		return false, nil
	case errors.Is(err, store.ErrRange): // it is empty
		return true, nil
	}
	return true, err
}

// eachPart cuts a box into parts of at most the given shape.
func eachPart(b nd.Box, shape []int, f func(nd.Box) error) error {
	count := make([]int, len(shape))
	for i, n := range shape {
		count[i] = (b.Shape[i] + n - 1) / max(n, 1)
	}
	for at := make([]int, len(shape)); ; {
		part := nd.Box{Start: slices.Clone(b.Start), Shape: slices.Clone(shape)}
		for i, k := range at {
			part.Start[i] += k * shape[i]
			part.Shape[i] = min(shape[i], b.Shape[i]-k*shape[i])
		}
		if err := f(part); err != nil || !nd.Next(at, count) {
			return err
		}
	}
}

// Codec gives the array's codecs, bound to chunks as the first one is; the error says
// which codec is missing.
func (a *Array) Codec() (*codec.Bound, error) {
	s := a.now.Load()
	first := make([]int, len(s.meta.Shape))
	for i := range first {
		_, first[i] = s.meta.Grid.Span(i, 0)
	}
	b, err := s.bound(first)
	return b, a.fail("open", err)
}
