package zstdenc

import "unsafe"

// tagged packs the position cur with 8 further bits of the hash x into a table
// entry. The difference of two entries is the distance of their positions if
// the tags agree, and larger than any position if not: most false candidates
// show without a look at the data they point to.
func tagged(cur uint32, x uint64) uint32 { return cur | uint32(x>>8)&^(1<<segmentBits-1) }

// findDouble searches with two tables: one of 8-byte strings, whose matches
// are taken at once, and one of short strings. It returns the start of the
// literals that remain.
func (e *encoder) findDouble(p unsafe.Pointer, start, end, tail uint) uint {
	e.long = table(e.long, e.longLog)
	e.short = table(e.short, e.shortLog)
	var (
		limit    = end - tailGuard
		base     = e.base
		long     = unsafe.Pointer(unsafe.SliceData(e.long))
		short    = unsafe.Pointer(unsafe.SliceData(e.short))
		longSh   = (64 - e.longLog) & 63
		shortSh  = (64 - e.shortLog) & 63
		minShort = e.minShort
		up       = (64 - 8*minShort) & 63
		skip     = e.skip & 63
		anchor   = start
		rep      = uint(e.reps[0])
	)
	insertLong := func(i uint) {
		x := load64(p, i) * hashPrime8
		*slot(long, uint(x>>longSh)) = tagged(base+uint32(i), x)
	}
	insertShort := func(i uint) {
		x := load64(p, i) << up * hashPrime6
		*slot(short, uint(x>>shortSh)) = tagged(base+uint32(i), x)
	}
	for i := max(start, 1); i < limit; {
		v := load64(p, i)
		x := v * hashPrime8
		pl := slot(long, uint(x>>longSh))
		entry := tagged(base+uint32(i), x)
		offL := uint(entry - *pl)
		*pl = entry
		x = v << up * hashPrime6
		ps := slot(short, uint(x>>shortSh))
		entry = tagged(base+uint32(i), x)
		offS := uint(entry - *ps)
		*ps = entry

		if rep <= i && load32(p, i+1) == load32(p, i+1-rep) {
			i++
			n := matchLen(p, i-rep+4, i+4, end) + 4
			e.putLits(p, anchor, i-anchor, tail)
			e.seqs = append(e.seqs, makeSequence(i-anchor, n, 1))
			i += n
			anchor = i
			continue
		}
		if min(offL, offS) > i {
			i += (i-anchor)>>skip + 1
			continue
		}
		var n, off uint
		if offL <= i && load64(p, i-offL) == v {
			off = offL
			n = matchLen(p, i-off+8, i+8, end) + 8
		} else if offS <= i && (load64(p, i-offS)^v)<<up == 0 {
			// A long match one byte on is worth more than a short one here.
			v1 := load64(p, i+1)
			x := v1 * hashPrime8
			pl := slot(long, uint(x>>longSh))
			entry := tagged(base+uint32(i+1), x)
			offL := uint(entry - *pl)
			*pl = entry
			if offL <= i && load64(p, i+1-offL) == v1 {
				i++
				off = offL
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
		rep = off
		from := i
		i += n
		anchor = i
		if i >= limit {
			break
		}
		// Remember a few positions inside the match.
		insertLong(from + 2)
		insertShort(from + 2)
		insertLong(i - 2)
		insertShort(i - 1)

		// A match with the offset before needs no literals and little space.
		for i < limit {
			r := uint(e.reps[1])
			if r > i || load32(p, i) != load32(p, i-r) {
				break
			}
			n := matchLen(p, i-r+4, i+4, end) + 4
			e.seqs = append(e.seqs, makeSequence(0, n, 1))
			e.reps[0], e.reps[1] = uint32(r), uint32(rep)
			rep = r
			insertLong(i)
			insertShort(i)
			i += n
			anchor = i
		}
	}
	return anchor
}
