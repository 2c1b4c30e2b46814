package hdf5

import "math/bits"

// Class is the kind of a datatype.
type Class uint8

// The classes of datatypes, by their numbers in files. Text without a fixed
// length is of class String here.
const (
	Integer Class = iota
	Float
	Time
	String
	Bitfield
	Opaque
	Compound
	Reference
	Enum
	Sequence // of variable length
	Array
	Complex
)

// Order is the order of the bytes of a number.
type Order uint8

// The orders of bytes.
const (
	LittleEndian Order = iota
	BigEndian
	VAX
)

// Padding is how text of a fixed length ends.
type Padding uint8

// The paddings of text.
const (
	NullTerminated Padding = iota
	NullPadded
	SpacePadded
)

// The kinds of references.
const (
	ObjectReference = iota
	RegionReference
	NewObjectReference // of HDF5 1.12
	NewRegionReference
	AttributeReference
)

// Type is a datatype.
type Type struct {
	Class     Class
	Size      int // bytes of an element as it is stored
	Order     Order
	Signed    bool
	Precision int // bits that count
	Offset    int // the first of them
	Layout    FloatLayout
	Variable  bool // text without a fixed length
	Padding   Padding
	UTF8      bool
	Tag       string   // of an opaque type
	Kind      int      // of a reference
	Members   []Member // of a compound or an enumeration
	Base      *Type    // of an enumeration, a sequence, an array, a complex number
	Dims      []int    // of an array
	Committed uint64   // the address of the object that it is, Undefined if it is none
}

// FloatLayout is where the parts of a floating-point number are, in bits.
type FloatLayout struct {
	Sign         int
	ExponentAt   int
	ExponentBits int
	MantissaAt   int
	MantissaBits int
	Bias         uint32
	Implied      bool // the first bit of the mantissa is not stored
	AlwaysSet    bool // it is stored, and always set
}

// IEEE reports whether the number is one of IEEE 754 of 2, 4 or 8 bytes.
func (t *Type) IEEE() bool {
	if t.Class != Float || t.Order == VAX || t.Offset != 0 || t.Precision != 8*t.Size {
		return false
	}
	switch t.Size {
	case 2:
		return t.Layout == FloatLayout{15, 10, 5, 0, 10, 15, true, false}
	case 4:
		return t.Layout == FloatLayout{31, 23, 8, 0, 23, 127, true, false}
	case 8:
		return t.Layout == FloatLayout{63, 52, 11, 0, 52, 1023, true, false}
	}
	return false
}

// Member is a member of a compound, with its place in an element, or of an
// enumeration, with its value.
type Member struct {
	Name   string
	Offset int
	Type   *Type
	Value  []byte
}

// maxNesting is how deep types may be nested.
const maxNesting = 64

// parseType reads a datatype message.
func parseType(c *cursor, depth int) *Type {
	if depth > maxNesting {
		c.fail("datatypes are nested more than %d levels deep", maxNesting)
		return nil
	}
	t := &Type{Committed: Undefined}
	head := c.u8()
	version := head >> 4
	flags := int(c.uint(3))
	size := c.u32()
	if c.err != nil {
		return t
	}
	if version < 1 || version > 5 {
		c.fail("version %d is not known", version)
	}
	if size == 0 || size > 1<<31 {
		c.fail("elements of %d bytes are not possible", size)
	}
	t.Class, t.Size = Class(head&15), int(size)
	if number := t.Class == Integer || t.Class == Float || t.Class == Time || t.Class == Bitfield; number && flags&1 != 0 {
		t.Order = BigEndian
	}
	switch t.Class {
	case Integer, Bitfield:
		t.Signed = t.Class == Integer && flags&8 != 0
		t.Offset, t.Precision = c.u16(), c.u16()
		t.checkBits(c)
	case Float:
		t.parseFloat(c, flags)
	case Time:
		t.Precision = c.u16()
		if t.Size > 1<<13 { // as many bits as the precision can tell
			c.fail("times of %d bytes are not possible", t.Size)
		}
	case String:
		t.Padding, t.UTF8 = Padding(flags&15), flags>>4&15 == 1
	case Opaque:
		t.Tag = trimNull(c.take(flags & 255))
	case Compound:
		t.parseCompound(c, version, flags&0xffff, depth)
	case Reference:
		t.Kind = flags & 15
		if t.Kind > AttributeReference {
			c.fail("references of kind %d are not known", t.Kind)
		}
	case Enum:
		t.parseEnum(c, version, flags&0xffff, depth)
	case Sequence:
		t.Variable = flags&15 == 1
		t.Base = parseType(c, depth+1)
		if t.Variable {
			t.Class, t.Padding, t.UTF8 = String, Padding(flags>>4&15), flags>>8&15 == 1
		}
		if want := 8 + c.o; c.err == nil && t.Size < want {
			c.fail("elements of a sequence have %d bytes, not %d", t.Size, want)
		}
	case Array:
		t.parseArray(c, version, depth)
	case Complex:
		t.Base = parseType(c, depth+1)
		if c.err == nil && (t.Base.Class != Float || t.Size != 2*t.Base.Size) {
			c.fail("a complex datatype is made of two floats, and not of these")
		}
	default:
		c.fail("class %d is not known", t.Class)
	}
	return t
}

// checkBits compares precision and offset with the size.
func (t *Type) checkBits(c *cursor) {
	if c.err == nil && (t.Precision == 0 || t.Offset+t.Precision > 8*t.Size) {
		c.fail("a precision of %d bits from bit %d on does not fit into %d bytes", t.Precision, t.Offset, t.Size)
	}
}

func (t *Type) parseFloat(c *cursor, flags int) {
	if flags&(1<<6) != 0 {
		t.Order = VAX
	}
	t.Offset, t.Precision = c.u16(), c.u16()
	l := FloatLayout{Sign: flags >> 8 & 255, Implied: flags>>4&3 == 2, AlwaysSet: flags>>4&3 == 1}
	l.ExponentAt, l.ExponentBits, l.MantissaAt, l.MantissaBits = c.u8(), c.u8(), c.u8(), c.u8()
	l.Bias = c.u32()
	t.Layout = l
	t.checkBits(c)
	all := 8 * t.Size
	if c.err == nil && (l.Sign >= all || l.ExponentAt+l.ExponentBits > all || l.MantissaAt+l.MantissaBits > all || l.ExponentBits == 0 || l.ExponentBits > 31) {
		c.fail("the bits of sign, exponent and mantissa do not fit into a float of %d bytes", t.Size)
	}
}

func (t *Type) parseCompound(c *cursor, version, n, depth int) {
	wide := (bits.Len32(uint32(t.Size))-1)/8 + 1
	if least := 8 + 2; c.err == nil && n*least > c.left() {
		c.fail("compound of %d members in %d bytes", n, c.left())
	}
	for range n {
		if c.err != nil {
			return
		}
		start := c.pos
		m := Member{Name: c.text()}
		if version < 3 {
			c.align(start, 8)
			m.Offset = int(c.u32())
		} else {
			m.Offset = int(c.uint(wide))
		}
		var dims []int
		if version == 1 {
			rank := c.u8()
			c.skip(11)
			for i := range 4 {
				if d := int(c.u32()); i < rank {
					dims = append(dims, d)
				}
			}
		}
		m.Type = parseType(c, depth+1)
		if c.err != nil {
			return
		}
		if len(dims) > 0 {
			a := &Type{Class: Array, Base: m.Type, Dims: dims, Committed: Undefined}
			size, ok := a.arraySize()
			if a.Size = size; !ok {
				c.fail("member %q is an array that is too large", m.Name)
				return
			}
			m.Type = a
		}
		if m.Offset > t.Size || m.Type.Size > t.Size-m.Offset {
			c.fail("member %q of a compound lies beyond its end: %d bytes at offset %d of %d", m.Name, m.Type.Size, m.Offset, t.Size)
		}
		t.Members = append(t.Members, m)
	}
}

func (t *Type) parseEnum(c *cursor, version, n, depth int) {
	t.Base = parseType(c, depth+1)
	if c.err != nil {
		return
	}
	if t.Base.Size != t.Size {
		c.fail("an enum of %d bytes is made of a type of %d", t.Size, t.Base.Size)
		return
	}
	if n*(1+t.Size) > c.left() {
		c.fail("enum of %d members in %d bytes", n, c.left())
		return
	}
	t.Members = make([]Member, n)
	for i := range t.Members {
		start := c.pos
		t.Members[i].Name = c.text()
		if version < 3 {
			c.align(start, 8)
		}
	}
	for i := range t.Members {
		t.Members[i].Value = append([]byte(nil), c.take(t.Size)...)
	}
}

func (t *Type) parseArray(c *cursor, version, depth int) {
	rank := c.u8()
	if rank > maxRank {
		c.fail("array of rank %d, which is more than %d", rank, maxRank)
		return
	}
	if version < 3 {
		c.skip(3)
	}
	for range rank {
		t.Dims = append(t.Dims, int(c.u32()))
	}
	if version < 3 {
		c.skip(4 * rank)
	}
	t.Base = parseType(c, depth+1)
	if c.err != nil {
		return
	}
	if size, ok := t.arraySize(); !ok || size != t.Size {
		c.fail("an array of dimensions %d of %d bytes each has not the size %d", t.Dims, t.Base.Size, t.Size)
	}
}

// arraySize is what the dimensions of an array say.
func (t *Type) arraySize() (int, bool) {
	n := uint64(t.Base.Size)
	for _, d := range t.Dims {
		hi, lo := bits.Mul64(n, uint64(d))
		if n = lo; hi != 0 || lo > 1<<31 {
			return 0, false
		}
	}
	return int(n), true
}

// Len is how many elements an array has.
func (t *Type) Len() int {
	if t.Class != Array || t.Base.Size == 0 {
		return 1
	}
	return t.Size / t.Base.Size
}

// trimNull gives text up to its first NUL.
func trimNull(b []byte) string {
	for i, x := range b {
		if x == 0 {
			return string(b[:i])
		}
	}
	return string(b)
}
