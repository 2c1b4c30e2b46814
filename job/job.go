// Package job holds what all long work on arrays and hierarchies shares: a pool
// that runs the items of a plan in parallel with bounded memory, how far it is,
// and the nodes of a hierarchy by their paths. The work itself is in packages
// below and beside it: job/copying writes a hierarchy anew, job/check reads and
// checks it, job/virtual refers to its chunks where they are.
//
// An item is a block of an array that nothing else writes, and doing it twice
// gives the same bytes: work that was interrupted is simply started again.
package job

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/semaphore"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/bigmem"
	"github.com/omnizarr/zarr/internal/par"
	"github.com/omnizarr/zarr/nd"
)

// Progress tells how far a job is. Total may grow while the job finds more to
// do.
type Progress struct {
	Path        string // of the array that an item was just done of
	Done, Total int64  // items
	Bytes       int64  // of elements done
}

// Tracker counts what is done and tells it, one call at a time.
type Tracker struct {
	mu   sync.Mutex
	now  Progress
	tell func(Progress)
}

// NewTracker makes a tracker; tell may be nil.
func NewTracker(tell func(Progress)) *Tracker { return &Tracker{tell: tell} }

// Add says that there are more items to do.
func (t *Tracker) Add(total int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.now.Total += total
}

// Done says that items of the array at a path are done.
func (t *Tracker) Done(path string, items, bytes int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.now.Path = path
	t.now.Done += items
	t.now.Bytes += bytes
	if t.tell != nil {
		t.tell(t.now)
	}
}

// DefaultMemory bounds the elements that are in memory at once: a quarter of what the
// process may use.
func DefaultMemory() int64 { return int64(min(bigmem.Available()/4, math.MaxInt64)) }

// Limits checks how many items may be worked on at once and how many bytes they may
// have together, and puts the defaults in place of zeros: the number of processors
// and DefaultMemory.
func Limits(workers int, memory int64) (int, int64, error) {
	switch {
	case workers < 0:
		return 0, 0, fmt.Errorf("%d workers: the number must not be negative", workers)
	case memory < 0:
		return 0, 0, fmt.Errorf("%d bytes of memory: the number must not be negative", memory)
	}
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	if memory == 0 {
		memory = DefaultMemory()
	}
	return workers, memory, nil
}

// Pool runs items on a number of goroutines that together hold a number of
// bytes. The first error stops it.
type Pool struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	wg     sync.WaitGroup
	slots  chan struct{}
	bytes  *semaphore.Weighted
	most   int64
}

// NewPool makes a pool with limits as Limits gives them. Whoever makes it waits for
// it.
func NewPool(ctx context.Context, workers int, memory int64) *Pool {
	p := &Pool{slots: make(chan struct{}, workers), bytes: semaphore.NewWeighted(memory), most: memory}
	p.ctx, p.cancel = context.WithCancelCause(par.NewTurns(workers, memory).In(ctx))
	return p
}

// Context ends when the pool takes no more items.
func (p *Pool) Context() context.Context { return p.ctx }

// Stop ends the pool with an error.
func (p *Pool) Stop(err error) { p.cancel(err) }

// Run waits for room and runs f; it reports whether the pool still takes items.
func (p *Pool) Run(weight int64, f func(ctx context.Context) error) bool {
	select {
	case p.slots <- struct{}{}:
	case <-p.ctx.Done():
		return false
	}
	weight = min(max(weight, 1), p.most)
	if p.bytes.Acquire(p.ctx, weight) != nil {
		<-p.slots
		return false
	}
	p.wg.Go(func() {
		defer func() { p.bytes.Release(weight); <-p.slots }()
		if err := par.Catch(func() error { return f(p.ctx) }); err != nil {
			p.cancel(err)
		}
	})
	return true
}

// Wait ends the pool and gives the error that stopped it.
func (p *Pool) Wait() error {
	p.wg.Wait()
	err := context.Cause(p.ctx)
	p.cancel(nil)
	return err
}

// Weight is the memory that an item of a shape takes, as far as it can be
// counted.
func Weight(a *zarr.Array, shape []int) int64 {
	n, ok := nd.Bytes(shape, a.DataType().Size())
	if !ok {
		return 1 << 62
	}
	return int64(n)
}

// AppendCells appends the numbers of the cells in a box of a grid, which has count of
// them along each axis and numbers them in C order. Those that are there already may be
// there once more; a list that grows long is sorted, and has each once.
func AppendCells(numbers []int, box nd.Box, count []int) []int {
	idx := make([]int, len(count))
	for {
		k := 0
		for i, n := range count {
			k = k*n + box.Start[i] + idx[i]
		}
		if len(numbers) == 0 || numbers[len(numbers)-1] != k {
			numbers = append(numbers, k)
		}
		if !nd.Next(idx, box.Shape) {
			break
		}
	}
	if len(numbers) > 1<<16 && len(numbers) == cap(numbers) {
		slices.Sort(numbers)
		numbers = slices.Compact(numbers)
	}
	return numbers
}
