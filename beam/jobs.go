package beam

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/omnizarr/zarr/job/spread"
)

// jobs are those that a worker has open: each once, for all of its steps and bundles.
type jobs struct {
	mu    sync.Mutex
	known map[string]func() (spread.Job, error)
}

type jobsKey struct{}

// everywhere are the jobs of workers that a runner starts by itself, each a process of its own.
var everywhere = &jobs{}

// jobsOf gives the jobs of the worker that a context belongs to.
func jobsOf(ctx context.Context) *jobs {
	if j, ok := ctx.Value(jobsKey{}).(*jobs); ok {
		return j
	}
	return everywhere
}

// open gives the job of a Spec. One that could not be opened is tried anew by the next who asks.
func (j *jobs) open(ctx context.Context, spec spread.Spec) (spread.Job, error) {
	text, err := json.Marshal(spec)
	if err != nil {
		return nil, err
	}
	name := string(text)
	j.mu.Lock()
	get, ok := j.known[name]
	if !ok {
		get = sync.OnceValues(func() (spread.Job, error) { return spread.Open(ctx, spec) })
		if j.known == nil {
			j.known = map[string]func() (spread.Job, error){}
		}
		j.known[name] = get
	}
	j.mu.Unlock()
	job, err := get()
	if err != nil {
		j.mu.Lock()
		delete(j.known, name)
		j.mu.Unlock()
	}
	return job, err
}

// close closes all jobs, when nobody uses them any more.
func (j *jobs) close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	var errs []error
	for _, get := range j.known {
		if job, err := get(); err == nil {
			errs = append(errs, job.Close())
		}
	}
	j.known = nil
	return errors.Join(errs...)
}

// The time between tries, which doubles.
const (
	firstWait = 200 * time.Millisecond
	lastWait  = 30 * time.Second
)

// tried does something until it succeeds, at most so often as the plan says: not every
// runner does failed work again, and those that do begin the whole bundle anew.
func (p *plan) tried(ctx context.Context, f func() ([]byte, error)) (result []byte, err error) {
	wait := firstWait
	for try := 1; ; try++ {
		result, err = guarded(f)
		if err == nil || ctx.Err() != nil || try >= p.Tries {
			return result, err
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(wait/2 + rand.N(wait)): // workers that failed together do not come back together
		}
		wait = min(2*wait, lastWait)
	}
}

// guarded makes an error of a panic, which in a goroutine of ours would end the worker.
func guarded(f func() ([]byte, error)) (result []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("internal error, please report it: %v", r)
		}
	}()
	return f()
}
