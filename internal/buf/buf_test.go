package buf_test

import (
	"fmt"
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

func TestNobodySharesABuffer(t *testing.T) {
	var wg sync.WaitGroup
	for k := range 8 {
		wg.Go(func() {
			for range 500 {
				b := buf.Get(1000)
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
