package zarr

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/omnizarr/zarr/store"
)

// Meter counts what goes between arrays and stores in all reads and writes whose
// context carries it: how large data are that were read and written is known there
// alone.
type Meter struct {
	Read    atomic.Int64 // bytes of chunks got from stores
	Written atomic.Int64 // bytes of chunks put into stores
	Chunks  atomic.Int64 // chunks, or shards, that were put
	Empty   atomic.Int64 // those that hold nothing but the fill value, and are not stored
	// Requests is how often stores were asked for a chunk or a part of one.
	Requests atomic.Int64

	fetching, decoding atomic.Int64 // nanoseconds
}

// Fetching is the time that requests took. Those that are made at once count each.
func (m *Meter) Fetching() time.Duration { return time.Duration(m.fetching.Load()) }

// Decoding is the time that chunks took until they were decoded, requests included.
func (m *Meter) Decoding() time.Duration { return time.Duration(m.decoding.Load()) }

type meterKey struct{}

// Context gives a context whose reads and writes are counted, besides by the meters
// that ctx carries already.
func (m *Meter) Context(ctx context.Context) context.Context {
	return context.WithValue(ctx, meterKey{}, &meters{m, metersOf(ctx)})
}

// meters are those of a context.
type meters struct {
	*Meter
	outer *meters
}

func metersOf(ctx context.Context) *meters {
	m, _ := ctx.Value(meterKey{}).(*meters)
	return m
}

func (m *meters) read(n int) {
	for ; m != nil; m = m.outer {
		m.Read.Add(int64(n))
	}
}

func (m *meters) fetched(since time.Time, requests int64) {
	for took := int64(time.Since(since)); m != nil; m = m.outer {
		m.fetching.Add(took)
		m.Requests.Add(requests)
	}
}

func (m *meters) decoded(since time.Time) {
	for took := int64(time.Since(since)); m != nil; m = m.outer {
		m.decoding.Add(took)
	}
}

func (m *meters) put(n int) {
	for ; m != nil; m = m.outer {
		m.Chunks.Add(1)
		m.Written.Add(int64(n))
	}
}

func (m *meters) empty() {
	for ; m != nil; m = m.outer {
		m.Empty.Add(1)
	}
}

// putChunk stores the bytes of a chunk.
func (a *Array) putChunk(ctx context.Context, key string, data []byte, opt store.PutOptions) error {
	_, err := a.store.Put(ctx, key, data, opt)
	if err == nil {
		metersOf(ctx).put(len(data))
	}
	return err
}

// openChunk opens the bytes of a chunk.
func (a *Array) openChunk(ctx context.Context, key string) (store.Object, error) {
	m := metersOf(ctx)
	if m == nil {
		return store.Open(ctx, a.store, key)
	}
	began := time.Now()
	src, err := store.Open(ctx, a.store, key)
	if m.fetched(began, 0); err != nil {
		return nil, err
	}
	return &metered{src, m}, nil
}

// metered is a value whose bytes are counted.
type metered struct {
	store.Object
	m *meters
}

func (o *metered) Get(ctx context.Context, r store.Range, dst []byte) ([]byte, store.Info, error) {
	began := time.Now()
	out, info, err := o.Object.Get(ctx, r, dst)
	o.m.fetched(began, 1)
	if err == nil {
		o.m.read(len(out) - len(dst))
	}
	return out, info, err
}

// Near says what the value is.
func (o *metered) Near() bool { return store.IsNear(o.Object) }

// Tag says which version the value is.
func (o *metered) Tag() string { return store.Tag(o.Object) }
