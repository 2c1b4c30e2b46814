package series_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/convention"
	"github.com/omnizarr/zarr/coordinates"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/serve/kept"
	"github.com/omnizarr/zarr/serve/series"
	"github.com/omnizarr/zarr/store/mem"
)

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// made writes numbers into an array in memory.
func made[T any](t testing.TB, typ string, shape, chunks []int, data []T) *zarr.Array {
	t.Helper()
	a, err := zarr.CreateArrayIn(t.Context(), mem.New(), "a", zarr.ArraySpec{Shape: shape, Chunks: chunks, DataType: typ})
	check(t, err)
	check(t, zarr.Write(t.Context(), a, zarr.All(), data))
	return a
}

// noise is numbers with gaps and peaks.
func noise(n int) []float64 {
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	out := make([]float64, n)
	for i := range out {
		switch out[i] = float64(int16(rng.Uint32())) / 8; rng.IntN(50) {
		case 0:
			out[i] = math.NaN()
		case 1:
			out[i] = math.Inf(1 - 2*rng.IntN(2))
		}
	}
	for i := n / 3; i < n/3+n/10; i++ {
		out[i] = math.NaN()
	}
	return out
}

// model is a series as it is meant: the sample i of channel c.
type model struct {
	n, channels int
	at          func(i, c int) float64
	time        func(i int) float64
}

// same compares a view with the samples that it is of.
func (m model) same(t *testing.T, v *series.View, from, to float64) {
	t.Helper()
	if v.Mode == series.Plainly {
		for k, c := range v.Channels {
			for i := range v.Bins {
				want := float32(m.at(v.First+i, c))
				if got := v.Values[k*v.Bins+i]; got != want && (got == got || want == want) {
					t.Fatalf("sample %d of channel %d is %v, want %v", v.First+i, c, got, want)
				}
			}
		}
		for i := range m.n {
			if in := i >= v.First && i < v.First+v.Bins; !in && m.time(i) >= from && m.time(i) <= to {
				t.Fatalf("sample %d at %v is not in %d to %d", i, m.time(i), v.First, v.First+v.Bins)
			}
		}
		return
	}
	for k, c := range v.Channels {
		for b := range v.Bins {
			low, high := math.NaN(), math.NaN()
			for i := v.First + b*v.Step; i < min(v.First+(b+1)*v.Step, m.n); i++ {
				if x := m.at(i, c); x-x == 0 {
					if !(low <= x) {
						low = x
					}
					if !(high >= x) {
						high = x
					}
				}
			}
			got := v.Values[(k*v.Bins+b)*2:][:2]
			if want := []float32{float32(low), float32(high)}; !slices.Equal(got, want) && (low == low || got[0] == got[0]) {
				t.Fatalf("bin %d of channel %d (samples %d to %d) is %v, want %v", b, c, v.First+b*v.Step, v.First+(b+1)*v.Step, got, want)
			}
		}
	}
}

func TestViewsAreWhatSamplesSay(t *testing.T) {
	const n = 150_000
	flat := noise(n)
	ints := make([]int16, n)
	small := make([]float32, n)
	for i, x := range flat {
		ints[i], small[i] = int16(uint16(i)*31), float32(x)
	}
	wide := make([]int16, 3*n/10)
	copy(wide, ints)
	cube := noise(6000 * 6)
	type testCase struct {
		name    string
		samples convention.Samples
		at      func(i, c int) float64
	}
	for _, c := range []testCase{
		{"float64", convention.Samples{Array: made(t, "float64", []int{n}, []int{30000}, flat)}, func(i, _ int) float64 { return flat[i] }},
		{"float32 in odd chunks", convention.Samples{Array: made(t, "float32", []int{n}, []int{10007}, small), Scale: -0.5, Offset: 3}, func(i, _ int) float64 { return float64(small[i])*-0.5 + 3 }},
		{"int16", convention.Samples{Array: made(t, "int16", []int{n}, []int{n}, ints), Scale: 1e-3}, func(i, _ int) float64 { return float64(ints[i]) * 1e-3 }},
		{"int16 over channels", convention.Samples{Array: made(t, "int16", []int{n / 10, 3}, []int{1000, 2}, wide), Factors: []float64{1, -2, 3}, Scale: 2, Offset: 1}, func(i, k int) float64 { return float64(wide[i*3+k])*2*[]float64{1, -2, 3}[k] + 1 }},
		{"channels before time", convention.Samples{Array: made(t, "int16", []int{3, n / 10}, []int{2, 1000}, wide), Axis: 1}, func(i, k int) float64 { return float64(wide[k*n/10+i]) }},
		{"three axes", convention.Samples{Array: made(t, "float64", []int{6000, 3, 2}, []int{100, 3, 1}, cube)}, func(i, k int) float64 { return cube[i*6+k] }},
		{"float16", convention.Samples{Array: made(t, "float16", []int{n / 10}, []int{64}, make([]dtype.Float16, n/10))}, func(int, int) float64 { return 0 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := c.samples
			if s.Scale == 0 {
				s.Scale = 1
			}
			s.Start, s.Rate = -3, 250
			cache, err := kept.New(1<<20, "", 0)
			check(t, err)
			defer cache.Close()
			one, err := series.New(&s, series.Options{Cache: cache, Key: "a"})
			check(t, err)
			m := model{one.Len(), one.Channels(), c.at, func(i int) float64 { return -3 + float64(i)/250 }}
			rng := rand.New(rand.NewPCG(2, 3))
			from, to, err := one.Span(t.Context())
			check(t, err)
			for round := range thorough.Of(14, 40) {
				r := series.Request{From: from, To: to, Width: 7}
				if round > 1 {
					a, b := from-1+rng.Float64()*(to-from+2), from-1+rng.Float64()*(to-from+2)
					r = series.Request{From: min(a, b), To: max(a, b), Width: 1 + rng.IntN(300)}
				}
				if round%3 == 2 {
					r.Channels = []int{m.channels - 1, 0}
				}
				v, err := one.View(t.Context(), r)
				check(t, err)
				if !v.Exact || !v.Ordered || v.Mode == series.Envelope && v.Bins > r.Width+1 {
					t.Fatalf("%+v for %+v", v, r)
				}
				m.same(t, v, r.From, r.To)
				if v.Bins > 0 && math.Abs(v.T0-m.time(v.First)) > 1e-9 {
					t.Fatalf("begins at %v, want %v", v.T0, m.time(v.First))
				}
				if raw := v.Append(nil); len(raw) != 4*len(v.Values)+8*len(v.Times) {
					t.Fatalf("%d bytes", len(raw))
				}
			}
		})
	}
}

func TestListedTimesMakeBinsOfEqualTime(t *testing.T) {
	const n = 60_000
	data := noise(n)
	times := make([]float64, n)
	rng := rand.New(rand.NewPCG(5, 6))
	now := 10.0
	for i := range times {
		if now += 0.001 * (0.5 + rng.Float64()); i == n/2 {
			now += 100 // nothing was recorded
		}
		times[i] = now
	}
	var reads atomic.Int64
	line := &coordinates.Line{Len: n, Numbers: func(_ context.Context, start, stop int) ([]float64, error) {
		reads.Add(int64(stop - start))
		return slices.Clone(times[start:stop]), nil
	}}
	s := &convention.Samples{Array: made(t, "float64", []int{n}, []int{4096}, data), Scale: 1, Times: line}
	cache, err := kept.New(1<<20, "", 0)
	check(t, err)
	defer cache.Close()
	one, err := series.New(s, series.Options{Cache: cache, Key: "a"})
	check(t, err)

	// A short span is found by looking at few times.
	v, err := one.View(t.Context(), series.Request{From: times[n-500], To: times[n-400], Width: 200})
	check(t, err)
	if reads.Load() > 20*512 || v.Mode != series.Plainly || !v.Listed || !slices.Equal(v.Times, times[v.First:v.First+v.Bins]) || v.First > n-500 || v.First+v.Bins <= n-400 {
		t.Errorf("%+v after reading %d times", v, reads.Load())
	}
	for _, width := range []int{5, 100, 2000} {
		r := series.Request{From: times[0], To: times[n-1], Width: width}
		v, err := one.View(t.Context(), r)
		check(t, err)
		if v.Mode != series.Envelope || v.Bins != width || !v.Exact || !v.Ordered {
			t.Fatalf("%+v", v)
		}
		before := reads.Load()
		if _, err := one.View(t.Context(), r); err != nil || width < 2000 && reads.Load() != before {
			t.Errorf("the same again reads %d times, %v", reads.Load()-before, err)
		}
		for b := range v.Bins {
			// A block may lie in two bins: extremes are those of the bin, and of no more
			// than its neighbours.
			low, high, least, greatest := math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
			from, _ := slices.BinarySearch(times, v.T0+float64(b-2)*v.DT) // those further away are none of them
			to, _ := slices.BinarySearch(times, v.T0+float64(b+3)*v.DT)
			for i := from; i < to; i++ {
				x := data[i]
				if at := (times[i] - v.T0) / v.DT; x-x == 0 && at >= float64(b)-1 && at <= float64(b)+2 {
					least, greatest = min(least, x), max(greatest, x)
					if at >= float64(b)+1e-6 && at <= float64(b)+1-1e-6 {
						low, high = min(low, x), max(high, x)
					}
				}
			}
			got := v.Values[2*b:][:2]
			if float64(got[0]) > low || float64(got[1]) < high || float64(got[0]) < least || float64(got[1]) > greatest {
				t.Fatalf("bin %d of %d is %v; its samples are %v to %v, those around %v to %v", b, width, got, low, high, least, greatest)
			}
		}
		if width == 2000 {
			gap := v.Values[2*int((times[n/2]-50-v.T0)/v.DT)]
			if gap == gap {
				t.Errorf("the gap is %v", gap)
			}
		}
	}
	times[7], times[40_000] = 1e3, 1
	cache.Close()
	other, err := series.New(s, series.Options{Key: "b"})
	check(t, err)
	for _, width := range []int{5, 100, 2000} {
		if v, err := other.View(t.Context(), series.Request{From: 10, To: 250, Width: width}); err != nil || v.Ordered {
			t.Errorf("times that do not ascend, in %d pixels: %+v, %v", width, v, err)
		}
	}
}

func TestMuchIsReadInSeveralAnswers(t *testing.T) {
	const n = 4 << 20
	data := make([]int16, n)
	for i := range data {
		data[i] = int16(i >> 10)
	}
	a := made(t, "int16", []int{n}, []int{1 << 14}, data)
	s := &convention.Samples{Array: a, Scale: 1, Rate: 1}
	cache, err := kept.New(1<<20, "", 0)
	check(t, err)
	defer cache.Close()
	part := 1 << 14 * 2 // bytes: parts are larger
	one, err := series.New(s, series.Options{Cache: cache, Key: "a", Budget: int64(part)})
	check(t, err)
	r := series.Request{From: 0, To: n, Width: 100}
	before := 0.0
	for round := 0; ; round++ {
		v, err := one.View(t.Context(), r)
		check(t, err)
		if v.Exact {
			model{n, 1, func(i, _ int) float64 { return float64(data[i]) }, func(i int) float64 { return float64(i) }}.same(t, v, 0, n)
			break
		}
		if v.Covered <= before || round > 2000 {
			t.Fatalf("%v of it after %d answers, %v before", v.Covered, round, before)
		}
		before = v.Covered
	}
	made := cache.Stats().Made
	v, err := one.View(t.Context(), r)
	if err != nil || !v.Exact || cache.Stats().Made != made {
		t.Errorf("%+v, %v: %d more were made", v, err, cache.Stats().Made-made)
	}
}

func TestWrongRequests(t *testing.T) {
	a := made(t, "int16", []int{100, 4}, []int{10, 4}, make([]int16, 400))
	s, err := series.New(&convention.Samples{Array: a, Scale: 1, Rate: 1}, series.Options{})
	check(t, err)
	for _, r := range []series.Request{
		{From: 0, To: 1}, {From: 0, To: 1, Width: -1}, {From: 0, To: 1, Width: 1 << 30}, {From: 1, To: 0, Width: 10},
		{From: math.NaN(), To: 1, Width: 10}, {From: 0, To: math.NaN(), Width: 10}, {From: 0, To: 1, Width: 10, Channels: []int{4}},
		{From: 0, To: 1, Width: 10, Channels: []int{-1}}, {From: 0, To: 1, Width: series.MaxWidth, Channels: make([]int, 10_000)},
	} {
		if v, err := s.View(t.Context(), r); err == nil {
			t.Errorf("%+v gives %+v", r, v)
		}
	}
	for _, r := range []series.Request{
		{From: math.Inf(-1), To: math.Inf(1), Width: 10}, {From: -1e300, To: 1e300, Width: 1}, {From: 1e9, To: 1e10, Width: 5}, {From: -5, To: -4, Width: 5},
		{From: 3, To: 3, Width: 5, Channels: []int{}},
	} {
		if _, err := s.View(t.Context(), r); err != nil {
			t.Errorf("%+v: %v", r, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.View(ctx, series.Request{From: 0, To: 100, Width: 2}); err == nil {
		t.Error("a request that is gone was answered")
	}
	for _, bad := range []convention.Samples{
		{Array: a, Rate: 0}, {Array: a, Rate: math.NaN()}, {Array: a, Rate: 1, Axis: 2}, {Array: a, Rate: 1, Factors: []float64{1}},
		{Array: made(t, "complex64", []int{4}, []int{4}, make([]complex64, 4)), Rate: 1},
		{Array: made(t, "int16", []int{}, []int{}, make([]int16, 1)), Rate: 1},
	} {
		if _, err := series.New(&bad, series.Options{}); err == nil {
			t.Errorf("%+v is a series", bad)
		}
	}
}

func Example() {
	ctx := context.Background()
	a, err := zarr.CreateArrayIn(ctx, mem.New(), "", zarr.ArraySpec{Shape: []int{1000}, DataType: "float32"})
	if err == nil {
		wave := make([]float32, 1000)
		for i := range wave {
			wave[i] = float32(i % 10)
		}
		err = zarr.Write(ctx, a, zarr.All(), wave)
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	samples, err := series.Plain(ctx, a)
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := series.New(samples, series.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	v, err := s.View(ctx, series.Request{From: 0, To: 999, Width: 4})
	fmt.Println(v.Mode, v.Bins, v.Values, err)
	// Output: envelope 4 [0 9 0 9 0 9 0 9] <nil>
}
