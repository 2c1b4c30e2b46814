package shuffle

import "github.com/omnizarr/zarr/internal/buf"

// Bitshuffle gathers in dst, row by row, the bits of the elements of size bytes
// in src. What follows the last whole element is copied as it is, and so is
// everything when the elements are not a multiple of eight. dst has the length
// of src and shares no memory with it.
func Bitshuffle(dst, src []byte, size int) {
	n := len(src) / size
	if n%8 != 0 {
		copy(dst, src)
		return
	}
	row := n / 8
	if size == 1 {
		toRows(dst, src, row)
		return
	}
	step := min(segment(size), n)
	scratch := buf.Get(step * size)
	defer scratch.Free()
	mem := scratch.B[:step*size]
	for at := 0; at < n; at += step {
		k := min(step, n-at)
		split(mem, src[at*size:], size, k, k)
		for j := range size {
			toRows(dst[8*j*row+at/8:], mem[j*k:][:k], row)
		}
	}
	copy(dst[n*size:], src[n*size:])
}

// Bitunshuffle undoes Bitshuffle.
func Bitunshuffle(dst, src []byte, size int) {
	n := len(src) / size
	if n%8 != 0 {
		copy(dst, src)
		return
	}
	joinBits(dst, contiguous{src, n}, size, n)
	copy(dst[n*size:], src[n*size:])
}

// BitunshufflePlanes is Bitunshuffle with the rows of each plane in memory of
// their own. The planes have the same length, and dst is as long as all of them.
func BitunshufflePlanes(dst []byte, planes [][]byte) {
	n := len(planes[0])
	if n%8 != 0 {
		for j, p := range planes {
			copy(dst[j*n:], p)
		}
		return
	}
	joinBits(dst, separate(planes), len(planes), n)
}

func joinBits[P planes](dst []byte, p P, size, n int) {
	row := n / 8
	if size == 1 {
		fromRows(dst[:n], p.from(0, 0), row)
		return
	}
	step := min(segment(size), n)
	scratch := buf.Get(step * size)
	defer scratch.Free()
	mem := scratch.B[:step*size]
	for at := 0; at < n; at += step {
		k := min(step, n-at)
		for j := range size {
			fromRows(mem[j*k:][:k], p.from(j, at/8), row)
		}
		join(dst[at*size:], contiguous{mem, k}, size, 0, k)
	}
}

// segment is how many elements are done at a time, so that their bytes stay in
// the first-level cache between the two steps.
func segment(size int) int { return min(max(8<<10/size&^255, 256), 2048) }

// toRows puts bit k of the bytes of src into the row at k*stride of dst. The
// length of src is a multiple of eight.
func toRows(dst, src []byte, stride int) {
	i := toRowsFast(dst, src, stride)
	var x [8]uint64
	for ; i+64 <= len(src); i += 64 {
		for k := range x {
			x[k] = le.Uint64(src[i+8*k:])
		}
		transposeBytes(&x)
		transposeBits(&x)
		for k := range x {
			le.PutUint64(dst[k*stride+i/8:], x[k])
		}
	}
	for ; i < len(src); i += 8 {
		w := transposeWord(le.Uint64(src[i:]))
		for k := range 8 {
			dst[k*stride+i/8] = byte(w >> (8 * k))
		}
	}
}

// fromRows undoes toRows.
func fromRows(dst, src []byte, stride int) {
	i := fromRowsFast(dst, src, stride)
	var x [8]uint64
	for ; i+64 <= len(dst); i += 64 {
		for k := range x {
			x[k] = le.Uint64(src[k*stride+i/8:])
		}
		transposeBits(&x)
		transposeBytes(&x)
		for k := range x {
			le.PutUint64(dst[i+8*k:], x[k])
		}
	}
	for ; i < len(dst); i += 8 {
		var w uint64
		for k := range 8 {
			w |= uint64(src[k*stride+i/8]) << (8 * k)
		}
		le.PutUint64(dst[i:], transposeWord(w))
	}
}
