package store

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"
)

// Remote says how much may be asked of a store that is reached over a network; the
// zero value is fine.
type Remote struct {
	// Requests is how many requests may be under way at once; 0 means 64.
	Requests int
	// Retries is how many times a request that fails for a reason which may pass is
	// tried again; 0 means what the store holds for good, and a negative number never.
	Retries int
	// Hedge is after which time a read without an answer is asked for once more, the
	// first answer counts; 0 leaves it to the store, and a negative one never does.
	Hedge time.Duration
	// Budget is how many requests may be made in all, by all stores that share it; nil
	// has no end.
	Budget *Budget
}

// InFlight is how many requests may be under way at once.
func (r Remote) InFlight() int {
	if r.Requests <= 0 {
		return 64
	}
	return r.Requests
}

// ErrBudget says that a request was not made, since as many were as are allowed.
var ErrBudget = errors.New("the budget of requests is spent")

// Budget is a number of requests that may be made. Its methods may be called by
// several goroutines.
type Budget struct {
	most  int64
	taken atomic.Int64
}

// NewBudget allows n requests.
func NewBudget(n int64) *Budget { return &Budget{most: n} }

// Take asks for leave to make a request: ErrBudget if there were enough. A nil
// budget always gives it.
func (b *Budget) Take() error {
	if b == nil || b.taken.Add(1) <= b.most {
		return nil
	}
	return fmt.Errorf("%w: %d requests were made", ErrBudget, b.most)
}
