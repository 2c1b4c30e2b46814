package pad

import (
	"errors"
	"fmt"
	"math"

	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/nd"
)

// TIFFOptions say how chunks become images. The zero value suits most chunks.
type TIFFOptions struct {
	// Samples says which axis of a chunk is the samples of a pixel.
	Samples Samples
	// Tiles describes the chunk as one tile, whose lengths must be multiples of
	// 16, and not as one strip.
	Tiles bool
	// Big writes BigTIFF also where the chunks have less than 4 GiB.
	Big bool
}

// Samples is how the axes of a chunk are laid out in an image. The axes are those
// of the bytes, behind a transpose.
type Samples uint8

const (
	// AutoSamples is Interleaved if there are three axes or more and the last
	// has two to four elements, Planar if there are several bands and no
	// compression, else Stacked.
	AutoSamples Samples = iota
	// Interleaved: the last axis is the samples of a pixel, the one before it
	// the columns; those before are rows.
	Interleaved
	// Planar: the last two axes are rows and columns, and those before are
	// bands. A compressed chunk is one stream and cannot be that, since each
	// band is a strip of its own.
	Planar
	// Stacked: the last axis is the columns and all others are rows: bands stand
	// below each other in one image.
	Stacked
)

// TIFF makes every chunk a TIFF file of one image, in one strip or tile. The byte
// order of the file is that of the codec "bytes". Behind it may stand nothing,
// zlib (also as numcodecs.zlib), zstd or lzw: the tag for the compression is
// made from it, and the byte counts are those of the very chunk. BigTIFF is used
// where a chunk can reach past 4 GiB.
//
// A chunk is stored whole also at the edge of the array, so every image has the
// size of the chunk.
func TIFF(o TIFFOptions) Format {
	return Format{Name: "tiff", Func: fillTIFF, plan: func(p *plan) error { return planTIFF(p, o) }}
}

// tiffCompression gives the value of the tag for a codec.
var tiffCompression = map[string]uint64{"": 1, "lzw": 5, "imagecodecs_lzw": 5, "zlib": 8, "numcodecs.zlib": 8, "zstd": 50000, "numcodecs.zstd": 50000}

// tiffAlign is what the size of a header is a multiple of: elements behind it
// are aligned in memory.
const tiffAlign = 16

func planTIFF(p *plan, o TIFFOptions) error {
	bits, format, err := sampleFormat(p.bytes.Type)
	if err != nil {
		return err
	}
	endian, err := p.endian()
	if err != nil {
		return err
	}
	name, err := p.compressor()
	if err != nil {
		return err
	}
	compression, ok := tiffCompression[name]
	if !ok {
		return fmt.Errorf("codec %s is no compression of TIFF", name)
	}
	im, err := imageOf(p.bytes.Shape, o.Samples, compression != 1)
	if err != nil {
		return err
	}
	if o.Tiles && (im.width%16 != 0 || im.length%16 != 0) {
		return fmt.Errorf("tiles of %d × %d: lengths must be multiples of 16", im.length, im.width)
	}
	raw, ok := nd.Bytes(p.bytes.Shape, p.bytes.Type.Size())
	if !ok {
		return errors.New("a chunk has more bytes than can be counted")
	}
	most := raw
	if p.size.Known {
		most = max(raw, p.size.N)
	}
	const room = 1 << 24 // for the header itself
	d := &ifd{bigEndian: endian == "big", big: o.Big || uint64(most) > math.MaxUint32-room, fields: map[uint16]field{}}
	d.describe(im, bits, format, compression, o.Tiles)
	counted := 0
	if compression == 1 {
		counted = raw
	}
	d.place(im, 0, counted)
	head, err := d.append(nil)
	if err != nil {
		return err
	}
	size := (len(head) + tiffAlign - 1) / tiffAlign * tiffAlign
	d.place(im, size, counted)
	if head, err = d.append(make([]byte, 0, size)); err != nil {
		return err
	}
	p.header = head[:size]
	return nil
}

// sampleFormat gives the bits of a sample and the value of the tag SampleFormat.
func sampleFormat(t dtype.Type) (bits, format uint64, err error) {
	units := t.Units()
	if len(units) > 0 {
		u := units[0]
		whole := u.Bits == 8*u.Width
		switch t.Kind() {
		case dtype.Bool:
			return 8, 1, nil
		case dtype.Uint:
			if whole {
				return uint64(u.Bits), 1, nil
			}
		case dtype.Int:
			if whole {
				return uint64(u.Bits), 2, nil
			}
		case dtype.Float:
			switch t.Name() {
			case "float16", "float32", "float64":
				return uint64(u.Bits), 3, nil
			}
		case dtype.Complex:
			switch t.Name() {
			case "complex64", "complex128", "complex_float32", "complex_float64":
				return uint64(2 * u.Bits), 6, nil
			}
		}
	}
	return 0, 0, fmt.Errorf("TIFF and %s: %w", t.Name(), ErrType)
}

// image is the geometry of a chunk.
type image struct {
	width, length int
	samples       int
	planar        bool
}

// imageOf lays the axes of a chunk out.
func imageOf(shape []int, how Samples, compressed bool) (image, error) {
	rank := len(shape)
	axis := func(back int) int { // the length of an axis, from the last
		if back > rank {
			return 1
		}
		return shape[rank-back]
	}
	before := func(n int) int { // all elements along the axes before the last n
		out := 1
		for _, k := range shape[:max(rank-n, 0)] {
			out *= k
		}
		return out
	}
	if how == AutoSamples {
		switch {
		case rank >= 3 && axis(1) >= 2 && axis(1) <= 4:
			how = Interleaved
		case before(2) > 1 && before(2) <= math.MaxUint16 && !compressed:
			how = Planar
		default:
			how = Stacked
		}
	}
	var im image
	switch how {
	case Interleaved:
		if rank < 2 {
			return im, fmt.Errorf("a chunk of shape %v has no axis for samples", shape)
		}
		im = image{width: axis(2), length: before(2), samples: axis(1)}
	case Planar:
		im = image{width: axis(1), length: axis(2), samples: before(2), planar: true}
		if compressed && im.samples > 1 {
			return im, fmt.Errorf("a compressed chunk of shape %v is one stream and not one for each band: samples must be interleaved or stacked", shape)
		}
	default:
		im = image{width: axis(1), length: before(1), samples: 1}
	}
	switch {
	case im.samples > math.MaxUint16:
		return im, fmt.Errorf("%d samples: TIFF has at most %d", im.samples, math.MaxUint16)
	case int64(im.width) > math.MaxUint32 || int64(im.length) > math.MaxUint32:
		return im, fmt.Errorf("an image of %d × %d is larger than TIFF can say", im.length, im.width)
	}
	return im, nil
}

// describe sets the tags that do not depend on where the data lies.
func (d *ifd) describe(im image, bits, format, compression uint64, tiles bool) {
	d.size(im, tiles)
	d.set(tagBitsPerSample, typeShort, repeat(bits, im.samples)...)
	d.set(tagCompression, typeShort, compression)
	photometric, colours := uint64(1), 1 // black is zero
	if (im.samples == 3 || im.samples == 4) && !im.planar && format == 1 && bits <= 16 {
		photometric, colours = 2, 3
	}
	d.set(tagPhotometric, typeShort, photometric)
	d.set(tagSamplesPerPixel, typeShort, uint64(im.samples))
	planar := uint64(1)
	if im.planar {
		planar = 2
	}
	d.set(tagPlanarConfig, typeShort, planar)
	if im.samples > colours {
		d.set(tagExtraSamples, typeShort, repeat(0, im.samples-colours)...)
	}
	d.set(tagSampleFormat, typeShort, repeat(format, im.samples)...)
}

func repeat(v uint64, n int) []uint64 {
	out := make([]uint64, n)
	for i := range out {
		out[i] = v
	}
	return out
}

// size sets the tags of the image's size.
func (d *ifd) size(im image, tiles bool) {
	w, l := uint64(im.width), uint64(im.length)
	d.set(tagImageWidth, typeLong, w)
	d.set(tagImageLength, typeLong, l)
	if tiles {
		d.set(tagTileWidth, typeLong, w)
		d.set(tagTileLength, typeLong, l)
	} else {
		d.set(tagRowsPerStrip, typeLong, l)
	}
}

// place sets where the data lies: bytes from at on, in as many parts as there are
// bands.
func (d *ifd) place(im image, at, bytes int) {
	parts := 1
	if im.planar {
		parts = im.samples
	}
	offsets, counts := repeat(0, parts), repeat(uint64(bytes/parts), parts)
	for i := range offsets {
		offsets[i] = uint64(at + i*(bytes/parts))
	}
	typ := uint16(typeLong)
	if d.big {
		typ = typeLong8
	}
	if _, tiles := d.fields[tagTileWidth]; tiles {
		d.set(tagTileOffsets, typ, offsets...)
		d.set(tagTileByteCounts, typ, counts...)
		return
	}
	d.set(tagStripOffsets, typ, offsets...)
	d.set(tagStripByteCounts, typ, counts...)
}

// fillTIFF writes the header for a chunk where metadata has one: the same with
// the size and the byte counts of the chunk.
func fillTIFF(c *Context) ([]byte, error) {
	if c.Location != Start {
		return c.Static(), nil
	}
	d, ok := parseIFD(c.literal)
	if !ok {
		return c.Static(), nil
	}
	compressed := d.get(tagCompression, 1) != 1
	im, err := d.fit(c, compressed)
	if err != nil {
		return nil, err
	}
	raw, _ := nd.Bytes(c.Shape, c.Type.Size())
	if !compressed && len(c.Data) != raw {
		return nil, fmt.Errorf("TIFF header says that the data is not compressed, but it has %d bytes and not %d", len(c.Data), raw)
	}
	d.place(im, c.Size, len(c.Data))
	out, err := d.append(c.Room)
	if err != nil {
		return nil, err
	}
	if len(out) > c.Size {
		return nil, fmt.Errorf("the TIFF header needs %d bytes, there are %d", len(out), c.Size)
	}
	n := len(out)
	out = out[:c.Size]
	clear(out[n:])
	return out, nil
}

// fit finds how the header lays chunks out, and sets the size of this one.
func (d *ifd) fit(c *Context, compressed bool) (image, error) {
	_, tiles := d.fields[tagTileWidth]
	im := image{
		width: int(d.get(tagImageWidth, 0)), length: int(d.get(tagImageLength, 0)),
		samples: int(d.get(tagSamplesPerPixel, 1)), planar: d.get(tagPlanarConfig, 1) == 2,
	}
	for _, how := range []Samples{Stacked, Interleaved, Planar} {
		if same, err := imageOf(c.Shape, how, compressed); err == nil && same == im {
			return im, nil
		}
	}
	// A chunk of another shape than the header in metadata is for, as grids that
	// are not regular have them.
	how := Stacked
	switch {
	case im.planar:
		how = Planar
	case im.samples > 1:
		how = Interleaved
	}
	fitted, err := imageOf(c.Shape, how, compressed)
	if err != nil {
		return im, err
	}
	if fitted.samples != im.samples {
		return im, fmt.Errorf("a chunk of shape %v has %d samples, the TIFF header %d", c.Shape, fitted.samples, im.samples)
	}
	d.size(fitted, tiles)
	return fitted, nil
}
