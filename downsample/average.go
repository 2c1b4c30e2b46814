package downsample

import (
	"encoding/binary"
	"math"
	"unsafe"

	"github.com/omnizarr/zarr/internal/numeric"
)

// average finds the kernel of a number type.
func average(t numeric.Type, missing []byte) kernel {
	switch t {
	case numeric.Int8:
		return integers[int8](missing)
	case numeric.Int16:
		return integers[int16](missing)
	case numeric.Int32:
		return integers[int32](missing)
	case numeric.Int64:
		return integers[int64](missing)
	case numeric.Uint8:
		if missing == nil {
			return bytes
		}
		return integers[uint8](missing)
	case numeric.Uint16:
		if missing == nil {
			return shorts
		}
		return integers[uint16](missing)
	case numeric.Uint32:
		return integers[uint32](missing)
	case numeric.Uint64:
		return integers[uint64](missing)
	case numeric.Float16:
		return halves(missing)
	case numeric.Float32:
		return floats[float32](missing)
	}
	return floats[float64](missing)
}

// bytes averages four blocks at a time, in the lanes of a word: no sum of four
// bytes needs more than 16 bits.
func bytes(dst, top, bottom []byte) {
	const even, two = 0x00ff00ff00ff00ff, 0x0002000200020002
	n := len(top) / 8
	for i := range n {
		t, b := binary.LittleEndian.Uint64(top[8*i:]), binary.LittleEndian.Uint64(bottom[8*i:])
		s := t&even + t>>8&even + b&even + b>>8&even + two
		s = s >> 2 & even
		s = (s | s>>8) & 0x0000ffff0000ffff
		binary.LittleEndian.PutUint32(dst[4*i:], uint32(s|s>>16))
	}
	means(dst[4*n:], top[8*n:], bottom[8*n:])
}

// shorts averages two blocks at a time.
func shorts(dst, top, bottom []byte) {
	const even, two = 0x0000ffff0000ffff, 0x0000000200000002
	n := len(top) / 8
	for i := range n {
		t, b := binary.LittleEndian.Uint64(top[8*i:]), binary.LittleEndian.Uint64(bottom[8*i:])
		s := t&even + t>>16&even + b&even + b>>16&even + two
		s = s >> 2 & even
		binary.LittleEndian.PutUint32(dst[4*i:], uint32(s|s>>16))
	}
	means(numeric.Slice[uint16](dst[4*n:]), numeric.Slice[uint16](top[8*n:]), numeric.Slice[uint16](bottom[8*n:]))
}

// means averages where everything counts.
func means[T numeric.Integer](dst, top, bottom []T) {
	n := len(top) / 2
	for i := range n {
		dst[i] = mean(top[2*i], top[2*i+1], bottom[2*i], bottom[2*i+1])
	}
	if 2*n < len(top) {
		t, b := top[2*n], bottom[2*n]
		dst[n] = mean(t, t, b, b)
	}
}

// mean rounds to the nearest, halves away from zero.
func mean[T numeric.Integer](a, b, c, d T) T {
	// Four numbers may need two more bits than one: quarters and remainders are
	// added apart where there is no wider type.
	if unsafe.Sizeof(a) == 8 {
		q, r := a>>2+b>>2+c>>2+d>>2, a&3+b&3+c&3+d&3
		return nearest(q+r>>2, r&3, 4)
	}
	s := int64(a) + int64(b) + int64(c) + int64(d)
	return T((s + 2 + s>>63) >> 2) // one less for what is below zero, where halves go down
}

// nearest is q + r/k to the nearest, halves away from zero; 0 ≤ r < k.
func nearest[T numeric.Integer](q, r, k T) T {
	if 2*r > k || 2*r == k && q >= 0 {
		return q + 1
	}
	return q
}

// integers averages integers, without those that are missing.
func integers[T numeric.Integer](missing []byte) kernel {
	if missing == nil {
		return func(dst, top, bottom []byte) {
			means(numeric.Slice[T](dst), numeric.Slice[T](top), numeric.Slice[T](bottom))
		}
	}
	none := numeric.Slice[T](missing)[0]
	beside := none + 1 // if none is the largest number, all means are smaller
	one := func(a, b, c, d T) T {
		k := count(a != none, b != none, c != none, d != none)
		if k == 0 {
			return none
		}
		if m := meanOf(none, T(k), a, b, c, d); m != none {
			return m
		}
		return beside
	}
	return func(dst, top, bottom []byte) {
		d, t, b := numeric.Slice[T](dst), numeric.Slice[T](top), numeric.Slice[T](bottom)
		n := len(t) / 2
		for i := range n {
			p, q := t[2*i:2*i+2], b[2*i:2*i+2]
			if p[0] == none || p[1] == none || q[0] == none || q[1] == none {
				d[i] = one(p[0], p[1], q[0], q[1])
				continue
			}
			m := mean(p[0], p[1], q[0], q[1])
			if m == none {
				m = beside
			}
			d[i] = m
		}
		each(d[n:], t[2*n:], b[2*n:], one)
	}
}

// meanOf averages those k that are not none.
func meanOf[T numeric.Integer](none, k T, values ...T) T {
	var q, r T
	for _, v := range values {
		if v == none {
			continue
		}
		whole, part := v/k, v%k
		if part < 0 {
			whole, part = whole-1, part+k
		}
		q, r = q+whole, r+part
	}
	return nearest(q+r/k, r%k, k)
}

// each calls f for every block of four pixels.
func each[T any](dst, top, bottom []T, f func(a, b, c, d T) T) {
	n := len(top) / 2
	for i := range n {
		dst[i] = f(top[2*i], top[2*i+1], bottom[2*i], bottom[2*i+1])
	}
	if 2*n < len(top) {
		t, b := top[2*n], bottom[2*n]
		dst[n] = f(t, t, b, b)
	}
}

func count(is ...bool) (n int) {
	for _, b := range is {
		if b {
			n++
		}
	}
	return n
}

// floats averages numbers without NaN and without those that are missing.
func floats[T numeric.Float](missing []byte) kernel {
	none := T(math.NaN()) // which is equal to nothing
	if missing != nil {
		none = numeric.Slice[T](missing)[0]
	}
	beside := T(math.Nextafter(float64(none), math.Inf(1)))
	if unsafe.Sizeof(none) == 4 {
		beside = T(math.Nextafter32(float32(none), float32(math.Inf(1))))
	}
	one := func(a, b, c, d T) T {
		if a != none && b != none && c != none && d != none {
			// The common case; what is not finite needs a closer look.
			m := ((a + b) + (c + d)) / 4
			if m-m == 0 && m != none {
				return m
			}
		}
		m, ok := meanOfFloats(float64(none), float64(a), float64(b), float64(c), float64(d))
		if !ok {
			return none
		}
		if T(m) == none {
			return beside
		}
		return T(m)
	}
	return func(dst, top, bottom []byte) {
		d, t, b := numeric.Slice[T](dst), numeric.Slice[T](top), numeric.Slice[T](bottom)
		if missing != nil {
			each(d, t, b, one)
			return
		}
		n := len(t) / 2
		for i := range n {
			p, q := t[2*i:2*i+2], b[2*i:2*i+2]
			m := ((p[0] + p[1]) + (q[0] + q[1])) / 4
			if m-m != 0 {
				m = one(p[0], p[1], q[0], q[1])
			}
			d[i] = m
		}
		each(d[n:], t[2*n:], b[2*n:], one)
	}
}

// meanOfFloats averages what is neither NaN nor none; ok says whether there was
// anything.
func meanOfFloats(none float64, values ...float64) (m float64, ok bool) {
	counts := func(v float64) bool { return v == v && v != none }
	k, first, rest := 0.0, 0.0, 0.0
	for _, v := range values {
		if !counts(v) {
			continue
		}
		if k++; k == 1 {
			first = v
		}
		rest += v - first // so that the mean of equal numbers is the number
	}
	if m = first + rest/k; m-m == 0 || k == 0 {
		return m, k > 0
	}
	// A difference is too large, or there are infinities.
	m = 0
	for _, v := range values {
		if counts(v) {
			m += v / k
		}
	}
	return m, true
}

// halves averages floats of 16 bits.
func halves(missing []byte) kernel {
	none := numeric.Half(0x7e00) // NaN
	if missing != nil {
		none = numeric.Slice[numeric.Half](missing)[0]
	}
	// The bits of numbers below zero count downwards.
	beside := none + 1
	switch {
	case none == 0x8000: // zero
		beside = 1
	case none > 0x8000:
		beside = none - 1
	}
	one := func(a, b, c, d numeric.Half) numeric.Half {
		m, ok := meanOfFloats(none.Float64(), a.Float64(), b.Float64(), c.Float64(), d.Float64())
		h := numeric.RoundHalf64(m)
		switch {
		case !ok:
			return none
		case h.Float64() == none.Float64():
			return beside
		}
		return h
	}
	return func(dst, top, bottom []byte) {
		each(numeric.Slice[numeric.Half](dst), numeric.Slice[numeric.Half](top), numeric.Slice[numeric.Half](bottom), one)
	}
}
