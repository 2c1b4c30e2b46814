package dtype

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Numpy returns the descr member of the header of a .npy file, as the Python
// literal that stands there: '<u2' in quotes, or a list for a struct. It is an
// error for types that NumPy itself does not have.
func Numpy(t Type) (descr string, err error) {
	return spellNumpy(t, numpyStyle{open: "(", close: ")", quote: pythonString, shape: pythonTuple, little: "<"})
}

// NumpyJSON returns the dtype member of Zarr v2 metadata for elements that are
// stored in big-endian or little-endian order: "<u2", or a list for a struct.
func NumpyJSON(t Type, big bool) (json.RawMessage, error) {
	style := numpyStyle{open: "[", close: "]", quote: jsonString, shape: jsonList, little: "<", extended: true}
	if big {
		style.little = ">"
	}
	descr, err := spellNumpy(t, style)
	return json.RawMessage(descr), err
}

// numpyStyle is how a description is written down: as Python or as JSON.
type numpyStyle struct {
	open, close string // around a field
	quote       func(string) string
	shape       func([]int) string
	little      string // the character for the byte order
	extended    bool   // with names that only Zarr v2 has
}

func spellNumpy(t Type, style numpyStyle) (string, error) {
	if t.Kind() == Struct {
		return spellStruct(t, style)
	}
	code := numpyCode(t, style.little)
	if code == "" && style.extended && numpyExtended(t) {
		code = t.Name()
	}
	if code == "" && style.extended && t.Kind() == Object {
		code = "|O"
	}
	if code == "" {
		return "", fmt.Errorf("NumPy has no type for %s", short(t.Name()))
	}
	return style.quote(code), nil
}

// numpyExtended says whether a type that NumPy lacks is stored in Zarr v2 by its
// v3 name, as tensorstore does it.
func numpyExtended(t Type) bool {
	switch t.Kind() {
	case Int:
		return t.Units()[0].Bits < 8
	case Float:
		return t.Name() == "bfloat16" || strings.HasPrefix(t.Name(), "float8_") || strings.HasPrefix(t.Name(), "float4_")
	}
	return false
}

// numpyCode is the character code of a type that is no struct, "" if it has
// none.
func numpyCode(t Type, order string) string {
	if t.Size() == 1 {
		order = "|"
	}
	size := strconv.Itoa(t.Size())
	switch t.Kind() {
	case Bool:
		return "|b1"
	case Int, Uint:
		if t.Units()[0].Bits < 8 {
			return ""
		}
		if t.Kind() == Uint {
			return order + "u" + size
		}
		return order + "i" + size
	case Float, Complex:
		f, _ := FormatOf(t)
		switch {
		case t.Kind() == Float && (f == formatFloat16 || f == formatFloat32 || f == formatFloat64):
			return order + "f" + size
		case t.Kind() == Complex && (f == formatFloat32 || f == formatFloat64):
			return order + "c" + size
		}
	case Raw:
		if r, ok := t.(*rawType); ok && r.form == rawTerminated {
			return "|S" + size
		}
		return "|V" + size
	case UTF32:
		return order + "U" + strconv.Itoa(t.Size()/4)
	case Time, Duration:
		return numpyTime(t, order)
	}
	return ""
}

func numpyTime(t Type, order string) string {
	code := order + "M8"
	if t.Kind() == Duration {
		code = order + "m8"
	}
	unit, scale, ok := TimeUnit(t)
	switch {
	case !ok:
		return ""
	case unit == "generic":
		return code
	case scale == 1:
		return code + "[" + unit + "]"
	}
	return code + "[" + strconv.Itoa(scale) + unit + "]"
}

func spellStruct(t Type, style numpyStyle) (string, error) {
	var b strings.Builder
	b.WriteByte('[')
	for i, f := range Fields(t) {
		typ, shape := f.Type, ""
		if elem, dims := Elements(typ); elem != nil {
			typ, shape = elem, ", "+style.shape(dims)
		}
		descr, err := spellNumpy(typ, style)
		if err != nil {
			return "", fmt.Errorf("field %s: %w", short(strconv.Quote(f.Name)), err)
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(style.open + style.quote(f.Name) + ", " + descr + shape + style.close)
	}
	return b.String() + "]", nil
}

func jsonString(s string) string { return string(appendString(nil, s)) }

func jsonList(shape []int) string {
	text, _ := json.Marshal(shape) // a list of numbers has a spelling
	return string(text)
}

func pythonTuple(shape []int) string {
	var b strings.Builder
	for _, n := range shape {
		b.WriteString(strconv.Itoa(n) + ",")
	}
	return "(" + b.String() + ")"
}

// pythonString quotes s with escapes for all but printable ASCII, so that
// every version of the .npy header can hold it.
func pythonString(s string) string {
	var b strings.Builder
	b.WriteByte('\'')
	for _, r := range s {
		switch {
		case r == '\'' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r >= ' ' && r < 0x7f:
			b.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String() + "'"
}

// errMixed refuses a description whose scalars differ in byte order.
var errMixed = errors.New("fields in different byte orders")

// ParseNumpy reads the dtype member of Zarr v2 metadata, and of the numcodecs
// that name types: a code such as "<u2", or a list of fields. big says that
// scalars of more than one byte are big-endian; all must agree.
func ParseNumpy(raw json.RawMessage) (t Type, big bool, err error) {
	t, swapped, err := ParseNumpyUnits(raw)
	if err != nil || len(swapped) == 0 {
		return t, false, err
	}
	wide := 0
	for _, u := range t.Units() {
		if u.Width > 1 {
			wide++
		}
	}
	if wide != len(swapped) {
		return nil, false, fmt.Errorf("data type %s: %w", short(string(trim(raw))), errMixed)
	}
	return t, true, nil
}

// ParseNumpyUnits is ParseNumpy for fields in different byte orders: it returns
// the scalars of an element that are big-endian.
func ParseNumpyUnits(raw json.RawMessage) (t Type, big []Unit, err error) {
	if nesting(raw) > maxNesting {
		return nil, nil, fmt.Errorf("data type %s: nested too deeply", short(string(raw)))
	}
	t, big, err = parseNumpy(raw)
	if err != nil {
		return nil, nil, fmt.Errorf("data type %s: %w", short(string(trim(raw))), err)
	}
	return t, big, nil
}

func parseNumpy(raw json.RawMessage) (Type, []Unit, error) {
	if items, ok := list(raw); ok {
		return parseNumpyStruct(items)
	}
	code, err := text(raw)
	if err != nil {
		return nil, nil, errors.New("must be a string or a list of fields")
	}
	t, err := parseNumpyCode(code)
	if err != nil || code[0] != '>' {
		return t, nil, err
	}
	return t, wideUnits(t, 0), nil
}

// wideUnits are the scalars of more than one byte, off bytes further on.
func wideUnits(t Type, off int) []Unit {
	var out []Unit
	for _, u := range t.Units() {
		if u.Width > 1 {
			u.Offset += off
			out = append(out, u)
		}
	}
	return out
}

func parseNumpyStruct(items []json.RawMessage) (Type, []Unit, error) {
	if len(items) > maxFields {
		return nil, nil, fmt.Errorf("%d fields, at most %d are supported", len(items), maxFields)
	}
	fields := make([]Field, len(items))
	bigs := make([][]Unit, len(items))
	for i, item := range items {
		parts, ok := list(item)
		if !ok || len(parts) < 2 || len(parts) > 3 {
			return nil, nil, fmt.Errorf("field %d is %s, not a list of name, type and perhaps shape", i, short(string(item)))
		}
		name, err := text(parts[0])
		if err != nil {
			return nil, nil, fmt.Errorf("field %d: name %w", i, err)
		}
		if name == "" {
			name = "f" + strconv.Itoa(i) // as NumPy calls it
		}
		t, big, err := parseNumpy(parts[1])
		if err == nil && len(parts) == 3 {
			t, big, err = parseNumpyField(t, big, parts[2])
		}
		if err != nil {
			return nil, nil, fmt.Errorf("field %s: %w", short(strconv.Quote(name)), err)
		}
		fields[i], bigs[i] = Field{Name: name, Type: t}, big
	}
	t, err := newStruct("struct", fields, false)
	if err != nil {
		return nil, nil, err
	}
	var out []Unit
	for i, f := range Fields(t) {
		for _, u := range bigs[i] {
			u.Offset += f.Offset
			out = append(out, u)
		}
	}
	return t, out, nil
}

// parseNumpyField makes the sub-array that a field with a shape is.
func parseNumpyField(elem Type, big []Unit, raw json.RawMessage) (Type, []Unit, error) {
	shape, err := subshape(raw)
	if err != nil || len(shape) == 0 {
		return elem, big, err
	}
	t, err := NewSubarray(elem, shape)
	if err != nil || len(big) == 0 {
		return t, nil, err
	}
	if len(big) != len(wideUnits(elem, 0)) {
		return nil, nil, fmt.Errorf("a sub-array of %w", errMixed)
	}
	return t, wideUnits(t, 0), nil
}

// numpyNames are the v3 names of NumPy's codes for numbers.
var numpyNames = map[string]string{
	"b1": "bool", "i1": "int8", "i2": "int16", "i4": "int32", "i8": "int64",
	"u1": "uint8", "u2": "uint16", "u4": "uint32", "u8": "uint64",
	"f2": "float16", "f4": "float32", "f8": "float64", "c8": "complex64", "c16": "complex128",
}

func parseNumpyCode(code string) (Type, error) {
	if t, err := Lookup(code); err == nil && numpyExtended(t) {
		return t, nil
	}
	if len(code) < 2 || !strings.Contains("<>|", code[:1]) {
		return nil, errors.New("must begin with the byte order: <, > or |")
	}
	order, code := code[0], code[1:]
	if code == "O" {
		return Lookup("omnizarr.json")
	}
	if name := numpyNames[code]; name != "" {
		t, err := Lookup(name)
		if err == nil && order == '|' && len(wideUnits(t, 0)) > 0 {
			err = errors.New("must begin with the byte order: < or >")
		}
		return t, err
	}
	switch code[0] {
	case 'M', 'm':
		return parseNumpyTime(code)
	case 'S', 'a', 'U', 'V':
	default:
		return nil, fmt.Errorf("%w of NumPy", ErrUnknown)
	}
	n, err := strconv.Atoi(code[1:])
	if err != nil || n < 1 || n > maxSize/4 || code[1] == '+' {
		return nil, fmt.Errorf("length must be from 1 to %d", maxSize/4)
	}
	switch code[0] {
	case 'U':
		return newUTF32(n), nil
	case 'V':
		// Zarr v3 has r*, but zarr-python, which wrote most of it, reads only this.
		return newRaw("raw_bytes", rawBytes, n), nil
	}
	return newRaw("null_terminated_bytes", rawTerminated, n), nil
}

// parseNumpyTime reads M8[10us] and the like.
func parseNumpyTime(code string) (Type, error) {
	name := "numpy.datetime64"
	if code[0] == 'm' {
		name = "numpy.timedelta64"
	}
	unit, ok := strings.CutPrefix(code[1:], "8")
	if !ok {
		return nil, fmt.Errorf("%w of NumPy", ErrUnknown)
	}
	if unit == "" {
		unit = "[generic]"
	}
	if len(unit) < 3 || unit[0] != '[' || unit[len(unit)-1] != ']' {
		return nil, errors.New("unit must stand in brackets")
	}
	unit = unit[1 : len(unit)-1]
	digits := unit[:len(unit)-len(strings.TrimLeft(unit, "0123456789"))]
	scale := digits
	if scale == "" {
		scale = "1"
	}
	config := `{"unit":` + jsonString(unit[len(digits):]) + `,"scale_factor":` + scale + `}`
	return parseTime(name, json.RawMessage(config))
}
