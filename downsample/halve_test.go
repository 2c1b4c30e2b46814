package downsample_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/downsample"
	"github.com/omnizarr/zarr/internal/numeric"
	"github.com/omnizarr/zarr/internal/race"
	"github.com/omnizarr/zarr/nd"
	"pgregory.net/rapid"
)

var types = []string{"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64"}

// pack stores numbers as a type has them, unpack reads them.
func pack(dataType string, v []float64) []byte {
	raw := make([]byte, 8*len(v))
	for i, x := range v {
		binary.LittleEndian.PutUint64(raw[8*i:], math.Float64bits(x))
	}
	t := numeric.Named(dataType)
	if t == numeric.Float64 {
		return raw
	}
	out := make([]byte, len(v)*t.Size())
	numeric.Cast(t, numeric.Float64)(out, raw)
	return out
}

func unpack(dataType string, raw []byte) []float64 {
	t := numeric.Named(dataType)
	if t == numeric.Float64 {
		return slices.Clone(numeric.Slice[float64](raw))
	}
	out := make([]float64, len(raw)/t.Size())
	bits := make([]byte, 8*len(out))
	numeric.Cast(numeric.Float64, t)(bits, raw)
	for i := range out {
		out[i] = math.Float64frombits(binary.LittleEndian.Uint64(bits[8*i:]))
	}
	return out
}

// number reads an element without losing anything; ok is false for NaN.
func number(dataType string, e []byte) (x *big.Rat, ok bool) {
	switch dataType {
	case "int64":
		return new(big.Rat).SetInt64(int64(binary.LittleEndian.Uint64(e))), true
	case "uint64":
		return new(big.Rat).SetUint64(binary.LittleEndian.Uint64(e)), true
	}
	x = new(big.Rat).SetFloat64(unpack(dataType, e)[0])
	return x, x != nil
}

// round is the nearest integer, halves away from zero.
func round(x *big.Rat) *big.Rat {
	half := big.NewRat(int64(x.Sign()), 2)
	x = new(big.Rat).Add(x, half)
	return new(big.Rat).SetInt(new(big.Int).Quo(x.Num(), x.Denom()))
}

// expect makes the average of those pixels that are there, by the book.
func expect(dataType string, missing []byte, pixels [][]byte) (*big.Rat, bool) {
	sum, n := new(big.Rat), int64(0)
	for _, e := range pixels {
		if x, ok := number(dataType, e); ok && !bytes.Equal(e, missing) {
			sum.Add(sum, x)
			n++
		}
	}
	if n == 0 {
		return nil, false
	}
	sum.Mul(sum, big.NewRat(1, n))
	if !strings.HasPrefix(dataType, "float") {
		sum = round(sum)
	}
	return sum, true
}

// Averages of all types, shapes, strides and missing values against exact
// arithmetic.
func TestAverageIsTheMeanOfWhatIsThere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dataType := rapid.SampledFrom(types).Draw(t, "type")
		typ := numeric.Named(dataType)
		size := typ.Size()
		planes, height, width := rapid.IntRange(1, 3).Draw(t, "planes"), rapid.IntRange(1, 9).Draw(t, "height"), rapid.IntRange(1, 40).Draw(t, "width")
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		few := rapid.Bool().Draw(t, "few")
		elem := func() []byte {
			if few || typ == numeric.Float16 {
				v := float64(random.IntN(7))
				if typ.IsFloat() && v == 6 {
					v = math.NaN()
				}
				return pack(dataType, []float64{v})
			}
			e := make([]byte, 8)
			binary.LittleEndian.PutUint64(e, random.Uint64())
			if typ.IsFloat() {
				return pack(dataType, []float64{random.NormFloat64() * 1e6})
			}
			return e[:size]
		}
		var missing []byte
		if rapid.Bool().Draw(t, "missing") {
			missing = pack(dataType, []float64{float64(random.IntN(7))})
		}
		// Either order of axes in memory.
		src := nd.Make(size, planes, height, width)
		dst := nd.Make(size, planes, (height+1)/2, (width+1)/2)
		if rapid.Bool().Draw(t, "chunky") {
			src = nd.Make(size, height, width, planes).Permute([]int{2, 0, 1})
		}
		if rapid.Bool().Draw(t, "chunky overview") {
			dst = nd.Make(size, (height+1)/2, (width+1)/2, planes).Permute([]int{2, 0, 1})
		}
		for i := 0; i < len(src.Data); i += size {
			copy(src.Data[i:], elem())
		}
		h, err := downsample.New(dataType, downsample.Average, missing)
		if err != nil {
			t.Fatal(err)
		}
		if err := h.Halve(dst, src); err != nil {
			t.Fatal(err)
		}
		for p := range planes {
			for y := range dst.Shape[1] {
				for x := range dst.Shape[2] {
					var block [][]byte
					for _, dy := range []int{0, 1} {
						for _, dx := range []int{0, 1} {
							if 2*y+dy < height && 2*x+dx < width {
								block = append(block, src.At(p, 2*y+dy, 2*x+dx))
							}
						}
					}
					want, ok := expect(dataType, missing, block)
					if err := compare(dataType, dst.At(p, y, x), block, want, ok, missing); err != nil {
						t.Fatalf("%s, block %x, missing %x: %v", dataType, block, missing, err)
					}
				}
			}
		}
	})
}

func compare(dataType string, e []byte, block [][]byte, want *big.Rat, ok bool, missing []byte) error {
	got, number := number(dataType, e)
	switch {
	case !ok && missing != nil && bytes.Equal(e, missing), !ok && missing == nil && !number:
		return nil
	case !ok || !number:
		return fmt.Errorf("%x, want %v", e, want)
	case missing != nil && bytes.Equal(e, missing):
		return fmt.Errorf("%x is missing, want %v", e, want)
	}
	exact, _ := want.Float64()
	g, _ := got.Float64()
	if !strings.HasPrefix(dataType, "float") {
		diff := new(big.Rat).Sub(got, want)
		if diff.Sign() == 0 {
			return nil
		}
		// Only because the average itself means missing.
		if missing != nil && bytes.Equal(pack(dataType, []float64{exact}), missing) && diff.Cmp(big.NewRat(1, 1)) == 0 {
			return nil
		}
		return fmt.Errorf("%v, want %v", got, want)
	}
	// Rounding is in proportion to what is added, not to the sum.
	scale := 1e-3
	for _, e := range block {
		if x := math.Abs(unpack(dataType, e)[0]); x > scale {
			scale = x
		}
	}
	if math.Abs(g-exact) > scale*map[string]float64{"float16": 0x1p-10, "float32": 0x1p-23, "float64": 0x1p-52}[dataType] {
		return fmt.Errorf("%v, want %v", g, exact)
	}
	return nil
}

func halve(t *testing.T, dataType string, how downsample.Method, missing []byte, width int, src []byte) []byte {
	t.Helper()
	h, err := downsample.New(dataType, how, missing)
	if err != nil {
		t.Fatal(err)
	}
	size := 1
	if typ := numeric.Named(dataType); typ != numeric.None {
		size = typ.Size()
	}
	height := len(src) / size / width
	dst, view := nd.Make(size, downsample.Half(height), downsample.Half(width)), nd.Of(src, size, height, width)
	if err := h.Halve(dst, view); err != nil {
		t.Fatal(err)
	}
	if view.Strides[0] != size*width || view.Strides[1] != size {
		t.Error("the caller's view was changed:", view.Strides)
	}
	return dst.Data
}

func TestOddLengths(t *testing.T) {
	src := []byte{
		1, 3, 5, 7, 100,
		2, 4, 6, 8, 50,
		10, 20, 30, 40, 255,
	}
	for how, want := range map[downsample.Method][]byte{
		downsample.Average: {3, 7, 75, 15, 35, 255},
		downsample.Nearest: {1, 5, 100, 10, 30, 255},
		downsample.Mode:    {1, 5, 100, 10, 30, 255},
	} {
		if got := halve(t, "uint8", how, nil, 5, src); !bytes.Equal(got, want) {
			t.Errorf("%v: %v, want %v", how, got, want)
		}
	}
}

func TestLimitsOfTypes(t *testing.T) {
	int64s := func(v ...int64) (out []byte) {
		for _, x := range v {
			out = binary.LittleEndian.AppendUint64(out, uint64(x))
		}
		return out
	}
	for _, c := range []struct {
		dataType  string
		missing   []byte
		src, want []byte
	}{
		{"uint64", nil, bytes.Repeat([]byte{255}, 32), bytes.Repeat([]byte{255}, 8)},
		{"int64", nil, int64s(math.MinInt64, math.MinInt64, math.MinInt64, math.MinInt64), int64s(math.MinInt64)},
		{"int64", nil, int64s(math.MinInt64, math.MaxInt64, 0, 0), int64s(0)},
		{"int64", nil, int64s(-1, -1, 0, 0), int64s(-1)}, // halves away from zero
		{"int64", int64s(5), int64s(math.MaxInt64, math.MaxInt64, math.MaxInt64-3, 5), int64s(math.MaxInt64 - 1)},
		{"int64", int64s(5), int64s(-1, 0, 5, 5), int64s(-1)},
		{"uint8", []byte{255}, []byte{254, 255, 255, 254}, []byte{254}},
		{"uint8", []byte{7}, []byte{6, 8, 6, 8}, []byte{8}}, // not 7, which would mean missing
		{"int8", []byte{127}, []byte{126, 126, 126, 126}, []byte{126}},
		{"uint8", []byte{0}, []byte{0, 0, 0, 0}, []byte{0}},
		{"float64", nil, pack("float64", []float64{math.MaxFloat64, math.MaxFloat64, math.MaxFloat64, math.MaxFloat64}), pack("float64", []float64{math.MaxFloat64})},
		{"float32", nil, pack("float32", []float64{math.MaxFloat32, math.MaxFloat32, math.MaxFloat32, math.MaxFloat32}), pack("float32", []float64{math.MaxFloat32})},
		{"float64", nil, pack("float64", []float64{math.MaxFloat64, -math.MaxFloat64, math.MaxFloat64, math.MaxFloat64}), pack("float64", []float64{math.MaxFloat64 / 2})},
		{"float32", nil, pack("float32", []float64{math.Inf(1), 1, 2, 3}), pack("float32", []float64{math.Inf(1)})},
		{"float32", pack("float32", []float64{2}), pack("float32", []float64{1, 3, 1, 3}), binary.LittleEndian.AppendUint32(nil, math.Float32bits(2)+1)},
		{"float64", pack("float64", []float64{0.1}), pack("float64", []float64{0.7, 0.7, 0.7, 0.1}), pack("float64", []float64{0.7})},
		{"float64", pack("float64", []float64{math.MaxFloat64}), pack("float64", []float64{1, math.MaxFloat64, math.MaxFloat64, 2}), pack("float64", []float64{1.5})},
		{"float16", pack("float16", []float64{2}), pack("float16", []float64{1, 3, 1, 3}), []byte{1, 0x40}},
		{"float16", pack("float16", []float64{-2}), pack("float16", []float64{-1, -3, -1, -3}), []byte{0xff, 0xbf}},
		{"float16", []byte{0, 0x80}, pack("float16", []float64{-1, 1, 2, -2}), []byte{1, 0}}, // the missing value is -0
	} {
		if got := halve(t, c.dataType, downsample.Average, c.missing, 2, c.src); !bytes.Equal(got, c.want) {
			t.Errorf("%s, missing %x: %x becomes %x, want %x", c.dataType, c.missing, c.src, got, c.want)
		}
	}
}

func TestMode(t *testing.T) {
	for src, want := range map[string]byte{
		"abcd": 'a', "aabb": 'a', "abba": 'b', "abab": 'a', "abcc": 'c', "abbb": 'b', "aaab": 'a', "abca": 'a', "abcb": 'b',
		"__bb": 'b', "__ab": 'a', "____": '_', "_aba": 'a', "ab_b": 'b', "___z": 'z', "_abb": 'b',
	} {
		if got := halve(t, "bool", downsample.Mode, []byte("_"), 2, []byte(src)); got[0] != want {
			t.Errorf("%s becomes %c, want %c", src, got[0], want)
		}
	}
	for _, dataType := range []string{"uint16", "float32", "int64"} {
		src := pack(dataType, []float64{1, 2, 2, 3})
		if got := unpack(dataType, halve(t, dataType, downsample.Mode, nil, 2, src)); got[0] != 2 {
			t.Error(dataType, got)
		}
	}
}

func TestWhatIsRefused(t *testing.T) {
	for _, c := range []struct {
		want     string
		dataType string
		how      downsample.Method
		missing  []byte
	}{
		{"bool has no average", "bool", downsample.Average, nil},
		{"complex64 has no average: overviews of it are made by nearest or mode", "complex64", downsample.Average, nil},
		{"overviews are not made by max", "uint8", 3, nil},
		{"method -1 does not exist", "uint8", -1, nil},
		{"the missing value of uint16 has 1 bytes, not 2", "uint16", downsample.Average, []byte{1}},
	} {
		if _, err := downsample.New(c.dataType, c.how, c.missing); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	for _, c := range []struct {
		want     string
		how      downsample.Method
		missing  []byte
		dst, src nd.View
	}{
		{"both must have the same number", downsample.Mode, nil, nd.Make(1, 1), nd.Make(1, 1)},
		{"both must have the same number", downsample.Mode, nil, nd.Make(1, 1, 1), nd.Make(1, 1, 1, 1)},
		{"axis 1 must have length 2", downsample.Mode, nil, nd.Make(1, 1, 1), nd.Make(1, 1, 3)},
		{"axis 0 must have length 3", downsample.Mode, nil, nd.Make(1, 2, 1, 1), nd.Make(1, 3, 1, 1)},
		{"elements of 1 bytes become elements of 2 bytes", downsample.Mode, nil, nd.Make(2, 1, 1), nd.Make(1, 1, 1)},
		{"no mode of elements of 16 bytes", downsample.Mode, nil, nd.Make(16, 1, 1), nd.Make(16, 1, 1)},
		{"missing value has 1 bytes, elements have 2", downsample.Nearest, []byte{1}, nd.Make(2, 1, 1), nd.Make(2, 1, 1)},
		{"reaches outside", downsample.Nearest, nil, nd.Make(1, 1, 1), nd.View{Size: 1, Shape: []int{1, 1}, Strides: []int{1, 1}}},
		{"reaches outside", downsample.Nearest, nil, nd.View{Size: 1, Shape: []int{1, 1}, Strides: []int{1, 1}}, nd.Make(1, 1, 1)},
	} {
		h, err := downsample.New("complex128", c.how, c.missing)
		if err != nil {
			t.Fatal(err)
		}
		if err := h.Halve(c.dst, c.src); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	h, _ := downsample.New("uint16", downsample.Average, nil)
	if err := h.Halve(nd.Make(1, 1, 1), nd.Make(1, 1, 1)); err == nil {
		t.Error("bytes were taken for uint16")
	}
	if err := h.Halve(nd.Make(2, 0, 1, 1), nd.Make(2, 0, 2, 2)); err != nil {
		t.Error(err)
	}
}

func TestNothingIsAllocatedPerRow(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector allocates")
	}
	h, err := downsample.New("uint8", downsample.Average, nil)
	if err != nil {
		t.Fatal(err)
	}
	src, dst := nd.Make(1, 200, 64, 3).Permute([]int{2, 0, 1}), nd.Make(1, 3, 100, 32)
	if n := testing.AllocsPerRun(10, func() { h.Halve(dst, src) }); n > 10 {
		t.Errorf("%v allocations for 300 rows", n)
	}
}

func BenchmarkHalve(b *testing.B) {
	for _, dataType := range []string{"uint8", "uint16", "int16", "float32", "float64"} {
		for _, how := range []string{"average", "missing", "chunky", "mode", "nearest"} {
			b.Run(dataType+"/"+how, func(b *testing.B) {
				size := numeric.Named(dataType).Size()
				src, dst := nd.Make(size, 3, 512, 512), nd.Make(size, 3, 256, 256)
				if how == "chunky" {
					src = nd.Make(size, 512, 512, 3).Permute([]int{2, 0, 1})
				}
				r := rand.New(rand.NewPCG(1, 2))
				v := make([]float64, len(src.Data)/size)
				for i := range v {
					v[i] = float64(r.IntN(100))
				}
				copy(src.Data, pack(dataType, v))
				m, missing := map[string]downsample.Method{"mode": downsample.Mode, "nearest": downsample.Nearest}[how], []byte(nil)
				if how == "missing" {
					missing = pack(dataType, []float64{0})
				}
				h, err := downsample.New(dataType, m, missing)
				if err != nil {
					b.Fatal(err)
				}
				b.SetBytes(int64(len(src.Data)))
				for b.Loop() {
					if err := h.Halve(dst, src); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func Example() {
	// An image of two rows of four pixels, 0 where nothing was measured.
	src := nd.Of([]byte{
		10, 20, 0, 0,
		30, 40, 0, 9,
	}, 1, 2, 4)
	dst := nd.Make(1, downsample.Half(2), downsample.Half(4))
	h, err := downsample.New("uint8", downsample.Average, []byte{0})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(h.Halve(dst, src), dst.Data)
	// Output: <nil> [25 9]
}
