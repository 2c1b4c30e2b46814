package pixel

import "github.com/omnizarr/zarr/internal/shuffle"

// Unfloat undoes predictor 3 in a row of pixels. src is the row as it is stored:
// the most significant bytes of all its numbers, then those below, and so on, each
// byte with that of samples bytes before subtracted, across the planes. dst gets
// the numbers, little-endian. A number has size bytes, 2, 3, 4 or 8; dst is as long
// as src, a whole number of numbers, and shares no memory with it. src is
// overwritten.
func Unfloat(dst, src []byte, samples, size int) {
	n := checkFloat(dst, src, samples, size)
	if n == 0 {
		return
	}
	Undelta(src, samples, 1)
	if size == 3 {
		exchange(src[:n], src[2*n:])
		shuffle.Unshuffle(dst, src, size)
		return
	}
	shuffle.Unshuffle(dst, src, size)
	Swap(dst, size)
}

// Float does predictor 3 in a row of pixels, as Unfloat undoes: src has the numbers,
// little-endian, dst gets the row as it is stored. src stays as it is.
func Float(dst, src []byte, samples, size int) {
	n := checkFloat(dst, src, samples, size)
	if n == 0 {
		return
	}
	shuffle.Shuffle(dst, src, size)
	for j := range size / 2 {
		exchange(dst[j*n:(j+1)*n], dst[(size-1-j)*n:(size-j)*n])
	}
	Delta(dst, samples, 1)
}

// exchange swaps what is in a with what is in b, of the same length.
func exchange(a, b []byte) {
	var t [512]byte
	for len(a) > 0 {
		n := copy(t[:], a)
		copy(a[:n], b)
		copy(b[:n], t[:])
		a, b = a[n:], b[n:]
	}
}

// checkFloat returns how many numbers there are.
func checkFloat(dst, src []byte, samples, size int) int {
	if samples < 1 {
		mistake("predictor 3 with %d samples", samples)
	}
	switch size {
	case 2, 3, 4, 8:
	default:
		mistake("predictor 3 of samples of %d bytes", size)
	}
	if len(src)%size != 0 || len(dst) != len(src) {
		mistake("predictor 3 from %d bytes to %d, of samples of %d bytes", len(src), len(dst), size)
	}
	return len(src) / size
}
