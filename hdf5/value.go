package hdf5

import (
	"bytes"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
)

// Field is a member of a compound element.
type Field struct {
	Name  string
	Value any
}

// Ref is a reference to an object, to a part of a dataset or to an attribute.
// One to nothing has the address 0.
type Ref struct {
	Address   uint64 // what [File.Object] takes
	Region    *Selection
	Attribute string
}

// mostValues is how many values one call of Decode makes.
const mostValues = 1 << 22

// Decode makes a Go value of an element as it is stored: int64 or uint64 (or a
// *big.Int above 8 bytes), float64, complex128, string, []byte for opaque
// elements, []Field for compounds, []any for arrays and sequences, [Ref] for
// references. Elements of an enumeration are numbers, times and bits are uint64.
func (f *File) Decode(t *Type, raw []byte) (any, error) {
	left := mostValues
	return f.value(t, raw, &left)
}

func (f *File) value(t *Type, raw []byte, left *int) (any, error) {
	if *left--; *left < 0 {
		return nil, fmt.Errorf("an element has more than %d values: sequences may lead to each other", mostValues)
	}
	if len(raw) < t.Size {
		return nil, fmt.Errorf("%d bytes are too short for an element of %d", len(raw), t.Size)
	}
	raw = raw[:t.Size]
	switch t.Class {
	case Integer, Bitfield, Time:
		return t.integer(raw), nil
	case Enum:
		return f.value(t.Base, raw, left)
	case Float:
		return t.float(raw), nil
	case Complex:
		n := t.Base.Size
		return complex(t.Base.float(raw[:n]), t.Base.float(raw[n:])), nil
	case String:
		return f.text(t, raw)
	case Opaque:
		return bytes.Clone(raw), nil
	case Compound:
		out := make([]Field, len(t.Members))
		for i, m := range t.Members {
			v, err := f.value(m.Type, raw[m.Offset:m.Offset+m.Type.Size], left)
			if err != nil {
				return nil, fmt.Errorf("member %q: %w", m.Name, err)
			}
			out[i] = Field{m.Name, v}
		}
		return out, nil
	case Array:
		return f.values(t.Base, raw, left)
	case Sequence:
		b, err := f.Sequence(raw, t.Base.Size)
		if err != nil {
			return nil, err
		}
		return f.values(t.Base, b, left)
	case Reference:
		return f.Reference(t, raw)
	}
	return nil, fmt.Errorf("class %d of datatypes is not known", t.Class)
}

// values decodes elements that lie one behind the other.
func (f *File) values(t *Type, raw []byte, left *int) (any, error) {
	n := len(raw) / t.Size
	if n > *left {
		n = *left + 1 // which is an error
	}
	out := make([]any, 0, min(n, 1<<12))
	for i := range n {
		v, err := f.value(t, raw[i*t.Size:(i+1)*t.Size], left)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

// text decodes text of either length. What is behind a NUL of variable text does
// not count.
func (f *File) text(t *Type, raw []byte) (string, error) {
	if t.Variable {
		b, err := f.Sequence(raw, 1)
		if i := bytes.IndexByte(b, 0); i >= 0 {
			b = b[:i]
		}
		return string(b), err
	}
	switch t.Padding {
	case NullTerminated:
		return trimNull(raw), nil
	case SpacePadded:
		return strings.TrimRight(string(raw), " "), nil
	}
	return string(bytes.TrimRight(raw, "\x00")), nil
}

// ordered gives the bytes of a number, the lowest first.
func (t *Type) ordered(raw []byte) []byte {
	switch t.Order {
	case BigEndian:
		b := make([]byte, len(raw))
		for i, x := range raw {
			b[len(raw)-1-i] = x
		}
		return b
	case VAX: // 16 bits each are little-endian, and the highest come first
		b := make([]byte, len(raw))
		for i := 0; i+1 < len(raw); i += 2 {
			b[len(raw)-2-i], b[len(raw)-1-i] = raw[i], raw[i+1]
		}
		return b
	}
	return raw
}

// field gives n bits from a bit on, at most 64 of them.
func field(b []byte, at, n int) uint64 {
	var v uint64
	for i := 0; i < n; i++ {
		k := at + i
		v |= uint64(b[k/8]>>(k%8)&1) << i
	}
	return v
}

// large is field for any number of bits. It takes them all at once: there may be 2^16,
// and one after the other would be the square of that.
func large(b []byte, at, n int, signed bool) *big.Int {
	b = bytes.Clone(b[at/8 : (at+n+7)/8])
	slices.Reverse(b)
	v := new(big.Int).SetBytes(b)
	v.Rsh(v, uint(at%8))
	one := big.NewInt(1)
	end := new(big.Int).Lsh(one, uint(n))
	v.And(v, new(big.Int).Sub(end, one))
	if signed && v.Bit(n-1) == 1 {
		v.Sub(v, end)
	}
	return v
}

func (t *Type) integer(raw []byte) any {
	b := t.ordered(raw)
	bits := t.Precision
	if t.Class == Time {
		bits = 8 * t.Size
	}
	if bits > 64 {
		return large(b, t.Offset, bits, t.Signed)
	}
	var v uint64
	if t.Offset == 0 && bits == 8*len(b) {
		for i, x := range b {
			v |= uint64(x) << (8 * i)
		}
	} else {
		v = field(b, t.Offset, bits)
	}
	if t.Signed {
		return int64(v<<(64-bits)) >> (64 - bits)
	}
	return v
}

// float decodes a number of any layout.
func (t *Type) float(raw []byte) float64 {
	b := t.ordered(raw)
	l := t.Layout
	if t.IEEE() && t.Size == 8 {
		return math.Float64frombits(field(b, 0, 64))
	}
	if t.IEEE() && t.Size == 4 {
		return float64(math.Float32frombits(uint32(field(b, 0, 32))))
	}
	man := min(l.MantissaBits, 64)
	m := field(b, l.MantissaAt+l.MantissaBits-man, man) // the highest bits
	e := field(b, l.ExponentAt, l.ExponentBits)
	v := 0.0
	exp := int(e) - int(l.Bias)
	switch {
	case e == 1<<l.ExponentBits-1 && t.Order != VAX:
		v = math.Inf(1)
		if f := m; l.Implied && f != 0 || !l.Implied && man > 0 && f<<(64-man+1) != 0 {
			v = math.Float64frombits(0x7ff8 << 48) // the one that others have
		}
	case e == 0 && t.Order == VAX: // there are none below
	case e == 0 && l.Implied:
		v = math.Ldexp(float64(m), exp+1-man)
	case l.Implied:
		v = math.Ldexp(1+math.Ldexp(float64(m), -man), exp)
	default:
		v = math.Ldexp(float64(m), exp-man+1)
	}
	if field(b, l.Sign, 1) != 0 {
		v = math.Copysign(v, -1)
	}
	return v
}

// Reference decodes a reference.
func (f *File) Reference(t *Type, raw []byte) (Ref, error) {
	c := cursor{what: "reference", b: raw, o: f.offsets, l: f.lengths}
	switch t.Kind {
	case ObjectReference:
		at := c.wide(min(t.Size, 8))
		if at == Undefined {
			at = 0
		}
		return Ref{Address: at}, c.err
	case RegionReference:
		at, index := c.addr(), int(c.u32())
		if c.err != nil || at == 0 || at == Undefined {
			return Ref{}, c.err
		}
		b, err := f.heapObject(at, index)
		if err != nil {
			return Ref{}, fmt.Errorf("region reference: %w", err)
		}
		x := cursor{what: "region reference", at: at, b: b, o: f.offsets, l: f.lengths}
		r := Ref{Address: x.addr()}
		s := parseSelection(&x)
		r.Region = &s
		return r, x.err
	}
	return f.newReference(c)
}

// newReference decodes a reference of HDF5 1.12.
func (f *File) newReference(c cursor) (Ref, error) {
	kind, flags := c.u8(), c.u8()
	if kind == 0 {
		return Ref{}, c.err
	}
	if flags&1 != 0 {
		return Ref{}, wrong("reference", 0, "it leads to another file, which is not followed")
	}
	if kind != NewObjectReference {
		n, at, index := c.u32(), c.addr(), int(c.u32())
		if c.err != nil {
			return Ref{}, c.err
		}
		b, err := f.heapObject(at, index)
		if err != nil {
			return Ref{}, fmt.Errorf("reference: %w", err)
		}
		if uint64(n) > uint64(len(b)) {
			return Ref{}, wrong("reference", at, "%d bytes in an object of %d", n, len(b))
		}
		c = cursor{what: "reference", at: at, b: b[:n], o: f.offsets, l: f.lengths}
	}
	token := c.u8()
	if c.err == nil && (token < 1 || token > 8) {
		c.fail("a token of %d bytes", token)
	}
	r := Ref{Address: c.uint(token)}
	switch kind {
	case NewRegionReference:
		c.skip(8) // the size and the rank of the selection
		s := parseSelection(&c)
		r.Region = &s
	case AttributeReference:
		r.Attribute = string(c.take(c.u16()))
	}
	return r, c.err
}
