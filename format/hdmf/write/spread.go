package write

import (
	"context"

	"github.com/omnizarr/zarr/job"
	"github.com/omnizarr/zarr/job/copying"
)

// spread fills the arrays together with other processes, and reports whether the copy
// is to be finished by this one. An array of references, text or compounds is an item;
// those of numbers, which are the large ones, are cut into blocks.
func (c *copier) spread(ctx context.Context) (sum copying.Summary, finish bool, err error) {
	o := c.opts.Laid
	var pairs []copying.Pair
	var small []work
	for _, w := range c.later {
		if p, ok := w.pair(); ok {
			pairs = append(pairs, p)
		} else {
			small = append(small, w)
		}
	}
	f, err := copying.Fill(pairs, o)
	if err != nil {
		return sum, false, err
	}
	c.landing.Share(o.Spread.Of, f.Cut())
	if err := c.landing.Start(ctx); err != nil {
		return sum, false, err
	}
	if c.landing.Already() {
		sum.Already = true
		return sum, true, nil
	}
	if err := f.Find(ctx, c.landing.Resumed()); err != nil {
		return sum, false, err
	}
	array := func(ctx context.Context, item int) error {
		pool := job.NewPool(ctx, o.Workers, o.Memory)
		if err := c.parts(pool, &small[item], job.NewTracker(nil), new(int64)); err != nil {
			pool.Stop(err)
		}
		return pool.Wait()
	}
	finish, err = o.Spread.Land(ctx, &copying.Work{
		Landing: c.landing, Stages: []copying.Stage{{Name: "arrays and blocks", Items: len(small) + f.Items()}},
		Do: func(ctx context.Context, _, item int) error {
			if item < len(small) {
				return array(ctx, item)
			}
			return f.Do(ctx, item-len(small))
		},
		Each: func(ctx context.Context, _ int, wanted func(int) bool) error {
			for item := range small {
				if wanted == nil || wanted(item) {
					if err := array(ctx, item); err != nil {
						return err
					}
				}
			}
			if wanted == nil {
				return f.Each(ctx, nil)
			}
			return f.Each(ctx, func(item int) bool { return wanted(item + len(small)) })
		},
	}, &sum)
	part := sum.Part
	sum = f.Summary()
	sum.Part, sum.Arrays, sum.Already = part, int64(len(c.later)), c.landing.Already()
	return sum, finish, err
}
