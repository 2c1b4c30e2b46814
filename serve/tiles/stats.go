package tiles

import (
	"context"
	"math"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/serve/levels"
	"github.com/omnizarr/zarr/stats"
)

// Stats is how the numbers of a channel are spread.
type Stats struct {
	Level int  // of which they are
	Exact bool // whether all of its numbers count, and none is interpolated
	Count int64
	// Missing is how many are NaN, and Min and Max the least and the largest of the others
	// that are finite, NaN without any.
	Missing     int64
	Min, Max    float64
	Percentiles []float64 // as Percentiles lists them
	// From and To are where the 256 bins of Counts begin and end. Integers that are close
	// to each other have a bin each.
	From, To float64
	Counts   []int64
}

// Percentiles are those that Stats has.
var Percentiles = []string{"0.1", "1", "5", "25", "50", "75", "95", "99", "99.9"}

var quantiles = []float64{0.1, 1, 5, 25, 50, 75, 95, 99, 99.9}

// bins is how many a histogram has.
const bins = 256

// Of gives the statistics of a channel at a place, of the coarsest level, in a bounded
// time.
func Of(ctx context.Context, img *levels.Image, at []int, channel int) (*Stats, error) {
	values, exact, err := img.Coarse(ctx, at, channel)
	if err != nil {
		return nil, err
	}
	p := &stats.Partial{}
	stats.Add(p, values, math.Inf(1))
	out := summary(p, whole(img))
	out.Level, out.Exact = len(img.Levels)-1, exact
	return out, nil
}

// All gives the statistics of all numbers of a channel, at the finest level.
func All(ctx context.Context, img *levels.Image, channel int) (*Stats, error) {
	a := img.Levels[0]
	axes := make([]zarr.Axis, len(a.Shape()))
	for i := range axes {
		if axes[i] = zarr.Full(); i == img.Channel {
			axes[i] = zarr.Span(channel, channel+1)
		}
	}
	p, err := stats.Of(ctx, a.Array, stats.Options{Select: zarr.Select(axes...)})
	if err != nil {
		return nil, err
	}
	out := summary(p, whole(img))
	out.Exact = p.Exact()
	return out, nil
}

// whole reports whether numbers are integers.
func whole(img *levels.Image) bool {
	switch img.Levels[0].DataType().Kind() {
	case dtype.Int, dtype.Uint, dtype.Bool:
		return !img.Packed()
	}
	return false
}

func summary(p *stats.Partial, integers bool) *Stats {
	out := &Stats{Count: p.Count, Missing: p.NaN, Min: stats.Number(p.MinFinite).Float64(), Max: stats.Number(p.MaxFinite).Float64(), Counts: make([]int64, bins)}
	for _, q := range quantiles {
		out.Percentiles = append(out.Percentiles, p.Percentile(q))
	}
	if math.IsNaN(out.Min) { // nothing is there
		out.To = 1
		return out
	}
	n := bins
	out.From, out.To = out.Min, out.Max
	switch {
	case integers && out.Max-out.Min < bins: // a bin for each
		n, out.To = int(out.Max-out.Min)+1, out.Min+bins
	case out.Max == out.Min:
		n, out.To = 1, out.Min+1
	}
	_, counts := p.Histogram(n)
	copy(out.Counts, counts)
	return out
}
