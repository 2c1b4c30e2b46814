package zstdenc

import "unsafe"

// findSingle is the search of the fastest levels: one small table, and a step
// that grows quickly where nothing is found. It returns the start of the
// literals that remain.
func (e *encoder) findSingle(p unsafe.Pointer, start, end, tail uint) uint {
	e.short = table(e.short, e.shortLog)
	var (
		limit    = end - tailGuard
		base     = uint(e.base)
		short    = unsafe.Pointer(unsafe.SliceData(e.short))
		shift    = 64 - e.shortLog
		minShort = e.minShort
		up       = 64 - 8*minShort
		skip     = e.skip & 63
		step     = e.step
		anchor   = start
	)
	for i := max(start, 1); i < limit; {
		v := load64(p, i)
		ps := slot(short, hashLow(v, up, shift))
		off := base + i - uint(*ps)
		*ps = uint32(base + i)

		if rep := uint(e.reps[0]); rep <= i+1 && load32(p, i+1) == load32(p, i+1-rep) {
			i++
			n := matchLen(p, i-rep+4, i+4, end) + 4
			e.putLits(p, anchor, i-anchor, tail)
			e.seqs = append(e.seqs, makeSequence(i-anchor, n, 1))
			i += n
			anchor = i
			continue
		}
		if off > i || (load64(p, i-off)^v)<<(up&63) != 0 {
			i += (i-anchor)>>skip + step
			continue
		}
		n := matchLen(p, i-off+minShort, i+minShort, end) + minShort
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
		*slot(short, hashLow(load64(p, from+2), up, shift)) = uint32(base + from + 2)
		*slot(short, hashLow(load64(p, i-2), up, shift)) = uint32(base + i - 2)
	}
	return anchor
}
