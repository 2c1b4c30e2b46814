package pickle

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"
)

// call does the only calls that there are: an empty array, a type, a scalar of
// a type, and an empty reference.
func (m *machine) call(op byte) error {
	args, err := m.pop()
	if err != nil {
		return err
	}
	what, err := m.pop()
	if err != nil {
		return err
	}
	name, arg := m.nodes[what], m.nodes[args]
	if name.kind != kindName {
		return fmt.Errorf("a call of %s", kindNames[name.kind])
	}
	if arg.kind != kindTuple {
		return fmt.Errorf("a call with %s for its arguments", kindNames[arg.kind])
	}
	switch {
	case op == opNewObj && name.n == nameReference:
		if arg.n != 0 {
			return fmt.Errorf("a reference made of %d arguments", arg.n)
		}
		m.push(node{kind: kindDict, first: -1, last: -1})
		return nil
	case op == opReduce && name.n == nameReconstruct:
		return m.reconstruct(arg)
	case op == opReduce && name.n == nameType:
		return m.typ(arg)
	case op == opReduce && name.n == nameScalar:
		return m.scalar(arg)
	}
	return errors.New("a call of what pickles of plain values do not call")
}

// reconstruct makes an array that has no state yet, of the arguments (ndarray,
// (0,), b"b").
func (m *machine) reconstruct(arg node) error {
	var a [3]int32
	if err := m.few(arg, a[:]); err != nil {
		return err
	}
	if n := m.nodes[a[0]]; n.kind != kindName || n.n != nameArray {
		return errors.New("an array of another class than ndarray")
	}
	m.push(node{kind: kindArray, first: -1, last: -1})
	return nil
}

// typ makes a type of the arguments ("i4", False, True).
func (m *machine) typ(arg node) error {
	var a [3]int32
	if err := m.few(arg, a[:]); err != nil {
		return err
	}
	if n := m.nodes[a[0]]; n.kind != kindText || n.n > 32 {
		return errors.New("a type without a code")
	}
	m.push(node{kind: kindType, first: a[0], last: -1})
	return nil
}

// build gives an array or type its state.
func (m *machine) build() error {
	state, err := m.pop()
	if err != nil {
		return err
	}
	what, err := m.top()
	if err != nil {
		return err
	}
	n := &m.nodes[what]
	if m.nodes[state].kind != kindTuple {
		return fmt.Errorf("%s for a state", kindNames[m.nodes[state].kind])
	}
	switch {
	case n.kind == kindArray && n.first < 0:
		n.first = state
	case n.kind == kindType && n.last < 0:
		n.last = state
	default:
		return fmt.Errorf("a state for %s", kindNames[n.kind])
	}
	return nil
}

// scalar makes a value of the arguments (dtype, bytes).
func (m *machine) scalar(arg node) error {
	var a [2]int32
	if err := m.few(arg, a[:]); err != nil {
		return err
	}
	t, names, _, err := m.simple(a[0])
	if err != nil {
		return err
	}
	value := m.nodes[a[1]]
	if value.kind != kindBytes || len(t.Code) < 2 || names != nil {
		return errors.New("a NumPy scalar that is not made of bytes")
	}
	b := m.bytes(value)
	width, err := strconv.Atoi(t.Code[1:])
	if t.Code[0] == 'U' {
		width *= 4
	}
	if err != nil || width != len(b) {
		return fmt.Errorf("a NumPy scalar of type %s with %d bytes", clip([]byte(t.Code)), len(b))
	}
	switch t.Code[0] {
	case 'U':
		return m.utf32(b, t.Big)
	case 'S':
		m.push(value)
		return nil
	}
	if width > 8 {
		return fmt.Errorf("a NumPy scalar of type %s, which is not supported", clip([]byte(t.Code)))
	}
	var bits uint64
	for i := range b {
		c := b[i]
		if !t.Big {
			c = b[len(b)-1-i]
		}
		bits = bits<<8 | uint64(c)
	}
	n := node{kind: kindInt, first: -1, last: -1, n: int64(bits)}
	switch t.Code {
	case "b1":
		m.stack = append(m.stack, 1+int32(min(bits, 1)))
		return nil
	case "i1", "i2", "i4", "i8":
		n.n = n.n << (64 - 8*width) >> (64 - 8*width)
	case "u1", "u2", "u4":
	case "u8":
		if n.n < 0 {
			return m.digits(strconv.FormatUint(bits, 10))
		}
	case "f8":
		n.kind = kindFloat
	case "f4":
		n.kind, n.n = kindFloat, int64(math.Float64bits(float64(math.Float32frombits(uint32(bits)))))
	case "f2":
		n.kind, n.n = kindFloat, int64(math.Float64bits(half(uint16(bits))))
	default:
		return fmt.Errorf("a NumPy scalar of type %s, which is not supported", clip([]byte(t.Code)))
	}
	m.push(n)
	return nil
}

// digits pushes an integer that was spelled out; kindLong with last 0 says that
// it lies in made.
func (m *machine) digits(s string) error {
	m.push(node{kind: kindLong, first: -1, last: 0, off: int32(len(m.made)), n: int64(len(s))})
	m.made = append(m.made, s...)
	return nil
}

// utf32 pushes text of four bytes per code point, zeros at its end.
func (m *machine) utf32(b []byte, big bool) error {
	at := len(m.made)
	end := at
	for i := 0; i < len(b); i += 4 {
		c := binary.LittleEndian.Uint32(b[i:])
		if big {
			c = binary.BigEndian.Uint32(b[i:])
		}
		if c > utf8.MaxRune || !utf8.ValidRune(rune(c)) {
			return fmt.Errorf("0x%x in text, which is not a code point", c)
		}
		m.made = utf8.AppendRune(m.made, rune(c))
		if c != 0 {
			end = len(m.made)
		}
	}
	m.made = m.made[:end]
	m.push(node{kind: kindMade, first: -1, last: -1, off: int32(at), n: int64(end - at)})
	return nil
}

// half is the value of a float of sixteen bits.
func half(bits uint16) float64 {
	sign := 1.0
	if bits&0x8000 != 0 {
		sign = -1
	}
	exp, frac := int(bits>>10&31), float64(bits&0x3ff)
	switch {
	case exp == 31 && frac != 0:
		return math.NaN()
	case exp == 31:
		return math.Inf(int(sign))
	case exp == 0:
		return sign * math.Ldexp(frac, -24)
	}
	return sign * math.Ldexp(1024+frac, exp-25)
}

// Type is a NumPy type.
type Type struct {
	Code   string // such as i4, O8 or V20: kind and size
	Big    bool   // big-endian
	Fields []Field
}

// Field is one of a structured type.
type Field struct {
	Name string
	Type Type
}

// maxFields bounds what is kept of a type, which may be shared many times.
const maxFields = 1 << 12

// typeOf reads a type whose fields are of simple types.
func (d *Doc) typeOf(at int32) (Type, error) {
	t, names, fields, err := d.simple(at)
	if err != nil || names == nil {
		return t, err
	}
	if names.kind != kindTuple || fields.kind != kindDict || fields.n != 2*names.n || names.n > maxFields {
		return t, errors.New("a structured type without a type for every field")
	}
	t.Fields = make([]Field, names.n)
	index := make(map[string]int, names.n)
	err = d.items(*names, func(i int, item int32) error {
		n := d.nodes[item]
		if n.kind != kindText || !utf8.Valid(d.bytes(n)) {
			return errors.New("a field without a name")
		}
		t.Fields[i].Name = string(d.bytes(n))
		index[t.Fields[i].Name] = i
		return nil
	})
	if err != nil {
		return t, err
	}
	to := -1
	return t, d.items(*fields, func(i int, item int32) error {
		if i%2 == 0 {
			var ok bool
			if n := d.nodes[item]; n.kind == kindText {
				to, ok = index[string(d.bytes(n))]
			}
			if !ok {
				return errors.New("a type for a field that there is not")
			}
			return nil
		}
		var pair [2]int32 // the type, and its offset
		if err := d.few(d.nodes[item], pair[:]); err != nil {
			return err
		}
		field, names, _, err := d.simple(pair[0])
		if err == nil && names != nil {
			err = errors.New("a structured type inside another")
		}
		t.Fields[to].Type = field
		return err
	})
}

// simple reads a type; names and fields are nil unless it is structured.
func (d *Doc) simple(at int32) (t Type, names, fields *node, err error) {
	n := d.nodes[at]
	if n.kind != kindType {
		return t, nil, nil, fmt.Errorf("%s where a type should be", kindNames[n.kind])
	}
	t.Code = string(d.bytes(d.nodes[n.first]))
	if n.last < 0 {
		return t, nil, nil, nil
	}
	// (version, byte order, sub-array, names, fields, size, alignment, flags)
	state := d.nodes[n.last]
	if state.n < 8 || state.n > 9 {
		return t, nil, nil, fmt.Errorf("a type with a state of %d parts", state.n)
	}
	err = d.items(state, func(i int, item int32) error {
		part := d.nodes[item]
		switch {
		case i == 1 && part.kind == kindText:
			t.Big = string(d.bytes(part)) == ">"
		case i == 2 && part.kind != kindNone:
			return errors.New("a type with sub-arrays")
		case i == 3 && part.kind != kindNone:
			names = &part
		case i == 4 && part.kind != kindNone:
			fields = &part
		}
		return nil
	})
	if err == nil && (names == nil) != (fields == nil) {
		err = errors.New("a structured type without names or without fields")
	}
	return t, names, fields, err
}
