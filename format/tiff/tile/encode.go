package tile

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/deflate"
	"github.com/omnizarr/zarr/codec/lzma"
	"github.com/omnizarr/zarr/codec/lzw"
	"github.com/omnizarr/zarr/format/tiff/packbits"
	"github.com/omnizarr/zarr/format/tiff/pixel"
	"github.com/omnizarr/zarr/internal/buf"
	"github.com/omnizarr/zarr/internal/zstdenc"
	"github.com/omnizarr/zarr/nd"
)

// Encoding is what encoding needs to know beyond the layout, and decoding does
// not. The zero value suits every layout.
type Encoding struct {
	// Level is how hard to compress: 1 to 9 for Deflate (6 if it is 0) and LZMA
	// (6), -131072 to 22 for Zstandard (3).
	Level int
	// Quality is that of JPEG, 1 to 100 as libjpeg counts, 75 if it is 0.
	Quality int
	// Subsampling is how many pixels across and down share chroma, in JPEG with
	// photometric interpretation 6; 2 and 2 if both are 0.
	Subsampling [2]int
}

// Check says what is wrong with the settings for tiles of a layout, in the names
// of the codec's configuration.
func (e Encoding) Check(l *Layout) error {
	least, most := 0, 0
	switch l.Compression {
	case Deflate, OldDeflate, LZMA:
		least, most = 1, 9
	case Zstd, OldZstd:
		least, most = -131072, 22
	}
	if e.Level != 0 && most == 0 {
		return fmt.Errorf("level is %d with compression %d (%s), which has no levels", e.Level, l.Compression, names[l.Compression])
	}
	if e.Level != 0 && (e.Level < least || e.Level > most) {
		return fmt.Errorf("level is %d: must be from %d to %d", e.Level, least, most)
	}
	if l.Compression != JPEG && (e.Quality != 0 || e.Subsampling != [2]int{}) {
		return fmt.Errorf("quality and subsampling are for JPEG, compression is %d (%s)", l.Compression, names[l.Compression])
	}
	if e.Quality < 0 || e.Quality > 100 {
		return fmt.Errorf("quality is %d: must be from 1 to 100", e.Quality)
	}
	switch e.Subsampling {
	case [2]int{}, [2]int{1, 1}:
	case [2]int{2, 1}, [2]int{2, 2}, [2]int{1, 2}, [2]int{4, 1}:
		if !l.converts() {
			return fmt.Errorf("subsampling is %v: only YCbCr (photometric 6) with 3 samples has chroma to share", e.Subsampling)
		}
	default:
		return fmt.Errorf("subsampling is %v: must be [1 1], [2 1], [2 2], [1 2] or [4 1]", e.Subsampling)
	}
	return nil
}

// AppendEncode appends the tile that src holds, of shape (samples, rows, width).
// Fewer rows than the tile has make a short strip.
func (l *Layout) AppendEncode(dst []byte, src nd.View, e Encoding) ([]byte, error) {
	g, err := l.measure()
	if err == nil {
		err = l.Supported()
	}
	if err == nil {
		err = e.Check(l)
	}
	if err != nil {
		return nil, err
	}
	if len(src.Shape) != 3 || src.Shape[0] != l.Samples || src.Shape[1] < 1 || src.Shape[1] > l.Height || src.Shape[2] != l.Width || src.Size != g.size {
		return nil, fmt.Errorf("samples of shape %v and %d bytes each for a tile of shape [%d %d %d] and %d", src.Shape, src.Size, l.Samples, l.Height, l.Width, g.size)
	}
	if g.planes > 1 && src.Shape[1] < l.Height {
		return nil, fmt.Errorf("%d of %d rows: planes that follow one another must have all", src.Shape[1], l.Height)
	}
	if l.Compression == JPEG {
		return l.appendJPEG(dst, src, e)
	}
	at := len(dst)
	if dst, err = l.appendRaw(dst, &g, src, e); err == nil && l.Backwards {
		reverseBits(dst[at:])
	}
	return dst, err
}

// appendRaw appends a tile of samples that are not JPEG's.
func (l *Layout) appendRaw(dst []byte, g *geometry, src nd.View, e Encoding) ([]byte, error) {
	enc := encoders.Get().(*encoder)
	defer enc.free()
	enc.l, enc.geometry, enc.src = l, *g, src
	n := g.planes * src.Shape[1] * g.row
	if l.Compression == None {
		at := len(dst)
		dst = slices.Grow(dst, n)[:at+n]
		return dst, enc.store(dst[at:])
	}
	hold := buf.Get(n)
	defer hold.Free()
	raw := hold.B[:n]
	if err := enc.store(raw); err != nil {
		return nil, err
	}
	return l.compress(dst, raw, g.row, e.Level)
}

// deflaters are Deflate's filters by level.
var deflaters = sync.OnceValue(func() (f [10]codec.BytesFilter) {
	for level := range f {
		f[level] = filter(deflate.Codec{Level: level, Format: deflate.Zlib})
	}
	return f
})

// compress appends the compressed form of a tile whose rows have so many bytes.
func (l *Layout) compress(dst, raw []byte, row, level int) ([]byte, error) {
	switch l.Compression {
	case LZW:
		return lzw.AppendEncode(dst, raw), nil
	case PackBits:
		return packbits.AppendEncode(dst, raw, row), nil
	case Deflate, OldDeflate:
		if level == 0 {
			level = 6
		}
		return deflaters()[level].Encode(nil, dst, raw)
	case LZMA:
		if level == 0 {
			level = 6
		}
		k, err := lzma.Parse(nil, "numcodecs.lzma", json.RawMessage(fmt.Sprintf(`{"preset":%d}`, level)))
		if err != nil {
			return nil, err
		}
		return filter(k.(codec.BytesToBytes)).Encode(nil, dst, raw)
	default:
		if level == 0 {
			level = 3
		}
		return zstdenc.AppendEncode(dst, raw, level, false), nil
	}
}

// encoder is a tile on its way from the caller's memory.
type encoder struct {
	geometry
	l        *Layout
	src      nd.View
	row1     *buf.Buffer // samples of a row
	planesOf [][]byte    // where the samples of a row are
}

var encoders = sync.Pool{New: func() any { return new(encoder) }}

func (e *encoder) free() {
	e.row1.Free()
	clear(e.planesOf)
	*e = encoder{planesOf: e.planesOf[:0]}
	encoders.Put(e)
}

// store fills out with the rows as they are stored.
func (e *encoder) store(out []byte) error {
	predictor := 1
	if e.l.predicts() {
		predictor = e.l.Predictor
	}
	aside := e.packed() || predictor == 3
	if aside {
		n := e.l.Width * e.spp * e.size
		e.row1 = buf.Get(n)
		e.row1.B = e.row1.B[:n]
	}
	for p := range e.planes {
		for y := range e.src.Shape[1] {
			row := out[:e.row]
			out = out[e.row:]
			if aside {
				elems := e.row1.B
				e.gather(elems, p, y)
				if predictor == 3 {
					pixel.Float(row, elems, e.spp, e.size)
					continue
				}
				if err := e.fits(elems, p, y); err != nil {
					return err
				}
				if e.l.little24() {
					narrow(row, elems)
				} else {
					pixel.Pack(row, elems, e.bits, e.size)
				}
				continue
			}
			e.gather(row, p, y)
			if predictor == 2 {
				pixel.Delta(row, e.spp, e.size)
			}
			if e.l.BigEndian {
				pixel.Swap(row, e.unit)
			}
		}
	}
	return nil
}

// gather fills row with the samples of row y: of plane p, or all together.
func (e *encoder) gather(row []byte, p, y int) {
	at := e.src.Offset + p*e.src.Strides[0] + y*e.src.Strides[1]
	n := e.l.Width * e.size
	if e.src.Strides[2] == e.size {
		if e.spp == 1 {
			copy(row, e.src.Data[at:at+n])
			return
		}
		e.planesOf = e.planesOf[:0]
		for s := range e.spp {
			from := at + s*e.src.Strides[0]
			e.planesOf = append(e.planesOf, e.src.Data[from:from+n])
		}
		pixel.Join(row, e.planesOf, e.size)
		return
	}
	shape := [2]int{e.spp, e.l.Width}
	from := [2]int{e.src.Strides[0], e.src.Strides[2]}
	to := [2]int{e.size, e.spp * e.size}
	nd.Copy(nd.View{Data: row, Size: e.size, Shape: shape[:], Strides: to[:]},
		nd.View{Data: e.src.Data, Offset: at, Size: e.size, Shape: shape[:], Strides: from[:]})
}

// fits reports samples that have more bits than are stored.
func (e *encoder) fits(elems []byte, p, y int) error {
	all := uint32(0) // the bits that any sample has
	switch e.size {
	case 1:
		for _, x := range elems {
			all |= uint32(x)
		}
	case 2:
		for i := 0; i+2 <= len(elems); i += 2 {
			all |= uint32(binary.LittleEndian.Uint16(elems[i:]))
		}
	default:
		for i := 0; i+4 <= len(elems); i += 4 {
			all |= binary.LittleEndian.Uint32(elems[i:])
		}
	}
	if all>>e.bits == 0 {
		return nil
	}
	for i := 0; i < len(elems); i += e.size {
		var b [4]byte
		copy(b[:], elems[i:i+e.size])
		if x := binary.LittleEndian.Uint32(b[:]); x>>e.bits != 0 {
			at := i / e.size
			return fmt.Errorf("sample %d of row %d, column %d, is %d: it does not fit into %d bits", p+at%e.spp, y, at/e.spp, x, e.bits)
		}
	}
	return nil
}
