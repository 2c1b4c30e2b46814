package n5

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/format/tiff/jpeg"
	"github.com/omnizarr/zarr/internal/strictjson"
)

// JPEGName is the name of N5's JPEG in metadata.
const JPEGName = "omnizarr.n5_jpeg"

// JPEG is the codec "omnizarr.n5_jpeg", the compression "jpeg" of N5: elements are
// the pixels of a grey JPEG image, row after row. A pixel of 0 to 255 stands for a
// value between two bounds, with an exponent between them. It is for reading only.
type JPEG struct{ config jpegConfig }

// jpegConfig are the parameters of N5 with their defaults.
type jpegConfig struct {
	Quality  int     `json:"quality"` // of those who write
	DataType string  `json:"data_type"`
	Min      float64 `json:"min"`
	Max      float64 `json:"max"`
	Gamma    float64 `json:"gamma"`
}

// ParseJPEG reads the configuration.
func ParseJPEG(_ *codec.Registry, _ string, raw json.RawMessage) (codec.Codec, error) {
	c := jpegConfig{Quality: 100, DataType: "uint8", Max: 255, Gamma: 1}
	if err := codec.ParseConfig(raw, &c); err != nil {
		return nil, err
	}
	switch {
	case c.Quality < 0 || c.Quality > 100:
		return nil, fmt.Errorf("quality is %d: must be from 0 to 100", c.Quality)
	case !slices.Contains(types, c.DataType):
		return nil, fmt.Errorf("data_type is %s: N5 has no such type of numbers", strictjson.Quote(c.DataType))
	case c.Min >= c.Max || math.IsInf(c.Max-c.Min, 0):
		return nil, fmt.Errorf("values go from min %g to max %g: must be a range", c.Min, c.Max)
	case c.Gamma <= 0:
		return nil, fmt.Errorf("gamma is %g: must be more than 0", c.Gamma)
	}
	return JPEG{c}, nil
}

// Name is "omnizarr.n5_jpeg".
func (JPEG) Name() string { return JPEGName }

// MarshalJSON gives the entry for metadata.
func (c JPEG) MarshalJSON() ([]byte, error) { return codec.MarshalEntry(JPEGName, c.config) }

// BindBytes computes the values of pixels.
func (c JPEG) BindBytes(codec.Spec, codec.Size) (codec.BytesFilter, error) {
	f := &jpegFilter{}
	for v := range 256 {
		f.values = c.config.appendValue(f.values, float64(v))
	}
	f.size = len(f.values) / 256
	return f, nil
}

// appendValue appends the element that a pixel stands for. Whole numbers are
// rounded as Java does it, halves upwards, and clipped to what the type holds.
func (c *jpegConfig) appendValue(dst []byte, pixel float64) []byte {
	x := math.Pow(pixel/255, 1/c.Gamma)*(c.Max-c.Min) + c.Min
	switch c.DataType {
	case "float32":
		return binary.BigEndian.AppendUint32(dst, math.Float32bits(float32(x)))
	case "float64":
		return binary.BigEndian.AppendUint64(dst, math.Float64bits(x))
	}
	floor := math.Floor(x)
	if x-floor >= 0.5 {
		floor++
	}
	bits := 8 * dtype.MustParse(c.DataType).Size()
	n := clipSigned(floor, bits)
	if strings.HasPrefix(c.DataType, "uint") {
		n = clipUnsigned(floor, bits)
	}
	for shift := bits - 8; shift >= 0; shift -= 8 {
		dst = append(dst, byte(n>>shift))
	}
	return dst
}

// clipUnsigned is the whole number of so many bits that is nearest to x.
func clipUnsigned(x float64, bits int) uint64 {
	switch {
	case x <= 0:
		return 0
	case x >= math.Ldexp(1, bits):
		return math.MaxUint64
	}
	return uint64(x)
}

// clipSigned is the same for numbers with a sign, in two's complement.
func clipSigned(x float64, bits int) uint64 {
	limit := math.Ldexp(1, bits-1)
	switch {
	case x < -limit:
		return 1 << (bits - 1)
	case x >= limit:
		return 1<<(bits-1) - 1
	}
	return uint64(int64(x))
}

// jpegFilter is the bound codec.
type jpegFilter struct {
	size   int    // of an element
	values []byte // the elements for pixels from 0 to 255
}

// Size is not known, since images may hold more than pixels.
func (f *jpegFilter) Size() codec.Size { return codec.Size{} }

// Encode is refused.
func (f *jpegFilter) Encode(*codec.Chunk, []byte, []byte) ([]byte, error) {
	return nil, errors.New("JPEG loses what it compresses, and is only read")
}

var decoders = sync.Pool{New: func() any { return new(jpeg.Decoder) }}

// Decode appends the elements of an image.
func (f *jpegFilter) Decode(ck *codec.Chunk, dst, src []byte, limit int) ([]byte, error) {
	c, err := jpeg.ReadConfig(src)
	if err != nil {
		return nil, codec.Bad("%v", err)
	}
	if c.Components != 1 {
		return nil, codec.Bad("the image has %d components: must be grey", c.Components)
	}
	// Both lengths have 16 bits.
	pixels := int64(c.Width) * int64(c.Height)
	if n := pixels * int64(f.size); n > int64(limit) {
		return nil, ck.Over(int(n), limit)
	}
	at, n := len(dst), int(pixels)*f.size
	dst = slices.Grow(dst, n)[:at+n]
	// Pixels go to the end of the room and become elements from the front on,
	// which never catch up with those that are left.
	out, from := dst[at:], dst[at+n-int(pixels):]
	d := decoders.Get().(*jpeg.Decoder)
	defer decoders.Put(d)
	got, err := d.Decode(jpeg.Planes{Data: [][]byte{from}, Stride: c.Width, Width: c.Width, Height: c.Height}, src, jpeg.DecodeOptions{})
	if err != nil {
		return nil, codec.Bad("%v", err)
	}
	if got.Width != c.Width || got.Height != c.Height {
		return nil, codec.Bad("the image has %dx%d pixels, and %dx%d before", got.Width, got.Height, c.Width, c.Height)
	}
	f.expand(out, from)
	return dst, nil
}

// expand sets the elements of pixels, which may be the end of out.
func (f *jpegFilter) expand(out, pixels []byte) {
	switch f.size {
	case 1:
		for i, v := range pixels {
			out[i] = f.values[v]
		}
	case 2:
		for i, v := range pixels {
			*(*[2]byte)(out[2*i:]) = [2]byte(f.values[2*int(v):])
		}
	case 4:
		for i, v := range pixels {
			*(*[4]byte)(out[4*i:]) = [4]byte(f.values[4*int(v):])
		}
	case 8:
		for i, v := range pixels {
			*(*[8]byte)(out[8*i:]) = [8]byte(f.values[8*int(v):])
		}
	}
}
