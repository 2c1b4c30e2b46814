package series_test

import (
	"context"
	"errors"
	"testing"

	"github.com/omnizarr/zarr/convention"
	"github.com/omnizarr/zarr/serve/kept"
	"github.com/omnizarr/zarr/serve/series"
)

func TestWhoLeavesEndsTheReading(t *testing.T) {
	const chunk = 1 << 16
	a, c := large(t, []int{4000 * chunk}, []int{chunk})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c.seen = func(n int64) {
		if n == 5 {
			cancel()
		}
	}
	cache, err := kept.New(1<<20, "", 0)
	check(t, err)
	s, err := series.New(&convention.Samples{Array: a, Scale: 1, Rate: 1}, series.Options{Cache: cache, Key: "a", Budget: 1 << 40})
	check(t, err)
	_, err = s.View(ctx, series.Request{From: 0, To: 1e12, Width: 100})
	check(t, cache.Close()) // nothing goes on
	if n := c.gets.Load(); !errors.Is(err, context.Canceled) || n > 1000 {
		t.Errorf("%v, after %d of 4000 chunks", err, n)
	}
}
