package downsample_test

import (
	"bytes"
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/omnizarr/zarr/downsample"
	"github.com/omnizarr/zarr/internal/numeric"
	"github.com/omnizarr/zarr/nd"
)

// plainWindow is what a window becomes, by arithmetic that cannot overflow.
func plainWindow(how downsample.Method, isFloat bool, values []float64, missing *float64) float64 {
	var counted []float64
	for _, v := range values {
		if v == v && (missing == nil || v != *missing) {
			counted = append(counted, v)
		}
	}
	if how == downsample.Nearest {
		return values[0]
	}
	if len(counted) == 0 {
		if missing != nil {
			return *missing
		}
		return math.NaN()
	}
	switch how {
	case downsample.Max:
		return slices.Max(counted)
	case downsample.Min:
		return slices.Min(counted)
	case downsample.Mode:
		best, most := 0.0, 0
		for i, v := range counted {
			n := 0
			for _, u := range counted[:i+1] {
				if u == v {
					n++
				}
			}
			if n > most {
				best, most = v, n
			}
		}
		return best
	}
	sum := new(big.Rat)
	for _, v := range counted {
		sum.Add(sum, new(big.Rat).SetFloat64(v))
	}
	sum.Quo(sum, new(big.Rat).SetInt64(int64(len(counted))))
	mean, _ := sum.Float64()
	if isFloat {
		return mean
	}
	mean = math.Round(mean) // halves away from zero
	if missing != nil && mean == *missing {
		mean++
	}
	return mean
}

func TestWindowsOfAnyRankAreThoseOfPlainArithmetic(t *testing.T) {
	methods := []downsample.Method{downsample.Average, downsample.Nearest, downsample.Mode, downsample.Max, downsample.Min}
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom(types).Draw(t, "type")
		typ := numeric.Named(name)
		how := rapid.SampledFrom(methods).Draw(t, "method")
		rank := rapid.IntRange(0, 4).Draw(t, "rank")
		shape, factors := make([]int, rank), make([]int, rank)
		for i := range rank {
			shape[i] = rapid.IntRange(0, 6).Draw(t, "length")
			factors[i] = rapid.IntRange(1, 4).Draw(t, "factor")
		}
		n, _ := nd.Len(shape)
		values := make([]float64, n)
		for i := range values {
			values[i] = float64(rapid.IntRange(0, 100).Draw(t, "value"))
			if typ.IsSigned() || typ.IsFloat() {
				values[i] -= 50
			}
		}
		var none []byte
		var missing *float64
		if rapid.Bool().Draw(t, "missing") && !typ.IsFloat() {
			v := 3.0
			missing, none = &v, pack(name, []float64{v})
		}
		s, err := downsample.NewSampler(name, how, factors, none)
		if err != nil {
			t.Fatal(err)
		}
		src := nd.Of(pack(name, values), typ.Size(), shape...)
		dst := nd.Make(typ.Size(), s.Shape(shape)...)
		to := dst
		if rapid.Bool().Draw(t, "parts of others") {
			part := func(of nd.View) nd.View {
				large, start := slices.Clone(of.Shape), make([]int, rank)
				for i := range large {
					start[i] = rapid.IntRange(0, 2).Draw(t, "before")
					large[i] += start[i] + rapid.IntRange(0, 2).Draw(t, "behind")
				}
				in := nd.Make(typ.Size(), large...).Box(nd.Box{Start: start, Shape: of.Shape})
				nd.Copy(in, of)
				return in
			}
			src, to = part(src), part(dst)
		}
		if err := s.Reduce(to, src); err != nil {
			t.Fatal(err)
		}
		nd.Copy(dst, to)
		got := unpack(name, dst.Data)
		idx := make([]int, rank)
		for k := range got {
			var window []float64
			in := make([]int, rank)
			for more := true; more; more = nd.Next(in, factors) {
				at, inside := 0, true
				for i := range idx {
					p := idx[i]*factors[i] + in[i]
					inside = inside && p < shape[i]
					at = at*shape[i] + p
				}
				if inside {
					window = append(window, values[at])
				}
			}
			want := plainWindow(how, typ.IsFloat(), window, missing)
			if typ.IsFloat() {
				want = unpack(name, pack(name, []float64{want}))[0]
			}
			if got[k] != want && !(typ.IsFloat() && math.Abs(got[k]-want) <= 1e-3*math.Abs(want)+1e-12) {
				t.Fatalf("%v of %v is %v, want %v", how, window, got[k], want)
			}
			nd.Next(idx, dst.Shape)
		}
	})
}

// The kernels of overviews and windows of any shape agree bit by bit.
func TestOverviewsAreWindowsOfTwoByTwo(t *testing.T) {
	for _, name := range types {
		if numeric.Named(name).IsFloat() {
			continue
		}
		size := numeric.Named(name).Size()
		src := nd.Make(size, 7, 9)
		for i := range src.Data {
			src.Data[i] = byte(i*i*31 + i*7)
		}
		for _, how := range []downsample.Method{downsample.Average, downsample.Mode} {
			fast, err := downsample.NewSampler(name, how, []int{2, 2}, nil)
			if err != nil {
				t.Fatal(err)
			}
			slow, err := downsample.NewSampler(name, how, []int{2, 2, 1}, nil) // the same windows, no kernel
			if err != nil {
				t.Fatal(err)
			}
			a, b := nd.Make(size, 4, 5), nd.Make(size, 4, 5, 1)
			deep := nd.Of(src.Data, size, 7, 9, 1)
			if err := fast.Reduce(a, src); err != nil {
				t.Fatal(err)
			}
			if err := slow.Reduce(b, deep); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(a.Data, b.Data) {
				t.Errorf("%s, %v: %v and %v", name, how, a.Data, b.Data)
			}
		}
	}
}

func TestSamplersThatCannotBe(t *testing.T) {
	for _, c := range []struct {
		name    string
		how     downsample.Method
		factors []int
		missing []byte
	}{
		{"complex64", downsample.Average, []int{2}, nil},
		{"int8", downsample.Method(9), []int{2}, nil},
		{"int8", downsample.Max, []int{0}, nil},
		{"int8", downsample.Max, []int{1 << 30, 1 << 30, 1 << 30}, nil},
		{"int16", downsample.Max, []int{2}, []byte{1}},
	} {
		if _, err := downsample.NewSampler(c.name, c.how, c.factors, c.missing); err == nil {
			t.Errorf("%+v: no error", c)
		}
	}
	s, err := downsample.NewSampler("int16", downsample.Max, []int{2}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range [][2]nd.View{{nd.Make(2, 2), nd.Make(2, 5)}, {nd.Make(4, 2), nd.Make(4, 4)}, {nd.Make(2, 2, 1), nd.Make(2, 4, 1)}} {
		if err := s.Reduce(v[0], v[1]); err == nil {
			t.Errorf("%v of %v: no error", v[0].Shape, v[1].Shape)
		}
	}
}

func ExampleSampler() {
	s, err := downsample.NewSampler("uint8", downsample.Max, []int{2, 3}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	src := nd.Of([]byte{
		1, 2, 3, 4,
		5, 6, 7, 8,
		9, 0, 1, 2,
	}, 1, 3, 4)
	dst := nd.Make(1, s.Shape(src.Shape)...)
	fmt.Println(s.Reduce(dst, src), dst.Shape, dst.Data)
	// Output: <nil> [2 2] [7 8 9 2]
}
