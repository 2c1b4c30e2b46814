// Package job does long work on whole arrays and hierarchies: Verify reads and
// decodes everything, Copy writes it anew with other chunks, shards, codecs or
// data type, and Adopt and Migrate show it in another format where it is.
//
// Work is a plan, the items of the plan, and an executor that runs items in
// parallel with bounded memory. An item is a block of an array that nothing else
// writes, and doing it twice gives the same bytes: work that was interrupted is
// simply started again.
package job

import (
	"context"
	"errors"
	"path"
	"runtime"
	"strings"
	"sync"

	"golang.org/x/sync/semaphore"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store"
)

// Progress tells how far a job is. Total may grow while the job finds more to
// do.
type Progress struct {
	Path        string // of the array that an item was just done of
	Done, Total int64  // items
	Bytes       int64  // of elements done
}

// tracker counts what is done and tells it, one call at a time.
type tracker struct {
	mu   sync.Mutex
	now  Progress
	tell func(Progress)
}

func (t *tracker) add(total int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.now.Total += total
}

func (t *tracker) done(path string, items, bytes int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.now.Path = path
	t.now.Done += items
	t.now.Bytes += bytes
	if t.tell != nil {
		t.tell(t.now)
	}
}

// pool runs items on a number of goroutines that together hold a number of
// bytes. The first error stops it.
type pool struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	wg     sync.WaitGroup
	slots  chan struct{}
	bytes  *semaphore.Weighted
	most   int64
}

func newPool(ctx context.Context, workers int, bytes int64) *pool {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	p := &pool{slots: make(chan struct{}, workers), bytes: semaphore.NewWeighted(bytes), most: bytes}
	p.ctx, p.cancel = context.WithCancelCause(ctx)
	return p
}

// run waits for room and runs f; it reports whether the pool still takes items.
func (p *pool) run(weight int64, f func(ctx context.Context) error) bool {
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
		if err := f(p.ctx); err != nil {
			p.cancel(err)
		}
	})
	return true
}

// wait ends the pool and gives the error that stopped it.
func (p *pool) wait() error {
	p.wg.Wait()
	err := context.Cause(p.ctx)
	p.cancel(nil)
	return err
}

// defaultMemory bounds the elements that are in memory at once.
const defaultMemory = 512 << 20

// weight is the memory that an item of a shape takes, as far as it can be
// counted.
func weight(a *zarr.Array, shape []int) int64 {
	n, ok := nd.Bytes(shape, a.DataType().Size())
	if !ok {
		return 1 << 62
	}
	return int64(n)
}

// nodePath is the path of a node below root, "/" for root itself.
func nodePath(root, n zarr.Node) string {
	return "/" + strings.Trim(strings.TrimPrefix(n.Path(), root.Path()), "/")
}

// reason is an error without the operation and URL in front, and the key that
// it names.
func reason(err error) (key, text string) {
	var known *zarr.Error
	if errors.As(err, &known) {
		return known.Key, known.Err.Error()
	}
	var unread *store.KeyError
	if errors.As(err, &unread) && (unread.Key == "" || path.Base(unread.Key) == n5Document) {
		return "", unread.Err.Error()
	}
	return "", err.Error()
}
