package codec

import (
	"io"

	"github.com/omnizarr/zarr/nd"
)

const (
	// piece fits the cache that a processor has for itself: what was copied there is still
	// near when the system copies it into a file.
	piece = 256 << 10
	// piecesFrom is the size from which chunks are worth being written in pieces.
	piecesFrom = 4 * piece
)

// InRows reports whether EncodeRows can be used, and is worth it: chunks are large, and
// their bytes are those of their elements one after the other.
func (b *Bound) InRows() bool {
	return b.traits.Rows != nil && len(b.bytes) == 0 && len(b.mid.Shape) > 0 && b.Size().N >= piecesFrom && b.moversOnly()
}

// InLayers reports whether a chunk is like that and its axes are those of memory: a layer of it, across its first axis, is one range of
// its bytes.
func (b *Bound) InLayers() bool { return len(b.arrays) == 0 && b.parts != nil && b.InRows() }

// EncodeRows writes to w the bytes that Encode gives for src, piece by piece, where
// InRows allows: elements that lie apart are gathered in memory that stays in the
// processor's cache, not in that of a whole chunk.
func (b *Bound) EncodeRows(ck *Chunk, w io.Writer, src nd.View) (err error) {
	defer b.caught(&err)
	for _, f := range b.arrays {
		src = f.(Mover).View(src)
	}
	// A piece has one position along the axes before cut, some along it, and all along
	// those behind.
	cut, row := len(src.Shape)-1, src.Size
	for ; cut > 0 && row*src.Shape[cut] <= piece; cut-- {
		row *= src.Shape[cut]
	}
	rows := max(piece/row, 1)
	mem, err := ck.Lend(rows * row)
	if err != nil {
		return wrap(b.name, err)
	}
	defer mem.Free()
	part := nd.Box{Start: make([]int, len(src.Shape)), Shape: make([]int, len(src.Shape))}
	for i, n := range src.Shape {
		part.Shape[i] = n
		if i < cut {
			part.Shape[i] = 1
		}
	}
	for more := true; more; more = nd.Next(part.Start[:cut], src.Shape[:cut]) {
		for part.Start[cut] = 0; part.Start[cut] < src.Shape[cut]; part.Start[cut] += rows {
			n := min(rows, src.Shape[cut]-part.Start[cut])
			part.Shape[cut] = n
			out := mem.B[:n*row]
			b.traits.Rows(out, src.Box(part))
			if _, err := w.Write(out); err != nil {
				return err
			}
		}
	}
	return nil
}
