package nd

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

var hasAVX2 = cpu.X86.HasAVX2

// step is how many bytes the kernels have in a register.
const step = 32

//go:noescape
func swapRowsAVX2(dst, src unsafe.Pointer, run, n, ds, ss int, order *[step]byte)

//go:noescape
func streamSwappedAVX2(dst, src unsafe.Pointer, run, n, ds, ss int, order *[step]byte)

// orders says which byte of its half goes where in a register, by width.
var orders = func() (out [9][step]byte) {
	for _, w := range []int{2, 4, 8} {
		for i := range out[w] {
			out[w][i] = byte(i%16/w*w + w - 1 - i%w)
		}
	}
	return out
}()

func hasOrder(width int) bool { return hasAVX2 && (width == 2 || width == 4 || width == 8) }

// swapFast does as many bytes as it can of SwapBytes and returns their number.
func swapFast(dst, src []byte, width int) int {
	n := len(src) &^ (step - 1)
	if n == 0 || !hasOrder(width) {
		return 0
	}
	dst, src = dst[:n], src[:n] // what the kernel relies on
	swapRowsAVX2(unsafe.Pointer(&dst[0]), unsafe.Pointer(&src[0]), n, 1, 0, 0, &orders[width])
	return n
}

// swapRows copies n runs with the bytes of their scalars reversed, and reports
// whether it could.
func (c *copier) swapRows(d, s int, l loop) bool {
	if c.run < step || !hasOrder(c.width) || l.n < 1 || l.ds < 0 || l.ss < 0 {
		return false
	}
	// The last runs must lie in memory too.
	to, from := c.dst[d:d+(l.n-1)*l.ds+c.run], c.src[s:s+(l.n-1)*l.ss+c.run]
	dst, src := unsafe.Pointer(&to[0]), unsafe.Pointer(&from[0])
	if len(c.dst) >= streamFrom && c.run%line == 0 && (uintptr(dst)|uintptr(l.ds))%line == 0 {
		streamSwappedAVX2(dst, src, c.run, l.n, l.ds, l.ss, &orders[c.width])
	} else {
		swapRowsAVX2(dst, src, c.run, l.n, l.ds, l.ss, &orders[c.width])
	}
	return true
}
