// Package shuffle reorders the bytes or the bits of a block of elements, as the
// filters of Blosc do, so that those that vary alike stand together.
//
// A byte shuffle of n elements of t bytes gives t planes of n bytes: plane j has
// byte j of every element. A bit shuffle gives eight rows for each plane, one for
// each bit from the lowest up; bit i%8 of byte i/8 of a row is that of element i.
//
// Plain Go is the definition; assembly does most of the work on arm64, and on
// amd64 with AVX2.
package shuffle

// Shuffle gathers in dst, plane by plane, the bytes of the elements of size bytes
// in src. What follows the last whole element is copied as it is. dst has the
// length of src and shares no memory with it.
func Shuffle(dst, src []byte, size int) {
	n := len(src) / size
	if size == 1 || n == 0 {
		copy(dst, src)
		return
	}
	split(dst, src, size, n, n)
	copy(dst[n*size:], src[n*size:])
}

// Unshuffle undoes Shuffle.
func Unshuffle(dst, src []byte, size int) {
	n := len(src) / size
	if size == 1 || n == 0 {
		copy(dst, src)
		return
	}
	join(dst, contiguous{src, n}, size, 0, n)
	copy(dst[n*size:], src[n*size:])
}

// UnshufflePlanes is Unshuffle with each plane in memory of its own. The planes
// have the same length, and dst is as long as all of them.
func UnshufflePlanes(dst []byte, planes [][]byte) {
	size := len(planes)
	if size == 1 {
		copy(dst, planes[0])
		return
	}
	join(dst, separate(planes), size, 0, len(planes[0]))
}

// planes are the byte planes of a block.
type planes interface {
	// from is the rest of plane j from byte at on.
	from(j, at int) []byte
}

// contiguous planes of n bytes stand one behind the other.
type contiguous struct {
	b []byte
	n int
}

func (p contiguous) from(j, at int) []byte { return p.b[j*p.n+at : (j+1)*p.n] }

// separate planes stand anywhere.
type separate [][]byte

func (p separate) from(j, at int) []byte { return p[j][at:] }

// split puts n elements of src into planes that stand stride bytes apart in dst.
func split(dst, src []byte, size, n, stride int) {
	done := splitFast(dst, src, size, n, stride)
	switch size {
	case 2:
		done += split2(dst[done:], src[2*done:], n-done, stride)
	case 4:
		done += split4(dst[done:], src[4*done:], n-done, stride)
	default:
		done += splitAny(dst[done:], src[size*done:], size, n-done, stride)
	}
	for j := range size {
		at := j * stride
		for i := done; i < n; i++ {
			dst[at+i] = src[i*size+j]
		}
	}
}

// join puts n elements, which begin at byte at of every plane, into dst.
func join[P planes](dst []byte, p P, size, at, n int) {
	done := 0
	if steps := joinSteps(size, n); steps > 0 {
		var rows [16]*byte
		for j := range size {
			rows[j] = &p.from(j, at)[0]
		}
		joinFast(dst, &rows, size, steps)
		done = steps * joinStep(size)
	}
	if done == n {
		return
	}
	dst, at, n = dst[done*size:], at+done, n-done
	switch size {
	case 2:
		done = join2(dst, p.from(0, at), p.from(1, at), n)
	case 4:
		done = join4(dst, p.from(0, at), p.from(1, at), p.from(2, at), p.from(3, at), n)
	default:
		done = joinAny(dst, p, size, at, n)
	}
	for j := range size {
		row := p.from(j, at)
		for i := done; i < n; i++ {
			dst[i*size+j] = row[i]
		}
	}
}
