package dtype

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/nd"
)

// canonicalByte is what one byte of a narrow type becomes.
func canonicalByte(b byte, u Unit) byte {
	unused := 8 - u.Bits
	if u.Signed {
		return byte(int8(b<<unused) >> unused)
	}
	return b << unused >> unused
}

// layouts are views of n rows of m elements: plain, with gaps, backwards,
// transposed, and with elements further apart than they are long.
func layouts(data []byte, size, n, m int) map[string]nd.View {
	view := func(offset int, strides ...int) nd.View {
		return nd.View{Data: data, Offset: offset, Size: size, Shape: []int{n, m}, Strides: strides}
	}
	return map[string]nd.View{
		"contiguous":   view(3, m*size, size),
		"gaps in rows": view(3, (m+5)*size, size),
		"spread":       view(0, 2*m*size, 2*size),
		"transposed":   view(1, size, n*size),
		"backwards":    view((n*m-1)*size, -m*size, -size),
	}
}

func TestCanonicalise(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, name := range []string{"int2", "uint2", "int4", "uint4", "float4_e2m1fn", "float6_e2m3fn", "complex_float6_e3m2fn",
		`{"name":"struct","configuration":{"fields":[["a","uint16"],["b","int4"],["c","complex_float4_e2m1fn"],["d","uint8"]]}}`} {
		typ := MustParse(name)
		data := make([]byte, 4*7*37*typ.Size()+16)
		for layout, v := range layouts(data, typ.Size(), 7, 37) {
			for i := range data {
				data[i] = byte(rng.Uint32())
			}
			want := bytes.Clone(data)
			wanted := v
			wanted.Data = want
			wanted.Each(func(elem []byte) {
				for _, u := range typ.Units() {
					for k := range u.Count {
						if u.Bits < 8 {
							elem[u.Offset+k] = canonicalByte(elem[u.Offset+k], u)
						}
					}
				}
			})
			if err := v.Check(); err != nil {
				t.Fatal(err)
			}
			if err := typ.(Canonicaliser).Canonicalise(v); err != nil {
				t.Errorf("%s, %s: %v", typ.Name(), layout, err)
			}
			if !bytes.Equal(data, want) {
				t.Errorf("%s, %s: wrong bytes", typ.Name(), layout)
			}
		}
	}
}

func TestBoolsAreZeroOrOne(t *testing.T) {
	typ := MustParse("bool")
	rng := rand.New(rand.NewPCG(3, 4))
	data := make([]byte, 4*7*37+16)
	for i := range data {
		data[i] = byte(i & 1)
	}
	for layout, v := range layouts(data, 1, 7, 37) {
		if err := typ.(Canonicaliser).Canonicalise(v); err != nil {
			t.Errorf("%s: %v", layout, err)
		}
		for range 50 {
			at := v.At(rng.IntN(7), rng.IntN(37))
			old := at[0]
			at[0] = 2 + byte(rng.IntN(254))
			err := typ.(Canonicaliser).Canonicalise(v)
			if err == nil || !strings.Contains(err.Error(), "for bool") {
				t.Fatalf("%s: value %d: %v", layout, at[0], err)
			}
			at[0] = old
		}
	}
	// A bad byte in a gap is nobody's business.
	if err := typ.(Canonicaliser).Canonicalise(nd.View{Data: []byte{1, 9, 0}, Size: 1, Shape: []int{2}, Strides: []int{2}}); err != nil {
		t.Error(err)
	}
	for _, shape := range [][]int{{0}, {3, 0}, {}} {
		if err := typ.(Canonicaliser).Canonicalise(nd.Make(1, shape...)); err != nil {
			t.Errorf("shape %v: %v", shape, err)
		}
	}
	if err := typ.(Canonicaliser).Canonicalise(nd.View{Data: []byte{9}, Size: 1, Shape: []int{0, 3}, Strides: []int{9, 2}}); err != nil {
		t.Errorf("empty view with gaps: %v", err)
	}
	if err := typ.(Canonicaliser).Canonicalise(nd.Make(2, 1)); err == nil {
		t.Error("view of two-byte elements is accepted")
	}
}

func TestOnlyNarrowTypesAreCanonicalisers(t *testing.T) {
	for _, name := range append(allNames(), configuredTypes...) {
		typ := MustParse(name)
		narrow := false
		for _, u := range typ.Units() {
			narrow = narrow || u.Bits < 8
		}
		if _, ok := typ.(Canonicaliser); ok != narrow {
			t.Errorf("%s: Canonicaliser %v, narrow %v", name, ok, narrow)
		}
	}
}

func BenchmarkCanonicalise(b *testing.B) {
	for _, name := range []string{"bool", "int4", "uint4"} {
		typ := MustParse(name).(Canonicaliser)
		b.Run(name, func(b *testing.B) {
			v := nd.Make(1, 1<<20)
			b.SetBytes(1 << 20)
			for b.Loop() {
				if err := typ.Canonicalise(v); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+"-strided", func(b *testing.B) {
			v := nd.Make(1, 1<<21)
			v.Shape, v.Strides = []int{1 << 20}, []int{2}
			b.SetBytes(1 << 20)
			for b.Loop() {
				if err := typ.Canonicalise(v); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
