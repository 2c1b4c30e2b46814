package zstdenc

import (
	"encoding/binary"
	"os"
	"syscall"
	"testing"

	"github.com/omnizarr/zarr/internal/thorough"
)

// Nothing is read behind the end of what is encoded, nor before its begin.
func TestInputAtTheEndOfMemory(t *testing.T) {
	page := os.Getpagesize()
	size := 300_000 / page * page
	mem, err := syscall.Mmap(-1, 0, size+2*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Skip(err)
	}
	defer syscall.Munmap(mem)
	inside := mem[page : page+size : page+size]
	r := newRand(9)
	data := map[string][]byte{
		"noise": noisyUint16(size/2, 5, binary.LittleEndian),
		"quiet": noisyUint16(size/2, 1, binary.BigEndian),
		"text":  text(size),
	}
	for _, wall := range [][]byte{mem[:page], mem[page+size:]} {
		if err := syscall.Mprotect(wall, syscall.PROT_NONE); err != nil {
			t.Skip(err)
		}
	}
	for i := range thorough.Rounds(60) {
		n := 1 + r.IntN(size)
		if i%2 == 0 {
			n = detectMin + r.IntN(300) // some elements more than kernels take at once, or less
		}
		for name, src := range data {
			from := r.IntN(size - n + 1)
			for _, place := range [][]byte{inside[size-n:], inside[:n]} {
				copy(place, src[from:])
				roundTripBoth(t, place, 1+i%5, false)
			}
			if t.Failed() {
				t.Fatal(name, n)
			}
		}
	}
}
