package numeric_test

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/numeric"
	"github.com/omnizarr/zarr/nd"
)

// Every float16 there is, and the float32 between each two.
func TestHalvesAreRoundedToTheNearest(t *testing.T) {
	format, _ := dtype.FormatOf(dtype.MustParse("float16"))
	for i := range 1 << 16 {
		h := numeric.Half(i)
		f, d := h.Float32(), h.Float64()
		if want := format.Decode(uint64(i)); want == want && (float64(f) != want || d != want) {
			t.Fatalf("%04x is %v and %v, want %v", i, f, d, want)
		}
		if numeric.RoundHalf(f) != h || numeric.RoundHalf64(d) != h {
			t.Fatalf("%04x came back as %04x and %04x", i, numeric.RoundHalf(f), numeric.RoundHalf64(d))
		}
		if f != f || math.IsInf(d, 0) {
			continue
		}
		for step := -4097; step <= 4097; step += 1366 {
			x := math.Float32frombits(math.Float32bits(f) + uint32(step))
			if want, _ := format.Encode(float64(x)); x == x && numeric.RoundHalf(x) != numeric.Half(want) {
				t.Fatalf("%v became %04x, want %04x", x, numeric.RoundHalf(x), want)
			}
		}
	}
}

func TestHalvesAreRoundedOnce(t *testing.T) {
	format, _ := dtype.FormatOf(dtype.MustParse("float16"))
	rapid.Check(t, func(t *rapid.T) {
		middle := numeric.Half(rapid.Uint16Range(0, 0x7bff).Draw(t, "half")).Float64()
		middle += math.Ldexp(1, max(math.Ilogb(middle), -14)-11)
		x := math.Float64frombits(math.Float64bits(middle) + uint64(rapid.IntRange(-3, 3).Draw(t, "step")))
		if want, _ := format.Encode(x); numeric.RoundHalf64(x) != numeric.Half(want) {
			t.Fatalf("%v became %04x, want %04x", x, numeric.RoundHalf64(x), want)
		}
	})
}

// As numpy.result_type of NumPy 2.5.4 has it.
func TestPromotion(t *testing.T) {
	names := []string{"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64"}
	codes := []string{"i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"}
	for i, row := range []string{
		"i1 i2 i4 i8 i2 i4 i8 f8 f2 f4 f8", "i2 i2 i4 i8 i2 i4 i8 f8 f4 f4 f8", "i4 i4 i4 i8 i4 i4 i8 f8 f8 f8 f8",
		"i8 i8 i8 i8 i8 i8 i8 f8 f8 f8 f8", "i2 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8", "i4 i4 i4 i8 u2 u2 u4 u8 f4 f4 f8",
		"i8 i8 i8 i8 u4 u4 u4 u8 f8 f8 f8", "f8 f8 f8 f8 u8 u8 u8 u8 f8 f8 f8", "f2 f4 f8 f8 f2 f4 f8 f8 f2 f4 f8",
		"f4 f4 f8 f8 f4 f4 f8 f8 f4 f4 f8", "f8 f8 f8 f8 f8 f8 f8 f8 f8 f8 f8",
	} {
		for k := range names {
			want := names[slices.Index(codes, row[3*k:3*k+2])]
			if got := numeric.Promote(numeric.Named(names[i]), numeric.Named(names[k])); got.String() != want {
				t.Errorf("%s and %s make %s, want %s", names[i], names[k], got, want)
			}
		}
	}
}

// Every pair of types converts small whole numbers to themselves.
func TestCastKeepsWhatBothTypesHave(t *testing.T) {
	values := []int{0, 1, 2, 3, 100, 127}
	write := func(k numeric.Type) []byte {
		var raw []byte
		for _, v := range values {
			elem, err := dtype.MustParse(k.String()).ParseFill(fmt.Append(nil, v), nil)
			if err != nil {
				t.Fatal(err)
			}
			raw = append(raw, elem...)
		}
		return raw
	}
	for from := numeric.Int8; from <= numeric.Float64; from++ {
		for to := numeric.Int8; to <= numeric.Float64; to++ {
			k := numeric.Cast(to, from)
			if (k == nil) != (from == to) {
				t.Fatalf("%s to %s: %v", from, to, k == nil)
			}
			if k == nil {
				continue
			}
			got := make([]byte, len(values)*to.Size())
			if k(got, write(from)); string(got) != string(write(to)) {
				t.Errorf("%s to %s: %x, want %x", from, to, got, write(to))
			}
		}
	}
}

// What NumPy gives on x86-64 where C defines nothing.
func TestFloatsBeyondAnInteger(t *testing.T) {
	for x, want := range map[float64][8]uint64{ // int8 … int64, uint8 … uint64
		300.9:          {44, 300, 300, 300, 44, 300, 300, 300},
		-1.5:           {0xff, 0xffff, 0xffffffff, 1<<64 - 1, 0xff, 0xffff, 0xffffffff, 1<<64 - 1},
		3e9:            {0, 0, 0x80000000, 3e9, 0, 0, 3e9, 3e9},
		1e19:           {0, 0, 0x80000000, 1 << 63, 0, 0, 0, 10000000000000000000},
		math.Inf(1):    {0, 0, 0x80000000, 1 << 63, 0, 0, 0, 0},
		math.Inf(-1):   {0, 0, 0x80000000, 1 << 63, 0, 0, 0, 1 << 63},
		math.MinInt64:  {0, 0, 0x80000000, 1 << 63, 0, 0, 0, 1 << 63},
		-2147483648.99: {0, 0, 0x80000000, 0xffffffff80000000, 0, 0, 0x80000000, 0xffffffff80000000},
	} {
		for i, w := range want {
			to := numeric.Int8 + numeric.Type(i)
			got := make([]byte, 8)
			numeric.Cast(to, numeric.Float64)(got[:to.Size()], binary.LittleEndian.AppendUint64(nil, math.Float64bits(x)))
			if n := binary.LittleEndian.Uint64(got); n != w {
				t.Errorf("%v as %s is %x, want %x", x, to, n, w)
			}
		}
	}
}

func TestRunsGoThroughAllElementsInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shape := rapid.SliceOfN(rapid.IntRange(0, 20), 0, 3).Draw(t, "shape")
		order := make([]int, len(shape))
		for i := range order {
			order[i] = i
		}
		view := func(label string, size int) nd.View {
			perm := rapid.Permutation(order).Draw(t, label)
			turned, back := make([]int, len(shape)), make([]int, len(shape))
			for i, k := range perm {
				turned[i], back[k] = shape[k], i
			}
			return nd.Make(size, turned...).Permute(back)
		}
		dst, src := view("dst", 2), view("src", 1)
		n := 0
		src.Each(func(elem []byte) { elem[0] = byte(n); n++ })
		seen := 0
		err := numeric.Runs(dst, src, func(d, s []byte) error {
			for i, x := range s {
				if x != byte(seen) {
					t.Fatalf("element %d of %v is %d", seen, shape, x)
				}
				seen++
				binary.LittleEndian.PutUint16(d[2*i:], uint16(x)+1000)
			}
			return nil
		})
		if err != nil || seen != n {
			t.Fatalf("%d of %d elements, %v", seen, n, err)
		}
		n = 0
		dst.Each(func(elem []byte) {
			if got := binary.LittleEndian.Uint16(elem); got != uint16(byte(n))+1000 {
				t.Fatalf("result %d is %d", n, got)
			}
			n++
		})
	})
}

func TestSpelling(t *testing.T) {
	for raw, want := range map[string]string{
		`"f8"`: `"<f8"`, `"float32"`: `"<f4"`, `"uint8"`: `"|u1"`, `"=i2"`: `"<i2"`, `">i2"`: `">i2"`, `"|u1"`: `"|u1"`,
		`"M8[ns]"`: `"M8[ns]"`, `[["a","i4"]]`: `[["a","i4"]]`, `"i3"`: `"i3"`, `"int2"`: `"int2"`,
	} {
		if got := numeric.Spelling(json.RawMessage(raw)); string(got) != want {
			t.Errorf("%s became %s, want %s", raw, got, want)
		}
	}
}

func ExampleCast() {
	dst := make([]byte, 3)
	numeric.Cast(numeric.Uint8, numeric.Int16)(dst, []byte{1, 0, 0xff, 0xff, 0x2c, 0x01})
	fmt.Println(dst)
	// Output: [1 255 44]
}
