package buf

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// shelf keeps large buffers that are not lent, for all processors. A sync.Pool
// hides one of each processor from the others, so that a read takes more of them
// than it uses at a time; of those that are as large as chunks it is felt.
type shelf struct {
	slots [32]atomic.Pointer[Buffer] // without a lock, and no more: the rest is garbage
}

func (s *shelf) get() *Buffer {
	for i := range s.slots {
		if b := s.slots[i].Load(); b != nil && s.slots[i].CompareAndSwap(b, nil) {
			return b
		}
	}
	return nil
}

func (s *shelf) put(b *Buffer) {
	aged()
	b.idle = 0
	s.place(b)
}

func (s *shelf) place(b *Buffer) {
	for i := range s.slots {
		if s.slots[i].CompareAndSwap(nil, b) {
			return
		}
	}
}

// age gives up what nobody has asked for in two collections, as a sync.Pool does.
func (s *shelf) age() {
	for i := range s.slots {
		b := s.slots[i].Load()
		if b == nil || !s.slots[i].CompareAndSwap(b, nil) {
			continue
		}
		if b.idle++; b.idle < 2 {
			s.place(b)
		}
	}
}

// aged has the shelves grow older with each collection, from the first time on.
var aged = sync.OnceFunc(watch)

// collected is what the garbage collector finds each time.
type collected struct{ _ *collected }

func watch() {
	runtime.AddCleanup(new(collected), func(struct{}) {
		for i := range shelves {
			shelves[i].age()
		}
		watch()
	}, struct{}{})
}
