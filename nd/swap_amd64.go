package nd

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

var hasKernels = cpu.X86.HasAVX2

// step is how many bytes the kernels have in a register.
const step = 32

//go:noescape
func streamSwappedKernel(dst, src unsafe.Pointer, run, n, ds, ss int, order *[step]byte)

// streamSwapped copies n runs with the bytes of their scalars reversed past the
// cache, and reports whether that pays.
func (c *copier) streamSwapped(dst, src unsafe.Pointer, l loop) bool {
	if len(c.dst) < streamFrom || c.run%line != 0 || (uintptr(dst)|uintptr(l.ds))%line != 0 {
		return false
	}
	streamSwappedKernel(dst, src, c.run, l.n, l.ds, l.ss, &orders[c.width])
	return true
}
