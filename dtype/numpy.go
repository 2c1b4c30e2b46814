package dtype

import (
	"fmt"
	"strconv"
	"strings"
)

// Numpy returns the descr member of the header of a .npy file, as the Python
// literal that stands there: '<u2' in quotes, or a list for a struct. It is an
// error for types that NumPy itself does not have.
func Numpy(t Type) (descr string, err error) {
	code := ""
	switch t.Kind() {
	case Bool:
		code = "|b1"
	case Int, Uint:
		if t.Units()[0].Bits < 8 {
			break
		}
		letter := "i"
		if t.Kind() == Uint {
			letter = "u"
		}
		code = byteOrder(t.Size()) + letter + strconv.Itoa(t.Size())
	case Float, Complex:
		switch f, _ := FormatOf(t); {
		case t.Kind() == Float && (f == formatFloat16 || f == formatFloat32 || f == formatFloat64):
			code = "<f" + strconv.Itoa(t.Size())
		case f == formatFloat32 || f == formatFloat64:
			code = "<c" + strconv.Itoa(t.Size())
		}
	case Raw:
		code = "|V" + strconv.Itoa(t.Size())
		if r, ok := t.(*rawType); ok && r.form == rawTerminated {
			code = "|S" + strconv.Itoa(t.Size())
		}
	case UTF32:
		code = "<U" + strconv.Itoa(t.Size()/4)
	case Time, Duration:
		code = numpyTime(t)
	case Struct:
		return numpyStruct(t)
	}
	if code == "" {
		return "", fmt.Errorf("NumPy has no type for %s", short(t.Name()))
	}
	return "'" + code + "'", nil
}

func byteOrder(size int) string {
	if size == 1 {
		return "|"
	}
	return "<"
}

func numpyTime(t Type) string {
	code := "<M8"
	if t.Kind() == Duration {
		code = "<m8"
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

func numpyStruct(t Type) (string, error) {
	var b strings.Builder
	b.WriteByte('[')
	for i, f := range Fields(t) {
		descr, err := Numpy(f.Type)
		if err != nil {
			return "", fmt.Errorf("field %s: %w", short(strconv.Quote(f.Name)), err)
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString("(" + pythonString(f.Name) + ", " + descr + ")")
	}
	return b.String() + "]", nil
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
