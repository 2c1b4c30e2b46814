// Package far stands for a store that is reached over a network, for tests: each
// request takes a while and is counted. In a bubble of testing/synctest the time that
// something takes tells how many requests had to wait for others, without a clock.
package far

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/omnizarr/zarr/store"
)

// Wait is how long a request takes.
const Wait = 50 * time.Millisecond

// Store is a store whose requests take Wait. Listings come in pages of a thousand,
// each a request.
type Store struct {
	store.Store
	// Requests is how many requests may be under way at once; the others wait.
	Requests int
	// NoList refuses listings, as web servers do.
	NoList bool

	slots chan struct{}
	once  sync.Once
	mu    sync.Mutex
	log   []string
	now   int
	most  int
}

// Concurrency is Requests.
func (s *Store) Concurrency() int { return s.Requests }

// Unwrap is not there: what the store inside can do besides must not be used.

// Identity is that of the store inside.
func (s *Store) Identity(key string) string { return store.Identity(s.Store, key) }

// request waits as long as a request takes.
func (s *Store) request(ctx context.Context, what string) error {
	s.once.Do(func() { s.slots = make(chan struct{}, s.Requests) })
	select {
	case s.slots <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	s.mu.Lock()
	s.log = append(s.log, what)
	s.now++
	s.most = max(s.most, s.now)
	s.mu.Unlock()
	timer := time.NewTimer(Wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	s.mu.Lock()
	s.now--
	s.mu.Unlock()
	<-s.slots
	return ctx.Err()
}

// Log gives the requests since the last call, sorted, and the most that were under
// way at once.
func (s *Store) Log() (requests []string, most int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	requests, most = s.log, s.most
	s.log, s.most = nil, 0
	slices.Sort(requests)
	return requests, most
}

// Get is a request.
func (s *Store) Get(ctx context.Context, key string, r store.Range, dst []byte) ([]byte, store.Info, error) {
	what := "get " + key
	if off, n, ok := r.IsPart(); ok {
		what += fmt.Sprintf(" %d+%d", off, n)
	} else if n, ok := r.IsSuffix(); ok {
		what += fmt.Sprintf(" -%d", n)
	}
	if err := s.request(ctx, what); err != nil {
		return dst, store.Info{}, store.WrapError("get", s.URL(), key, err)
	}
	return s.Store.Get(ctx, key, r, dst)
}

// Put is a request.
func (s *Store) Put(ctx context.Context, key string, data []byte, opt store.PutOptions) (store.Info, error) {
	if err := s.request(ctx, "put "+key); err != nil {
		return store.Info{}, store.WrapError("put", s.URL(), key, err)
	}
	return s.Store.Put(ctx, key, data, opt)
}

// Delete is a request.
func (s *Store) Delete(ctx context.Context, key string) error {
	if err := s.request(ctx, "delete "+key); err != nil {
		return store.WrapError("delete", s.URL(), key, err)
	}
	return s.Store.Delete(ctx, key)
}

// List is a request for every thousand entries.
func (s *Store) List(ctx context.Context, prefix, delimiter string) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		if s.NoList {
			yield(store.Entry{}, store.WrapError("list", s.URL(), prefix, store.ErrNoList))
			return
		}
		n := 0
		what := strings.TrimSpace("list " + prefix + " " + delimiter)
		for e, err := range s.Store.List(ctx, prefix, delimiter) {
			if n%1000 == 0 {
				if err := s.request(ctx, what); err != nil {
					yield(store.Entry{}, store.WrapError("list", s.URL(), prefix, err))
					return
				}
			}
			n++
			if !yield(e, err) {
				return
			}
		}
		if n == 0 {
			if err := s.request(ctx, what); err != nil {
				yield(store.Entry{}, store.WrapError("list", s.URL(), prefix, err))
			}
		}
	}
}
