package writer

import (
	"context"
	"errors"
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
	data := w.end - dataStart // every byte of the other file is of a block
	l, err := w.choose(place, data)
	if err != nil {
		return err
	}
	// The smallest level comes first, so that a reader that wants an overview
	// finds it next to the directories.
	b := buf.Get(copySize)
	defer b.Free()
	c := copier{out: out, tiles: tiles, buf: b.B[:0:copySize], at: l.end}
	for _, d := range slices.Backward(w.order) {
		d.data = c.at
		if err := c.copy(ctx, d); err != nil {
			return err
		}
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

// copySize is how many bytes are written at a time. More than one goroutine
// would make it no faster: the time goes to the page cache.
const copySize = 1 << 20

// copier gathers what comes from many places, to write it at once.
type copier struct {
	out   io.WriterAt
	tiles io.ReaderAt
	buf   []byte
	at    uint64 // of buf in out
}

// copy copies the tiles of a directory in their order.
func (c *copier) copy(ctx context.Context, d *directory) error {
	for i := 0; i < len(d.counts); i++ {
		if d.counts[i] == 0 {
			continue
		}
		from, n := d.offsets[i]-leaderSize, uint64(d.counts[i])+blockExtra
		// Tiles that came in order are read as one. Sparse ones have offset 0.
		for i+1 < len(d.counts) && d.offsets[i+1] == from+n+leaderSize {
			i++
			n += uint64(d.counts[i]) + blockExtra
		}
		if err := c.move(ctx, from, n); err != nil {
			return err
		}
	}
	return c.flush()
}

// move copies n bytes, which may be more than fit in memory.
func (c *copier) move(ctx context.Context, from, n uint64) error {
	for n > 0 {
		have := len(c.buf)
		if have == cap(c.buf) {
			if err := errors.Join(ctx.Err(), c.flush()); err != nil {
				return err
			}
			continue
		}
		k := int(min(uint64(cap(c.buf)-have), n))
		c.buf = c.buf[:have+k]
		if _, err := c.tiles.ReadAt(c.buf[have:], int64(from)); err != nil {
			return fmt.Errorf("reading back %d bytes of tiles: %w", k, err)
		}
		from, n = from+uint64(k), n-uint64(k)
	}
	return nil
}

func (c *copier) flush() error {
	_, err := c.out.WriteAt(c.buf, int64(c.at))
	c.at += uint64(len(c.buf))
	c.buf = c.buf[:0]
	return err
}
