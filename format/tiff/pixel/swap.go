package pixel

import "math/bits"

// Swap reverses the bytes of every number in b, in place. A number has size bytes,
// 1, 2, 4 or 8; of complex ones that is the size of a part. What follows the last
// whole number stays as it is.
func Swap(b []byte, size int) {
	switch size {
	case 1:
		return
	case 2, 4, 8:
	default:
		mistake("byte order of numbers of %d bytes", size)
	}
	b = b[swapFast(b, size):]
	switch size {
	case 2:
		const even = 0x00ff00ff00ff00ff
		for ; len(b) >= 8; b = b[8:] {
			x := le.Uint64(b)
			le.PutUint64(b, x&even<<8|x>>8&even)
		}
		for ; len(b) >= 2; b = b[2:] {
			b[0], b[1] = b[1], b[0]
		}
	case 4:
		for ; len(b) >= 8; b = b[8:] {
			le.PutUint64(b, bits.RotateLeft64(be.Uint64(b), 32))
		}
		if len(b) >= 4 {
			le.PutUint32(b, be.Uint32(b))
		}
	case 8:
		for ; len(b) >= 8; b = b[8:] {
			le.PutUint64(b, be.Uint64(b))
		}
	}
}
