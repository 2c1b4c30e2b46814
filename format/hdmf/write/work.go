package write

import (
	"context"
	"slices"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/job"
	"github.com/omnizarr/zarr/job/copying"
)

// work is an array that was made, and is to be filled.
type work struct {
	at  string
	to  *zarr.Array
	src source
}

// pair gives the work to the engine that copies arrays of any format, if the
// elements stay what they are or are numbers.
func (w *work) pair() (copying.Pair, bool) {
	var from *stored
	switch src := w.src.(type) {
	case *laid:
		from = src.stored
	case *stored:
		from = src
	}
	if from == nil || from.scalar || from.what.typ == nil || from.what.fields != nil || !slices.Equal(from.array.Shape(), w.to.Shape()) {
		return copying.Pair{}, false
	}
	same := sameType(from.array.DataType(), w.to.DataType()) || copying.IsNumber(from.array.DataType()) && copying.IsNumber(w.to.DataType())
	return copying.Pair{Path: w.at, From: from.array, To: w.to}, same
}

// run fills all arrays: those of references, text and compounds part by part, then
// those of numbers, which are the large ones.
func (c *copier) run(ctx context.Context) (sum copying.Summary, err error) {
	o := c.opts.Laid
	var small job.Progress
	track := job.NewTracker(func(now job.Progress) {
		if small = now; o.Progress != nil {
			o.Progress(now)
		}
	})
	var before int64 // parts that were done before
	var pairs []copying.Pair
	pool := job.NewPool(ctx, o.Workers, o.Memory)
	for _, w := range c.later {
		if p, ok := w.pair(); ok {
			p.Begun = c.landing.Resumed()
			pairs = append(pairs, p)
			continue
		}
		if err := c.parts(pool, &w, track, &before); err != nil {
			pool.Stop(err)
			break
		}
	}
	if err := pool.Wait(); err != nil {
		return sum, err
	}
	if tell := o.Progress; tell != nil {
		o.Progress = func(now job.Progress) {
			now.Done, now.Total, now.Bytes = now.Done+small.Done, now.Total+small.Total, now.Bytes+small.Bytes
			tell(now)
		}
	}
	sum, err = copying.Elements(ctx, pairs, o, c.landing)
	sum.Arrays, sum.Elements, sum.Resumed = int64(len(c.later)), sum.Elements+small.Bytes, sum.Resumed+before
	return sum, err
}

// parts gives the parts of an array to a pool, but those that were done before an
// interruption.
func (c *copier) parts(pool *job.Pool, w *work, track *job.Tracker, before *int64) error {
	n := 0
	for p, err := range w.src.blocks(pool.Context()) {
		if err != nil {
			return c.unread(w.at, err)
		}
		track.Add(1)
		k := n
		n++
		if c.landing.Done(w.at, partGrid, k) {
			*before++
			track.Done(w.at, 1, 0)
			continue
		}
		more := pool.Run(int64(2*p.size), func(ctx context.Context) error {
			err := c.part(ctx, w.to, w.src, p)
			if err == nil {
				err = c.landing.Mark(ctx, w.at, partGrid, k)
			}
			if err != nil {
				return c.unread(w.at, err)
			}
			track.Done(w.at, 1, int64(p.size))
			return nil
		})
		if !more {
			return context.Cause(pool.Context())
		}
	}
	return nil
}

// partGrid is what landings call the parts of arrays that are copied by them.
const partGrid = "chunks of the source"
