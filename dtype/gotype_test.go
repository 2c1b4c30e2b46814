package dtype

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

type (
	celsius  float64
	pixel    uint16
	packed   struct{ X, Y float32 }
	narrowIn struct {
		A int8
		B bool
		C [2]byte
		D pixel
	}
	padded struct {
		A uint8
		B uint16
	}
	nested struct {
		P packed
		N int64
	}
)

func timeType64(name, unit string, scale string) Type {
	return MustParse(`{"name":"numpy.` + name + `","configuration":{"unit":"` + unit + `","scale_factor":` + scale + `}}`)
}

func structOf(fields string) Type {
	return MustParse(`{"name":"struct","configuration":{"fields":[` + fields + `]}}`)
}

func TestCheck(t *testing.T) {
	xy := `{"name":"struct","configuration":{"fields":[["x","float32"],["y","float32"]]}}`
	utf32 := MustParse(`{"name":"fixed_length_utf32","configuration":{"length_bytes":8}}`)
	for _, c := range []struct {
		typ  Type
		err  error
		fits bool
	}{
		{MustParse("bool"), Check[bool](MustParse("bool")), true},
		{MustParse("bool"), Check[uint8](MustParse("bool")), false},
		{MustParse("uint8"), Check[bool](MustParse("uint8")), false},
		{MustParse("uint8"), Check[byte](MustParse("uint8")), true},
		{MustParse("uint8"), Check[int8](MustParse("uint8")), false},
		{MustParse("int4"), Check[int8](MustParse("int4")), true},
		{MustParse("int4"), Check[uint8](MustParse("int4")), false},
		{MustParse("uint2"), Check[uint8](MustParse("uint2")), true},
		{MustParse("uint16"), Check[uint16](MustParse("uint16")), true},
		{MustParse("uint16"), Check[pixel](MustParse("uint16")), true},
		{MustParse("uint16"), Check[Float16](MustParse("uint16")), false},
		{MustParse("uint16"), Check[uint32](MustParse("uint16")), false},
		{MustParse("int64"), Check[int64](MustParse("int64")), true},
		{MustParse("int64"), Check[int](MustParse("int64")), false},
		{MustParse("uint64"), Check[uintptr](MustParse("uint64")), false},
		{MustParse("uint64"), Check[float64](MustParse("uint64")), false},
		{MustParse("float64"), Check[celsius](MustParse("float64")), true},
		{MustParse("float32"), Check[float64](MustParse("float32")), false},
		{MustParse("float16"), Check[Float16](MustParse("float16")), true},
		{MustParse("float16"), Check[uint16](MustParse("float16")), true},
		{MustParse("float16"), Check[BFloat16](MustParse("float16")), false},
		{MustParse("float16"), Check[float32](MustParse("float16")), false},
		{MustParse("bfloat16"), Check[BFloat16](MustParse("bfloat16")), true},
		{MustParse("bfloat16"), Check[Float16](MustParse("bfloat16")), false},
		{MustParse("float8_e5m2"), Check[uint8](MustParse("float8_e5m2")), true},
		{MustParse("float8_e5m2"), Check[int8](MustParse("float8_e5m2")), false},
		{MustParse("complex64"), Check[complex64](MustParse("complex64")), true},
		{MustParse("complex64"), Check[[2]float32](MustParse("complex64")), true},
		{MustParse("complex64"), Check[complex128](MustParse("complex64")), false},
		{MustParse("complex_float64"), Check[complex128](MustParse("complex_float64")), true},
		{MustParse("complex_bfloat16"), Check[[2]BFloat16](MustParse("complex_bfloat16")), true},
		{MustParse("complex_bfloat16"), Check[[2]Float16](MustParse("complex_bfloat16")), false},
		{MustParse("r48"), Check[[6]byte](MustParse("r48")), true},
		{MustParse("r48"), Check[[5]byte](MustParse("r48")), false},
		{MustParse("r48"), Check[[6]int8](MustParse("r48")), false},
		{utf32, Check[[2]rune](utf32), true},
		{utf32, Check[[2]uint32](utf32), true},
		{utf32, Check[string](utf32), false},
		{timeType64("datetime64", "ns", "1"), Check[int64](timeType64("datetime64", "ns", "1")), true},
		{timeType64("datetime64", "ns", "1"), Check[time.Duration](timeType64("datetime64", "ns", "1")), false},
		{timeType64("timedelta64", "ns", "1"), Check[time.Duration](timeType64("timedelta64", "ns", "1")), true},
		{timeType64("timedelta64", "ns", "2"), Check[time.Duration](timeType64("timedelta64", "ns", "2")), false},
		{timeType64("timedelta64", "s", "1"), Check[time.Duration](timeType64("timedelta64", "s", "1")), false},
		{timeType64("timedelta64", "s", "1"), Check[uint64](timeType64("timedelta64", "s", "1")), false},
		{MustParse("string"), Check[string](MustParse("string")), true},
		{MustParse("string"), Check[[]byte](MustParse("string")), false},
		{MustParse("bytes"), Check[[]byte](MustParse("bytes")), true},
		{MustParse("bytes"), Check[[16]byte](MustParse("bytes")), false},
		{MustParse(xy), Check[packed](MustParse(xy)), true},
		{MustParse(xy), Check[[2]float32](MustParse(xy)), false},
		{MustParse(xy), Check[complex64](MustParse(xy)), false},
		{structOf(`["p",` + xy + `],["n","int64"]`), Check[nested](structOf(`["p",` + xy + `],["n","int64"]`)), true},
		{structOf(`["a","int4"],["b","bool"],["c","r16"],["d","uint16"]`), Check[narrowIn](structOf(`["a","int4"],["b","bool"],["c","r16"],["d","uint16"]`)), true},
		{structOf(`["a","uint8"],["b","uint16"]`), Check[padded](structOf(`["a","uint8"],["b","uint16"]`)), false},
		{MustParse("uint8"), Check[any](MustParse("uint8")), false},
		{MustParse("uint8"), CheckGo(MustParse("uint8"), nil), false},
	} {
		if (c.err == nil) != c.fits {
			t.Errorf("%s: %v", c.typ.Name(), c.err)
		}
		if c.err != nil && !strings.HasPrefix(c.err.Error(), "array is "+c.typ.Name()) {
			t.Errorf("error %q", c.err)
		}
	}
	if err := Check[float32](MustParse("uint16")); err.Error() != "array is uint16, which is not float32: use uint16" {
		t.Errorf("error %q", err)
	}
	if err := Check[float32](MustParse(structXY)); !strings.Contains(err.Error(), "x float32; y int8") {
		t.Errorf("error %q", err)
	}
	if err := Check[float32](MustParse("r99992")); !strings.Contains(err.Error(), "[12499]uint8") {
		t.Errorf("error %q", err)
	}
}

// The natural Go type of a type passes Check and has its size.
func TestGoTypeFits(t *testing.T) {
	for _, name := range append(allNames(), configuredTypes...) {
		typ := MustParse(name)
		g := GoType(typ)
		if g == nil {
			if typ.Kind() != Struct {
				t.Errorf("%s has no Go type", name)
			}
			continue
		}
		if err := CheckGo(typ, g); err != nil {
			t.Error(err)
		}
		if !IsReference(typ) && int(g.Size()) != typ.Size() {
			t.Errorf("%s: %v has %d bytes", name, g, g.Size())
		}
	}
	if g := GoType(MustParse("float16")); g != reflect.TypeFor[Float16]() {
		t.Errorf("float16 is %v", g)
	}
	if g := GoType(MustParse("r134217728")); g != nil {
		t.Errorf("16 MiB of raw bytes are %v", g)
	}
}

func TestFor(t *testing.T) {
	check := func(want string, typ Type, err error) {
		t.Helper()
		if err != nil || typ.Name() != want {
			t.Errorf("For is %v, want %s: %v", typ, want, err)
		}
	}
	typ, err := For[pixel]()
	check("uint16", typ, err)
	typ, err = For[celsius]()
	check("float64", typ, err)
	typ, err = For[bool]()
	check("bool", typ, err)
	typ, err = For[complex64]()
	check("complex64", typ, err)
	typ, err = For[Float16]()
	check("float16", typ, err)
	typ, err = For[BFloat16]()
	check("bfloat16", typ, err)
	typ, err = For[string]()
	check("string", typ, err)
	typ, err = For[[]byte]()
	check("bytes", typ, err)
	if _, err := For[packed](); err == nil {
		t.Error("a struct has a natural type")
	}
	if _, err := For[int](); err == nil {
		t.Error("int has a natural type")
	}
}

func TestNumpy(t *testing.T) {
	for _, c := range []struct{ typ, want string }{
		{"bool", "'|b1'"}, {"int8", "'|i1'"}, {"uint8", "'|u1'"}, {"uint16", "'<u2'"}, {"int64", "'<i8'"},
		{"float16", "'<f2'"}, {"float32", "'<f4'"}, {"float64", "'<f8'"},
		{"complex64", "'<c8'"}, {"complex128", "'<c16'"}, {"complex_float32", "'<c8'"},
		{"r48", "'|V6'"}, {`{"name":"raw_bytes","configuration":{"length_bytes":6}}`, "'|V6'"},
		{`{"name":"null_terminated_bytes","configuration":{"length_bytes":3}}`, "'|S3'"},
		{`{"name":"fixed_length_utf32","configuration":{"length_bytes":16}}`, "'<U4'"},
		{`{"name":"numpy.datetime64","configuration":{"unit":"μs","scale_factor":10}}`, "'<M8[10us]'"},
		{`{"name":"numpy.timedelta64","configuration":{"unit":"D","scale_factor":1}}`, "'<m8[D]'"},
		{`{"name":"numpy.datetime64","configuration":{"unit":"generic","scale_factor":1}}`, "'<M8'"},
		{`{"name":"struct","configuration":{"fields":[["it's","bool"],["é😀\n",` + structXY + `]]}}`,
			`[('it\'s', '|b1'), ('\u00e9\U0001f600\u000a', [('x', '<f4'), ('y', '|i1')])]`},
	} {
		if got, err := Numpy(MustParse(c.typ)); err != nil || got != c.want {
			t.Errorf("%s: %s, want %s: %v", c.typ, got, c.want, err)
		}
	}
	for _, name := range []string{"int2", "uint4", "bfloat16", "float8_e5m2", "complex_float16", "complex_bfloat16", "string", "bytes",
		`{"name":"struct","configuration":{"fields":[["a","int4"]]}}`} {
		if got, err := Numpy(MustParse(name)); err == nil {
			t.Errorf("%s: %s", name, got)
		}
	}
}
