package series

import (
	"context"
	"fmt"
	"math"
	"sort"

	"github.com/omnizarr/zarr/coordinates"
	"github.com/omnizarr/zarr/internal/numeric"
	"github.com/omnizarr/zarr/serve/kept"
)

// clock tells when samples were taken.
type clock struct {
	n           int // samples that have a time
	start, rate float64
	line        *coordinates.Line // of the times; nil where start and rate tell
	key         string
	cache       *kept.Cache // of some of them
}

// page is how many times are kept together: what a search comes by, others come by too.
const page = 512

// near are the times of the page that has a sample, and the number of its first.
func (c *clock) near(ctx context.Context, i int) (list []float64, first int, err error) {
	first = i / page * page
	raw, err := c.cache.Get(ctx, fmt.Sprintf("series %s clock %d", c.key, first), func(ctx context.Context) ([]byte, error) {
		list, err := c.times(ctx, first, min(first+page, c.n))
		return numeric.Bytes(list), err
	})
	return numeric.Slice[float64](raw), first, err
}

// time is that of a sample.
func (c *clock) time(ctx context.Context, i int) (float64, error) {
	if c.line == nil {
		return c.start + float64(i)/c.rate, nil
	}
	list, first, err := c.near(ctx, i)
	if err != nil {
		return 0, err
	}
	return list[i-first], nil
}

// times are those of samples from start up to, not including, stop.
func (c *clock) times(ctx context.Context, start, stop int) ([]float64, error) {
	list, err := c.line.Numbers(ctx, start, stop)
	if err == nil && len(list) != stop-start {
		err = fmt.Errorf("%d times of %d samples", len(list), stop-start)
	}
	return list, err
}

// first finds the first sample that was taken at a time or later; with after, later.
// Few times are read.
func (c *clock) first(ctx context.Context, time float64, after bool) (int, error) {
	switch {
	case math.IsInf(time, -1) && !after:
		return 0, nil
	case math.IsInf(time, 1) && after:
		return c.n, nil
	}
	is := func(t float64) bool { return t > time || t == time && !after }
	if c.line == nil {
		at := math.Ceil((time - c.start) * c.rate)
		for _, near := range []float64{at - 1, at, at + 1} { // products are rounded
			if is(c.start + near/c.rate) {
				return int(min(max(near, 0), float64(c.n))), nil
			}
		}
		return int(min(max(at+2, 0), float64(c.n))), nil
	}
	// Which page is the first that begins so late: it is in the one before, or begins it.
	var failed error
	pages := (c.n + page - 1) / page
	next := sort.Search(pages, func(k int) bool {
		if failed != nil {
			return true
		}
		t, err := c.time(ctx, k*page)
		failed = err
		return err != nil || is(t)
	})
	if failed != nil || next == 0 {
		return 0, failed
	}
	list, first, err := c.near(ctx, (next-1)*page)
	if err != nil {
		return 0, err
	}
	return first + sort.Search(len(list), func(i int) bool { return is(list[i]) }), nil
}
