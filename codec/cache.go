package codec

import (
	"container/list"
	"context"
	"sync"

	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/nd"
)

// Cache keeps what was decoded, chunks and shard indexes, up to a number of
// bytes; what was used longest ago goes first. Two readers who want the same
// thing at once wait for one decoding. It is safe for several goroutines.
//
// A cache trusts that chunks change only through the arrays that share it.
type Cache struct {
	mu    sync.Mutex
	max   int64
	size  int64
	order *list.List               // of *entry, the most recently used in front
	items map[string]*list.Element // by key
	calls map[string]*call
	hits  int64
}

type entry struct {
	key   string
	value any
	size  int64
}

type call struct {
	done  chan struct{}
	value any
	err   error
	stale bool // the chunk was written while it was being decoded
}

// NewCache returns a cache of at most max bytes.
func NewCache(max int64) *Cache {
	return &Cache{max: max, order: list.New(), items: map[string]*list.Element{}, calls: map[string]*call{}}
}

// Stats tells how many bytes the cache holds and how often it could answer.
func (c *Cache) Stats() (bytes, hits int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.size, c.hits
}

// Get returns the value at key, made by load if it is not there. load returns
// the value and its size in bytes.
func (c *Cache) Get(ctx context.Context, key string, load func() (any, int64, error)) (any, error) {
	c.mu.Lock()
	if e, ok := c.items[key]; ok {
		c.order.MoveToFront(e)
		c.hits++
		c.mu.Unlock()
		return e.Value.(*entry).value, nil
	}
	if running, ok := c.calls[key]; ok {
		c.hits++
		c.mu.Unlock()
		select {
		case <-running.done:
			if running.err != nil && ctx.Err() == nil {
				// The other reader may only have been cancelled.
				v, _, err := load()
				return v, err
			}
			return running.value, running.err
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	own := &call{done: make(chan struct{})}
	c.calls[key] = own
	c.mu.Unlock()

	var size int64
	own.value, size, own.err = load()

	c.mu.Lock()
	if c.calls[key] == own {
		delete(c.calls, key)
	}
	if own.err == nil && !own.stale && size <= c.max {
		c.items[key] = c.order.PushFront(&entry{key, own.value, size})
		c.size += size
		for c.size > c.max {
			c.remove(c.order.Back())
		}
	}
	c.mu.Unlock()
	close(own.done)
	return own.value, own.err
}

// Forget drops what was decoded from the chunk at key, and what is being
// decoded from it now will not be kept.
func (c *Cache) Forget(key string) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for k, e := range c.items {
		if within(k, key) {
			c.remove(e)
		}
	}
	for k, running := range c.calls {
		if within(k, key) {
			running.stale = true
			delete(c.calls, k)
		}
	}
}

// within reports whether k is the key of a chunk or of something inside it.
func within(k, key string) bool {
	return len(k) >= len(key) && k[:len(key)] == key && (len(k) == len(key) || k[len(key)] == '#')
}

func (c *Cache) remove(e *list.Element) {
	old := c.order.Remove(e).(*entry)
	delete(c.items, old.key)
	c.size -= old.size
}

// Composite is a Serializer that is made of inner chunks, each with a chain of
// its own: the cache keeps those, not the whole.
type Composite interface {
	// Inner is the chain of the inner chunks.
	Inner() *Bound
}

func (b *Bound) composite() bool {
	_, ok := b.serializer.(Composite)
	return ok
}

// decodeCached decodes the whole chunk once and copies the box from it.
func (b *Bound) decodeCached(ctx context.Context, ck *Chunk, src Source, box nd.Box, dst nd.View) error {
	v, err := ck.Limits.Cache.Get(ctx, ck.Key, func() (any, int64, error) {
		n, ok := nd.Bytes(b.in.Shape, b.in.Type.Size())
		if !ok || n > ck.Limits.MaxChunk {
			return nil, 0, Bad("chunk of shape %v is too large to be kept", b.in.Shape)
		}
		chunk := nd.Make(b.in.Type.Size(), b.in.Shape...)
		chunk.Heap = newHeap(b.in.Type)
		err := b.decodeArrays(ctx, ck, src, 0, nd.Whole(b.in.Shape), chunk)
		for _, blob := range chunk.Heap.Blobs() {
			n += len(blob)
		}
		return chunk, int64(n), err
	})
	if err != nil {
		return err
	}
	dtype.Copy(b.in.Type, dst, v.(nd.View).Box(box))
	return nil
}
