package zstddec

import (
	"math/rand/v2"
	"os"
	"syscall"
	"testing"

	"github.com/omnizarr/zarr/internal/thorough"
)

// guarded returns functions that give n bytes, at most size, behind which and before
// which memory must not be touched.
func guarded(t *testing.T, size int) (ends, begins func(n int) []byte) {
	t.Helper()
	page := os.Getpagesize()
	size = (size + page - 1) / page * page
	mem, err := syscall.Mmap(-1, 0, size+2*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { syscall.Munmap(mem) })
	for _, wall := range [][]byte{mem[:page], mem[page+size:]} {
		if err := syscall.Mprotect(wall, syscall.PROT_NONE); err != nil {
			t.Skip(err)
		}
	}
	inside := mem[page : page+size : page+size]
	return func(n int) []byte { return inside[size-n:] }, func(n int) []byte { return inside[:n:n] }
}

// Nothing is read or written outside of the buffers, whole frames or damaged ones,
// with all the room that they need or less.
func TestBuffersAtTheEndOfMemory(t *testing.T) {
	const most = 700_000
	srcEnds, srcBegins := guarded(t, most)
	dstEnds, dstBegins := guarded(t, most)
	r := rand.New(rand.NewPCG(7, 8))
	type frame struct {
		data []byte
		size int
	}
	var frames []frame
	for _, g := range goldens(t) {
		frames = append(frames, frame{g.frame, g.size})
	}
	for range 5 { // more often than the others, which are many
		frames = append(frames, frame{encoded()["noisy3"], len(contents()["noisy"])}, frame{encoded()["periods3"], len(contents()["periods"])})
	}
	for i := range thorough.Rounds(1500) {
		f := frames[r.IntN(len(frames))]
		if f.size > 100_000 && r.IntN(8) > 0 {
			continue
		}
		data, size := f.data, f.size
		if i%4 > 0 {
			data = damage(r, data)
		}
		if i%3 == 0 {
			size = r.IntN(size + 1)
		}
		src, dst := srcEnds(len(data)), dstEnds(size)
		if i%5 == 0 {
			src, dst = srcBegins(len(data)), dstBegins(size)
		}
		copy(src, data)
		n, err := Decode(dst, src)
		if n > size || i%4 == 0 && i%3 > 0 && (err != nil || n != size) {
			t.Fatalf("%d of %d bytes, %v", n, size, err)
		}
		decodePlain(dst, src)
		if k, _ := decodeSecond(t, dst, src, src); k != n {
			t.Fatalf("%d bytes alone, %d behind others", n, k)
		}
	}
}
