package pco

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/omnizarr/zarr/internal/fuzzlong"
	"github.com/omnizarr/zarr/internal/race"
	"github.com/omnizarr/zarr/internal/thorough"
)

var allTypes = []Type{U8, U16, U32, U64, I8, I16, I32, I64, F16, F32, F64}

// numbers makes n numbers of some structure, as bits.
var numbers = map[string]func(r *rand.Rand, i int, before uint64, t Type) uint64{
	"noise":     func(r *rand.Rand, _ int, _ uint64, _ Type) uint64 { return r.Uint64() },
	"constant":  func(*rand.Rand, int, uint64, Type) uint64 { return 77 },
	"few":       func(r *rand.Rand, _ int, _ uint64, _ Type) uint64 { return uint64(r.IntN(5)) << 3 },
	"line":      func(_ *rand.Rand, i int, _ uint64, _ Type) uint64 { return uint64(3 * i) },
	"square":    func(_ *rand.Rand, i int, _ uint64, _ Type) uint64 { return uint64(i * i) },
	"walk":      func(r *rand.Rand, _ int, before uint64, _ Type) uint64 { return before + uint64(r.IntN(9)) - 4 },
	"period":    func(_ *rand.Rand, i int, _ uint64, _ Type) uint64 { return uint64(i%37) * 0x9e3779b97f4a7c15 },
	"multiples": func(r *rand.Rand, _ int, _ uint64, _ Type) uint64 { return uint64(r.IntN(100))*50 + 7 },
	"decimals": func(r *rand.Rand, _ int, _ uint64, t Type) uint64 {
		return float64Bits(math.Round(r.NormFloat64()*1000)/100, t)
	},
	"normal": func(r *rand.Rand, _ int, _ uint64, t Type) uint64 { return float64Bits(r.NormFloat64(), t) },
	"coarse": func(r *rand.Rand, _ int, _ uint64, t Type) uint64 {
		return float64Bits(float64(halfToFloat(floatToHalf(float32(r.NormFloat64())))), t)
	},
	"not finite": func(r *rand.Rand, i int, _ uint64, t Type) uint64 {
		return float64Bits([]float64{0.25, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 1e300, 0.1}[r.IntN(7)], t) | uint64(i%2)
	},
}

// float64Bits gives a number of type t, which for integers is a scaled one.
func float64Bits(f float64, t Type) uint64 {
	switch t {
	case F16:
		return uint64(floatToHalf(float32(f)))
	case F32:
		return uint64(math.Float32bits(float32(f)))
	case F64:
		return math.Float64bits(f)
	}
	return uint64(int64(f * 1000))
}

func makeNumbers(name string, n int, t Type) []byte {
	r := rand.New(rand.NewPCG(uint64(n), uint64(t)))
	out := make([]byte, 0, 8*n)
	var x uint64
	for i := range n {
		x = numbers[name](r, i, x, t)
		out = append(out, binary.LittleEndian.AppendUint64(nil, x)[:t.Size()]...)
	}
	return out
}

func TestWhatIsEncodedIsDecoded(t *testing.T) {
	options := []Options{
		Default,
		{Level: 0, Order: -1, Chunk: 100},
		{Level: 12, Order: 7},
		{Level: 5, Order: 0, Classic: true},
		{Level: 8, Order: -1, Lookback: true},
	}
	all := []int{0, 1, 2, 7, 255, 256, 257, 700}
	for name := range numbers {
		for k, typ := range allTypes {
			for _, n := range thorough.Least([]int{0, 1, 7, 257}, []int{0, 1, 7, 256, 257}, all) {
				src := makeNumbers(name, n, typ)
				for i, o := range options {
					if n > 0 && (i+k)%thorough.Of(2, 1) != 0 {
						continue // another half of them for the next type
					}
					enc := Encode([]byte("before"), src, typ, o)
					if !bytes.HasPrefix(enc, []byte("before")) {
						t.Fatal("does not append")
					}
					enc = enc[6:]
					if most := MaxSize(n, typ, o); len(enc) > most {
						t.Errorf("%d of %v, %s, %+v: %d bytes, at most %d were promised", n, typ, name, o, len(enc), most)
					}
					dst := make([]byte, len(src))
					used, err := Decode(dst, enc, typ)
					if err != nil || used != len(enc) || !bytes.Equal(dst, src) {
						t.Fatalf("%d of %v, %s, %+v: %d of %d bytes, %v", n, typ, name, o, used, len(enc), err)
					}
				}
			}
		}
	}
}

// The sizes are what the reference implementation (the Python package pcodec
// 1.0.4 with its default settings) makes of the same numbers.
func TestSizesAreThoseOfTheReferenceImplementation(t *testing.T) {
	tried := map[string]bool{} // of most, one type shows how many bits they take
	for i, c := range []struct {
		name string
		t    Type
		size int
	}{
		{"constant", F64, 29},
		{"line", I16, 25},
		{"line", I64, 56},
		{"period", U64, 2281},
		{"multiples", I16, 83503},
		{"multiples", U32, 83717},
		{"multiples", F32, 83701},
		{"few", I16, 29073},
		{"decimals", I32, 165142},
		{"decimals", F64, 159561},
		{"coarse", F32, 169517},
		{"coarse", F64, 169883},
		{"not finite", F32, 42337},
		{"normal", F32, 332035},
		{"normal", F64, 694913},
		{"walk", I32, 39728},
		{"noise", U64, 800029},
	} {
		if tried[c.name] && !thorough.Enabled || i%thorough.Least(3, 1, 1) != 0 {
			continue
		}
		tried[c.name] = true
		if got := len(Encode(nil, makeNumbers(c.name, 100000, c.t), c.t, Default)); got > c.size+c.size/100 {
			t.Errorf("%s of %v: %d bytes, want at most 1%% more than %d", c.name, c.t, got, c.size)
		}
	}
}

func TestHalfPrecision(t *testing.T) {
	for h := range 1 << 16 {
		f := halfToFloat(uint16(h))
		want := uint16(h)
		if f != f {
			want |= 0x200 // NaNs become quiet
		}
		if got := floatToHalf(f); got != want {
			t.Fatalf("%04x becomes %v becomes %04x", h, f, got)
		}
		if f-f != 0 || h&0x7fff >= 0x7bff {
			continue
		}
		// Halfway to the next number goes to the even one, more than half up.
		next := halfToFloat(uint16(h + 1))
		middle := f + (next-f)/2
		even := uint16(h + h&1)
		if got := floatToHalf(middle); got != even {
			t.Fatalf("%v becomes %04x, want %04x", middle, got, even)
		}
		if got := floatToHalf(math.Nextafter32(middle, next)); got != uint16(h+1) {
			t.Fatalf("a little more than %v becomes %04x", middle, got)
		}
	}
}

func TestDecodingAllocatesNothing(t *testing.T) {
	if race.Enabled {
		t.Skip("pools forget under the race detector")
	}
	src := makeNumbers("walk", 10000, I32)
	enc := Encode(nil, src, I32, Default)
	dst := make([]byte, len(src))
	if n := testing.AllocsPerRun(20, func() {
		if _, err := Decode(dst, enc, I32); err != nil {
			t.Fatal(err)
		}
	}); n > 1 {
		t.Errorf("%v allocations", n)
	}
}

// FuzzDecode wants no more than that damaged files do no harm, and that what is
// decoded can be encoded.
func FuzzDecode(f *testing.F) {
	for _, v := range golden(f) {
		if len(v.file) < 600 {
			f.Add(v.file, uint8(v.t), uint16(v.n))
		}
	}
	fuzzlong.Fuzz(f, func(t *testing.T, file []byte, typ uint8, n uint16) {
		if !Type(typ).Valid() {
			return
		}
		dst := make([]byte, int(n)*Type(typ).Size())
		used, err := Decode(dst, file, Type(typ))
		if err != nil {
			return
		}
		if used > len(file) {
			t.Fatalf("%d of %d bytes", used, len(file))
		}
		again := make([]byte, len(dst))
		enc := Encode(nil, dst, Type(typ), Default)
		if _, err := Decode(again, enc, Type(typ)); err != nil || !bytes.Equal(again, dst) {
			t.Fatalf("not the same, %v", err)
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	for _, c := range []struct {
		name string
		t    Type
	}{{"walk", I32}, {"normal", F32}, {"normal", F64}, {"decimals", F64}, {"period", U64}} {
		src := makeNumbers(c.name, 1<<18, c.t)
		enc := Encode(nil, src, c.t, Default)
		dst := make([]byte, len(src))
		b.Run(c.name+" "+c.t.String(), func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			for b.Loop() {
				if _, err := Decode(dst, enc, c.t); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkEncode(b *testing.B) {
	for _, c := range []struct {
		name string
		t    Type
	}{{"walk", I32}, {"normal", F32}, {"normal", F64}, {"decimals", F64}, {"period", U64}} {
		src := makeNumbers(c.name, 1<<18, c.t)
		var enc []byte
		b.Run(c.name+" "+c.t.String(), func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			for b.Loop() {
				enc = Encode(enc[:0], src, c.t, Default)
			}
		})
	}
}
