package inflate

import (
	"math/rand/v2"
	"os"
	"syscall"
	"testing"

	"github.com/omnizarr/zarr/internal/thorough"
)

// guarded gives a function for n bytes, at most size, behind which memory must
// not be touched.
func guarded(t *testing.T, size int) func(n int) []byte {
	t.Helper()
	page := os.Getpagesize()
	size = (size + page - 1) / page * page
	mem, err := syscall.Mmap(-1, 0, size+page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { syscall.Munmap(mem) })
	if err := syscall.Mprotect(mem[size:], syscall.PROT_NONE); err != nil {
		t.Skip(err)
	}
	return func(n int) []byte { return mem[size-n : size : size] }
}

// Nothing is read or written outside of the buffers.
func TestBuffersAtTheEndOfMemory(t *testing.T) {
	const size = 60_000
	in, out := guarded(t, size), guarded(t, size)
	r := rand.New(rand.NewPCG(17, 18))
	for i := range thorough.Least(12, 36, 1500) {
		var stream []byte
		if i%2 == 0 {
			stream = randomStream(r, 1+r.IntN(1+r.IntN(20_000)))
		} else {
			stream = deflated(t, sample(r, r.IntN(size)), i%9+1)
		}
		if i%3 == 0 {
			stream = damage(r, stream)
		}
		stream = stream[:min(len(stream), size)]
		src := in(len(stream))
		copy(src, stream)
		want, _, bad := standard(src, size)
		if bad == nil {
			Decode(out(min(len(want), size)), src)
		}
		Decode(out(r.IntN(size)), src)
		Adler32(src)
	}
}
