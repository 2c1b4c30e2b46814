package dtype

import (
	"encoding/json"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/omnizarr/zarr/internal/fuzzlong"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/nd"
)

// anyType draws a type without references; structs nest a few levels.
func anyType(depth int) *rapid.Generator[Type] {
	return rapid.Custom(func(t *rapid.T) Type {
		if depth > 0 && rapid.IntRange(0, 3).Draw(t, "struct") == 0 {
			names := rapid.SliceOfNDistinct(rapid.StringN(1, 4, -1).Filter(utf8.ValidString), 1, 4, rapid.ID[string]).Draw(t, "names")
			var fields []Field
			for _, n := range names {
				fields = append(fields, Field{Name: n, Type: anyType(depth-1).Draw(t, n)})
			}
			typ, err := NewStruct(fields)
			if err != nil {
				t.Fatal(err)
			}
			return typ
		}
		for {
			typ := MustParse(rapid.SampledFrom(append(allNames(), configuredTypes...)).Draw(t, "type"))
			if len(typ.Refs()) == 0 {
				return typ
			}
		}
	})
}

// mendText makes an element's UTF-32 parts text that JSON can hold, and its
// bools 0 or 1.
func mendText(typ Type, elem []byte) {
	switch typ.Kind() {
	case UTF32:
		for i := 0; i < len(elem); i += 4 {
			elem[i+1], elem[i+2], elem[i+3] = elem[i+1]&0x3f, elem[i+2]&1, 0
		}
	case Bool:
		elem[0] &= 1
	case Struct:
		for _, f := range Fields(typ) {
			mendText(f.Type, elem[f.Offset:f.Offset+f.Type.Size()])
		}
	}
}

// Every element that memory may hold is spelled so that it is read back bit
// by bit, and is valid JSON for people.
func TestAnyElementRoundTrips(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		typ := anyType(2).Draw(t, "type")
		elem := rapid.SliceOfN(rapid.Byte(), typ.Size(), typ.Size()).Draw(t, "elem")
		mendText(typ, elem)
		if c, ok := typ.(Canonicaliser); ok {
			if err := c.Canonicalise(nd.Of(elem, typ.Size())); err != nil {
				t.Fatal(err)
			}
		}
		checkRoundTrip(t, typ, elem)
		if value, err := typ.AppendValue(nil, elem, nil); err != nil || !json.Valid(value) {
			t.Errorf("%s: %x is %s: %v", typ.Name(), elem, value, err)
		}
	})
}

// What a type writes for itself is read as the same type.
func TestAnyTypeRoundTrips(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		typ := anyType(3).Draw(t, "type")
		raw, err := typ.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		back, err := Parse(raw)
		if err != nil || !Equal(back, typ) || back.Size() != typ.Size() {
			t.Fatalf("%s is read as %v: %v", raw, back, err)
		}
	})
}

// Every pattern of the formats up to sixteen bits.
func TestEveryNarrowFloatRoundTrips(t *testing.T) {
	for _, f := range formats {
		if f.bits > 16 {
			continue
		}
		typ := MustParse(f.name)
		elem := make([]byte, typ.Size())
		step := 1
		if f.bits == 16 {
			step = thorough.Step(5)
		}
		for bits := range 1 << f.bits {
			if low := bits & 0x7f; bits%step != 0 && low != 0 && low != 0x7f { // where infinities and NaNs begin and end
				continue
			}
			elem[0] = byte(bits)
			if len(elem) > 1 {
				elem[1] = byte(bits >> 8)
			}
			checkRoundTrip(t, typ, elem)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, name := range allNames() {
		f.Add([]byte(`"` + name + `"`))
	}
	for _, raw := range configuredTypes {
		f.Add([]byte(raw))
	}
	f.Add([]byte(`{"name":"struct","configuration":{"fields":[["a","string"]]},"must_understand":false}`))
	fuzzlong.Fuzz(f, func(t *testing.T, raw []byte) {
		typ, err := Parse(raw)
		if err != nil {
			return
		}
		spelled, err := typ.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		back, err := Parse(spelled)
		if err != nil || !Equal(typ, back) {
			t.Fatalf("%q is written as %s and read as %v: %v", raw, spelled, back, err)
		}
	})
}

func FuzzParseFill(f *testing.F) {
	for _, c := range fillCases {
		for raw := range c.values {
			f.Add([]byte(c.typ), []byte(raw))
		}
		for _, raw := range c.refused {
			f.Add([]byte(c.typ), []byte(raw))
		}
	}
	f.Add([]byte("string"), []byte(`"\ud83d\ude00"`))
	f.Add([]byte("bytes"), []byte(`[1,2]`))
	fuzzlong.Fuzz(f, func(t *testing.T, name, raw []byte) {
		typ, err := Lookup(string(name))
		if err != nil {
			return
		}
		h := new(nd.Heap)
		elem, err := typ.ParseFill(raw, h)
		if err != nil {
			return
		}
		if !json.Valid(raw) {
			t.Fatalf("%s: %q is no JSON but accepted", name, raw)
		}
		spelled, err := typ.AppendFill(nil, elem, h.Blobs())
		if err != nil {
			// Packed bytes of a struct may hold what is no code point.
			if typ.Kind() != Struct {
				t.Fatalf("%s: %q: %v", name, raw, err)
			}
			return
		}
		back, err := typ.ParseFill(spelled, h)
		if err != nil {
			t.Fatalf("%s: %q is written as %s: %v", name, raw, spelled, err)
		}
		again, err := typ.AppendFill(nil, back, h.Blobs())
		if err != nil || string(again) != string(spelled) {
			t.Fatalf("%s: %s is written as %s: %v", name, spelled, again, err)
		}
	})
}
