package tag

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
)

// Field is a tag with its values.
type Field struct {
	ID   ID
	Type Type
	Raw  []byte // the values as they lie in the file
	Big  bool   // most significant byte first
}

// Len is the number of values.
func (f Field) Len() int {
	if n := f.Type.Size(); n > 0 {
		return len(f.Raw) / n
	}
	return 0
}

func (f Field) order() binary.ByteOrder {
	if f.Big {
		return binary.BigEndian
	}
	return binary.LittleEndian
}

// bits gives value i as it is stored, in the lowest bits.
func (f Field) bits(i int) uint64 {
	switch n := f.Type.Size(); n {
	case 1:
		return uint64(f.Raw[i])
	case 2:
		return uint64(f.order().Uint16(f.Raw[2*i:]))
	case 4:
		return uint64(f.order().Uint32(f.Raw[4*i:]))
	default:
		return f.order().Uint64(f.Raw[8*i:])
	}
}

// Uints gives the values of a field of unsigned integers. Signed ones are taken
// too, if they are not negative, since writers mix them up.
func (f Field) Uints() ([]uint64, error) {
	out := make([]uint64, 0, f.Len())
	for i := range f.Len() {
		v, err := f.Uint(i)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

// Uint gives value i of a field of integers.
func (f Field) Uint(i int) (uint64, error) {
	if i >= f.Len() {
		return 0, fmt.Errorf("tag %d (%v) has %d values, value %d is needed", f.ID, f.ID, f.Len(), i)
	}
	v := f.bits(i)
	switch f.Type {
	case Byte, Undefined, Short, Long, Long8, IFD, IFD8:
		return v, nil
	case SByte, SShort, SLong, SLong8:
		shift := 64 - 8*f.Type.Size()
		if s := int64(v<<shift) >> shift; s >= 0 {
			return uint64(s), nil
		}
		return 0, fmt.Errorf("tag %d (%v) is negative", f.ID, f.ID)
	}
	return 0, fmt.Errorf("tag %d (%v) has type %d, an integer is needed", f.ID, f.ID, f.Type)
}

// Floats gives the values of a field of any numbers.
func (f Field) Floats() ([]float64, error) {
	if f.Type == ASCII {
		return nil, fmt.Errorf("tag %d (%v) is text, numbers are needed", f.ID, f.ID)
	}
	out := make([]float64, 0, f.Len())
	for i := range f.Len() {
		out = append(out, f.float(i))
	}
	return out, nil
}

func (f Field) float(i int) float64 {
	switch f.Type {
	case Float:
		return float64(math.Float32frombits(uint32(f.bits(i))))
	case Double:
		return math.Float64frombits(f.bits(i))
	case Rational:
		n, d := f.rational(i)
		return float64(n) / float64(d)
	case SRational:
		n, d := f.rational(i)
		return float64(int32(n)) / float64(int32(d))
	case SByte, SShort, SLong, SLong8:
		shift := 64 - 8*f.Type.Size()
		return float64(int64(f.bits(i)<<shift) >> shift)
	}
	return float64(f.bits(i))
}

func (f Field) rational(i int) (n, d uint32) {
	return f.order().Uint32(f.Raw[8*i:]), f.order().Uint32(f.Raw[8*i+4:])
}

// Text gives the text of a field, up to the first NUL. Bytes count as text too.
func (f Field) Text() string {
	text, _, _ := strings.Cut(string(f.Raw), "\x00")
	return text
}

// Shorts makes a field of 16-bit integers.
func Shorts(id ID, v ...uint16) Field {
	f := Field{ID: id, Type: Short}
	for _, x := range v {
		f.Raw = binary.LittleEndian.AppendUint16(f.Raw, x)
	}
	return f
}

// Longs makes a field of 32-bit integers.
func Longs(id ID, v ...uint32) Field {
	f := Field{ID: id, Type: Long}
	for _, x := range v {
		f.Raw = binary.LittleEndian.AppendUint32(f.Raw, x)
	}
	return f
}

// Long8s makes a field of 64-bit integers, for BigTIFF only.
func Long8s(id ID, v ...uint64) Field {
	f := Field{ID: id, Type: Long8}
	for _, x := range v {
		f.Raw = binary.LittleEndian.AppendUint64(f.Raw, x)
	}
	return f
}

// Rationals makes a field of fractions, given as numerator and denominator in
// turn.
func Rationals(id ID, v ...uint32) Field {
	f := Longs(id, v...)
	f.Type = Rational
	return f
}

// Doubles makes a field of floating-point numbers.
func Doubles(id ID, v ...float64) Field {
	f := Field{ID: id, Type: Double}
	for _, x := range v {
		f.Raw = binary.LittleEndian.AppendUint64(f.Raw, math.Float64bits(x))
	}
	return f
}

// Text makes a field of text, with the NUL that ends it.
func Text(id ID, s string) Field {
	return Field{ID: id, Type: ASCII, Raw: append([]byte(s), 0)}
}

// Bytes makes a field of bytes without a meaning of their own.
func Bytes(id ID, b []byte) Field { return Field{ID: id, Type: Undefined, Raw: b} }
