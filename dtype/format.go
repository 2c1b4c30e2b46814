package dtype

import "math"

// special says which patterns of a floating-point format are not numbers.
type special uint8

const (
	ieee   special = iota // largest exponent: infinity and NaN
	fn                    // all ones: NaN; no infinity
	fnuz                  // negative zero's pattern: NaN; no infinity, no -0
	finite                // neither NaN nor infinity
	powers                // powers of two only, all ones: NaN; no sign, no zero
)

// Format describes a binary floating-point format of up to 64 bits.
type Format struct {
	name      string
	bits      int
	exp, mant int
	bias      int
	special   special
}

var (
	formatFloat16  = &Format{"float16", 16, 5, 10, 15, ieee}
	formatBFloat16 = &Format{"bfloat16", 16, 8, 7, 127, ieee}
	formatFloat32  = &Format{"float32", 32, 8, 23, 127, ieee}
	formatFloat64  = &Format{"float64", 64, 11, 52, 1023, ieee}
)

// formats are all formats that data types are made of. float8_e4m3fn is not
// registered, but tensorstore writes it.
var formats = []*Format{
	formatFloat16, formatBFloat16, formatFloat32, formatFloat64,
	{"float4_e2m1fn", 4, 2, 1, 1, finite},
	{"float6_e2m3fn", 6, 2, 3, 1, finite},
	{"float6_e3m2fn", 6, 3, 2, 3, finite},
	{"float8_e3m4", 8, 3, 4, 3, ieee},
	{"float8_e4m3", 8, 4, 3, 7, ieee},
	{"float8_e4m3fn", 8, 4, 3, 7, fn},
	{"float8_e4m3b11fnuz", 8, 4, 3, 11, fnuz},
	{"float8_e4m3fnuz", 8, 4, 3, 8, fnuz},
	{"float8_e5m2", 8, 5, 2, 15, ieee},
	{"float8_e5m2fnuz", 8, 5, 2, 16, fnuz},
	{"float8_e8m0fnu", 8, 8, 0, 127, powers},
}

// FormatOf returns the format of a float type, or of the components of a
// complex type; ok is false for other types.
func FormatOf(t Type) (f *Format, ok bool) {
	switch t := unwrap(t).(type) {
	case *floatType:
		return t.format, true
	case *complexType:
		return t.format, true
	}
	return nil, false
}

// Name is the name of the data type with this format.
func (f *Format) Name() string { return f.name }

// Bits is the number of significant bits, sign included.
func (f *Format) Bits() int { return f.bits }

// HasInf reports whether the format has infinities.
func (f *Format) HasInf() bool { return f.special == ieee }

// NaN returns the pattern that "NaN" stands for in a fill value; ok is false
// when the format has no NaN.
func (f *Format) NaN() (bits uint64, ok bool) {
	switch f.special {
	case ieee:
		return f.inf() | 1<<(f.mant-1), true
	case fn:
		return 1<<(f.bits-1) - 1, true
	case fnuz:
		return 1 << (f.bits - 1), true
	case powers:
		return 1<<f.bits - 1, true
	}
	return 0, false
}

// inf is the pattern of positive infinity where there is one.
func (f *Format) inf() uint64 { return (1<<f.exp - 1) << f.mant }

// largest is the pattern of the largest finite number.
func (f *Format) largest() uint64 {
	switch f.special {
	case ieee:
		return f.inf() - 1
	case fn:
		return 1<<(f.bits-1) - 2
	case powers:
		return 1<<f.bits - 2
	}
	return 1<<(f.bits-1) - 1
}

// IsNaN reports whether a pattern is one of the format's NaNs.
func (f *Format) IsNaN(bits uint64) bool {
	magnitude := bits & (1<<(f.bits-1) - 1)
	switch f.special {
	case ieee:
		return magnitude > f.inf()
	case fn:
		return magnitude == 1<<(f.bits-1)-1
	case finite:
		return false
	}
	nan, _ := f.NaN()
	return bits&(1<<f.bits-1) == nan
}

// Decode returns the number that a pattern stands for, which is always exact.
// The payload of a NaN is kept only from float64.
func (f *Format) Decode(bits uint64) float64 {
	switch f {
	case formatFloat64:
		return math.Float64frombits(bits)
	case formatFloat32:
		return float64(math.Float32frombits(uint32(bits)))
	}
	if f.IsNaN(bits) {
		return math.NaN()
	}
	if f.special == powers {
		return math.Ldexp(1, int(bits&0xff)-f.bias)
	}
	sign := bits >> (f.bits - 1) & 1 << 63
	magnitude := bits & (1<<(f.bits-1) - 1)
	if f.special == ieee && magnitude == f.inf() {
		return math.Float64frombits(sign | 0x7ff<<52)
	}
	exp, mant := magnitude>>f.mant, magnitude&(1<<f.mant-1)
	if exp == 0 {
		unit := math.Float64frombits(uint64(1023+1-f.bias-f.mant) << 52)
		return math.Float64frombits(math.Float64bits(float64(mant)*unit) | sign)
	}
	return math.Float64frombits(sign | (exp+uint64(1023-f.bias))<<52 | mant<<(52-f.mant))
}

// Encode returns the pattern of the number nearest to x, the even one of two
// that are equally near, and infinity beyond the range of a format that has
// it. When ok is false the format has nothing that stands for x, and the
// pattern is what is customary: NaN, the largest number when there is no NaN,
// or negative zero for NaN itself.
func (f *Format) Encode(x float64) (bits uint64, ok bool) {
	switch f {
	case formatFloat64:
		return math.Float64bits(x), true
	case formatFloat32:
		return uint64(math.Float32bits(float32(x))), true
	}
	b := math.Float64bits(x)
	sign := b >> 63 << (f.bits - 1)
	nan, hasNaN := f.NaN()
	switch {
	case x != x:
		if !hasNaN {
			return 1 << (f.bits - 1), false
		}
		return nan, true
	case math.IsInf(x, 0):
		if f.special == ieee {
			return f.inf() | sign, true
		}
		return f.tooLarge(sign), false
	case f.special == powers && x <= 0:
		return nan, false
	}
	exp := int(b>>52&0x7ff) - 1023 + f.bias
	significand := b&(1<<52-1) | 1<<52
	shift := 52 - f.mant
	low := 1 // the least exponent of a normal number
	if f.special == powers {
		low = 0
	}
	base := uint64(0) // pattern to which the rounded significand is added
	if exp >= low {
		base = uint64(exp)<<f.mant - 1<<f.mant
	} else if f.special == powers {
		return 0, true
	} else {
		shift = min(shift+low-exp, 54) // at 54 and beyond everything rounds to zero
	}
	q, rest, half := significand>>shift, significand&(1<<shift-1), uint64(1)<<(shift-1)
	if rest > half || rest == half && q&1 == 1 {
		q++
	}
	// A carry out of the significand goes into the exponent, as it should.
	bits = base + q
	if bits > f.largest() {
		if f.special == ieee {
			return f.inf() | sign, true
		}
		return f.tooLarge(sign), false
	}
	if bits == 0 && f.special == fnuz {
		return 0, true
	}
	return bits | sign, true
}

// tooLarge is the pattern for a number beyond the range of a format without
// infinities.
func (f *Format) tooLarge(sign uint64) uint64 {
	nan, ok := f.NaN()
	switch {
	case !ok:
		return f.largest() | sign
	case f.special == fn:
		return nan | sign
	}
	return nan
}

// Float16 is the memory of a float16 element.
type Float16 uint16

// Float32 returns the number, which is exact.
func (f Float16) Float32() float32 { return float32(formatFloat16.Decode(uint64(f))) }

// NewFloat16 returns the float16 nearest to x.
func NewFloat16(x float32) Float16 {
	bits, _ := formatFloat16.Encode(float64(x))
	return Float16(bits)
}

// BFloat16 is the memory of a bfloat16 element.
type BFloat16 uint16

// Float32 returns the number, which is exact.
func (f BFloat16) Float32() float32 { return math.Float32frombits(uint32(f) << 16) }

// NewBFloat16 returns the bfloat16 nearest to x.
func NewBFloat16(x float32) BFloat16 {
	bits, _ := formatBFloat16.Encode(float64(x))
	return BFloat16(bits)
}
