package dtype

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"math/big"
	"strconv"
	"strings"
	"unsafe"

	"github.com/omnizarr/zarr/nd"
)

type floatType struct {
	base
	format *Format
}

func newFloat(f *Format) Type {
	unit := Unit{Width: max(f.bits/8, 1), Count: 1, Bits: f.bits}
	return canonical(&floatType{plain(f.name, Float, unit), f})
}

func (t *floatType) ParseFill(raw json.RawMessage, _ *nd.Heap) ([]byte, error) {
	return t.format.parseFill(make([]byte, 0, t.size), t.name, raw)
}

func (t *floatType) AppendFill(dst, elem []byte, _ nd.Blobs) ([]byte, error) {
	return t.format.appendFill(dst, elem), nil
}

func (t *floatType) AppendValue(dst, elem []byte, _ nd.Blobs) ([]byte, error) {
	return t.format.appendValue(dst, elem), nil
}

// width is the number of bytes of a float in memory.
func (f *Format) width() int { return max(f.bits/8, 1) }

// pattern reads the significant bits of a float in memory.
func (f *Format) pattern(elem []byte) uint64 {
	return load(elem, f.width()) & (^uint64(0) >> (64 - f.bits))
}

// parseFill appends the memory of a float spelled in any of the ways of the
// core text.
func (f *Format) parseFill(dst []byte, name string, raw json.RawMessage) ([]byte, error) {
	raw = trim(raw)
	var bits uint64
	var err error
	if isNumber(raw) {
		bits, err = f.parseNumber(name, raw)
	} else {
		bits, err = f.parseWord(name, raw)
	}
	if err != nil {
		return nil, err
	}
	var mem [8]byte
	binary.LittleEndian.PutUint64(mem[:], bits)
	return append(dst, mem[:f.width()]...), nil
}

func (f *Format) parseNumber(name string, raw json.RawMessage) (uint64, error) {
	const longest = 4096 // more digits than any float64 has
	if len(raw) > longest {
		return 0, badFill(name, raw, "number of %d characters", len(raw))
	}
	s := string(raw)
	if f == formatFloat32 {
		x, _ := strconv.ParseFloat(s, 32)
		return uint64(math.Float32bits(float32(x))), nil
	}
	x, _ := strconv.ParseFloat(s, 64) // out of range gives infinity
	if f != formatFloat64 {
		x = nudge(x, s)
	}
	bits, ok := f.Encode(x)
	if !ok {
		return 0, badFill(name, raw, "%s has no such number", f.name)
	}
	return bits, nil
}

// nudge moves x, which is the float64 nearest to the decimal s, by one step
// towards s when they differ. The result is on the same side of every number
// with fewer bits as s is, so rounding it to a smaller format is as good as
// rounding s: halfway cases are not rounded twice.
func nudge(x float64, s string) float64 {
	if x == 0 || math.IsInf(x, 0) {
		return x
	}
	exact, ok := new(big.Rat).SetString(s)
	if !ok {
		return x
	}
	switch exact.Cmp(new(big.Rat).SetFloat64(x)) {
	case 1:
		return math.Nextafter(x, math.Inf(1))
	case -1:
		return math.Nextafter(x, math.Inf(-1))
	}
	return x
}

// parseWord reads the spellings that are strings.
func (f *Format) parseWord(name string, raw json.RawMessage) (uint64, error) {
	s, err := text(raw)
	if err != nil {
		return 0, badFill(name, raw, `must be a number, "NaN", "Infinity", "-Infinity" or "0x…"`)
	}
	switch s {
	case "NaN":
		if nan, ok := f.NaN(); ok {
			return nan, nil
		}
		return 0, badFill(name, raw, "%s has no NaN", f.name)
	case "Infinity", "-Infinity":
		if !f.HasInf() {
			return 0, badFill(name, raw, "%s has no infinity", f.name)
		}
		if s[0] == '-' {
			return f.inf() | 1<<(f.bits-1), nil
		}
		return f.inf(), nil
	}
	digits, ok := strings.CutPrefix(s, "0x")
	if !ok {
		return 0, badFill(name, raw, `must be a number, "NaN", "Infinity", "-Infinity" or "0x…"`)
	}
	bits, err := strconv.ParseUint(digits, 16, 64)
	if err != nil || len(digits) != 2*f.width() {
		return 0, badFill(name, raw, "must have %d hexadecimal digits", 2*f.width())
	}
	if bits>>(f.bits-1)>>1 != 0 {
		return 0, badFill(name, raw, "%s has %d bits", f.name, f.bits)
	}
	return bits, nil
}

func (f *Format) appendFill(dst, elem []byte) []byte {
	bits := f.pattern(elem)
	if nan, _ := f.NaN(); f.IsNaN(bits) && bits != nan {
		dst = append(dst, `"0x`...)
		const hex = "0123456789abcdef"
		for shift := 8*f.width() - 4; shift >= 0; shift -= 4 {
			dst = append(dst, hex[bits>>shift&15])
		}
		return append(dst, '"')
	}
	return f.appendExact(dst, elem)
}

// appendExact appends a float of any format as the float64 that it is.
func (f *Format) appendExact(dst, elem []byte) []byte {
	return AppendFloat(dst, f.Decode(f.pattern(elem)))
}

// appendValue appends the shortest number that the format reads back: a float32 is
// 0.1, not the float64 that it is.
func (f *Format) appendValue(dst, elem []byte) []byte {
	bits := f.pattern(elem)
	x := f.Decode(bits)
	switch {
	case x == 0 || x != x || math.IsInf(x, 0):
		return AppendFloat(dst, x)
	case f == formatFloat32:
		return appendNumber(dst, x, 32)
	case f != formatFloat16 && f != formatBFloat16: // the small ones are powers, nearly
		return AppendFloat(dst, x)
	}
	from := len(dst)
	for digits := range 17 {
		dst = strconv.AppendFloat(dst[:from], x, 'e', digits, 64)
		y, err := strconv.ParseFloat(unsafe.String(&dst[from], len(dst)-from), 64)
		if back, ok := f.Encode(y); err == nil && ok && back == bits {
			return appendNumber(dst[:from], y, 64)
		}
	}
	return AppendFloat(dst[:from], x)
}

// AppendExact is AppendValue for programs that take every number for a float64: most
// do, and the shortest spelling of a float32 is another float64.
func AppendExact(t Type, dst, elem []byte, h nd.Blobs) ([]byte, error) {
	switch t := unwrap(t).(type) {
	case *floatType:
		return t.format.appendExact(dst, elem), nil
	case *complexType:
		dst = t.format.appendExact(append(dst, '['), elem)
		dst = t.format.appendExact(append(dst, ',', ' '), elem[t.size/2:])
		return append(dst, ']'), nil
	}
	return t.AppendValue(dst, elem, h)
}

// AppendFloat appends the shortest number that float64 arithmetic reads back as x, as
// JSON: "NaN", "Infinity" and "-Infinity" are strings. There is always a fraction or
// an exponent, since readers take -0 for the integer zero.
func AppendFloat(dst []byte, x float64) []byte {
	switch {
	case x != x:
		return append(dst, `"NaN"`...)
	case x > math.MaxFloat64:
		return append(dst, `"Infinity"`...)
	case x < -math.MaxFloat64:
		return append(dst, `"-Infinity"`...)
	}
	return appendNumber(dst, x, 64)
}

// appendNumber appends a finite number with the digits that a float of so many bits
// needs.
func appendNumber(dst []byte, x float64, bits int) []byte {
	if a := math.Abs(x); a != 0 && (a < 1e-5 || a >= 1e16) {
		return strconv.AppendFloat(dst, x, 'e', -1, bits)
	}
	from := len(dst)
	dst = strconv.AppendFloat(dst, x, 'f', -1, bits)
	for _, c := range dst[from:] {
		if c == '.' {
			return dst
		}
	}
	return append(dst, '.', '0')
}
