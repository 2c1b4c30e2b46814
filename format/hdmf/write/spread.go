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
	f, err := copying.Fill(ctx, pairs, o, c.landing)
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
	array := func(ctx context.Context, item int) (done copying.Summary, err error) {
		pool := job.NewPool(ctx, o.Workers, o.Memory)
		track := job.NewTracker(func(now job.Progress) { done.Elements = now.Bytes })
		if err := c.parts(pool, &small[item], track, &done.Resumed); err != nil {
			pool.Stop(err)
		}
		err = pool.Wait()
		return done, err
	}
	stages := f.Stages()
	last := len(stages) - 1
	stages[last].Name, stages[last].Items = "arrays and blocks", len(small)+stages[last].Items
	finish, err = o.Spread.Land(ctx, &copying.Work{
		Landing: c.landing, Stages: stages,
		Do: func(ctx context.Context, stage, item int) (copying.Summary, error) {
			switch {
			case stage < last:
				return f.Do(ctx, stage, item)
			case item < len(small):
				return copying.Measured(ctx, func(ctx context.Context) (copying.Summary, error) { return array(ctx, item) })
			}
			return f.Do(ctx, stage, item-len(small))
		},
		Each: func(ctx context.Context, stage int, wanted func(int) bool) error {
			if stage < last {
				return f.Each(ctx, stage, wanted)
			}
			for item := range small {
				if wanted == nil || wanted(item) {
					if _, err := array(ctx, item); err != nil {
						return err
					}
				}
			}
			if wanted == nil {
				return f.Each(ctx, stage, nil)
			}
			return f.Each(ctx, stage, func(item int) bool { return wanted(item + len(small)) })
		},
	}, &sum)
	part := sum.Part
	sum = f.Summary()
	sum.Part, sum.Arrays, sum.Already = part, int64(len(c.later)), c.landing.Already()
	return sum, finish, err
}
