// Package tile decodes and encodes the tiles and strips of TIFF files: the bytes
// that an entry of TileOffsets or StripOffsets leads to, in every compression,
// predictor, byte order and arrangement of samples that this module knows.
//
// A Layout says what a directory of the file says about all its tiles. Samples
// come out band after band, of shape (samples, rows, width), little-endian,
// straight into the caller's memory. Strips are tiles that are as wide as the
// image.
package tile

import (
	"errors"
	"fmt"
	"math"

	"github.com/omnizarr/zarr/nd"
)

// Layout says how the bytes of a tile are to be understood. The fields are the
// tags of the same name, in TIFF's numbers.
type Layout struct {
	Compression   int
	BitsPerSample int // 1, 8, 16, 32, 64 or 128, as the sample format allows
	Samples       int // samples per pixel
	Photometric   int
	Planar        int // 1: the samples of a pixel stand together; 2: plane follows plane
	Predictor     int
	Width, Height int
	SampleFormat  int
	JPEGTables    []byte // tag 347, may be nil
	BigEndian     bool   // the file's byte order
	// Backwards says that the bits of every byte stand in reverse order, which is
	// FillOrder 2. JPEG is as usual in such files.
	Backwards bool
	// Packed is the number of bits of a stored sample where it is less than
	// BitsPerSample, such as 12 for samples that are 16 bits in memory: the most
	// significant bit comes first, and rows begin on bytes. 24 bits are whole
	// bytes and have the file's byte order. 0 stands for BitsPerSample.
	Packed int
}

// Check says what is wrong with the layout, in the names that the codec's
// configuration has. A compression that cannot be decoded is not wrong: see
// Supported.
func (l *Layout) Check() error {
	_, err := l.measure()
	return err
}

// RowBytes is how many bytes a stored row has before compression; of one plane, if
// planes follow one another. It is 0 if the layout is wrong.
func (l *Layout) RowBytes() int {
	g, err := l.measure()
	if err != nil {
		return 0
	}
	return g.row
}

// geometry is what follows from a layout.
type geometry struct {
	planes int // that follow one another: 1, or the number of samples
	spp    int // samples that stand together
	size   int // bytes of a sample in memory
	bits   int // of a stored sample
	unit   int // bytes that are swapped together
	row    int // bytes of a stored row
	total  int // bytes of the stored tile
}

// packed reports whether stored samples are not whole bytes as in memory.
func (g *geometry) packed() bool { return g.bits != 8*g.size }

// measure checks the layout and works out its geometry.
func (l *Layout) measure() (geometry, error) {
	var g geometry
	if _, known := names[l.Compression]; !known {
		return g, fmt.Errorf("compression is %d: TIFF has no compression of that number", l.Compression)
	}
	for _, f := range [...]struct {
		key       string
		v, lo, hi int
	}{
		{"samples_per_pixel", l.Samples, 1, math.MaxUint16},
		{"photometric", l.Photometric, 0, math.MaxUint16},
		{"planar_config", l.Planar, 1, 2},
		{"predictor", l.Predictor, 0, math.MaxUint16},
		{"tile_width", l.Width, 1, math.MaxInt32},
		{"tile_height", l.Height, 1, math.MaxInt32},
		{"sample_format", l.SampleFormat, 1, 6},
	} {
		if f.v < f.lo || f.v > f.hi {
			return g, fmt.Errorf("%s is %d: must be from %d to %d", f.key, f.v, f.lo, f.hi)
		}
	}
	if err := l.checkBits(); err != nil {
		return g, err
	}
	if err := l.checkPredictor(); err != nil {
		return g, err
	}
	g = geometry{planes: 1, spp: l.Samples, size: max(l.BitsPerSample/8, 1), bits: l.BitsPerSample}
	if l.Packed != 0 {
		g.bits = l.Packed
	}
	if l.Planar == 2 {
		g.planes, g.spp = l.Samples, 1
	}
	g.unit = g.size
	if l.SampleFormat == sampleComplex {
		g.unit = g.size / 2
	}
	// These are below 2^16 * 2^31 * 2^7.
	g.row = (l.Width*g.spp*g.bits + 7) / 8
	var ok bool
	if g.total, ok = nd.Bytes([]int{g.planes, l.Height}, g.row); ok {
		_, ok = nd.Bytes([]int{l.Samples, l.Height, l.Width}, g.size)
	}
	if !ok {
		return g, fmt.Errorf("tile_width %d, tile_height %d and samples_per_pixel %d make more bytes than can be counted", l.Width, l.Height, l.Samples)
	}
	return g, nil
}

// The values of SampleFormat that differ from unsigned integers.
const (
	sampleSigned     = 2
	sampleFloat      = 3
	sampleVoid       = 4 // bits of no known meaning, shown as unsigned integers
	sampleComplexInt = 5
	sampleComplex    = 6
)

func (l *Layout) checkBits() error {
	if l.Packed != 0 {
		switch l.BitsPerSample {
		case 8, 16, 32:
		default:
			return fmt.Errorf("packed_bits is %d with bits_per_sample %d: that must be 8, 16 or 32", l.Packed, l.BitsPerSample)
		}
		if l.Packed < 1 || l.Packed >= l.BitsPerSample {
			return fmt.Errorf("packed_bits is %d: must be from 1 to %d, less than bits_per_sample", l.Packed, l.BitsPerSample-1)
		}
		if l.SampleFormat != 1 && l.SampleFormat != sampleVoid {
			return fmt.Errorf("packed_bits is %d with sample_format %d: only unsigned integers are packed", l.Packed, l.SampleFormat)
		}
	}
	if _, err := l.DataType(); err != nil {
		return err
	}
	if l.Compression == JPEG {
		if l.BitsPerSample != 8 || l.Packed != 0 || l.SampleFormat == sampleFloat {
			return fmt.Errorf("bits_per_sample is %d with compression 7 (JPEG): must be 8", l.storedBits())
		}
		if l.Planar == 2 && l.Samples > 1 {
			return fmt.Errorf("planar_config is 2 with compression 7 (JPEG) and samples_per_pixel %d: a JPEG stream holds one plane", l.Samples)
		}
	}
	return nil
}

func (l *Layout) storedBits() int {
	if l.Packed != 0 {
		return l.Packed
	}
	return l.BitsPerSample
}

// predicts reports whether the predictor counts: those of other compressions are
// ignored, as everywhere.
func (l *Layout) predicts() bool {
	switch l.Compression {
	case LZW, Deflate, OldDeflate, LZMA, Zstd, OldZstd:
		return l.Predictor != 1
	}
	return false
}

func (l *Layout) checkPredictor() error {
	if !l.predicts() {
		return nil
	}
	switch l.Predictor {
	case 2:
		if l.Packed != 0 || l.BitsPerSample < 8 || l.BitsPerSample > 64 {
			return fmt.Errorf("predictor is 2 with samples of %d bits: these must be 8, 16, 32 or 64", l.storedBits())
		}
		if l.BigEndian && l.SampleFormat == sampleComplex {
			return errors.New("predictor is 2 with complex samples, whose big-endian form has no differences")
		}
	case 3:
		if l.SampleFormat != sampleFloat {
			return fmt.Errorf("predictor is 3 with sample_format %d: it is for floating point, 3", l.SampleFormat)
		}
	default:
		return fmt.Errorf("predictor is %d: must be 1, 2 or 3", l.Predictor)
	}
	return nil
}

// dataTypes are the names of Zarr by sample format and bits.
var dataTypes = map[[2]int]string{
	{1, 1}: "bool", {1, 8}: "uint8", {1, 16}: "uint16", {1, 32}: "uint32", {1, 64}: "uint64",
	{2, 8}: "int8", {2, 16}: "int16", {2, 32}: "int32", {2, 64}: "int64",
	{3, 16}: "float16", {3, 32}: "float32", {3, 64}: "float64",
	{6, 64}: "complex64", {6, 128}: "complex128",
}

// DataType is the name that the samples' type has in Zarr.
func (l *Layout) DataType() (string, error) {
	format := l.SampleFormat
	switch format {
	case sampleComplexInt:
		return "", errors.New("sample_format is 5: there is no data type for complex integers")
	case sampleVoid:
		format = 1
	}
	name, ok := dataTypes[[2]int{format, l.BitsPerSample}]
	if !ok {
		return "", fmt.Errorf("bits_per_sample is %d with sample_format %d: must be %s", l.BitsPerSample, l.SampleFormat, possibleBits(format))
	}
	return name, nil
}

func possibleBits(format int) string {
	switch format {
	case sampleFloat:
		return "16, 32 or 64"
	case sampleComplex:
		return "64 or 128"
	case sampleSigned:
		return "8, 16, 32 or 64"
	}
	return "1, 8, 16, 32 or 64"
}
