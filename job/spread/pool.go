package spread

import (
	"context"
	"errors"
	"iter"
	"sync"

	"github.com/omnizarr/zarr/job"
)

// Pool runs a job in this process, some items at once. The zero value is fine.
type Pool struct {
	Workers int // items at once; default: the number of processors
	// Progress is told of every item that is done.
	Progress func(job.Progress)
}

// Run runs all stages, one after the other, and finishes the job.
func (p Pool) Run(ctx context.Context, s Spec) (result []byte, err error) {
	j, err := Open(ctx, s)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, j.Close()) }()
	return p.do(ctx, j)
}

func (p Pool) do(ctx context.Context, j Job) ([]byte, error) {
	stages := j.Stages()
	track := job.NewTracker(p.Progress)
	var gave [][][]byte
	for _, s := range stages {
		track.Add(int64(s.Items))
	}
	for i, s := range stages {
		results := make([][]byte, s.Items)
		err := p.each(ctx, s.Items, func(ctx context.Context, item int) (err error) {
			results[item], err = j.Do(ctx, i, item)
			track.Done(s.Name, 1, 0)
			return err
		})
		if err != nil {
			return nil, err
		}
		gave = append(gave, results)
	}
	return j.Finish(ctx, func(stage int) iter.Seq2[int, []byte] {
		return func(yield func(int, []byte) bool) {
			for item, b := range gave[stage] {
				if b != nil && !yield(item, b) {
					return
				}
			}
		}
	})
}

// each calls f with numbers, some at once, until one fails.
func (p Pool) each(ctx context.Context, n int, f func(ctx context.Context, k int) error) error {
	workers, _, err := job.Limits(p.Workers, 0)
	if err != nil {
		return err
	}
	pool := job.NewPool(ctx, workers, int64(workers))
	var mu sync.Mutex
	next := 0
	take := func() (k int, ok bool) {
		mu.Lock()
		defer mu.Unlock()
		next++
		return next - 1, next <= n
	}
	for range min(workers, n) {
		pool.Run(1, func(ctx context.Context) error {
			for k, ok := take(); ok && ctx.Err() == nil; k, ok = take() {
				if err := f(ctx, k); err != nil {
					return err
				}
			}
			return ctx.Err()
		})
	}
	return pool.Wait()
}
