package dtype

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"
)

var (
	typeFloat16  = reflect.TypeFor[Float16]()
	typeBFloat16 = reflect.TypeFor[BFloat16]()
	typeDuration = reflect.TypeFor[time.Duration]()

	intTypes = map[int]reflect.Type{
		1: reflect.TypeFor[int8](), 2: reflect.TypeFor[int16](),
		4: reflect.TypeFor[int32](), 8: reflect.TypeFor[int64](),
	}
	uintTypes = map[int]reflect.Type{
		1: reflect.TypeFor[uint8](), 2: reflect.TypeFor[uint16](),
		4: reflect.TypeFor[uint32](), 8: reflect.TypeFor[uint64](),
	}
)

// maxArray bounds the Go array types that GoType makes: the runtime keeps them
// for ever, so metadata must not be able to ask for many large ones.
const maxArray = 1 << 10

// IsReference reports whether elements of t are references to a heap: a []T of
// strings or byte slices is then filled value by value, and is not the memory
// of the array.
func IsReference(t Type) bool {
	switch t.Kind() {
	case String, Bytes, Object, List:
		return true
	}
	return false
}

// GoType returns the Go type that is natural for an element of t, nil when
// there is none. Types below eight bits are int8 or uint8, small floats uint8,
// times and durations int64, fixed text an array of runes. A JSON value is a
// json.RawMessage, empty for null, in which floats that JSON lacks are the bare
// words NaN, Infinity and -Infinity; a list is the bytes of its items.
func GoType(t Type) reflect.Type {
	switch t.Kind() {
	case Bool:
		return reflect.TypeFor[bool]()
	case Int, Time, Duration:
		return intTypes[t.Size()]
	case Uint:
		return uintTypes[t.Size()]
	case Float:
		if f, ok := FormatOf(t); ok {
			return f.goType()
		}
	case Complex:
		switch f, ok := FormatOf(t); {
		case f == formatFloat32:
			return reflect.TypeFor[complex64]()
		case f == formatFloat64:
			return reflect.TypeFor[complex128]()
		case ok:
			return reflect.ArrayOf(2, f.goType())
		}
	case Raw:
		if t.Size() <= maxArray {
			return reflect.ArrayOf(t.Size(), reflect.TypeFor[byte]())
		}
	case UTF32:
		if t.Size() <= 4*maxArray {
			return reflect.ArrayOf(t.Size()/4, reflect.TypeFor[rune]())
		}
	case String:
		return reflect.TypeFor[string]()
	case Bytes, List:
		return reflect.TypeFor[[]byte]()
	case Object:
		return reflect.TypeFor[json.RawMessage]()
	}
	return nil
}

func (f *Format) goType() reflect.Type {
	switch f {
	case formatFloat64:
		return reflect.TypeFor[float64]()
	case formatFloat32:
		return reflect.TypeFor[float32]()
	case formatFloat16:
		return typeFloat16
	case formatBFloat16:
		return typeBFloat16
	}
	return reflect.TypeFor[uint8]()
}

// Check returns an error unless a []T can hold elements of t: with the same
// layout in memory, or, when IsReference, as strings or byte slices. Named
// types are as good as what they are made of, except that Float16 and BFloat16
// hold only themselves and time.Duration no other unit than nanoseconds.
func Check[T any](t Type) error { return CheckGo(t, reflect.TypeFor[T]()) }

// CheckGo is Check for a Go type that is known only at run time.
func CheckGo(t Type, g reflect.Type) error {
	if g != nil && fits(t, g) {
		return nil
	}
	return &goTypeError{fmt.Sprintf("array is %s, which is not %v: use %s", short(t.Name()), g, hint(t))}
}

// ErrGoType says that elements are not of the Go type that was asked for.
var ErrGoType = errors.New("wrong type")

// goTypeError is ErrGoType, but does not say so again.
type goTypeError struct{ text string }

func (e *goTypeError) Error() string { return e.text }

func (e *goTypeError) Is(target error) bool { return target == ErrGoType }

// hint says which Go type would fit.
func hint(t Type) string {
	if g := GoType(t); g != nil {
		return g.String()
	}
	switch t.Kind() {
	case Raw:
		return fmt.Sprintf("[%d]uint8", t.Size())
	case UTF32:
		return fmt.Sprintf("[%d]int32", t.Size()/4)
	case Struct:
		var b strings.Builder
		for i, f := range Fields(t) {
			if i > 0 {
				b.WriteString("; ")
			}
			fmt.Fprintf(&b, "%s %s", f.Name, f.Type.Name())
		}
		return "a Go struct without padding that has the fields " + short(b.String())
	}
	return "its bytes"
}

func fits(t Type, g reflect.Type) bool {
	switch t.Kind() {
	case Bool:
		return g.Kind() == reflect.Bool
	case Int:
		return signed(g) && int(g.Size()) == t.Size()
	case Uint:
		return unsigned(g) && int(g.Size()) == t.Size() && g != typeFloat16 && g != typeBFloat16
	case Time, Duration:
		unit, scale, _ := TimeUnit(t)
		if g == typeDuration {
			return t.Kind() == Duration && unit == "ns" && scale == 1
		}
		return g.Kind() == reflect.Int64
	case Float:
		f, ok := FormatOf(t)
		return ok && f.fits(g)
	case Complex:
		f, ok := FormatOf(t)
		switch g.Kind() {
		case reflect.Complex64:
			return f == formatFloat32
		case reflect.Complex128:
			return f == formatFloat64
		}
		return ok && g.Kind() == reflect.Array && g.Len() == 2 && f.fits(g.Elem())
	case Raw:
		return g.Kind() == reflect.Array && g.Elem().Kind() == reflect.Uint8 && g.Len() == t.Size()
	case UTF32:
		return g.Kind() == reflect.Array && g.Len() == t.Size()/4 &&
			(g.Elem().Kind() == reflect.Int32 || g.Elem().Kind() == reflect.Uint32)
	case String:
		return g.Kind() == reflect.String
	case Bytes, Object, List:
		return g.Kind() == reflect.Slice && g.Elem().Kind() == reflect.Uint8
	case Struct:
		return fitsStruct(t, g)
	}
	return false
}

// fits reports whether g has the layout of one float.
func (f *Format) fits(g reflect.Type) bool {
	switch g {
	case typeFloat16:
		return f == formatFloat16
	case typeBFloat16:
		return f == formatBFloat16
	}
	return g.Kind() == f.memory().Kind()
}

// memory is the basic Go type of a float's memory.
func (f *Format) memory() reflect.Type {
	if f == formatFloat16 || f == formatBFloat16 {
		return reflect.TypeFor[uint16]()
	}
	return f.goType()
}

// fitsStruct compares field by field; the offsets must agree too, so that a
// struct which Go pads does not pass. References never lie inside a Go struct.
func fitsStruct(t Type, g reflect.Type) bool {
	fields := Fields(t)
	if g.Kind() != reflect.Struct || g.NumField() != len(fields) || int(g.Size()) != t.Size() || len(t.Refs()) > 0 {
		return false
	}
	for i, f := range fields {
		if gf := g.Field(i); int(gf.Offset) != f.Offset || !fits(f.Type, gf.Type) {
			return false
		}
	}
	return true
}

// signed and unsigned accept only integers of the same size on every platform.
func signed(g reflect.Type) bool {
	return g.Kind() >= reflect.Int8 && g.Kind() <= reflect.Int64
}

func unsigned(g reflect.Type) bool {
	return g.Kind() >= reflect.Uint8 && g.Kind() <= reflect.Uint64
}

// For returns the type whose elements are natural for T, which is a bool, a
// sized number, Float16, BFloat16, a string or a byte slice.
func For[T any]() (Type, error) {
	g := reflect.TypeFor[T]()
	name := ""
	switch k := g.Kind(); {
	case g == typeFloat16:
		name = "float16"
	case g == typeBFloat16:
		name = "bfloat16"
	case k == reflect.Bool, signed(g), unsigned(g), k == reflect.String,
		k >= reflect.Float32 && k <= reflect.Complex128:
		name = k.String()
	case k == reflect.Slice && g.Elem().Kind() == reflect.Uint8:
		name = "bytes"
	default:
		return nil, fmt.Errorf("no data type is natural for %v: name one", g)
	}
	return Lookup(name)
}
