package pixel

import "github.com/omnizarr/zarr/internal/shuffle"

// Split puts the samples of the pixels in src into planes, one for each: sample c
// of pixel i becomes element i of dst[c]. A sample has size bytes, 1, 2, 4, 8 or 16.
// src is a whole number of pixels, and each plane has its share of it exactly. The
// planes share no memory with src.
func Split(dst [][]byte, src []byte, size int) {
	n := checkPlanes(dst, src, size)
	if len(dst) == 1 {
		copy(dst[0], src)
		return
	}
	done := splitFast(dst, src, size)
	pixel := len(dst) * size
	for step := blockOf(pixel); done < n; done += step {
		from, to := done*size, min(done+step, n)*size
		for c, plane := range dst {
			take(plane[from:to], src[done*pixel+c*size:], pixel, size)
		}
	}
}

// Join undoes Split: it puts the planes of src together in dst, pixel by pixel.
func Join(dst []byte, src [][]byte, size int) {
	n := checkPlanes(src, dst, size)
	if size == 1 && len(src) != 3 {
		shuffle.UnshufflePlanes(dst, src)
		return
	}
	if len(src) == 1 {
		copy(dst, src[0])
		return
	}
	done := joinFast(dst, src, size)
	pixel := len(src) * size
	for step := blockOf(pixel); done < n; done += step {
		from, to := done*size, min(done+step, n)*size
		for c, plane := range src {
			put(dst[done*pixel+c*size:], plane[from:to], pixel, size)
		}
	}
}

// checkPlanes returns how many pixels there are.
func checkPlanes(planes [][]byte, chunky []byte, size int) int {
	switch size {
	case 1, 2, 4, 8, 16:
	default:
		mistake("planes of samples of %d bytes", size)
	}
	if len(planes) == 0 || len(chunky)%(len(planes)*size) != 0 {
		mistake("%d bytes as %d planes of samples of %d bytes", len(chunky), len(planes), size)
	}
	for c, p := range planes {
		if len(p) != len(chunky)/len(planes) {
			mistake("plane %d of %d with %d bytes, %d bytes in all", c, len(planes), len(p), len(chunky))
		}
	}
	return len(chunky) / len(planes) / size
}

// blockOf is how many pixels are done plane by plane, so that all of them stay in
// the cache meanwhile.
func blockOf(pixel int) int { return max(1<<14/pixel, 8) }

// take fills dst with samples that stand step bytes apart in src.
func take(dst, src []byte, step, size int) {
	at := 0
	switch size {
	case 1:
		for ; len(dst) >= 8; dst = dst[8:] {
			s := src[at:][:7*step+1]
			le.PutUint64(dst, uint64(s[0])|uint64(s[step])<<8|uint64(s[2*step])<<16|uint64(s[3*step])<<24|
				uint64(s[4*step])<<32|uint64(s[5*step])<<40|uint64(s[6*step])<<48|uint64(s[7*step])<<56)
			at += 8 * step
		}
		for i := range dst {
			dst[i] = src[at]
			at += step
		}
	case 2:
		for ; len(dst) >= 2; dst = dst[2:] {
			le.PutUint16(dst, le.Uint16(src[at:]))
			at += step
		}
	case 4:
		for ; len(dst) >= 4; dst = dst[4:] {
			le.PutUint32(dst, le.Uint32(src[at:]))
			at += step
		}
	case 8:
		for ; len(dst) >= 8; dst = dst[8:] {
			le.PutUint64(dst, le.Uint64(src[at:]))
			at += step
		}
	default:
		for ; len(dst) >= 16; dst = dst[16:] {
			*(*[16]byte)(dst) = *(*[16]byte)(src[at:])
			at += step
		}
	}
}

// put puts the samples of src step bytes apart into dst.
func put(dst, src []byte, step, size int) {
	at := 0
	switch size {
	case 1:
		for _, b := range src {
			dst[at] = b
			at += step
		}
	case 2:
		for ; len(src) >= 2; src = src[2:] {
			le.PutUint16(dst[at:], le.Uint16(src))
			at += step
		}
	case 4:
		for ; len(src) >= 4; src = src[4:] {
			le.PutUint32(dst[at:], le.Uint32(src))
			at += step
		}
	case 8:
		for ; len(src) >= 8; src = src[8:] {
			le.PutUint64(dst[at:], le.Uint64(src))
			at += step
		}
	default:
		for ; len(src) >= 16; src = src[16:] {
			*(*[16]byte)(dst[at:]) = *(*[16]byte)(src)
			at += step
		}
	}
}
