package buf_test

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"testing"

	"github.com/omnizarr/zarr/internal/buf"
)

func TestABufferHasTheRoomThatWasAskedFor(t *testing.T) {
	for _, n := range []int{-5, 0, 1, 511, 512, 513, 1 << 20, 1<<20 + 1} {
		for range 3 {
			b := buf.Get(n)
			if len(b.B) != 0 || cap(b.B) < n {
				t.Errorf("asked for %d: length %d, room %d", n, len(b.B), cap(b.B))
			}
			b.B = append(b.B, 1, 2, 3)
			b.Free()
		}
	}
}

func TestAGrownBufferServesWhatItCovers(t *testing.T) {
	for _, n := range []int{600, 1000, 1023, 1024, 1025, 5000} {
		b := &buf.Buffer{B: make([]byte, 0, n)}
		b.Free()
		for size := 1; size < 10_000; size += 97 {
			if got := buf.Get(size); cap(got.B) < size {
				t.Fatalf("asked for %d, got room for %d", size, cap(got.B))
			}
		}
	}
}

func TestBuffersThatAreNoneCanBeFreed(t *testing.T) {
	(*buf.Buffer)(nil).Free()
	(&buf.Buffer{}).Free()
	(&buf.Buffer{B: make([]byte, 0, 3)}).Free()
}

func TestTheSameBufferIsLentAgain(t *testing.T) {
	for range 3 {
		buf.Get(4096).Free()
	}
	n := testing.AllocsPerRun(100, func() {
		b := buf.Get(4096)
		b.B = append(b.B, 7)
		b.Free()
	})
	if n > 1 {
		t.Errorf("%v allocations", n)
	}
}

// However goroutines move between processors, a large buffer that is free is the one that
// is lent.
func TestAsManyLargeBuffersAsAreUsed(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // which gives them up
	const size = 3 << 20
	seen := map[*byte]bool{}
	for range 200 {
		var wg sync.WaitGroup
		wg.Go(func() {
			b := buf.Get(size)
			seen[&b.B[:1][0]] = true
			runtime.Gosched()
			b.Free()
		})
		wg.Wait()
	}
	if len(seen) != 1 {
		t.Errorf("%d buffers, one after the other", len(seen))
	}
	// What is not asked for again is given up.
	b := buf.Get(size)
	gone := make(chan bool)
	runtime.AddCleanup(&b.B[:1][0], func(gone chan bool) { close(gone) }, gone)
	b.Free()
	for freed := false; !freed; runtime.Gosched() {
		runtime.GC()
		select {
		case <-gone:
			freed = true
		default:
		}
	}
}

func TestNobodySharesABuffer(t *testing.T) {
	var wg sync.WaitGroup
	for k := range 8 {
		size := 1000 + k%2<<18
		wg.Go(func() {
			for range 500 {
				b := buf.Get(size)
				for range 1000 {
					b.B = append(b.B, byte(k))
				}
				for _, x := range b.B {
					if x != byte(k) {
						t.Error("another goroutine wrote here")
						return
					}
				}
				b.Free()
			}
		})
	}
	wg.Wait()
}

func ExampleGet() {
	b := buf.Get(100)
	defer b.Free()
	b.B = append(b.B, "some bytes"...)
	fmt.Println(len(b.B), cap(b.B) >= 100)
	// Output: 10 true
}

func TestExtend(t *testing.T) {
	b := make([]byte, 2, 8)
	copy(b, "ab")
	if e := buf.Extend(b, 6); len(e) != 8 || &e[0] != &b[0] {
		t.Error("there was room")
	}
	if e := buf.Extend(b, 7); len(e) != 9 || string(e[:2]) != "ab" || &e[0] == &b[0] {
		t.Error("there was no room")
	}
	if n := testing.AllocsPerRun(10, func() { buf.Extend(b, 100_000) }); n > 1 {
		t.Errorf("%v allocations", n)
	}
}
