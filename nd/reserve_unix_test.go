//go:build unix

package nd_test

import (
	"testing"

	"golang.org/x/sys/unix"
)

// reserve gives memory of which only what is touched is really there. Memory that the
// collector gives may have been used before, and is cleared then, all of it.
func reserve(t *testing.T, n int) []byte {
	t.Helper()
	mem, err := unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Skip("no such memory here: ", err)
	}
	t.Cleanup(func() {
		if err := unix.Munmap(mem); err != nil {
			t.Error(err)
		}
	})
	return mem
}
