package hdf5

import (
	"errors"
	"fmt"
)

// Read reads a box of elements, as they are stored and in C order. Start and
// count have a number for each axis; dst has room for the elements. Those that
// are not stored have the fill value.
func (d *Dataset) Read(dst []byte, start, count []uint64) error {
	return d.read(&reading{left: 1 << 16}, dst, start, count)
}

// ReadAll reads all elements, of which there may be [Options.MaxRead] bytes.
func (d *Dataset) ReadAll() ([]byte, error) {
	n, err := d.bytes()
	if err != nil {
		return nil, err
	}
	if d.Layout.Class == Contiguous && d.Layout.Address != Undefined && len(d.Externals) == 0 {
		if err := d.file.check("layout: contiguous data", d.Layout.Address, n); err != nil {
			return nil, err // before memory is made for it
		}
	}
	if most := d.file.o.MaxRead; n > uint64(most) {
		return nil, wrong("dataspace", d.Address(), "has %d bytes, at most %d are read at once; Options.MaxRead lifts it", n, most)
	}
	dst := make([]byte, n)
	return dst, d.Read(dst, make([]uint64, len(d.Space.Shape)), d.Space.Shape)
}

func (d *Dataset) read(r *reading, dst []byte, start, count []uint64) error {
	shape := d.Space.Shape
	if len(start) != len(shape) || len(count) != len(shape) {
		return fmt.Errorf("a box of rank %d of a dataset of rank %d", len(start), len(shape))
	}
	for i, n := range shape {
		if start[i] > n || count[i] > n-start[i] {
			return fmt.Errorf("%d elements from %d of axis %d, which has %d", count[i], start[i], i, n)
		}
	}
	n, ok := product(count)
	if d.Space.Kind == Null {
		n = 0
	}
	if size := uint64(d.Type.Size); !ok || n > uint64(len(dst))/size || n*size != uint64(len(dst)) {
		return fmt.Errorf("room of %d bytes for %d elements of %d", len(dst), n, size)
	}
	if n == 0 {
		return nil
	}
	switch d.Layout.Class {
	case Compact:
		copyBox(dst, count, make([]uint64, len(count)), d.Layout.Data, shape, start, count, d.Type.Size)
		return nil
	case Contiguous:
		return d.readContiguous(dst, start, count)
	case Virtual:
		return d.readVirtual(r, dst, start, count)
	}
	return d.readChunks(dst, start, count)
}

// readContiguous reads rows of elements that lie together.
func (d *Dataset) readContiguous(dst []byte, start, count []uint64) error {
	l := &d.Layout
	if len(d.Externals) == 0 && l.Address == Undefined {
		d.Fill.fill(dst, d.Type.Size)
		return nil
	}
	total, err := d.bytes()
	if err != nil {
		return err
	}
	if len(d.Externals) == 0 {
		if err := d.file.check("layout: contiguous data", l.Address, total); err != nil {
			return err
		}
	}
	return rows(d.Space.Shape, start, count, d.Type.Size, func(off uint64, at, n int) error {
		if len(d.Externals) > 0 {
			return d.readExternal(dst[at:at+n], off)
		}
		return d.file.pages.readAt(dst[at:at+n], d.file.base+int64(l.Address+off))
	})
}

// rows calls do for runs of bytes of a box that lie together in an array: where
// they begin there and in the box, and how many they are.
func rows(shape, start, count []uint64, size int, do func(off uint64, at, n int) error) error {
	rank := len(shape)
	// Axes from k on are whole, and so lie together with part of the one before.
	k := rank
	for k > 0 && start[k-1] == 0 && count[k-1] == shape[k-1] {
		k--
	}
	run := size
	for i := max(k-1, 0); i < rank; i++ {
		run *= int(count[i])
	}
	outer := max(k-1, 0)
	index := make([]uint64, outer)
	for at := 0; ; at += run {
		off := uint64(0)
		for i := range rank {
			x := start[i]
			if i < outer {
				x += index[i]
			}
			off = off*shape[i] + x
		}
		if err := do(off*uint64(size), at, run); err != nil {
			return err
		}
		if !next(index, count[:outer]) {
			return nil
		}
	}
}

// copyBox copies a box of elements from one array to another.
func copyBox(dst []byte, dstShape, dstStart []uint64, src []byte, srcShape, srcStart, count []uint64, size int) {
	rank := len(count)
	index := make([]uint64, max(rank-1, 0))
	run := size
	if rank > 0 {
		run *= int(count[rank-1])
	}
	for {
		var d, s uint64
		for i := range rank {
			x, y := dstStart[i], srcStart[i]
			if i < rank-1 {
				x, y = x+index[i], y+index[i]
			}
			d, s = d*dstShape[i]+x, s*srcShape[i]+y
		}
		copy(dst[d*uint64(size):][:run], src[s*uint64(size):][:run])
		if rank < 2 || !next(index, count[:rank-1]) {
			return
		}
	}
}

// readChunks reads a box from the chunks that it touches.
func (d *Dataset) readChunks(dst []byte, start, count []uint64) error {
	size, err := d.chunkSize()
	if err != nil {
		return err
	}
	if size > uint64(d.file.o.MaxChunk) {
		return wrong("layout", d.Address(), "chunks of %d bytes are larger than the limit of %d", size, d.file.o.MaxChunk)
	}
	shape := d.Layout.Chunk
	rank := len(shape)
	first, grid := make([]uint64, rank), make([]uint64, rank)
	for i := range rank {
		first[i] = start[i] / shape[i]
		grid[i] = (start[i]+count[i]-1)/shape[i] - first[i] + 1
	}
	index, at := make([]uint64, rank), make([]uint64, rank)
	from, to, n := make([]uint64, rank), make([]uint64, rank), make([]uint64, rank)
	var filled []byte
	for {
		for i := range rank {
			at[i] = first[i] + index[i]
			lo, hi := max(start[i], at[i]*shape[i]), min(start[i]+count[i], (at[i]+1)*shape[i])
			from[i], to[i], n[i] = lo-at[i]*shape[i], lo-start[i], hi-lo
		}
		c, ok, err := d.Chunk(at)
		if err != nil {
			return err
		}
		if ok {
			b, err := d.ReadChunk(c)
			if err != nil {
				return fmt.Errorf("chunk %d: %w", at, err)
			}
			copyBox(dst, count, to, b, shape, from, n, d.Type.Size)
		} else {
			k, _ := product(n)
			if want := int(k) * d.Type.Size; len(filled) < want {
				filled = make([]byte, want)
				d.Fill.fill(filled, d.Type.Size)
			}
			copyBox(dst, count, to, filled, n, make([]uint64, rank), n, d.Type.Size)
		}
		if !next(index, grid) {
			return nil
		}
	}
}

// ReadChunk reads and decodes a chunk.
func (d *Dataset) ReadChunk(c Chunk) ([]byte, error) {
	size, err := d.chunkSize()
	if err != nil {
		return nil, err
	}
	if size > uint64(d.file.o.MaxChunk) || c.Size > uint64(d.file.o.MaxChunk)+1<<20 {
		return nil, wrong("layout", d.Address(), "chunks of %d bytes are larger than the limit of %d", max(size, c.Size), d.file.o.MaxChunk)
	}
	if c.Offset < d.file.base {
		return nil, errors.New("the chunk lies in front of the file")
	}
	at := uint64(c.Offset - d.file.base)
	if err := d.file.check("chunk", at, c.Size); err != nil {
		return nil, err
	}
	b := make([]byte, c.Size)
	if err := d.file.pages.readAt(b, c.Offset); err != nil {
		return nil, wrong("chunk", at, "%w", err)
	}
	b, err = d.file.decode(b, d.Filters, c.Mask, int(size))
	if err != nil {
		return nil, wrong("chunk", at, "%w", err)
	}
	return b, nil
}
