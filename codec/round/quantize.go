package round

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/numeric"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/nd"
)

// QuantizeName is the name of Quantize.
const QuantizeName = "numcodecs.quantize"

// Quantize is the codec "numcodecs.quantize". It rounds floats to a multiple of
// the power of two that is just below a power of ten.
type Quantize struct {
	// Digits is how many decimal digits behind the point are kept.
	Digits int
	// Type is the type of the elements, nil for that which they have.
	Type dtype.Type
	// Stored is the type that is stored, nil for that of the elements.
	Stored dtype.Type

	config quantizeConfig
}

type quantizeConfig struct {
	Digits *int            `json:"digits"`
	DType  json.RawMessage `json:"dtype,omitempty"`
	AsType json.RawMessage `json:"astype,omitempty"`
}

// The digits for which numcodecs can compute its power of two.
const minDigits, maxDigits = -308, 307

// ParseQuantize reads the configuration.
func ParseQuantize(_ *codec.Registry, _ string, raw json.RawMessage) (codec.Codec, error) {
	var k Quantize
	c := &k.config
	if err := codec.ParseConfig(raw, c); err != nil {
		return nil, err
	}
	if c.Digits == nil {
		return nil, fmt.Errorf("configuration lacks digits")
	}
	if k.Digits = *c.Digits; k.Digits < minDigits || k.Digits > maxDigits {
		return nil, fmt.Errorf("digits is %d: must be from %d to %d", k.Digits, minDigits, maxDigits)
	}
	var err error
	if k.Type, c.DType, err = parseType("dtype", c.DType); err != nil {
		return nil, err
	}
	if k.Stored, c.AsType, err = parseType("astype", c.AsType); err != nil {
		return nil, err
	}
	if c.AsType == nil {
		c.AsType, k.Stored = c.DType, k.Type
	}
	return k, nil
}

// parseType reads a type that may be missing or null.
func parseType(member string, raw json.RawMessage) (dtype.Type, json.RawMessage, error) {
	if raw == nil || strictjson.IsNull(raw) {
		return nil, nil, nil
	}
	raw = numeric.Spelling(raw)
	t, _, err := dtype.ParseNumpy(raw)
	if err == nil && !numeric.Named(t.Name()).IsFloat() {
		err = fmt.Errorf("%s is no float that NumPy has", t.Name())
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", member, err)
	}
	return t, raw, nil
}

// Name is "numcodecs.quantize".
func (Quantize) Name() string { return QuantizeName }

// MarshalJSON gives the entry for metadata.
func (c Quantize) MarshalJSON() ([]byte, error) { return codec.MarshalEntry(QuantizeName, c.config) }

// BindArray fits the codec to chunks.
func (c Quantize) BindArray(in codec.Spec) (codec.ArrayFilter, error) {
	t := numeric.Named(in.Type.Name())
	if !t.IsFloat() {
		return nil, fmt.Errorf("cannot round %s to decimal digits, only float16, float32 and float64", in.Type.Name())
	}
	if c.Type != nil && !dtype.Equal(c.Type, in.Type) {
		return nil, fmt.Errorf("dtype is %s, but the elements are %s", c.Type.Name(), in.Type.Name())
	}
	f := &decimalFilter{digits: c.Digits, filter: filter{out: in}, round: numeric.NewPipe(in.Type.Size())}
	f.round.Add(decimalKernel(t, c.Digits), t.Size())
	if c.Stored != nil {
		stored := numeric.Named(c.Stored.Name())
		f.out.Type = c.Stored
		f.round.Add(numeric.Cast(stored, t), stored.Size())
		f.restore = numeric.Cast(t, stored)
	}
	f.out.Fill = make([]byte, f.out.Type.Size())
	f.round.Run(f.out.Fill, in.Fill)
	return f, nil
}

// binary is the number of binary digits that hold so many decimal ones.
func binary(digits int) int {
	n := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(digits, -digits))), nil).BitLen()
	if digits > 0 {
		return n
	}
	return 1 - n
}

// decimalKernel rounds to a multiple of a power of two. Every step is rounded to
// the type, as NumPy does it.
func decimalKernel(t numeric.Type, digits int) numeric.Kernel {
	scale := math.Ldexp(1, binary(digits))
	switch t {
	case numeric.Float16:
		by := numeric.RoundHalf64(scale).Float32()
		return func(dst, src []byte) {
			d := numeric.Slice[numeric.Half](dst)
			for i, x := range numeric.Slice[numeric.Half](src) {
				up := numeric.RoundHalf(x.Float32() * by).Float32()
				whole := numeric.RoundHalf(float32(math.RoundToEven(float64(up)))).Float32()
				d[i] = numeric.RoundHalf(whole / by)
			}
		}
	case numeric.Float32:
		return decimals(float32(scale))
	}
	return decimals(scale)
}

func decimals[T numeric.Float](scale T) numeric.Kernel {
	return func(dst, src []byte) {
		d, s := numeric.Slice[T](dst), numeric.Slice[T](src)
		d = d[:len(s)]
		for i, x := range s {
			d[i] = T(math.RoundToEven(float64(T(x*scale)))) / scale
		}
	}
}

// decimalFilter is a bound Quantize.
type decimalFilter struct {
	filter
	digits  int
	round   *numeric.Pipe
	restore numeric.Kernel // nil if what is stored is what was rounded
}

// Traits says how much is kept.
func (f *decimalFilter) Traits() codec.Traits {
	return codec.Traits{Lossy: []string{fmt.Sprintf("numbers are rounded to %d decimal digits", f.digits)}}
}

// Encode rounds.
func (f *decimalFilter) Encode(_ *codec.Chunk, dst, src nd.View) error {
	return numeric.Runs(dst, src, func(d, s []byte) error {
		f.round.Run(d, s)
		return nil
	})
}

// Decode converts to the type of the elements.
func (f *decimalFilter) Decode(_ *codec.Chunk, dst nd.View, _ nd.Box, src nd.View) error {
	if f.restore == nil {
		nd.Copy(dst, src)
		return nil
	}
	return numeric.Runs(dst, src, func(d, s []byte) error {
		f.restore(d, s)
		return nil
	})
}
