package copying

import (
	"iter"
	"slices"

	"github.com/omnizarr/zarr/nd"
)

// cutShards makes blocks parts of shards: rows of inner chunks, which are encoded and
// written before the next are read. So a shard need not fit into memory, and one that
// does costs less than in large pieces. Blocks stay as they are where parts would make
// more of the source be decoded twice, unless they need more than there is.
func (w *blocks) cutShards(axes []axis, size float64, memory int64, workers int) {
	b, err := w.To.Codec()
	if err != nil || !b.Streams() || w.asBytes || w.To.Metadata().Grid.Uniform() == nil {
		return
	}
	fits := w.need <= memory
	if fits && (!w.streams || slices.ContainsFunc(w.group, func(k int) bool { return k > 1 })) {
		return
	}
	inner := b.Inner().Spec().Shape
	// As many workers as can be have parts of their own, and these are no larger than it
	// takes.
	const enough = 64 << 20
	for _, most := range []int64{min(memory/int64(workers), enough), memory / int64(workers), memory / 2, memory} {
		part, need, reads := w.rows(axes, inner, size, most, workers)
		switch {
		case fits && (need > most || reads > w.reads):
		case fits || w.part == nil || w.need > memory || need <= most && reads < 0.9*w.reads:
			w.part, w.need, w.reads, w.group = part, need, reads, slices.Repeat([]int{1}, len(inner))
			if fits {
				return
			}
		}
	}
}

// rows chooses the shape of parts that take so much memory, or one inner chunk if that
// takes more.
func (w *blocks) rows(axes []axis, inner []int, size float64, memory int64, workers int) (part []int, need int64, reads float64) {
	to := max(w.To.DataType().Size(), 1)
	one, shard := sizeOf(inner, to), sizeOf(w.To.Metadata().Grid.Uniform(), to)
	coding := int64(workers) * (3*one + w.coded())
	if w.streams {
		coding += min(shard, 1<<20) // a piece on its way to the store
	} else {
		coding += 2 * shard // all of the bytes, in a buffer that grows
	}
	src, shape := make([]int, len(axes)), make([]int, len(axes))
	for i, a := range axes {
		src[i], shape[i] = a.src, a.dst
	}
	part = Rows(shape, inner, src, int64(float64(memory-coding)/size))
	elements := size
	for _, n := range part {
		elements *= float64(n)
	}
	reads = 1
	for i, a := range axes {
		a.skew = a.skew || a.dst%part[i] != 0
		a.dst = part[i]
		if a.n > 0 {
			reads *= a.touches(1) / float64(ceil(a.n, a.src))
		}
	}
	return part, int64(min(elements, 1<<60)) + min(coding, 1<<60), reads
}

// pieces are the parts of a block that are compared one after the other: it, or of a
// shard that is written in parts so much that both sides fit where one did.
func (w *blocks) pieces(box nd.Box) iter.Seq[nd.Box] {
	return func(yield func(nd.Box) bool) {
		if w.part == nil {
			yield(box)
			return
		}
		part := w.halves()
		count := make([]int, len(part))
		for i, n := range box.Shape {
			count[i] = ceil(n, part[i])
		}
		for at, more := make([]int, len(part)), true; more; more = nd.Next(at, count) {
			piece := nd.Box{Start: make([]int, len(part)), Shape: make([]int, len(part))}
			for i, k := range at {
				piece.Start[i] = box.Start[i] + k*part[i]
				piece.Shape[i] = min(part[i], box.Shape[i]-k*part[i])
			}
			if !yield(piece) {
				return
			}
		}
	}
}

// halves is the shape of such pieces.
func (w *blocks) halves() []int {
	n, _ := nd.Len(w.part)
	return Rows(w.part, slices.Repeat([]int{1}, len(w.part)), nil, int64(max(n/3, 1)))
}

// compared is the bytes of one of them, if a block has so many.
func (w *blocks) compared(block int64) int64 {
	if w.part == nil {
		return block
	}
	return min(block, sizeOf(w.halves(), w.To.DataType().Size()))
}

// Rows is the shape of the parts of a shard that zarr.Array.WriteChunk is to be given,
// with at most so many elements, or one inner chunk. They end where parts of the source
// of a shape src do, if they can.
func Rows(shard, inner, src []int, most int64) []int {
	part, elements := slices.Clone(shard), 1.0
	for _, n := range shard {
		elements *= float64(n)
	}
	for i, n := range shard {
		count := ceil(n, inner[i])
		if elements <= float64(most) || count == 1 {
			continue
		}
		row := elements / float64(count)
		k := min(max(int(float64(most)/row), 1), count)
		if src != nil && src[i]%inner[i] == 0 && k > src[i]/inner[i] {
			k -= k % (src[i] / inner[i])
		}
		part[i], elements = k*inner[i], row*float64(k)
	}
	return part
}

// sizeOf is the bytes of elements, bounded.
func sizeOf(shape []int, size int) int64 {
	n, ok := nd.Bytes(shape, size)
	if !ok || n > 1<<50 {
		return 1 << 50
	}
	return int64(n)
}

func ceil(n, by int) int { return (n + by - 1) / by }

// least is how much memory must be allowed for blocks that take so much.
func least(need int64) int64 {
	memory := need
	for Usable(memory) < need && memory < 1<<60 {
		memory += max(memory/64, 1<<20)
	}
	return memory
}
