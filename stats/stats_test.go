package stats_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/leaktest"
	"github.com/omnizarr/zarr/stats"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

var ctx = context.Background()

// plain computes the same from all values at once.
type plain struct {
	sorted []float64
	mean   float64
	std    float64
}

func of(values []float64) plain {
	p := plain{sorted: slices.DeleteFunc(slices.Clone(values), math.IsNaN)}
	slices.Sort(p.sorted)
	if len(p.sorted) == 0 {
		return p
	}
	n := big.NewFloat(float64(len(p.sorted))).SetPrec(400)
	sum := new(big.Float).SetPrec(400)
	for _, v := range p.sorted {
		sum.Add(sum, big.NewFloat(v))
	}
	mean := new(big.Float).SetPrec(400).Quo(sum, n)
	p.mean, _ = mean.Float64()
	squares := new(big.Float).SetPrec(400)
	for _, v := range p.sorted {
		d := new(big.Float).SetPrec(400).Sub(big.NewFloat(v), mean)
		squares.Add(squares, d.Mul(d, d))
	}
	p.std, _ = squares.Sqrt(squares.Quo(squares, n)).Float64()
	return p
}

func near(a, b, relative, absolute float64) bool {
	return a == b || math.Abs(a-b) <= relative*max(math.Abs(a), math.Abs(b))+absolute
}

// Parts in any number, through JSON and back, give what all values at once give.
func TestPartsGiveWhatTheWholeGives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.OneOf(
			rapid.Float64Range(-1e12, 1e12), rapid.Float64Range(1e9, 1e9+1),
			rapid.SampledFrom([]float64{0, 1, -1, 7, math.NaN(), 0.5, 255, -300}),
		), 1, 60).Draw(t, "values")
		whole := &stats.Partial{}
		fills, nans := int64(0), int64(0)
		for rest := values; len(rest) > 0; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "part")
			part := &stats.Partial{}
			stats.Add(part, rest[:n], 7)
			text, err := json.Marshal(part)
			if err != nil {
				t.Fatal(err)
			}
			var back stats.Partial
			if err := json.Unmarshal(text, &back); err != nil {
				t.Fatal(err)
			}
			whole.Merge(&back)
			rest = rest[n:]
		}
		for _, v := range values {
			if v == 7 {
				fills++
			}
			if v != v {
				nans++
			}
		}
		if whole.Count != int64(len(values)) || whole.NaN != nans || whole.Fill != fills {
			t.Fatalf("%d values, %d NaN, %d fill: %+v", len(values), nans, fills, whole)
		}
		want := of(values)
		n := len(want.sorted)
		if n == 0 {
			if s := whole.Summary(5); !math.IsNaN(float64(s.Mean)) || !math.IsNaN(float64(s.Std)) {
				t.Errorf("of no numbers mean %v, deviation %v", s.Mean, s.Std)
			}
			return
		}
		size := max(math.Abs(want.sorted[0]), math.Abs(want.sorted[n-1]))
		s := whole.Summary(5)
		if v := s.Min.Float64(); v != want.sorted[0] {
			t.Errorf("least %v, want %v", s.Min, want.sorted[0])
		}
		if v := s.Max.Float64(); v != want.sorted[n-1] {
			t.Errorf("largest %v, want %v", s.Max, want.sorted[n-1])
		}
		if !near(float64(s.Mean), want.mean, 1e-12, size*1e-14) {
			t.Errorf("mean %v, want %v", s.Mean, want.mean)
		}
		if !near(float64(s.Std), want.std, 1e-9, size*1e-13+1e-160) { // M2 has steps of 5e-324
			t.Errorf("deviation %v, want %v", s.Std, want.std)
		}
		for _, q := range []float64{0, 1, 25, 50, 75, 99, 100} {
			at := q / 100 * float64(n-1)
			low, high := want.sorted[int(at)], want.sorted[min(int(at)+1, n-1)]
			middle := low + (high-low)*(at-math.Floor(at))
			if got := whole.Percentile(q); !near(got, middle, 1e-12, (math.Abs(low)+math.Abs(high))*1e-15) {
				t.Errorf("percentile %v is %v, want %v", q, got, middle)
			}
			rough := *whole // as if there were too many values to tell apart
			if err := json.Unmarshal([]byte("null"), &rough.Counts); err != nil {
				t.Fatal(err)
			}
			if got := rough.Percentile(q); !near(got, middle, 0, max(math.Abs(low), math.Abs(high))/511) {
				t.Errorf("percentile %v is about %v, want %v", q, got, middle)
			}
		}
		total := int64(0)
		for _, c := range s.Histogram.Counts {
			total += c
		}
		if total != int64(n) || len(s.Histogram.Edges) != len(s.Histogram.Counts)+1 {
			t.Errorf("the histogram counts %d of %d: %v", total, n, s.Histogram)
		}
	})
}

// Infinities are told apart from nothing, and leave the histogram to the others.
func TestInfinities(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		values []float64
		want   string
		edges  []float64
	}{
		{[]float64{inf, 1, 2}, `{"min":1,"max":"Infinity"}`, []float64{1, 1.5, 2}},
		{[]float64{-inf, inf, -3, 5, math.NaN()}, `{"min":"-Infinity","max":"Infinity"}`, []float64{-3, 1, 5}},
		{[]float64{inf, inf}, `{"min":"Infinity","max":"Infinity"}`, nil},
		{[]float64{math.NaN()}, `{}`, nil},
		{nil, `{}`, nil},
	} {
		whole, parts := &stats.Partial{}, &stats.Partial{}
		stats.Add(whole, c.values, 0)
		for _, v := range c.values {
			var p stats.Partial
			stats.Add(&p, []float64{v}, 0)
			parts.Merge(&p)
			parts.Merge(nil)
		}
		for _, p := range []*stats.Partial{whole, parts} {
			s := p.Summary(2)
			text, err := json.Marshal(s)
			if err != nil {
				t.Fatal(err)
			}
			var back stats.Summary
			if err := json.Unmarshal(text, &back); err != nil || back.Min != s.Min || back.Max != s.Max {
				t.Errorf("%v: %v, %v", c.values, back, err)
			}
			var ends struct {
				Min any `json:"min,omitempty"`
				Max any `json:"max,omitempty"`
			}
			if err := json.Unmarshal(text, &ends); err != nil {
				t.Fatal(err)
			}
			if got, err := json.Marshal(ends); err != nil || string(got) != c.want {
				t.Errorf("%v: %s, want %s", c.values, got, c.want)
			}
			if !slices.Equal(s.Histogram.Edges, c.edges) {
				t.Errorf("%v: edges %v, want %v", c.values, s.Histogram.Edges, c.edges)
			}
			if w := whole.Mean; p.Mean != w && (p.Mean == p.Mean || w == w) {
				t.Errorf("%v: mean %v, want %v", c.values, p.Mean, w)
			}
		}
	}
}

func TestOptionsThatCannotBe(t *testing.T) {
	a, err := zarr.CreateArray(ctx, "mem:", zarr.ArraySpec{Shape: []int{3}, DataType: "uint8"})
	if err != nil {
		t.Fatal(err)
	}
	for _, opt := range []stats.Options{{Workers: -1}, {Memory: -1}} {
		if p, err := stats.Of(ctx, a, opt); err == nil || p != nil {
			t.Errorf("%+v: %v", opt, p)
		}
	}
}

// Integers of 64 bits keep every bit, where floats would not.
func TestIntegersAreExact(t *testing.T) {
	p, q := &stats.Partial{}, &stats.Partial{}
	stats.Add(p, []int64{math.MaxInt64, math.MaxInt64 - 1, -5}, 0)
	stats.Add(q, []int64{math.MinInt64, math.MinInt64}, 0)
	p.Merge(q)
	want := new(big.Int).Sub(big.NewInt(math.MaxInt64-1), big.NewInt(6))
	want.Add(want, big.NewInt(math.MinInt64)) // and the largest and the least are -1
	if p.Min != "-9223372036854775808" || p.Max != "9223372036854775807" || p.Sum != want.String() {
		t.Errorf("%s to %s, sum %s, want %v", p.Min, p.Max, p.Sum, want)
	}
	u := &stats.Partial{}
	stats.Add(u, []uint64{math.MaxUint64, math.MaxUint64}, math.MaxUint64)
	if u.Max != "18446744073709551615" || u.Sum != "36893488147419103230" || u.Fill != 2 {
		t.Errorf("%+v", u)
	}
}

func TestOfAnArray(t *testing.T) {
	for _, name := range []string{"uint8", "int16", "float32", "float64", "bool", "float16"} {
		a, err := zarr.CreateArray(ctx, "mem:", zarr.ArraySpec{Shape: []int{10, 10}, DataType: name, Chunks: []int{4, 4}})
		if err != nil {
			t.Fatal(err)
		}
		if name == "uint8" {
			if err := zarr.Write(ctx, a, zarr.Slice("0"), []uint8{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}); err != nil {
				t.Fatal(err)
			}
		}
		p, err := stats.Of(ctx, a, stats.Options{})
		if err != nil {
			t.Fatal(err)
		}
		want := "100 100 9 "
		if name == "uint8" {
			want = "100 90 6 55"
		}
		sum := p.Sum
		if name != "uint8" {
			sum = ""
		}
		if got := fmt.Sprint(p.Count, " ", p.Fill, " ", *p.Missing, " ", sum); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
		if name != "uint8" {
			continue
		}
		row, err := stats.Of(ctx, a, stats.Options{Select: zarr.Slice("0, ::3")})
		if err != nil || row.Sum != "22" || row.Percentile(50) != 5.5 || *row.Missing != 0 {
			t.Errorf("%+v, %v", row, err)
		}
	}
	words, err := zarr.CreateArray(ctx, "mem:", zarr.ArraySpec{Shape: []int{2}, DataType: "string"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := stats.Of(ctx, words, stats.Options{}); !errors.Is(err, zarr.ErrType) {
		t.Errorf("%v", err)
	}
}

func ExampleOf() {
	a, err := zarr.CreateArray(ctx, "mem:", zarr.ArraySpec{Shape: []int{6}, DataType: "int16", Chunks: []int{2}})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := zarr.Write(ctx, a, zarr.Slice(":4"), []int16{3, 1, 4, 8}); err != nil {
		fmt.Println(err)
		return
	}
	p, err := stats.Of(ctx, a, stats.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	s := p.Summary(2)
	fmt.Println(s.Count, s.Min, s.Max, p.Sum, s.Fill, *s.Missing, s.Percentiles["50"])
	fmt.Println(s.Histogram.Edges, s.Histogram.Counts)
	// Output:
	// 6 0 8 16 2 1 2
	// [0 4 8] [4 2]
}
