package hdmf

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/nd"
)

// Scaled reads a selection of the data in Unit: with the factor, that of the
// channel, and the offset. It gives the shape of the result too. Only the chunks that
// the selection touches are read.
func (s *Series) Scaled(ctx context.Context, sel zarr.Selection) ([]float64, []int, error) {
	v, err := s.data.Read(ctx, sel)
	if err != nil {
		return nil, nil, err
	}
	out, err := v.Floats()
	if err != nil {
		return nil, nil, s.failed(fmt.Errorf("data: %w", err))
	}
	if s.channels == nil {
		for i, x := range out {
			out[i] = x*s.Conversion + s.Offset
		}
		return out, v.Shape, nil
	}
	factors, each, err := s.factors(sel, v.Shape)
	if err != nil {
		return nil, nil, s.failed(err)
	}
	for i, x := range out {
		out[i] = x*s.Conversion*factors[i/each%len(factors)] + s.Offset
	}
	return out, v.Shape, nil
}

// factors are those of the channels that a selection names: one for every each
// elements of a result of a shape, and again from the first on.
func (s *Series) factors(sel zarr.Selection, shape []int) (list []float64, each int, err error) {
	axes, err := zarr.Resolve(sel, s.data.Shape())
	if err != nil {
		return nil, 0, err
	}
	channels := axes[1]
	list = make([]float64, channels.Count)
	for k := range list {
		list[k] = s.channels[channels.At(k)]
	}
	each = 1
	if channels.Along >= 0 {
		each, _ = nd.Len(shape[channels.Along+1:])
	}
	return list, each, nil
}

// IsScaled reports whether data in Unit are others than those that are stored.
func (s *Series) IsScaled() bool {
	return s.data.DType().Kind == Number && (s.Conversion != 1 || s.Offset != 0 || s.channels != nil)
}

// Times gives when the samples of a selection of the data were taken, in seconds: one
// time for every position along the first axis. Of a list of times no more is read.
func (s *Series) Times(ctx context.Context, sel zarr.Selection) ([]float64, error) {
	axes, err := zarr.Resolve(sel, s.data.Shape())
	if err != nil {
		return nil, s.failed(err)
	}
	at := axes[0]
	for _, k := range []int{0, at.Count - 1} {
		if at.Count > 0 && at.At(k) >= s.length() {
			return nil, s.failed(fmt.Errorf("the time of sample %d, and there are %d times", at.At(k), s.length()))
		}
	}
	if s.times == nil {
		return s.byRate(at.Count, at.At)
	}
	start, step, even := at.Even()
	switch {
	case !even:
		list := make([]int, at.Count)
		for k := range list {
			list[k] = at.At(k)
		}
		return s.listed(ctx, zarr.List(list...))
	case at.Count == 0:
		return nil, nil
	case step > 0:
		return s.listed(ctx, zarr.Step(start, at.At(at.Count-1)+1, step))
	}
	out, err := s.listed(ctx, zarr.Step(at.At(at.Count-1), start+1, -step))
	slices.Reverse(out)
	return out, err
}

// timesFrom are the times from start up to, not including, stop.
func (s *Series) timesFrom(ctx context.Context, start, stop int) ([]float64, error) {
	if s.times == nil {
		return s.byRate(stop-start, func(k int) int { return start + k })
	}
	return s.listed(ctx, zarr.Span(start, stop))
}

// listed reads times of the list.
func (s *Series) listed(ctx context.Context, which zarr.Axis) ([]float64, error) {
	v, err := s.times.Read(ctx, zarr.Select(which))
	if err != nil {
		return nil, err
	}
	return v.Floats()
}

// maxTimes bounds times that are made up, of which there may be as many as a shape
// says.
const maxTimes = 1 << 28

// byRate gives times of samples by their numbers.
func (s *Series) byRate(count int, at func(k int) int) ([]float64, error) {
	if count > maxTimes {
		return nil, s.failed(fmt.Errorf("%d times, at most %d are given at once", count, maxTimes))
	}
	out := make([]float64, count)
	for k := range out {
		out[k] = s.start + float64(at(k))/s.rate
	}
	return out, nil
}

// time is when a sample was taken.
func (s *Series) time(ctx context.Context, i int) (float64, error) {
	t, err := s.timesFrom(ctx, i, i+1)
	if err != nil {
		return 0, err
	}
	return t[0], nil
}

// Span is when the first and the last sample were taken. There must be one.
func (s *Series) Span(ctx context.Context) (first, last float64, err error) {
	if s.length() == 0 {
		return 0, 0, s.failed(errors.New("has no samples"))
	}
	if first, err = s.time(ctx, 0); err == nil {
		last, err = s.time(ctx, s.length()-1)
	}
	return first, last, err
}

// Duration is how long the series is in seconds: from the first sample to the last,
// and the time of one more where there is a rate.
func (s *Series) Duration(ctx context.Context) (float64, error) {
	if s.times == nil {
		return float64(s.Len()) / s.rate, nil
	}
	if s.length() == 0 {
		return 0, nil
	}
	first, last, err := s.Span(ctx)
	return last - first, err
}

// At finds the last sample that was taken at a time or before, -1 if there is none,
// as for NaN.
// Where times are listed they must ascend; few of them are read.
func (s *Series) At(ctx context.Context, time float64) (int, error) {
	n := s.length()
	if math.IsNaN(time) {
		return -1, nil
	}
	if s.times == nil {
		i := math.Floor((time - s.start) * s.rate)
		// A product may round below the sample that it means.
		if next := i + 1; s.start+next/s.rate <= time {
			i = next
		}
		if !(i >= 0) { // before the start, or the start is no time
			return -1, nil
		}
		return int(min(i, float64(n-1))), nil
	}
	// Most of the way by single times, each in a chunk of its own; then all that
	// is left in one read.
	low, high := 0, n // times[low-1] <= time < times[high]
	for piece := s.times.pieceLength(); high-low > piece; {
		mid := low + (high-low)/2
		t, err := s.time(ctx, mid)
		if err != nil {
			return 0, err
		}
		if t <= time {
			low = mid + 1
		} else {
			high = mid
		}
	}
	list, err := s.timesFrom(ctx, low, high)
	if err != nil {
		return 0, err
	}
	return low + sort.Search(len(list), func(i int) bool { return list[i] > time }) - 1, nil
}
