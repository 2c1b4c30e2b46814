package jobs

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"golang.org/x/sync/semaphore"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/job"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store"
)

// columns is how the levels of an image are cut for several processes. A column is a
// region of the first level and what becomes of it in some levels below, each of which
// it fills whole chunks, or shards, of: nobody else writes those, or is needed for them.
// The levels behind are small.
type columns struct {
	*plan
	levels int     // in a column
	shape  [][]int // of a column in each of them
	count  []int   // of columns
	total  int
	fill   []*filler // of all levels of the image
	stored []func(ctx context.Context) (map[int]bool, error)
}

// How many columns an image has at least, if it can: some for every part, so that all
// have about the same to do.
const (
	columnsOfPart = 16
	columnsOfJob  = 1024
)

// cut finds the columns of an image: as many levels in each as leave enough of them. It
// goes by the metadata of the levels alone.
func cut(p *plan, wanted int) *columns {
	var best *columns
	for k := range p.arrays {
		c := &columns{plan: p, levels: k + 1}
		if !c.lay() || best != nil && c.total < wanted {
			break
		}
		best = c
	}
	return best
}

// lay finds the shape of columns; it reports whether there is one.
func (c *columns) lay() bool {
	const most = 1 << 40
	first := c.arrays[0].Shape()
	side, scale := make([]int, len(first)), make([]int, len(first))
	for i := range side {
		side[i], scale[i] = 1, 1
	}
	for k := range c.levels {
		for i, n := range c.arrays[k].Metadata().Grid.Uniform() {
			if k > 0 {
				scale[i] *= c.plan.levels[k].factors[i]
			}
			unit := n * scale[i]
			if side[i] = side[i] / gcd(side[i], unit) * unit; side[i] > most {
				return false
			}
		}
	}
	c.total = 1
	for i, n := range first {
		c.count = append(c.count, (n+side[i]-1)/side[i])
		c.total *= c.count[i]
	}
	for k := range c.levels {
		shape := make([]int, len(side))
		for i, n := range side {
			if k > 0 {
				n = c.shape[k-1][i] / c.plan.levels[k].factors[i]
			}
			shape[i] = n
		}
		c.shape = append(c.shape, shape)
	}
	return true
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// region is what a column fills of a level.
func (c *columns) region(column, level int) nd.Box {
	box := nd.Box{Start: make([]int, len(c.count)), Shape: make([]int, len(c.count))}
	whole := c.arrays[level].Shape()
	for i := len(c.count) - 1; i >= 0; i-- {
		box.Start[i] = column % c.count[i] * c.shape[level][i]
		box.Shape[i] = max(min(c.shape[level][i], whole[i]-box.Start[i]), 0)
		column /= c.count[i]
	}
	return box
}

// spread is fill for one process of several: the columns of all images are the first
// stage, each level behind them another one.
func (b *builder) spread(ctx context.Context) error {
	wanted := columnsOfJob
	if of := b.opts.Spread.Of; of > 0 {
		wanted = columnsOfPart * of
	}
	var all []*columns
	var names []string
	behind, items := 0, 0
	for _, p := range b.plans {
		c := cut(p, wanted)
		if c == nil {
			return &zarr.Error{Op: "make a pyramid of", URL: p.from.a.URL(), Err: zarr.ErrTooLarge}
		}
		all = append(all, c)
		names = append(names, fmt.Sprint(p.path, " ", c.shape[0], " ", c.levels))
		behind, items = max(behind, len(p.arrays)-c.levels), items+c.total
	}
	b.landing.Share(b.opts.Spread.Of, strings.Join(names, "\n"))
	if err := b.landing.Start(ctx); err != nil || b.landing.Already() {
		return err
	}
	for _, c := range all {
		if err := b.ready(c); err != nil {
			return err
		}
	}
	w := &copying.Work{Landing: b.landing, Stages: []copying.Stage{{Name: "columns", Items: items}}}
	for k := range behind {
		w.Stages = append(w.Stages, copying.Stage{Name: fmt.Sprintf("levels, %d behind", k+1), Items: len(b.behind(all, k+1))})
	}
	memory := semaphore.NewWeighted(copying.Usable(b.opts.Memory))
	do := func(ctx context.Context, stage, item int) error {
		return b.each(all, stage, func(n int) bool { return n == item }, func(blocks []todo) error {
			for _, t := range blocks {
				weight := min(t.f.weight(t.box), copying.Usable(b.opts.Memory))
				if err := memory.Acquire(ctx, weight); err != nil {
					return err
				}
				err := b.block(ctx, t)
				memory.Release(weight)
				if err != nil {
					return err
				}
			}
			return nil
		})
	}
	w.Do = func(ctx context.Context, stage, item int) (copying.Summary, error) {
		return copying.Measured(ctx, func(ctx context.Context) (copying.Summary, error) { return copying.Summary{}, do(ctx, stage, item) })
	}
	w.Each = func(ctx context.Context, stage int, want func(int) bool) error {
		return b.each(all, stage, want, func(blocks []todo) error {
			b.track.Add(int64(len(blocks)))
			pool := job.NewPool(ctx, b.opts.Workers, copying.Usable(b.opts.Memory))
			for _, t := range blocks {
				more := pool.Run(t.f.weight(t.box), func(ctx context.Context) error {
					err := b.block(ctx, t)
					b.track.Done(t.f.at, 1, job.Weight(t.f.dst, t.box.Shape))
					return err
				})
				if !more {
					break
				}
			}
			return pool.Wait()
		})
	}
	finish, err := b.opts.Spread.Land(ctx, w, &b.sum)
	if b.parted = !finish; err != nil || b.parted || b.landing.Already() {
		for _, c := range all {
			b.sum.Arrays += int64(len(c.arrays))
		}
		return err
	}
	if err := b.keepDocument(ctx); err != nil {
		return err
	}
	return b.shown(ctx)
}

// ready plans how the levels of an image are filled.
func (b *builder) ready(c *columns) error {
	for k := range c.arrays {
		f, err := b.filler(c.plan, k)
		if err != nil {
			return err
		}
		c.fill = append(c.fill, f)
		var once sync.Mutex
		var found map[int]bool
		c.stored = append(c.stored, func(ctx context.Context) (map[int]bool, error) {
			once.Lock()
			defer once.Unlock()
			if found == nil && b.landing.Resumed() {
				var err error
				if found, err = storedIn(ctx, f.dst); err != nil {
					return nil, err
				}
			}
			return found, nil
		})
	}
	return nil
}

// storedIn are the numbers of the chunks that are stored, in C order; none where the
// store cannot list.
func storedIn(ctx context.Context, a *zarr.Array) (map[int]bool, error) {
	found := map[int]bool{}
	for c, err := range a.Stored(ctx) {
		if errors.Is(err, store.ErrNoList) {
			break
		}
		if err != nil {
			return nil, err
		}
		found[number(c.Index, a.Metadata().Grid.Count())] = true
	}
	return found, nil
}

func number(index, count []int) int {
	n := 0
	for i, k := range index {
		n = n*count[i] + k
	}
	return n
}

// todo is a block of a level.
type todo struct {
	c     *columns
	level int
	f     *filler
	box   nd.Box
}

// each calls do with the blocks of the items of a stage that are wanted, nil for all,
// one level behind the other.
func (b *builder) each(all []*columns, stage int, want func(item int) bool, do func([]todo) error) error {
	if stage > 0 {
		var blocks []todo
		for n, t := range b.behind(all, stage) {
			if want == nil || want(n) {
				blocks = append(blocks, t)
			}
		}
		return do(blocks)
	}
	for level, more := 0, true; more; level++ {
		var blocks []todo
		more = false
		first := 0
		for _, c := range all {
			for column := range c.total {
				if level >= c.levels {
					break
				}
				more = true
				if want == nil || want(first+column) {
					for _, box := range c.fill[level].boxes(c.region(column, level)) {
						blocks = append(blocks, todo{c, level, c.fill[level], box})
					}
				}
			}
			first += c.total
		}
		if err := do(blocks); err != nil {
			return err
		}
	}
	return nil
}

// behind are the chunks, or shards, of the k-th level behind the columns of every image.
func (b *builder) behind(all []*columns, k int) (out []todo) {
	for _, c := range all {
		level := c.levels + k - 1
		if level >= len(c.arrays) {
			continue
		}
		f := *c.fill[level]
		f.block = f.dst.Metadata().Grid.Uniform() // whatever the memory
		for _, box := range f.boxes(nd.Whole(f.dst.Shape())) {
			out = append(out, todo{c, level, &f, box})
		}
	}
	return out
}

// block makes a block, unless all of it is stored.
func (b *builder) block(ctx context.Context, t todo) error {
	found, err := t.c.stored[t.level](ctx)
	if err != nil {
		return err
	}
	if found != nil && t.isStored(found) {
		return nil
	}
	if err := t.f.write(ctx, t.box); err != nil || !b.opts.Verify || t.c.lossy {
		return err
	}
	size := t.f.dst.DataType().Size()
	got, want := nd.Make(size, t.box.Shape...), nd.Make(size, t.box.Shape...)
	if err := t.f.dst.ReadInto(ctx, zarr.Box(t.box.Start, t.box.Shape), got); err != nil {
		return err
	}
	if err := t.f.read(ctx, t.box.Start, want); err != nil {
		return err
	}
	if string(got.Data) != string(want.Data) {
		return &zarr.Error{Op: "verify", URL: t.f.dst.URL(), Err: fmt.Errorf("elements from %v on: %w", t.box.Start, errDiffers)}
	}
	return nil
}

// isStored reports whether all chunks of the block are.
func (t todo) isStored(found map[int]bool) bool {
	g := t.f.dst.Metadata().Grid
	unit := g.Uniform()
	first, count := make([]int, len(unit)), make([]int, len(unit))
	for i, n := range unit {
		first[i] = t.box.Start[i] / n
		count[i] = (t.box.Shape[i] + n - 1) / n
	}
	index := make([]int, len(unit))
	for idx, more := make([]int, len(unit)), true; more; more = nd.Next(idx, count) {
		for i, k := range idx {
			index[i] = first[i] + k
		}
		if !found[number(index, g.Count())] {
			return false
		}
	}
	return true
}
