package series

import (
	"context"
	"fmt"
	"math"
	"sort"

	"github.com/omnizarr/zarr/coordinates"
)

// clock tells when samples were taken.
type clock struct {
	n           int // samples that have a time
	start, rate float64
	line        *coordinates.Line // of the times; nil where start and rate tell
}

// time is that of a sample.
func (c *clock) time(ctx context.Context, i int) (float64, error) {
	if c.line == nil {
		return c.start + float64(i)/c.rate, nil
	}
	list, err := c.times(ctx, i, i+1)
	if err != nil {
		return 0, err
	}
	return list[0], nil
}

// times are those of samples from start up to, not including, stop.
func (c *clock) times(ctx context.Context, start, stop int) ([]float64, error) {
	list, err := c.line.Numbers(ctx, start, stop)
	if err == nil && len(list) != stop-start {
		err = fmt.Errorf("%d times of %d samples", len(list), stop-start)
	}
	return list, err
}

// lastRead is how many times are read to end a search.
const lastRead = 512

// first finds the first sample that was taken at a time or later; with after, later.
// Few times are read.
func (c *clock) first(ctx context.Context, time float64, after bool) (int, error) {
	if c.line == nil {
		at := math.Ceil((time - c.start) * c.rate)
		for _, near := range []float64{at - 1, at, at + 1} { // products are rounded
			if t := c.start + near/c.rate; t > time || t == time && !after {
				return int(min(max(near, 0), float64(c.n))), nil
			}
		}
		return int(min(max(at+2, 0), float64(c.n))), nil
	}
	is := func(t float64) bool { return t > time || t == time && !after }
	low, high := 0, c.n
	for high-low > lastRead {
		mid := low + (high-low)/2
		t, err := c.time(ctx, mid)
		if err != nil {
			return 0, err
		}
		if is(t) {
			high = mid
		} else {
			low = mid + 1
		}
	}
	list, err := c.times(ctx, low, high)
	if err != nil {
		return 0, err
	}
	return low + sort.Search(len(list), func(i int) bool { return is(list[i]) }), nil
}
