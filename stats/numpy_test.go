package stats_test

import (
	"slices"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/stats"
)

// noise is made up numbers, the same as in the program that NumPy ran.
func noise(n int) []uint32 {
	out, x := make([]uint32, n), uint32(12345)
	for i := range out {
		x = x*1664525 + 1013904223
		out[i] = x
	}
	return out
}

// What NumPy 2.4 says of the same numbers: percentile, histogram, mean and std.
func TestAsNumPy(t *testing.T) {
	const n = 5000
	ints, floats := make([]uint16, n), make([]float32, n)
	for i, r := range noise(n) {
		ints[i] = uint16(r >> 20)
		part := float32(float64(r>>8) / (1 << 24))
		cube := float32(float64(part) * float64(part) * float64(part))
		floats[i] = float32(float32(cube*100) - 20)
	}
	for _, c := range []struct {
		name        string
		min, max    float64
		mean, std   float64
		percentiles []float64
		counts      []int64
		allowed     float64
	}{
		{"uint16", 0, 4095, 2040.7674, 1173.5269490289688,
			[]float64{36.980000000000004, 208.95000000000002, 1021.0, 2057.5, 3046.0, 3872.05, 4052.0200000000004},
			[]int64{610, 647, 618, 609, 672, 634, 598, 612}, 1e-14},
		// Cubes are rounded otherwise here and there.
		{"float32", -20, 79.977776, 4.650260815811158, 27.98753256791205,
			[]float64{-19.999923839569092, -19.986659908294676, -18.44780731201172, -7.313716411590576, 21.151923179626465, 64.53602256774903, 76.84666458129887},
			[]int64{2484, 701, 434, 385, 291, 267, 233, 205}, 1e-6},
	} {
		a, err := zarr.CreateArray(ctx, "mem:", zarr.ArraySpec{Shape: []int{50, 100}, DataType: c.name, Chunks: []int{20, 30}})
		if err != nil {
			t.Fatal(err)
		}
		if c.name == "uint16" {
			err = zarr.Write(ctx, a, zarr.All(), ints)
		} else {
			err = zarr.Write(ctx, a, zarr.All(), floats)
		}
		if err != nil {
			t.Fatal(err)
		}
		p, err := stats.Of(ctx, a, stats.Options{})
		if err != nil {
			t.Fatal(err)
		}
		s := p.Summary(8)
		got := []float64{s.Min.Float64(), s.Max.Float64(), float64(s.Mean), float64(s.Std)}
		for i, want := range []float64{c.min, c.max, c.mean, c.std} {
			if !near(got[i], want, c.allowed, 0) {
				t.Errorf("%s: %v, NumPy has %v", c.name, got[i], want)
			}
		}
		for i, q := range []string{"1", "5", "25", "50", "75", "95", "99"} {
			if !near(float64(s.Percentiles[q]), c.percentiles[i], c.allowed, 0) {
				t.Errorf("%s: percentile %s is %v, NumPy has %v", c.name, q, s.Percentiles[q], c.percentiles[i])
			}
		}
		if !slices.Equal(s.Histogram.Counts, c.counts) || s.Error != 0 {
			t.Errorf("%s: histogram %v, NumPy has %v (error %v)", c.name, s.Histogram.Counts, c.counts, s.Error)
		}
	}
}

// Values that are too many to be told apart are known to within the stated error,
// and integers that are few are exact however far apart they are.
func TestManyValues(t *testing.T) {
	const n = 1 << 18
	wide, few := make([]int64, n), make([]int64, n)
	for i, r := range noise(n) {
		wide[i] = int64(r)<<20 | int64(r>>12)
		few[i] = int64(r>>28) << 40
	}
	for _, c := range []struct {
		values []int64
		exact  bool
	}{{wide, false}, {few, true}} {
		var p stats.Partial
		stats.Add(&p, c.values, 0)
		if p.Exact() != c.exact {
			t.Errorf("exact is %v", p.Exact())
		}
		slices.Sort(c.values)
		for _, q := range []float64{1, 25, 50, 99} {
			at := float64(c.values[int(q/100*(n-1))])
			if got := p.Percentile(q); !near(got, at, float64(p.Summary(1).Error)+1e-3, 0) {
				t.Errorf("percentile %v is %v, want about %v", q, got, at)
			}
		}
	}
}

// A selection counts the chunks that it takes something of, and numbers are those
// that elements stand for.
func TestSelectionsAndDecodedNumbers(t *testing.T) {
	attrs := &meta.Attributes{}
	for name, v := range map[string]float64{"scale_factor": 0.5, "add_offset": 100, "_FillValue": -1} {
		if err := attrs.Set(name, v); err != nil {
			t.Fatal(err)
		}
	}
	a, err := zarr.CreateArray(ctx, "mem:", zarr.ArraySpec{Shape: []int{8, 8}, DataType: "int16", Chunks: []int{4, 4}, FillValue: []byte("-1"), Attributes: attrs})
	if err != nil {
		t.Fatal(err)
	}
	if err := zarr.Write(ctx, a, zarr.Slice("0, :4"), []int16{2, 4, 6, 8}); err != nil {
		t.Fatal(err)
	}
	p, err := stats.Of(ctx, a, stats.Options{Select: zarr.Slice("0, :"), Stored: true})
	if err != nil || p.NaN != 0 || p.Sum != "16" {
		t.Errorf("as stored: %+v, %v", p, err)
	}
	p, err = stats.Of(ctx, a, stats.Options{Select: zarr.Slice("0, :")})
	if err != nil {
		t.Fatal(err)
	}
	if p.Count != 8 || p.NaN != 4 || p.Fill != 4 || *p.Missing != 1 || p.Min != "101" || p.Max != "104" || p.Percentile(50) != 102.5 {
		t.Errorf("%+v, %d chunks missing, median %v", p, *p.Missing, p.Percentile(50))
	}
}
