package writer

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/omnizarr/zarr/internal/buf"
)

// structure is what GDAL hides between header and first directory. It promises
// readers that they may fetch a tile by its offset alone: its size comes before
// it, its last bytes are repeated after it. The space at the end is there so
// that an editor can turn NO into YES.
const structure = "LAYOUT=IFDS_BEFORE_DATA\n" +
	"BLOCK_ORDER=ROW_MAJOR\n" +
	"BLOCK_LEADER=SIZE_AS_UINT4\n" +
	"BLOCK_TRAILER=LAST_4_BYTES_REPEATED\n" +
	"KNOWN_INCOMPATIBLE_EDITION=NO\n "

var ghost = fmt.Sprintf("GDAL_STRUCTURAL_METADATA_SIZE=%06d bytes\n%s", len(structure), structure)

// A block is a tile between its leader and its trailer.
const (
	leaderSize  = 4
	trailerSize = 4
	blockExtra  = leaderSize + trailerSize
)

// appendBlock appends a tile with leader and trailer. The trailer of a tile
// that is shorter than it ends with zeros, as GDAL has it.
func appendBlock(dst, tile []byte) []byte {
	dst = le.AppendUint32(dst, uint32(len(tile)))
	dst = append(dst, tile...)
	var trailer [trailerSize]byte
	copy(trailer[:], tile[max(len(tile)-trailerSize, 0):])
	return append(dst, trailer[:]...)
}

// writeBlock writes a tile with leader and trailer; the tile itself begins at
// the given place.
func writeBlock(f file, tile []byte, at uint64) error {
	b := buf.Get(len(tile) + blockExtra)
	defer b.Free()
	b.B = appendBlock(b.B, tile)
	_, err := f.WriteAt(b.B, int64(at-leaderSize))
	return err
}

// writeCOG assembles the COG of the blocks in tiles.
func (w *Writer) writeCOG(ctx context.Context, out io.WriterAt, tiles io.ReaderAt) error {
	place := func(big bool) layout {
		header := uint64(8)
		if big {
			header = 16
		}
		return w.place(big, header+uint64(len(ghost)))
	}
	data := uint64(0)
	for _, d := range w.order {
		for _, n := range d.counts {
			if n > 0 {
				data += uint64(n) + blockExtra
			}
		}
	}
	l, err := w.choose(place, data)
	if err != nil {
		return err
	}
	// The smallest level comes first, so that a reader that wants an overview
	// finds it next to the directories.
	b := buf.Get(copySize)
	defer b.Free()
	c := copier{out: out, tiles: tiles, buf: b.B[:0:copySize], at: l.end, end: l.end}
	for _, d := range slices.Backward(w.order) {
		d.data = c.end
		for i, n := range d.counts {
			if n == 0 {
				continue
			}
			if err := c.copy(ctx, d.offsets[i]-leaderSize, uint64(n)+blockExtra); err != nil {
				return err
			}
		}
	}
	if err := c.flush(ctx); err != nil {
		return err
	}
	head := append(appendHeader(nil, l), ghost...)
	for uint64(len(head)) < l.start {
		head = append(head, 0)
	}
	if _, err := out.WriteAt(head, 0); err != nil {
		return err
	}
	_, err = out.WriteAt(w.directories(l), int64(l.start))
	return err
}
