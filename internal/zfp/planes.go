package zfp

import "math/bits"

// planes holds the coefficients of a block as bit planes: word 64·g+k is bit k of
// coefficients 64·g to 64·g+63.
type planes [256]uint64

// Every other run of j bits, for j that are powers of two.
var runs = [...]uint64{
	1:  0x5555555555555555,
	2:  0x3333333333333333,
	4:  0x0f0f0f0f0f0f0f0f,
	8:  0x00ff00ff00ff00ff,
	16: 0x0000ffff0000ffff,
	32: 0x00000000ffffffff,
}

// transpose exchanges rows and columns of the squares of len(a) bits that stand
// side by side in the words of a.
func transpose(a []uint64) {
	for j := len(a) / 2; j > 0; j /= 2 {
		m := runs[j]
		for i := 0; i < len(a); i += 2 * j {
			p, q := a[i:i+j], a[i+j:i+2*j]
			for k := range p {
				t := (p[k]>>uint(j) ^ q[k]) & m
				p[k] ^= t << uint(j)
				q[k] ^= t
			}
		}
	}
}

// split turns the coefficients u, of prec bits each, into planes, at least from
// number last on. u is scratch afterwards.
func (pl *planes) split(u []uint64, prec, last int) {
	switch n := len(u); {
	case n < 64:
		transpose(u)
		m := mask(n)
		for k := last &^ (n - 1); k < prec; k += n {
			p := pl[k : k+n][:len(u)]
			for i, x := range u {
				p[i] = x >> uint(k) & m
			}
		}
	case prec == 32:
		for g := 0; g < n; g += 64 {
			p := pl[g : g+32]
			for i := range p {
				p[i] = u[g+i] | u[g+32+i]<<32
			}
			transpose(p)
		}
	default:
		copy(pl[:], u)
		for g := 0; g < n; g += 64 {
			transpose(pl[g : g+64])
		}
	}
}

// join turns planes, of which those below number low are zero, into the
// coefficients u. The planes are scratch afterwards.
func (pl *planes) join(u []uint64, prec, low int) {
	switch n := len(u); {
	case n < 64:
		clear(u)
		for k := low &^ (n - 1); k < prec; k += n {
			p := pl[k : k+n][:len(u)]
			for i, x := range p {
				u[i] |= x << uint(k)
			}
		}
		transpose(u)
	case prec == 32:
		for g := 0; g < n; g += 64 {
			p := pl[g : g+32]
			transpose(p)
			for i, x := range p {
				u[g+i], u[g+32+i] = x&0xffffffff, x>>32
			}
		}
	default:
		for g := 0; g < n; g += 64 {
			transpose(pl[g : g+64])
		}
		copy(u, pl[:n])
	}
}

// encode writes planes of n coefficients from number prec-1 down to last, and
// ends after limit bits. A plane is the bits of those coefficients that were seen
// to be not zero in planes before, and for the rest, again and again: whether
// there is another one-bit, and the zeros up to it.
func (pl *planes) encode(w *writer, limit, n, prec, last int) {
	if n > 64 {
		pl.encodeMany(w, limit, n, prec, last)
		return
	}
	seen := 0
	for k := prec - 1; k >= last && limit > 0; k-- {
		x := pl[k]
		m := min(seen, limit)
		limit -= m
		w.put(x&mask(m), uint(m))
		x >>= uint(m)
		for limit > 0 && seen < n {
			if x == 0 {
				w.put(0, 1)
				limit--
				break
			}
			t := bits.TrailingZeros64(x)
			run, length := uint64(1)|1<<uint(t+1), t+2
			if seen+t == n-1 { // it can only be the last: no need to say so
				run, length = 1, t+1
			}
			if length > limit {
				w.put(1, uint(limit))
				return
			}
			w.put(run, uint(length))
			limit -= length
			x >>= uint(t + 1)
			seen += t + 1
		}
	}
}

// encodeMany is encode for planes of more than one word.
func (pl *planes) encodeMany(w *writer, limit, n, prec, last int) {
	seen := 0
	for k := prec - 1; k >= last && limit > 0; k-- {
		m := min(seen, limit)
		limit -= m
		for g := 0; g < m; g += 64 {
			c := min(64, m-g)
			w.put(pl[g+k]&mask(c), uint(c))
		}
		for limit > 0 && seen < n {
			next := pl.next(seen, n, k)
			if next == n {
				w.put(0, 1)
				limit--
				break
			}
			length := next - seen + 2
			if next == n-1 {
				length--
			}
			w.put(1, 1)
			if length > limit {
				w.zeros(limit - 1)
				return
			}
			w.zeros(next - seen)
			if next < n-1 {
				w.put(1, 1)
			}
			limit -= length
			seen = next + 1
		}
	}
}

// next finds the first one-bit of plane k from coefficient i on; n if there is
// none.
func (pl *planes) next(i, n, k int) int {
	for x := pl[i&^63+k] &^ mask(i&63); i < n; x = pl[i+k] {
		if x != 0 {
			return i&^63 + bits.TrailingZeros64(x)
		}
		if i = i&^63 + 64; i == n {
			break
		}
	}
	return n
}

// decode reads what encode writes, and returns the number of the last plane that
// is there. Planes below are zero.
func (pl *planes) decode(r *reader, limit, n, prec, last int) int {
	low := 0
	switch {
	case n > 64:
		pl.decodeMany(r, limit, n, prec, last)
		return 0
	case n == 64:
		low = pl.decodeWord(r, limit, prec, last)
	default:
		low = pl.decodeFew(r, limit, n, prec, last)
	}
	clear(pl[:low])
	return low
}

// decodeWord is decode for planes of one word.
func (pl *planes) decodeWord(r *reader, limit, prec, last int) int {
	const n = 64
	seen := 0
	k := prec - 1
	for ; k >= last && limit > 0; k-- {
		m := min(seen, limit)
		limit -= m
		x := r.get(m)
		for limit > 0 && seen < n {
			v := r.peek()
			if v&1 == 0 {
				r.pos++
				limit--
				break
			}
			t := bits.TrailingZeros64(v >> 1)
			length := t + 2
			if most := min(limit-1, n-1-seen); t >= most {
				t, length = most, most+1
			}
			r.pos += length
			limit -= length
			seen += t
			x |= 1 << uint(seen)
			seen++
		}
		pl[k] = x
	}
	return k + 1
}

// decodeFew is decode for planes of 4 or 16 coefficients. All bits of a plane, at
// most 2·n+1, are looked at together; and when all coefficients were seen, planes
// are just their bits.
func (pl *planes) decodeFew(r *reader, limit, n, prec, last int) int {
	seen := 0
	k := prec - 1
	each := 64 / n
	for k >= last && limit > 0 {
		v := r.peek()
		if seen == n && limit >= 64 && k-last+1 >= each {
			p := pl[k-each+1 : k+1]
			for i := len(p) - 1; i >= 0; i-- {
				p[i] = v & mask(n)
				v >>= uint(n)
			}
			r.pos += 64
			limit -= 64
			k -= each
			continue
		}
		m := min(seen, limit)
		x := v & mask(m)
		v >>= uint(m)
		used := m
		for used < limit && seen < n {
			if v&1 == 0 {
				used++
				break
			}
			t := bits.TrailingZeros64(v >> 1)
			length := t + 2
			if most := min(limit-used-1, n-1-seen); t >= most {
				t, length = most, most+1
			}
			v >>= uint(length)
			used += length
			seen += t
			x |= 1 << uint(seen)
			seen++
		}
		r.pos += used
		limit -= used
		pl[k] = x
		k--
	}
	return k + 1
}

// decodeMany is decode for planes of more than one word.
func (pl *planes) decodeMany(r *reader, limit, n, prec, last int) {
	clear(pl[:n])
	seen := 0
	for k := prec - 1; k >= last && limit > 0; k-- {
		m := min(seen, limit)
		limit -= m
		for g := 0; g < m; g += 64 {
			pl[g+k] = r.get(min(64, m-g))
		}
		for limit > 0 && seen < n {
			limit--
			if r.get(1) == 0 {
				break
			}
			for most := min(limit, n-1-seen); most > 0; {
				part := min(most, 63)
				t := bits.TrailingZeros64(r.peek())
				if t < part {
					r.pos += t + 1
					limit -= t + 1
					seen += t
					break
				}
				r.pos += part
				limit -= part
				seen += part
				most -= part
			}
			pl[seen&^63+k] |= 1 << uint(seen&63)
			seen++
		}
	}
}
