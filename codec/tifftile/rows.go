package tifftile

import (
	"context"
	"errors"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/format/tiff/tile"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store"
)

// How much is read at once of a tile that is not compressed, so that a strip of
// many gigabytes needs no such memory, and how many unwanted bytes of a row are
// read along rather than asking for each row.
const (
	nearPiece = 1 << 20
	nearGap   = 8 << 10
	farPiece  = 16 << 20
	farGap    = 1 << 20
)

// reader reads parts of a tile that is not compressed.
type reader struct {
	ctx        context.Context
	ck         *codec.Chunk
	src        codec.Source
	l          tile.Layout // of one of the planes that follow one another
	row        int         // bytes of a row
	pixel      int         // bytes of a pixel; 0: pixels are not whole bytes
	plain      bool        // bytes are samples as they lie in memory
	piece, gap int
	hold       *codec.Buffer
}

// readRows fills v with a box of the tile by ranges. short says that the source
// ends too early: it has to be read as a whole, to see how much is there.
func (s *serializer) readRows(ctx context.Context, ck *codec.Chunk, src codec.Source, box nd.Box, v nd.View) (short bool, err error) {
	l := s.layout
	r := reader{ctx: ctx, ck: ck, src: src, l: l, row: l.RowBytes(), piece: farPiece, gap: farGap}
	if store.IsNear(src) {
		r.piece, r.gap = nearPiece, nearGap
	}
	r.piece = min(r.piece, ck.Piece())
	defer func() { r.hold.Free() }()
	planes := nd.Box{Start: []int{0, box.Start[1], box.Start[2]}, Shape: box.Shape}
	first, count := 0, 1
	if l.Planar == 2 && l.Samples > 1 {
		first, count = box.Start[0], box.Shape[0]
		r.l.Samples, r.l.Planar = 1, 1
		planes.Shape = []int{1, box.Shape[1], box.Shape[2]}
	} else {
		planes.Start[0] = box.Start[0]
	}
	if l.Packed == 0 && l.BitsPerSample >= 8 {
		r.pixel = r.l.Samples * s.esize
		r.plain = r.l.Samples == 1 && (!l.BigEndian || s.esize == 1) && !l.Backwards
	}
	v.Shape = planes.Shape
	for p := range count {
		part := v
		part.Offset += p * v.Strides[0]
		if err := r.plane((first+p)*l.Height*r.row, planes, part); err != nil {
			return errors.Is(err, store.ErrRange), err
		}
	}
	return false, nil
}

// plane reads a box of the plane that begins at byte off.
func (r *reader) plane(off int, box nd.Box, v nd.View) error {
	step := max(1, r.piece/r.row)
	useful := box.Shape[2] * r.pixel
	if r.pixel > 0 && useful < r.row && (r.row > r.piece || r.row-useful > max(r.gap, useful)) || r.pixel > 0 && r.row > r.piece {
		return r.columns(off, box, v)
	}
	for y := 0; y < box.Shape[1]; y += step {
		k := min(step, box.Shape[1]-y)
		part := v
		part.Offset += y * v.Strides[1]
		part.Shape = []int{v.Shape[0], k, v.Shape[2]}
		sub := r.l
		sub.Height = k
		rows := nd.Box{Start: []int{box.Start[0], 0, box.Start[2]}, Shape: part.Shape}
		if err := r.get(off+(box.Start[1]+y)*r.row, k*r.row, &sub, rows, part); err != nil {
			return err
		}
	}
	return nil
}

// columns reads the columns of each row by themselves.
func (r *reader) columns(off int, box nd.Box, v nd.View) error {
	step := max(1, r.piece/r.pixel)
	for y := range box.Shape[1] {
		for x := 0; x < box.Shape[2]; x += step {
			k := min(step, box.Shape[2]-x)
			part := v
			part.Offset += y*v.Strides[1] + x*v.Strides[2]
			part.Shape = []int{v.Shape[0], 1, k}
			sub := r.l
			sub.Width, sub.Height = k, 1
			at := off + (box.Start[1]+y)*r.row + (box.Start[2]+x)*r.pixel
			if err := r.get(at, k*r.pixel, &sub, nd.Box{Start: []int{box.Start[0], 0, 0}, Shape: part.Shape}, part); err != nil {
				return err
			}
		}
	}
	return nil
}

// get reads n bytes, which are a small tile of their own, and fills v with a box
// of it.
func (r *reader) get(off, n int, l *tile.Layout, box nd.Box, v nd.View) error {
	whole := box.Start[0] == 0 && box.Start[2] == 0 && box.Shape[2] == l.Width
	if mem, ok := v.Contiguous(); ok && r.plain && whole {
		out, _, err := r.src.Get(r.ctx, store.Part(int64(off), int64(n)), mem[:0:n])
		if err == nil && &out[0] != &mem[0] {
			copy(mem, out)
		}
		return err
	}
	if r.hold == nil || cap(r.hold.B) < n {
		r.hold.Free()
		var err error
		if r.hold, err = r.ck.Lend(n); err != nil {
			return err
		}
	}
	out, _, err := r.src.Get(r.ctx, store.Part(int64(off), int64(n)), r.hold.B[:0])
	if err != nil {
		return err
	}
	r.hold.B = out
	return l.DecodeBox(v, out, box, l.Height)
}
