package codec

import (
	"context"
	"errors"
	"hash/maphash"
	"strings"
	"sync"
	"sync/atomic"
)

// Cache keeps what was decoded, chunks and shard indexes, up to a number of
// bytes; what was used about longest ago goes first. Two readers who want the same
// thing at once wait for one decoding. It is safe for several goroutines.
//
// A cache trusts that it is told when chunks change, as arrays do of all that this
// process writes.
//
// Many goroutines ask it for every inner chunk, so that no lock is for all of them:
// chunks are on racks by their names, parts of a chunk in drawers by theirs, and what
// is kept is in queues by both. Only one of these locks is ever held at a time.
type Cache struct {
	max  int64
	size atomic.Int64
	// turn counts what was ever kept. What is used has the turn of that moment, which
	// all can read without disturbing each other.
	turn   atomic.Int64
	seed   maphash.Seed
	racks  [64]rack
	queues [64]queue
	// partsOnly says that only chunks are kept of which a part was wanted.
	partsOnly bool
	// once has the hashes of parts that were wanted once and not kept, each in the
	// place that it tells, of a cache of parts.
	once []atomic.Uint64
}

// rack holds some of the chunks.
type rack struct {
	mu     sync.Mutex
	chunks map[string]*shelf
	_      [48]byte // its neighbour is in another line of the processor's cache
}

// shelf is what the cache knows of one version of a chunk: it ends when the chunk is
// written. While that goes on the rack has one that has ended already.
type shelf struct {
	chunk string
	rack  *rack
	hash  uint64 // of chunk
	ended atomic.Bool
	kept  atomic.Int64 // parts
	// Guarded by rack.mu:
	leases  int
	writers int

	drawers []drawer // none if it has ended when it was made
}

// drawers is how many drawers a shelf has.
const drawers = 16

// drawer holds some of the parts of a chunk, and those that are being decoded.
type drawer struct {
	mu    sync.Mutex
	items map[string]*entry
	calls map[string]*call
}

// queue holds some of all that is kept, the newest in front.
type queue struct {
	mu          sync.Mutex
	front, back *entry
	oldest      atomic.Int64 // age of back, 0 if there is none
	hits        atomic.Int64
	_           [24]byte
}

type entry struct {
	shelf *shelf
	name  string
	value any
	size  int64
	queue *queue
	used  atomic.Int64 // see Cache.now
	// Guarded by queue.mu:
	age        int64 // used, when it was put where it is in the queue
	prev, next *entry
	queued     bool
}

type call struct {
	done  chan struct{}
	value any
	err   error
}

// errUnfinished is what those get who wait for a decoding that panics.
var errUnfinished = errors.New("decoding was not finished")

// NewCache returns a cache of at most max bytes.
func NewCache(max int64) *Cache {
	return &Cache{max: max, seed: maphash.MakeSeed()}
}

// NewPartCache returns a cache of at most max bytes for chunks of which only a
// part was wanted: the next read, often of the part beside it, finds the rest.
// What is read wholly, and what can be read in parts, is not kept, nor what is had by
// decoding less than half of a chunk that nobody wanted lately.
func NewPartCache(max int64) *Cache {
	c := NewCache(max)
	c.partsOnly = true
	c.once = make([]atomic.Uint64, 1024)
	return c
}

// Stats tells how many bytes the cache holds and how often it could answer.
func (c *Cache) Stats() (bytes, hits int64) {
	for i := range c.queues {
		hits += c.queues[i].hits.Load()
	}
	return c.size.Load(), hits
}

// Lease is a reader's right to use what the cache keeps of a chunk, and to add
// to it. It begins before the chunk is opened, and ends when somebody writes the
// chunk: as long as it holds, the bytes and what the cache keeps are of the same
// version.
type Lease struct {
	c *Cache
	s *shelf
}

// Lease begins a lease of a chunk, which must be closed. The name of the chunk
// must be the same for all who read and write it.
func (c *Cache) Lease(chunk string) *Lease {
	r, hash := c.rack(chunk)
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.chunks[chunk]
	if s == nil {
		s = r.put(chunk, hash)
		s.drawers = make([]drawer, drawers)
	}
	s.leases++
	return &Lease{c, s}
}

// Close ends the lease.
func (l *Lease) Close() {
	s := l.s
	s.rack.mu.Lock()
	defer s.rack.mu.Unlock()
	s.leases--
	s.tidy()
}

// Holds reports whether nobody has written the chunk since the lease began.
func (l *Lease) Holds() bool { return !l.s.ended.Load() }

// Has reports whether the cache keeps a part of the chunk.
func (l *Lease) Has(name string) bool {
	s := l.s
	if s.ended.Load() || s.kept.Load() == 0 {
		return false
	}
	d := &s.drawers[l.c.hash(name)%drawers]
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.items[name] != nil
}

// wantedOnce reports, of a cache of parts, that a part is neither kept nor being decoded
// and was not wanted lately. It is then noted that it was wanted, once. Who is told wrong
// because others ask at the same moment decodes more or less than is best, no more.
func (l *Lease) wantedOnce(name string) bool {
	c := l.c
	if !c.partsOnly {
		return false
	}
	s := l.s
	if s.ended.Load() {
		return true
	}
	h := c.hash(name)
	d := &s.drawers[h%drawers]
	d.mu.Lock()
	known := d.items[name] != nil || d.calls[name] != nil
	d.mu.Unlock()
	if known {
		return false
	}
	h ^= s.hash
	slot := &c.once[h%uint64(len(c.once))]
	if slot.CompareAndSwap(h, 0) {
		return false
	}
	slot.Store(h)
	return true
}

// PartsOnly reports whether only chunks are kept of which a part was wanted.
func (l *Lease) PartsOnly() bool { return l.c.partsOnly }

// Max is the size of the cache: what is larger is not kept.
func (l *Lease) Max() int64 { return l.c.max }

// Get returns a part of the chunk, made by load if the cache does not keep it.
// load returns the part and its size in bytes.
func (l *Lease) Get(ctx context.Context, name string, load func() (any, int64, error)) (any, error) {
	c, s := l.c, l.s
	if s.ended.Load() {
		v, _, err := load()
		return v, err
	}
	hash := c.hash(name)
	d := &s.drawers[hash%drawers]
	q := &c.queues[(hash>>8+s.hash)%uint64(len(c.queues))]
	d.mu.Lock()
	if e := d.items[name]; e != nil {
		d.mu.Unlock()
		e.used.Store(c.now())
		q.hits.Add(1)
		return e.value, nil
	}
	if running := d.calls[name]; running != nil {
		d.mu.Unlock()
		q.hits.Add(1)
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
	own := &call{done: make(chan struct{}), err: errUnfinished}
	if d.calls == nil {
		d.calls = map[string]*call{}
	}
	d.calls[name] = own
	d.mu.Unlock()
	defer close(own.done)
	var size int64
	defer func() { c.loaded(s, d, q, name, own, size) }()
	own.value, size, own.err = load()
	return own.value, own.err
}

// loaded keeps what a call has made, unless the chunk was written meanwhile.
func (c *Cache) loaded(s *shelf, d *drawer, q *queue, name string, own *call, size int64) {
	d.mu.Lock()
	delete(d.calls, name)
	if own.err != nil || s.ended.Load() || size > c.max {
		d.mu.Unlock()
		return
	}
	e := &entry{shelf: s, name: name, value: own.value, size: size, queue: q}
	e.used.Store(2 * c.turn.Add(1))
	if d.items == nil {
		d.items = map[string]*entry{}
	}
	d.items[name] = e
	s.kept.Add(1)
	c.size.Add(size)
	d.mu.Unlock()

	q.mu.Lock()
	q.put(e)
	q.mu.Unlock()
	if s.ended.Load() {
		c.remove(e) // who ended it may have looked before it was in the queue
	}
	for c.size.Load() > c.max && c.evict() {
	}
}

// now is a time by the count of what was kept: odd, so that what was kept last, with the even
// number before it, is older than what is used now.
func (c *Cache) now() int64 { return 2*c.turn.Load() + 1 }

// evict removes what was used about longest ago; false if nothing is left.
func (c *Cache) evict() bool {
	for {
		var from *queue
		var oldest int64
		for i := range c.queues {
			if at := c.queues[i].oldest.Load(); at != 0 && (from == nil || at < oldest) {
				from, oldest = &c.queues[i], at
			}
		}
		if from == nil {
			return false
		}
		from.mu.Lock()
		e := from.back
		if e != nil && e.used.Load() > e.age { // it was used since it was put there
			from.cut(e)
			from.put(e)
			e = nil
		}
		from.mu.Unlock()
		if e != nil {
			c.remove(e)
			return true
		}
	}
}

// put puts an entry in its place by when it was used, which is near the front.
func (q *queue) put(e *entry) {
	e.age = e.used.Load()
	behind := q.front
	for steps := 0; behind != nil && behind.age > e.age && steps < 16; steps++ {
		behind = behind.next
	}
	e.next, e.queued = behind, true
	if behind != nil {
		e.prev, behind.prev = behind.prev, e
	} else {
		e.prev, q.back = q.back, e
	}
	if e.prev != nil {
		e.prev.next = e
	} else {
		q.front = e
	}
	q.oldest.Store(q.back.age)
}

// cut takes an entry out.
func (q *queue) cut(e *entry) {
	if e.prev != nil {
		e.prev.next = e.next
	} else {
		q.front = e.next
	}
	if e.next != nil {
		e.next.prev = e.prev
	} else {
		q.back = e.prev
	}
	e.prev, e.next, e.queued = nil, nil, false
	if q.back != nil {
		q.oldest.Store(q.back.age)
	} else {
		q.oldest.Store(0)
	}
}

// remove forgets a part, if nobody else does.
func (c *Cache) remove(e *entry) {
	e.queue.mu.Lock()
	mine := e.queued
	if mine {
		e.queue.cut(e)
	}
	e.queue.mu.Unlock()
	if !mine {
		return
	}
	s := e.shelf
	d := &s.drawers[c.hash(e.name)%drawers]
	d.mu.Lock()
	delete(d.items, e.name)
	d.mu.Unlock()
	c.size.Add(-e.size)
	if s.kept.Add(-1) == 0 {
		s.rack.mu.Lock()
		s.tidy()
		s.rack.mu.Unlock()
	}
}

// Change says that a chunk is about to be written; the function that it returns
// says that it was. What was decoded before is forgotten, and all leases end.
func (c *Cache) Change(chunk string) (done func()) {
	if c == nil {
		return func() {}
	}
	r, hash := c.rack(chunk)
	r.mu.Lock()
	old := r.chunks[chunk]
	s := old
	if old == nil || !old.ended.Load() {
		s = r.put(chunk, hash)
		s.ended.Store(true)
	}
	s.writers++
	if old != nil {
		old.ended.Store(true)
	}
	r.mu.Unlock()
	if old != nil && old != s {
		c.clear(old)
	}
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		s.writers--
		s.tidy()
	}
}

// Drop forgets all chunks whose names begin with prefix, after they were removed.
func (c *Cache) Drop(prefix string) {
	if c == nil {
		return
	}
	for i := range c.racks {
		r := &c.racks[i]
		var gone []*shelf
		r.mu.Lock()
		for chunk, s := range r.chunks {
			if strings.HasPrefix(chunk, prefix) && !s.ended.Load() {
				delete(r.chunks, chunk)
				s.ended.Store(true)
				gone = append(gone, s)
			}
		}
		r.mu.Unlock()
		for _, s := range gone {
			c.clear(s)
		}
	}
}

// clear forgets what was kept of a version of a chunk that has ended.
func (c *Cache) clear(s *shelf) {
	for i := range s.drawers {
		d := &s.drawers[i]
		var gone []*entry
		d.mu.Lock()
		for _, e := range d.items {
			gone = append(gone, e)
		}
		d.mu.Unlock()
		for _, e := range gone {
			c.remove(e)
		}
	}
}

func (c *Cache) hash(name string) uint64 { return maphash.String(c.seed, name) }

// rack is that of a chunk.
func (c *Cache) rack(chunk string) (*rack, uint64) {
	hash := c.hash(chunk)
	return &c.racks[hash%uint64(len(c.racks))], hash
}

// put puts an empty shelf on the rack.
func (r *rack) put(chunk string, hash uint64) *shelf {
	s := &shelf{chunk: chunk, rack: r, hash: hash}
	if r.chunks == nil {
		r.chunks = map[string]*shelf{}
	}
	r.chunks[chunk] = s
	return s
}

// tidy takes a shelf away that nobody uses: one that is for writers when they have written,
// another when nothing is left on it.
func (s *shelf) tidy() {
	if s.rack.chunks[s.chunk] != s || s.writers > 0 {
		return
	}
	if s.ended.Load() || s.leases == 0 && s.kept.Load() == 0 {
		delete(s.rack.chunks, s.chunk)
	}
}
