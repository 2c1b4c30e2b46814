package zstdenc

import "unsafe"

// findDouble searches with two tables: one of 8-byte strings, whose matches
// are taken at once, and one of short strings. It returns the start of the
// literals that remain.
func (e *encoder) findDouble(p unsafe.Pointer, start, end, tail uint) uint {
	e.long = table(e.long, e.longLog)
	e.short = table(e.short, e.shortLog)
	var (
		limit    = end - tailGuard
		base     = uint(e.base)
		long     = unsafe.Pointer(unsafe.SliceData(e.long))
		short    = unsafe.Pointer(unsafe.SliceData(e.short))
		longSh   = 64 - e.longLog
		shortSh  = 64 - e.shortLog
		minShort = e.minShort
		up       = 64 - 8*minShort
		skip     = e.skip & 63
		anchor   = start
	)
	for i := max(start, 1); i < limit; {
		v := load64(p, i)
		pl, ps := slot(long, hash8(v, longSh)), slot(short, hashLow(v, up, shortSh))
		cur := base + i
		offL, offS := cur-uint(*pl), cur-uint(*ps)
		*pl, *ps = uint32(cur), uint32(cur)

		if rep := uint(e.reps[0]); rep <= i+1 && load32(p, i+1) == load32(p, i+1-rep) {
			i++
			n := matchLen(p, i-rep+4, i+4, end) + 4
			e.putLits(p, anchor, i-anchor, tail)
			e.seqs = append(e.seqs, makeSequence(i-anchor, n, 1))
			i += n
			anchor = i
			continue
		}
		var n, off uint
		if offL <= i && load64(p, i-offL) == v {
			off = offL
			n = matchLen(p, i-off+8, i+8, end) + 8
		} else if offS <= i && (load64(p, i-offS)^v)<<(up&63) == 0 {
			// A long match one byte on is worth more than a short one here.
			v1 := load64(p, i+1)
			pl1 := slot(long, hash8(v1, longSh))
			off1 := cur + 1 - uint(*pl1)
			*pl1 = uint32(cur + 1)
			if off1 <= i && load64(p, i+1-off1) == v1 {
				i++
				off = off1
				n = matchLen(p, i-off+8, i+8, end) + 8
			} else {
				off = offS
				n = matchLen(p, i-off+minShort, i+minShort, end) + minShort
			}
		} else {
			i += (i-anchor)>>skip + 1
			continue
		}
		for i > anchor && i > off && byteAt(p, i-1) == byteAt(p, i-1-off) {
			i--
			n++
		}
		e.putLits(p, anchor, i-anchor, tail)
		e.seqs = append(e.seqs, makeSequence(i-anchor, n, e.offsetValue(i-anchor, uint32(off))))
		from := i
		i += n
		anchor = i
		if i >= limit {
			break
		}
		// Remember a few positions inside the match.
		v = load64(p, from+2)
		*slot(long, hash8(v, longSh)) = uint32(base + from + 2)
		*slot(short, hashLow(v, up, shortSh)) = uint32(base + from + 2)
		*slot(long, hash8(load64(p, i-2), longSh)) = uint32(base + i - 2)
		*slot(short, hashLow(load64(p, i-1), up, shortSh)) = uint32(base + i - 1)

		// A match with the offset before needs no literals and little space.
		for i < limit {
			rep := uint(e.reps[1])
			if rep > i || load32(p, i) != load32(p, i-rep) {
				break
			}
			n := matchLen(p, i-rep+4, i+4, end) + 4
			e.seqs = append(e.seqs, makeSequence(0, n, 1))
			e.reps[0], e.reps[1] = e.reps[1], e.reps[0]
			v = load64(p, i)
			*slot(long, hash8(v, longSh)) = uint32(base + i)
			*slot(short, hashLow(v, up, shortSh)) = uint32(base + i)
			i += n
			anchor = i
		}
	}
	return anchor
}
