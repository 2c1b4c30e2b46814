package store

import (
	"context"
	"iter"
	"runtime"
)

// ReadOnly gives a store of the values of s that takes none. It forwards what
// s says of Open and Concurrency, and cannot be unwrapped.
func ReadOnly(s Reader) Store {
	if r, ok := s.(readOnly); ok {
		return r
	}
	return readOnly{s}
}

type readOnly struct{ s Reader }

func (r readOnly) Get(ctx context.Context, key string, rng Range, dst []byte) ([]byte, Info, error) {
	return r.s.Get(ctx, key, rng, dst)
}

func (r readOnly) List(ctx context.Context, prefix, delimiter string) iter.Seq2[Entry, error] {
	return r.s.List(ctx, prefix, delimiter)
}

func (r readOnly) URL() string { return r.s.URL() }

func (r readOnly) Open(ctx context.Context, key string) (Object, error) {
	return Open(ctx, r.s, key)
}

func (r readOnly) Put(_ context.Context, key string, _ []byte, _ PutOptions) (Info, error) {
	return Info{}, WrapError("put", r.URL(), key, ErrReadOnly)
}

func (r readOnly) Delete(_ context.Context, key string) error {
	return WrapError("delete", r.URL(), key, ErrReadOnly)
}

func (r readOnly) Concurrency() int { return concurrency(r.s) }

// concurrency is how many requests s likes to have under way.
func concurrency(s any) int {
	if p, ok := As[Parallel](s); ok {
		return p.Concurrency()
	}
	return runtime.GOMAXPROCS(0)
}
