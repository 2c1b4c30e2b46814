package dtype

import (
	"encoding/json"
	"math"
	"os"
	"testing"
)

// number is a float64 that JSON may spell as a word.
type number float64

func (n *number) UnmarshalJSON(raw []byte) error {
	elem, err := formatFloat64.parseFill(nil, "golden", raw)
	if err == nil {
		*n = number(formatFloat64.Decode(load(elem, 8)))
	}
	return err
}

// golden holds what ml_dtypes and NumPy make of every pattern of the formats
// up to eight bits, and of inputs at and around the halfway points.
type golden struct {
	Decode map[string][]number
	Inputs []number
	Encode map[string][]uint64
}

func readGolden(t *testing.T) golden {
	t.Helper()
	raw, err := os.ReadFile("testdata/smallfloat.json")
	if err != nil {
		t.Fatal(err)
	}
	var g golden
	if err := json.Unmarshal(raw, &g); err != nil {
		t.Fatal(err)
	}
	return g
}

func formatNamed(t *testing.T, name string) *Format {
	t.Helper()
	f, ok := FormatOf(MustParse(name))
	if !ok {
		t.Fatalf("%s has no format", name)
	}
	return f
}

func same(a, b float64) bool {
	return math.Float64bits(a) == math.Float64bits(b) || a != a && b != b
}

func TestDecodeEveryPattern(t *testing.T) {
	g := readGolden(t)
	if len(g.Decode) != 11 {
		t.Fatalf("golden file has %d formats", len(g.Decode))
	}
	for name, want := range g.Decode {
		f := formatNamed(t, name)
		if len(want) != 1<<f.Bits() {
			t.Errorf("%s: %d golden values for %d bits", name, len(want), f.Bits())
		}
		for bits, w := range want {
			if got := f.Decode(uint64(bits)); !same(got, float64(w)) {
				t.Errorf("%s 0x%02x = %v, want %v", name, bits, got, float64(w))
			}
			if f.IsNaN(uint64(bits)) != (w != w) {
				t.Errorf("%s: IsNaN(0x%02x) = %v", name, bits, w == w)
			}
			if w == w {
				if back, ok := f.Encode(float64(w)); !ok || back != uint64(bits) {
					t.Errorf("%s: Encode(%v) = 0x%02x, want 0x%02x", name, float64(w), back, bits)
				}
			}
		}
	}
}

func TestEncodeRoundsToNearestEven(t *testing.T) {
	g := readGolden(t)
	for name, want := range g.Encode {
		f := formatNamed(t, name)
		for i, x := range g.Inputs {
			if got, _ := f.Encode(float64(x)); got != want[i] {
				t.Errorf("%s: Encode(%v) = 0x%x, want 0x%x", name, float64(x), got, want[i])
			}
		}
	}
}

func TestEncodeSaysWhatDoesNotExist(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		name string
		x    float64
		ok   bool
	}{
		{"float4_e2m1fn", 6.9, true}, {"float4_e2m1fn", 7, false}, {"float4_e2m1fn", nan, false}, {"float4_e2m1fn", inf, false},
		{"float8_e4m3fn", 448, true}, {"float8_e4m3fn", 465, false}, {"float8_e4m3fn", nan, true}, {"float8_e4m3fn", -inf, false},
		{"float8_e4m3fnuz", 240, true}, {"float8_e4m3fnuz", 1e9, false},
		{"float8_e5m2", 1e9, true}, {"float8_e5m2", inf, true}, {"float8_e5m2", nan, true},
		{"float8_e8m0fnu", 1, true}, {"float8_e8m0fnu", 0, false}, {"float8_e8m0fnu", -1, false}, {"float8_e8m0fnu", nan, true},
		{"float16", 1e9, true}, {"float64", 1e308, true},
	} {
		if _, ok := formatNamed(t, c.name).Encode(c.x); ok != c.ok {
			t.Errorf("%s: Encode(%v) ok = %v, want %v", c.name, c.x, ok, c.ok)
		}
	}
}

// Every float16 and bfloat16 goes through float64 and back.
func TestSixteenBitsRoundTrip(t *testing.T) {
	for _, f := range []*Format{formatFloat16, formatBFloat16} {
		for bits := range uint64(1 << 16) {
			x := f.Decode(bits)
			if (x != x) != f.IsNaN(bits) {
				t.Fatalf("%s 0x%04x: NaN disagrees", f.Name(), bits)
			}
			if back, ok := f.Encode(x); x == x && (!ok || back != bits) {
				t.Fatalf("%s 0x%04x = %v encodes as 0x%04x", f.Name(), bits, x, back)
			}
		}
	}
	for bits := range uint32(1 << 16) {
		want := math.Float32frombits(bits << 16)
		if got := formatBFloat16.Decode(uint64(bits)); !same(got, float64(want)) || !same(float64(BFloat16(bits).Float32()), float64(want)) {
			t.Fatalf("bfloat16 0x%04x = %v, want %v", bits, got, want)
		}
	}
}

func TestGoFloats(t *testing.T) {
	for bits, want := range map[Float16]float32{0x3c00: 1, 0xc000: -2, 0x7bff: 65504, 0x0001: 0x1p-24, 0x3555: 0.333251953125} {
		if got := bits.Float32(); got != want {
			t.Errorf("Float16(0x%04x) = %v, want %v", uint16(bits), got, want)
		}
		if got := NewFloat16(want); got != bits {
			t.Errorf("NewFloat16(%v) = 0x%04x, want 0x%04x", want, uint16(got), uint16(bits))
		}
	}
	if got := NewFloat16(1e9).Float32(); !math.IsInf(float64(got), 1) {
		t.Errorf("NewFloat16(1e9) = %v", got)
	}
	if got := NewBFloat16(3.14159); got != 0x4049 || got.Float32() != 3.140625 {
		t.Errorf("NewBFloat16(3.14159) = 0x%04x", uint16(got))
	}
}
