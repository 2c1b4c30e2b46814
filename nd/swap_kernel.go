//go:build amd64 || arm64

package nd

import "unsafe"

//go:noescape
func swapRowsKernel(dst, src unsafe.Pointer, run, n, ds, ss int, order *[step]byte)

// orders says which byte of its half goes where in a register, by width.
var orders = func() (out [9][step]byte) {
	for _, w := range []int{2, 4, 8} {
		for i := range out[w] {
			out[w][i] = byte(i%16/w*w + w - 1 - i%w)
		}
	}
	return out
}()

func hasOrder(width int) bool { return hasKernels && (width == 2 || width == 4 || width == 8) }

// swapFast does as many bytes as it can of SwapBytes and returns their number.
func swapFast(dst, src []byte, width int) int {
	n := len(src) &^ (step - 1)
	if n == 0 || !hasOrder(width) {
		return 0
	}
	dst, src = dst[:n], src[:n] // what the kernel relies on
	swapRowsKernel(unsafe.Pointer(&dst[0]), unsafe.Pointer(&src[0]), n, 1, 0, 0, &orders[width])
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
	if !c.streamSwapped(dst, src, l) {
		swapRowsKernel(dst, src, c.run, l.n, l.ds, l.ss, &orders[c.width])
	}
	return true
}
