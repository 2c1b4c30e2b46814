// Package kept holds bytes that were made once, at some cost, for those who want the same
// again: chunks that were written in other codecs, tiles, levels of images. What is kept is
// bounded by its bytes, in memory and, where there is a folder for it, on disk.
package kept

import (
	"container/list"
	"context"
	"errors"
	"sync"

	"github.com/omnizarr/zarr/internal/par"
)

// Cache keeps values by key. The zero value keeps none, and still makes each only once for
// all who ask at the same time. Its methods may be called by several goroutines.
type Cache struct {
	memory int64
	folder *folder // nil if there is none

	mu      sync.Mutex
	entries map[string]*list.Element // of *entry
	recent  list.List                // what was asked for last is in front
	flights map[string]*flight
	stats   Stats
	making  sync.WaitGroup
}

// Stats says what a cache has and did.
type Stats struct {
	Hits     int64 // found in memory
	DiskHits int64 // found on disk
	Shared   int64 // got what another had asked for at the same time
	Made     int64 // made, since nothing was kept
	Failed   int64 // could not be made
	Evicted  int64 // left memory to make room

	Entries int64 // values in memory now
	Bytes   int64 // and their bytes

	DiskEntries int64 // values on disk now
	DiskBytes   int64 // and the bytes of their files
	DiskDamaged int64 // files that were not what was written, and were removed
	DiskErrors  int64 // files that could not be written
}

// entry is a value in memory.
type entry struct {
	key  string
	data []byte
}

// overhead is about what an entry takes besides its bytes.
const overhead = 256

func (e *entry) size() int64 { return int64(cap(e.data)+len(e.key)) + overhead }

// flight is a value that is being made.
type flight struct {
	cancel  context.CancelFunc
	waiters int           // guarded by Cache.mu
	done    chan struct{} // closed when data and err are set
	data    []byte
	err     error
}

// New makes a cache that keeps values of up to so many bytes in memory, and in a folder files
// of up to disk bytes, which are found again by the next process; "" is no folder. It is made
// if it is not there. One process at a time has a folder.
func New(memory int64, dir string, disk int64) (*Cache, error) {
	c := &Cache{memory: memory}
	if dir != "" {
		f, err := openFolder(dir, disk)
		if err != nil {
			return nil, err
		}
		c.folder = f
	}
	return c, nil
}

// Close waits until nothing is being made, and gives up the folder. What is in it stays.
// It is called when nobody calls Get any more.
func (c *Cache) Close() error {
	c.making.Wait()
	if c.folder == nil {
		return nil
	}
	return c.folder.close()
}

// Get gives the value of a key, which must not be changed: the one that is kept, or the one
// that work makes. Those who ask for the same key at the same time wait for one work. Each
// stops waiting when its own context ends; the context that work gets, which has the values
// of that of the first who asked, ends when all who wait are gone. An error goes to all who
// wait, and is not kept.
func (c *Cache) Get(ctx context.Context, key string, work func(ctx context.Context) ([]byte, error)) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c.mu.Lock()
	if e, ok := c.entries[key]; ok {
		c.recent.MoveToFront(e)
		c.stats.Hits++
		data := e.Value.(*entry).data
		c.mu.Unlock()
		return data, nil
	}
	f, ok := c.flights[key]
	if ok {
		f.waiters++
		c.stats.Shared++
	} else {
		f = c.begin(ctx, key, work)
	}
	c.mu.Unlock()

	select {
	case <-f.done:
		return f.data, f.err
	case <-ctx.Done():
		c.leave(key, f)
		return nil, ctx.Err()
	}
}

// Peek gives the value of a key if it is in memory, and waits for nothing.
func (c *Cache) Peek(key string) ([]byte, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.entries[key]
	if !ok {
		return nil, false
	}
	c.recent.MoveToFront(e)
	return e.Value.(*entry).data, true
}

// begin starts to make a value. c.mu is held.
func (c *Cache) begin(ctx context.Context, key string, work func(ctx context.Context) ([]byte, error)) *flight {
	own, cancel := context.WithCancel(context.WithoutCancel(ctx))
	f := &flight{cancel: cancel, waiters: 1, done: make(chan struct{})}
	if c.flights == nil {
		c.flights = map[string]*flight{}
	}
	c.flights[key] = f
	c.making.Go(func() {
		defer cancel()
		data, from, err := c.find(own, key, work)
		c.end(key, f, data, from, err)
	})
	return f
}

// place is where a value came from.
type place int

const (
	made place = iota
	disk
)

// Keep keeps a value that somebody has made along with another, as if it had been asked for.
// The caller does not change it any more.
func (c *Cache) Keep(key string, data []byte) {
	if c.folder != nil {
		c.folder.put(key, data)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.keep(key, data)
}

// find takes a value from the folder, or makes it and puts it there.
func (c *Cache) find(ctx context.Context, key string, work func(ctx context.Context) ([]byte, error)) ([]byte, place, error) {
	if c.folder != nil {
		if data, ok := c.folder.get(key); ok {
			return data, disk, nil
		}
	}
	var data []byte
	err := par.Catch(func() (err error) {
		data, err = work(ctx)
		return err
	})
	if err == nil && c.folder != nil {
		// The value is kept back until it is on disk, so that no more of them are in
		// memory than there are requests.
		c.folder.put(key, data)
	}
	return data, made, err
}

// end hands a value to those who wait, and keeps it.
func (c *Cache) end(key string, f *flight, data []byte, from place, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.flights[key] == f {
		delete(c.flights, key)
	}
	switch {
	case err != nil:
		c.stats.Failed++
		data = nil
	case from == disk:
		c.stats.DiskHits++
	default:
		c.stats.Made++
	}
	if err == nil {
		c.keep(key, data)
	}
	f.data, f.err = data, err
	close(f.done)
}

// leave is called by one who does not wait any longer. The last one ends the work; who asks
// for the key later has it begun anew, and does not get the end of this one.
func (c *Cache) leave(key string, f *flight) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f.waiters--
	if f.waiters > 0 {
		return
	}
	f.cancel()
	if c.flights[key] == f {
		delete(c.flights, key)
	}
}

// keep puts a value into memory, and makes room for it. c.mu is held.
func (c *Cache) keep(key string, data []byte) {
	e := &entry{key, data}
	if e.size() > c.memory {
		return
	}
	if old, ok := c.entries[key]; ok { // by one who began when all had left another
		c.drop(old)
	}
	if c.entries == nil {
		c.entries = map[string]*list.Element{}
	}
	c.entries[key] = c.recent.PushFront(e)
	c.stats.Entries++
	c.stats.Bytes += e.size()
	for c.stats.Bytes > c.memory {
		c.drop(c.recent.Back())
		c.stats.Evicted++
	}
}

// drop takes a value out of memory. c.mu is held.
func (c *Cache) drop(at *list.Element) {
	e := at.Value.(*entry)
	c.recent.Remove(at)
	delete(c.entries, e.key)
	c.stats.Entries--
	c.stats.Bytes -= e.size()
}

// Stats says what the cache has and did until now.
func (c *Cache) Stats() Stats {
	c.mu.Lock()
	s := c.stats
	c.mu.Unlock()
	if c.folder != nil {
		c.folder.stats(&s)
	}
	return s
}

// ErrBusy says that another process has the folder.
var ErrBusy = errors.New("another process keeps values there")
