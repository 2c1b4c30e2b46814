package codec

import (
	"container/list"
	"context"
	"strings"
	"sync"
)

// Cache keeps what was decoded, chunks and shard indexes, up to a number of
// bytes; what was used longest ago goes first. Two readers who want the same
// thing at once wait for one decoding. It is safe for several goroutines.
//
// A cache trusts that it is told when chunks change, as arrays do of all that this
// process writes.
type Cache struct {
	mu     sync.Mutex
	max    int64
	size   int64
	hits   int64
	order  *list.List // of *entry, the most recently used in front
	chunks map[string]*shelf
	// partsOnly says that only chunks are kept of which a part was wanted.
	partsOnly bool
}

// shelf is what the cache knows of one chunk: its decoded parts by name, those
// that are being decoded, who reads it and how many write it.
type shelf struct {
	items   map[string]*list.Element
	calls   map[string]*call
	leases  map[*Lease]struct{}
	writers int
}

type entry struct {
	chunk, name string
	value       any
	size        int64
}

type call struct {
	done  chan struct{}
	value any
	err   error
	stale bool // the chunk was written while it was being decoded
}

// NewCache returns a cache of at most max bytes.
func NewCache(max int64) *Cache {
	return &Cache{max: max, order: list.New(), chunks: map[string]*shelf{}}
}

// NewPartCache returns a cache of at most max bytes for chunks of which only a
// part was wanted: the next read, often of the part beside it, finds the rest.
// What is read wholly, and what can be read in parts, is not kept.
func NewPartCache(max int64) *Cache {
	c := NewCache(max)
	c.partsOnly = true
	return c
}

// Stats tells how many bytes the cache holds and how often it could answer.
func (c *Cache) Stats() (bytes, hits int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.size, c.hits
}

// Lease is a reader's right to use what the cache keeps of a chunk, and to add
// to it. It begins before the chunk is opened, and ends when somebody writes the
// chunk: as long as it holds, the bytes and what the cache keeps are of the same
// version.
type Lease struct {
	c     *Cache
	chunk string
	ended bool // guarded by c.mu
}

// Lease begins a lease of a chunk, which must be closed. The name of the chunk
// must be the same for all who read and write it.
func (c *Cache) Lease(chunk string) *Lease {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.shelf(chunk)
	l := &Lease{c: c, chunk: chunk, ended: s.writers > 0}
	if !l.ended {
		s.leases[l] = struct{}{}
	}
	return l
}

// Close ends the lease.
func (l *Lease) Close() {
	l.c.mu.Lock()
	defer l.c.mu.Unlock()
	l.ended = true
	s := l.c.shelf(l.chunk)
	delete(s.leases, l)
	l.c.tidy(l.chunk, s)
}

// Holds reports whether nobody has written the chunk since the lease began.
func (l *Lease) Holds() bool {
	l.c.mu.Lock()
	defer l.c.mu.Unlock()
	return !l.ended
}

// Has reports whether the cache keeps a part of the chunk.
func (l *Lease) Has(name string) bool {
	l.c.mu.Lock()
	defer l.c.mu.Unlock()
	s := l.c.chunks[l.chunk]
	return !l.ended && s != nil && s.items[name] != nil
}

// PartsOnly reports whether only chunks are kept of which a part was wanted.
func (l *Lease) PartsOnly() bool { return l.c.partsOnly }

// Max is the size of the cache: what is larger is not kept.
func (l *Lease) Max() int64 { return l.c.max }

// Get returns a part of the chunk, made by load if the cache does not keep it.
// load returns the part and its size in bytes.
func (l *Lease) Get(ctx context.Context, name string, load func() (any, int64, error)) (any, error) {
	c := l.c
	c.mu.Lock()
	if l.ended {
		c.mu.Unlock()
		v, _, err := load()
		return v, err
	}
	s := c.shelf(l.chunk)
	if e, ok := s.items[name]; ok {
		c.order.MoveToFront(e)
		c.hits++
		c.mu.Unlock()
		return e.Value.(*entry).value, nil
	}
	if running, ok := s.calls[name]; ok {
		c.hits++
		c.mu.Unlock()
		select {
		case <-running.done:
			if running.err != nil && ctx.Err() == nil || !l.Holds() {
				// The other reader may only have been cancelled, and what it
				// read may be of another version.
				v, _, err := load()
				return v, err
			}
			return running.value, running.err
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	own := &call{done: make(chan struct{})}
	s.calls[name] = own
	c.mu.Unlock()

	var size int64
	own.value, size, own.err = load()

	c.mu.Lock()
	if !own.stale {
		delete(s.calls, name)
		if own.err == nil {
			c.keep(s, &entry{l.chunk, name, own.value, size})
		}
	}
	c.mu.Unlock()
	close(own.done)
	return own.value, own.err
}

// Change says that a chunk is about to be written; the function that it returns
// says that it was. What was decoded before is forgotten, and all leases end.
func (c *Cache) Change(chunk string) (done func()) {
	if c == nil {
		return func() {}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.shelf(chunk).writers++
	c.forget(chunk)
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.shelf(chunk).writers--
		c.forget(chunk)
	}
}

// Drop forgets all chunks whose names begin with prefix, after they were removed.
func (c *Cache) Drop(prefix string) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for chunk := range c.chunks {
		if strings.HasPrefix(chunk, prefix) {
			c.forget(chunk)
		}
	}
}

func (c *Cache) shelf(chunk string) *shelf {
	s := c.chunks[chunk]
	if s == nil {
		s = &shelf{items: map[string]*list.Element{}, calls: map[string]*call{}, leases: map[*Lease]struct{}{}}
		c.chunks[chunk] = s
	}
	return s
}

// tidy drops a shelf on which nothing is left.
func (c *Cache) tidy(chunk string, s *shelf) {
	if len(s.items) == 0 && len(s.calls) == 0 && len(s.leases) == 0 && s.writers == 0 {
		delete(c.chunks, chunk)
	}
}

func (c *Cache) keep(s *shelf, e *entry) {
	if e.size > c.max {
		return
	}
	s.items[e.name] = c.order.PushFront(e)
	c.size += e.size
	for c.size > c.max {
		old := c.order.Back().Value.(*entry)
		from := c.chunks[old.chunk]
		c.remove(from, old.name)
		c.tidy(old.chunk, from)
	}
}

func (c *Cache) remove(s *shelf, name string) {
	old := c.order.Remove(s.items[name]).(*entry)
	delete(s.items, name)
	c.size -= old.size
}

func (c *Cache) forget(chunk string) {
	s := c.shelf(chunk)
	for name := range s.items {
		c.remove(s, name)
	}
	for name, running := range s.calls {
		running.stale = true
		delete(s.calls, name)
	}
	for l := range s.leases {
		l.ended = true
		delete(s.leases, l)
	}
	c.tidy(chunk, s)
}
