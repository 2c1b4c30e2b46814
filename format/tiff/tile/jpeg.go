package tile

import (
	"bytes"
	"errors"
	"sync"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/format/tiff/jpeg"
	"github.com/omnizarr/zarr/format/tiff/pixel"
	"github.com/omnizarr/zarr/internal/buf"
	"github.com/omnizarr/zarr/nd"
)

// jpegDecoder is a decoder with the planes that it last had.
type jpegDecoder struct {
	jpeg.Decoder
	planes [][]byte
}

var jpegDecoders = sync.Pool{New: func() any { return new(jpegDecoder) }}

// converts reports whether JPEG holds YCbCr for samples that are RGB.
func (l *Layout) converts() bool { return l.Photometric == photometricYCbCr && l.Samples == 3 }

// decodeJPEG decodes a JPEG stream, which is the tile's top left, and straight
// into the caller's memory where its rows are. One that ends early is filled up as
// libtiff does it, but not in rows that must be there.
func (l *Layout) decodeJPEG(dst nd.View, src []byte, box nd.Box, want int) error {
	cfg, err := jpeg.ReadConfig(src)
	if err != nil {
		return codec.Bad("%v", err)
	}
	switch {
	case cfg.Components != l.Samples:
		return codec.Bad("JPEG: the image has %d components, samples_per_pixel is %d", cfg.Components, l.Samples)
	case cfg.Width > l.Width || cfg.Height > l.Height:
		return codec.Bad("JPEG: the image's size is %d by %d, larger than the tile's, %d by %d", cfg.Width, cfg.Height, l.Width, l.Height)
	}
	n := cfg.Components * cfg.Width * cfg.Height
	d := jpegDecoders.Get().(*jpegDecoder)
	defer func() {
		clear(d.planes)
		jpegDecoders.Put(d)
	}()
	opt := jpeg.DecodeOptions{Tables: l.JPEGTables, RGB: l.converts()}
	room := dst
	direct := box.Covers([]int{l.Samples, l.Height, l.Width}) && byRows(dst)
	if !direct {
		hold := buf.Get(n)
		defer hold.Free()
		room = nd.Of(hold.B[:n], 1, cfg.Components, cfg.Height, cfg.Width)
	}
	if _, err := d.Decode(d.into(room), src, opt); err != nil {
		var cut *jpeg.CutError
		if !errors.As(err, &cut) || cut.Row < min(want, box.Start[1]+box.Shape[1]) {
			return l.explain(err)
		}
	}
	inside := [2]int{min(max(cfg.Height-box.Start[1], 0), box.Shape[1]), min(max(cfg.Width-box.Start[2], 0), box.Shape[2])}
	if !direct {
		part := nd.Box{Start: box.Start, Shape: []int{box.Shape[0], inside[0], inside[1]}}
		to := dst
		to.Shape = part.Shape
		if to.Len() > 0 {
			d.copy(to, room.Box(part))
		}
	}
	zero(dst.Box(nd.Box{Start: []int{0, inside[0], 0}, Shape: []int{box.Shape[0], box.Shape[1] - inside[0], box.Shape[2]}}))
	zero(dst.Box(nd.Box{Start: []int{0, 0, inside[1]}, Shape: []int{box.Shape[0], inside[0], box.Shape[2] - inside[1]}}))
	return nil
}

// explain says what an error has to do with the tables that a stream leaves to
// the file.
func (l *Layout) explain(err error) error {
	switch {
	case errors.Is(err, jpeg.ErrTables):
		return codec.Bad("%v: jpeg_tables are damaged", err)
	case errors.Is(err, jpeg.ErrNoTable) && len(l.JPEGTables) == 0:
		return codec.Bad("%v: jpeg_tables are needed", err)
	}
	return codec.Bad("%v", err)
}

// byRows reports whether the samples of a row follow one another, and rows
// each other without overlap.
func byRows(v nd.View) bool {
	return (v.Shape[2] == 1 || v.Strides[2] == 1) && (v.Shape[1] == 1 || v.Strides[1] >= v.Shape[2])
}

// into is the planes of memory that is byRows.
func (d *jpegDecoder) into(v nd.View) jpeg.Planes {
	d.planes = d.planes[:0]
	p := jpeg.Planes{Stride: max(v.Strides[1], v.Shape[2]), Width: v.Shape[2], Height: v.Shape[1]}
	for s := range v.Shape[0] {
		at := v.Offset + s*v.Strides[0]
		end := at + (v.Shape[1]-1)*p.Stride + v.Shape[2]
		if v.Shape[1] == 1 {
			end = at + v.Shape[2]
		}
		d.planes = append(d.planes, v.Data[at:end:end])
	}
	p.Data = d.planes
	return p
}

// byPixels reports whether the samples of a pixel follow one another, and pixels each
// other, as image programs have them.
func byPixels(v nd.View) bool {
	return v.Size == 1 && v.Strides[0] == 1 && v.Strides[2] == v.Shape[0] && v.Shape[0] > 1
}

// copy copies planes to pixels, or pixels to planes, a row at a time with the kernels
// that there are for it, and anything else as it is.
func (d *jpegDecoder) copy(dst, src nd.View) {
	switch {
	case byPixels(dst) && byRows(src):
		for y := range dst.Shape[1] {
			pixel.Join(pixelRow(dst, y), d.row(src, y), 1)
		}
	case byRows(dst) && byPixels(src):
		for y := range dst.Shape[1] {
			pixel.Split(d.row(dst, y), pixelRow(src, y), 1)
		}
	default:
		nd.Copy(dst, src)
	}
}

// pixelRow is row y of memory that is byPixels.
func pixelRow(v nd.View, y int) []byte {
	at := v.Offset + y*v.Strides[1]
	return v.Data[at : at+v.Shape[0]*v.Shape[2]]
}

// row is row y of memory that is byRows, by planes.
func (d *jpegDecoder) row(v nd.View, y int) [][]byte {
	d.planes = d.planes[:0]
	for s := range v.Shape[0] {
		at := v.Offset + s*v.Strides[0] + y*v.Strides[1]
		d.planes = append(d.planes, v.Data[at:at+v.Shape[2]])
	}
	return d.planes
}

// appendJPEG appends a JPEG stream. It has no tables if those of the layout are
// the ones that it would have.
func (l *Layout) appendJPEG(dst []byte, src nd.View, e Encoding) ([]byte, error) {
	opt := jpeg.EncodeOptions{Quality: e.Quality, Subsampling: e.Subsampling, RGB: l.converts()}
	if len(l.JPEGTables) > 0 {
		hold := buf.Get(1 << 10)
		hold.B = jpeg.AppendTables(hold.B, l.Samples, opt)
		opt.Abbreviated = bytes.Equal(hold.B, l.JPEGTables)
		hold.Free()
	}
	d := jpegDecoders.Get().(*jpegDecoder)
	defer func() {
		clear(d.planes)
		jpegDecoders.Put(d)
	}()
	if !byRows(src) {
		n := src.Len()
		hold := buf.Get(n)
		defer hold.Free()
		plain := nd.Of(hold.B[:n], 1, src.Shape...)
		d.copy(plain, src)
		src = plain
	}
	return jpeg.AppendEncode(dst, d.into(src), opt)
}

// AppendTables appends what tag 347 holds for tiles that AppendEncode writes with these
// settings: with it in the layout, streams leave their tables out.
func (l *Layout) AppendTables(dst []byte, e Encoding) []byte {
	return jpeg.AppendTables(dst, l.Samples, jpeg.EncodeOptions{Quality: e.Quality, Subsampling: e.Subsampling, RGB: l.converts()})
}
