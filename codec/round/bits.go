package round

import (
	"math/bits"

	"github.com/omnizarr/zarr/internal/numeric"
)

// bitKernel rounds words to the nearest multiple of a power of two, the even one
// of two that are equally near: floats to one without the lowest drop bits, and
// if drop is negative, integers to keep bits from the highest on.
func bitKernel[T numeric.Unsigned](drop, keep int) numeric.Kernel {
	switch {
	case drop == 0:
		return func(dst, src []byte) { copy(dst, src) }
	case drop > 0:
		half, shift := T(1)<<(drop-1)-1, uint(drop)
		return func(dst, src []byte) {
			d, s := numeric.Slice[T](dst), numeric.Slice[T](src)
			d = d[:len(s)]
			for i, x := range s {
				d[i] = (x + (x>>shift&1 + half)) >> shift << shift
			}
		}
	}
	return func(dst, src []byte) {
		d, s := numeric.Slice[T](dst), numeric.Slice[T](src)
		d = d[:len(s)]
		for i, x := range s {
			if drop := bits.Len64(uint64(x)) - keep; drop > 0 {
				shift := uint(drop)
				up := x + (x>>shift&1 + T(1)<<(shift-1) - 1)
				if up < x { // beyond the largest number
					up = ^T(0)
				}
				x = up >> shift << shift
			}
			d[i] = x
		}
	}
}
