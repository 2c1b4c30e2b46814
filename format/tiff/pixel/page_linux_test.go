package pixel

import (
	"os"
	"syscall"
	"testing"
)

// walled returns two pages of memory with others around it that nobody may read.
func walled(t *testing.T) []byte {
	t.Helper()
	size := 2 * os.Getpagesize()
	b, err := syscall.Mmap(-1, 0, 3*size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { _ = syscall.Munmap(b) })
	for _, wall := range [][]byte{b[:size], b[2*size:]} {
		if err := syscall.Mprotect(wall, syscall.PROT_NONE); err != nil {
			t.Skip(err)
		}
	}
	return b[size : 2*size]
}

// Reading too far would go unnoticed elsewhere, writing too far as well if it is
// the same that is written; here both end the test's process.
func TestNothingOutsideIsRead(t *testing.T) {
	pages := [...][]byte{walled(t), walled(t), walled(t), walled(t), walled(t)}
	for _, last := range []bool{false, true} { // at the beginning or at the end of a page
		slice := func(page, n int) []byte {
			if last {
				return pages[page][len(pages[page])-n:]
			}
			return pages[page][:n]
		}
		for n := range 300 {
			for _, size := range []int{1, 2, 4, 8} {
				for samples := 1; samples <= 4; samples++ {
					Undelta(slice(0, n), samples, size)
					Delta(slice(0, n), samples, size)
					chunky, planes := slice(0, n/2*size*samples), make([][]byte, samples)
					for c := range planes {
						planes[c] = slice(1+c, n/2*size)
					}
					Split(planes, chunky, size)
					Join(chunky, planes, size)
				}
				Undelta(slice(0, n), 40, size)
				Delta(slice(0, n), 40, size)
				Swap(slice(0, n), size)
				if size > 1 {
					Unfloat(slice(0, n/size*size), slice(1, n/size*size), 1, size)
					Float(slice(0, n/size*size), slice(1, n/size*size), 1, size)
				}
				for bits := 1; bits <= min(31, 8*size) && size < 8; bits++ {
					Unpack(slice(0, n*size), slice(1, (n*bits+7)/8), bits, size)
					Pack(slice(1, (n*bits+7)/8), slice(0, n*size), bits, size)
				}
			}
		}
	}
}
