package store

import (
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"
)

// Remote says how much may be asked of a store that is reached over a network; the
// zero value is fine.
type Remote struct {
	// Requests is how many requests may be under way at once; 0 means 64, or more if
	// there are as many processors.
	Requests int
	// Retries is how many times a request that fails for a reason which may pass is
	// tried again, after waits that grow; 0 means eight times, for about half a minute
	// and a minute at most, and a negative number never.
	Retries int
	// MinRate is how many bytes a second must come or go at least, seen over a minute;
	// 0 means 1024, and a negative number any.
	MinRate int64
	// Timeout is how long one request may take in all, until its answer is there whole;
	// 0 means 15 minutes, and a negative one has no end.
	Timeout time.Duration
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
		return max(64, runtime.GOMAXPROCS(0)+1)
	}
	return r.Requests
}

// IsFar reports whether s is a store whose requests mostly wait for a network, so that
// it likes more of them under way than there are processors: many at once take as long
// as one.
func IsFar(s Reader) bool { return concurrency(s) > runtime.GOMAXPROCS(0) }

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

// AtOnce is how many goroutines to let work on values of some stores, of which n
// compute: n, and where a store is far as many more as it likes requests under way, so
// that these go on while others compute.
func AtOnce(n int, stores ...Reader) int {
	waiting := 0
	for _, s := range stores {
		if s != nil && IsFar(s) {
			waiting = max(waiting, concurrency(s))
		}
	}
	return n + waiting
}
