package diff

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"iter"
	"math"
	"slices"
	"sync"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/par"
	"github.com/omnizarr/zarr/internal/words"
	"github.com/omnizarr/zarr/job"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store"
)

// blockSize is about how many bytes of elements a block has.
const blockSize = 8 << 20

// told is how many elements that differ are told of an array.
const told = 3

// pair is two arrays of one shape and type, cut into blocks.
type pair struct {
	path   string
	a, b   *zarr.Array
	block  []int // the shape of a block
	count  []int // blocks along each axis
	halves job.Halves

	mu     sync.Mutex
	differ int64   // elements
	first  []place // the first of them
}

// place is an element that differs.
type place struct {
	at   []int
	a, b string
}

// newPair cuts arrays along the chunks of the first, several of them where they are
// small.
func newPair(path string, a, b *zarr.Array) *pair {
	p := &pair{path: path, a: a, b: b}
	shape := a.Shape()
	p.block = a.ShardShape()
	if p.block == nil {
		p.block = a.ChunkShape()
	}
	if p.block == nil { // chunks of different shapes
		p.block = zarr.DefaultChunks(shape, a.DataType().Size(), nil)
	}
	p.block = slices.Clone(p.block)
	bytes := a.DataType().Size()
	for i, n := range p.block {
		p.block[i] = max(min(n, shape[i]), 1)
		bytes *= p.block[i]
	}
	for i := len(shape) - 1; i >= 0 && bytes > 0 && bytes < blockSize; i-- {
		more := min(blockSize/bytes, (shape[i]+p.block[i]-1)/p.block[i])
		if more > 1 {
			p.block[i] *= more
			bytes *= more
		}
	}
	p.count = make([]int, len(shape))
	for i, n := range shape {
		p.count[i] = (n + p.block[i] - 1) / p.block[i]
	}
	return p
}

// values compares the elements of all pairs.
func (c *comparison) values(ctx context.Context) error {
	workers := c.opts.Workers
	for _, p := range c.pairs {
		workers = max(workers, store.AtOnce(c.opts.Workers, p.a.Store(), p.b.Store()))
	}
	pool := job.NewPool(ctx, workers, c.opts.Memory)
	for _, p := range c.pairs {
		numbers, n, err := p.blocks(ctx)
		if err != nil {
			pool.Stop(err)
			return pool.Wait()
		}
		c.track.Add(int64(n))
		for k := range numbers {
			box := p.box(k)
			size := job.Weight(p.a, box.Shape)
			if !pool.Run(2*size, func(ctx context.Context) error {
				defer c.track.Done(p.path, 1, size)
				return p.whole(ctx, box)
			}) {
				return pool.Wait()
			}
		}
	}
	if err := pool.Wait(); err != nil {
		return err
	}
	for _, p := range c.pairs {
		if p.differ > 0 {
			c.add(p.path, Values, "%s", p.words())
		}
	}
	return nil
}

// words tells where a pair differs.
func (p *pair) words() string {
	text := ""
	for i, f := range p.first {
		if i > 0 {
			text += "; "
		}
		text += fmt.Sprintf("element %v: %s and %s", f.at, words.Cut(f.a, longest), words.Cut(f.b, longest))
	}
	total, _ := nd.Len(p.a.Shape())
	return fmt.Sprintf("%s; %s of %s elements differ", text, words.Grouped(p.differ), words.Grouped(int64(total)))
}

// blocks are those in which either array stores something, or all if that is not known,
// and how many they are. In the others every element is the fill value: where those of the
// arrays differ, all of them do.
func (p *pair) blocks(ctx context.Context) (iter.Seq[int], int, error) {
	total, ok := nd.Len(p.count)
	if !ok {
		return nil, 0, &zarr.Error{Op: "compare", URL: p.a.URL(), Err: fmt.Errorf("%v blocks are more than can be counted", p.count)}
	}
	same := job.SameFill(p.a, p.b)
	if !same && len(p.a.DataType().Refs()) > 0 { // the same may be spelled in two ways
		numbers, n := job.Cells(nil, total)
		return numbers, n, nil
	}
	stored, err := job.Stored(ctx, p.count, p.touch, p.a, p.b)
	if err == nil && stored != nil && !same {
		p.unstored(stored, total)
	}
	numbers, n := job.Cells(stored, total)
	return numbers, n, err
}

// unstored compares the fill values, which all elements have that are not in the blocks
// with these numbers, in order.
func (p *pair) unstored(stored []int, total int) {
	t, x, y := p.a.DataType(), p.a.FillValue(), p.b.FillValue()
	if equality(t)(x, y, nil, nil) {
		return
	}
	all, ok := nd.Len(p.a.Shape())
	if !ok {
		all = math.MaxInt
	}
	differ := int64(all)
	for _, k := range stored {
		n, _ := nd.Len(p.box(k).Shape)
		differ -= int64(n)
	}
	// The first elements of all are among the first of the first blocks.
	var first []place
	for k := 0; k < total && len(first) < told*told; k++ {
		if len(stored) > 0 && stored[0] == k {
			stored = stored[1:]
			continue
		}
		box := p.box(k)
		n, _ := nd.Len(box.Shape)
		for i := range min(n, told) {
			first = append(first, place{position(box, i), text(t, x, nil), text(t, y, nil)})
		}
	}
	p.add(differ, first)
}

// touch gives the blocks that share elements with a box.
func (p *pair) touch(box nd.Box) nd.Box {
	lo, shape := make([]int, len(box.Start)), make([]int, len(box.Start))
	for i, start := range box.Start {
		end := min(start+box.Shape[i], p.a.Metadata().Shape[i])
		lo[i] = start / p.block[i]
		shape[i] = (end-1)/p.block[i] - lo[i] + 1
	}
	return nd.Box{Start: lo, Shape: shape}
}

// box is the elements of block k.
func (p *pair) box(k int) nd.Box {
	shape := p.a.Metadata().Shape
	box := nd.Box{Start: make([]int, len(shape)), Shape: make([]int, len(shape))}
	for i := len(shape) - 1; i >= 0; i-- {
		box.Start[i] = k % p.count[i] * p.block[i]
		k /= p.count[i]
		box.Shape[i] = min(p.block[i], shape[i]-box.Start[i])
	}
	return box
}

// whole compares a block, or parts of it where elements have no fixed length.
func (p *pair) whole(ctx context.Context, box nd.Box) error {
	if len(p.a.DataType().Refs()) == 0 {
		return p.compare(ctx, box)
	}
	return p.halves.Run(ctx, p.a, p.a.Metadata().Grid, box, p.compare)
}

// compare reads a block of both.
func (p *pair) compare(ctx context.Context, box nd.Box) error {
	x, done, err := read(ctx, p.a, 0, box)
	if err != nil {
		return err
	}
	defer done()
	y, done, err := read(ctx, p.b, 1, box)
	if err != nil {
		return err
	}
	defer done()
	t := p.a.DataType()
	if len(t.Refs()) == 0 && bytes.Equal(x.Data, y.Data) {
		return nil
	}
	same, size := equality(t), t.Size()
	blobs, others := x.Heap.Blobs(), y.Heap.Blobs()
	var differ int64
	var first []place
	for at := 0; at < len(x.Data); at += size {
		a, b := x.Data[at:at+size], y.Data[at:at+size]
		if same(a, b, blobs, others) {
			continue
		}
		if differ++; len(first) < told {
			first = append(first, place{position(box, at/size), text(t, a, blobs), text(t, b, others)})
		}
	}
	p.add(differ, first)
	return nil
}

// add counts elements that differ, of which these are the first.
func (p *pair) add(differ int64, first []place) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.differ += differ
	p.first = append(p.first, first...)
	slices.SortFunc(p.first, func(a, b place) int { return slices.Compare(a.at, b.at) })
	p.first = p.first[:min(len(p.first), told)]
}

// read reads a block of the array that is the first or second of two, until done is called.
func read(ctx context.Context, a *zarr.Array, which int, box nd.Box) (v nd.View, done func(), err error) {
	done, err = par.Hold(ctx, which, job.Weight(a, box.Shape), func(ctx context.Context) error {
		v, err = a.Make(box.Shape...)
		if err == nil {
			err = a.ReadInto(ctx, zarr.Box(box.Start, box.Shape), v)
		}
		return err
	})
	return v, done, err
}

// position is where element k of a box lies in the array.
func position(box nd.Box, k int) []int {
	at := make([]int, len(box.Shape))
	for i := len(at) - 1; i >= 0; i-- {
		at[i] = box.Start[i] + k%box.Shape[i]
		k /= box.Shape[i]
	}
	return at
}

func text(t dtype.Type, elem []byte, blobs nd.Blobs) string {
	out, err := t.AppendValue(nil, elem, blobs)
	if err != nil {
		return err.Error()
	}
	return string(out)
}

// equality is how elements of a type are compared: floats as numbers, what has parts
// or no fixed length as it is told, all else by its bytes.
func equality(t dtype.Type) func(x, y []byte, blobs, others nd.Blobs) bool {
	if f, ok := dtype.FormatOf(t); ok {
		part := t.Size()
		if t.Kind() == dtype.Complex {
			part /= 2
		}
		return func(x, y []byte, _, _ nd.Blobs) bool {
			for i := 0; i < len(x); i += part {
				a, b := f.Decode(bits(x[i:i+part])), f.Decode(bits(y[i:i+part]))
				if a != b && (a == a || b == b) {
					return false
				}
			}
			return true
		}
	}
	// Only some types have several bytes for one value.
	if _, several := t.(dtype.Canonicaliser); !several && (t.Kind() == dtype.Int || t.Kind() == dtype.Uint) {
		return func(x, y []byte, _, _ nd.Blobs) bool { return bytes.Equal(x, y) }
	}
	var a, b []byte
	return func(x, y []byte, blobs, others nd.Blobs) bool {
		if len(t.Refs()) == 0 && bytes.Equal(x, y) {
			return true
		}
		var err, other error
		a, err = t.AppendValue(a[:0], x, blobs)
		b, other = t.AppendValue(b[:0], y, others)
		return err == nil && other == nil && bytes.Equal(a, b)
	}
}

// bits are the bytes of a number, lowest first.
func bits(elem []byte) uint64 {
	var b [8]byte
	copy(b[:], elem)
	return binary.LittleEndian.Uint64(b[:])
}
