package zstdenc

import (
	"math"
	"unsafe"
)

// The lane parser is for noisy two-byte elements, call their bytes high and
// low. A high byte is nearly free to predict and a low byte hardly worth it, but
// the format has one Huffman table for all literals, and a match has at least
// three bytes. What works is to let every match start and end with a high byte:
//
//	low | high low high low high | low | high low high low high | low …
//
// Then nearly all literals are single low bytes, nearly all literal lengths
// are 1 and match lengths 5, so both code almost for free, and only half of the
// positions need a search. Matches of two elements are so common that the
// choice among them decides the size: a span is first searched without a single
// unpredictable branch, then the cheapest chain of matches is computed.

const (
	laneSpan  = 2048 // elements parsed at a time, so that the scratch stays in cache
	laneMatch = 5    // bytes of a match with two elements
	laneJump  = 3    // elements from such a match to the next possible one
)

// laneScratch holds the parse of one span, with room to look past its end.
type laneScratch struct {
	// cand holds, per element, offset<<8 | elements to the next possible match,
	// or 0 without a match.
	cand [laneSpan]uint32
	// path holds, per element, the cost of the span from there on and below it
	// the element at which the next match starts.
	path [laneSpan + laneJump + 1]uint32
	// long is whether to search for long matches, too. It depends on how many
	// of the recent matches were extended beyond laneMatch.
	long              bool
	matches, extended uint
}

// findLanes is the lane parser; high bytes are at the positions whose parity is
// lane. It returns the start of the literals that remain.
func (e *encoder) findLanes(p unsafe.Pointer, start, end, tail, lane uint) uint {
	e.laneTable = table(e.laneTable, e.laneLog)
	pos, anchor := start, start
	limit := end - tailGuard
	for s := start; s < limit; s += 2 * laneSpan {
		to := min(s+2*laneSpan, limit)
		if pos >= to {
			continue // inside a long match
		}
		first := s + (s+lane)&1
		if first == 0 {
			first = 2 // a match needs something before it
		}
		if first >= to {
			break
		}
		n := (to - first + 1) / 2
		e.searchSpan(p, first, n)
		pos, anchor = e.laneWalk(p, pos, anchor, first, n, end, tail)
	}
	return anchor
}

// searchSpan finds the cheapest chain of matches for n elements.
func (e *encoder) searchSpan(p unsafe.Pointer, first, n uint) {
	if e.lanes.long {
		e.laneCandidatesLong(p, first, n)
		e.lanes.parse(0, n)
		return
	}
	done := e.candidatesFast(p, first, n)
	e.laneCandidates(p, first, done, n)
	e.lanes.parse(done, n)
	e.lanes.parseFast(first, done)
}

// laneHash hashes the five lowest bytes of v, a high byte and two elements: bits 8 to 23 choose an entry of the
// table, those above are its tag. Values of noise lie close together, and sums of their multiples
// meet more seldom than hashes that look random; these factors were the best of 150.
func laneHash(v uint64) uint32 {
	return uint32(int32(int16(v))*laneFactor0 + int32(int16(v>>16))*laneFactor1 + int32(uint8(v>>32))*laneFactor2)
}

const (
	laneFactor0 = 9707
	laneFactor1 = -11177
	laneFactor2 = -5395
)

// laneTagged is tagged for a laneHash.
func laneTagged(cur, x uint32) uint32 { return cur | x&^(1<<segmentBits-1) }

// laneCandidates finds, for each of n elements but those before from, where its high byte and the two
// elements after it were seen last. It never looks at the earlier data, which
// is likely to be far from the processor: 8 bits of the hash beside each
// position tell well enough whether there is a match, and the few that are
// used will be checked.
func (e *encoder) laneCandidates(p unsafe.Pointer, first, from, n uint) {
	tab := unsafe.Pointer(unsafe.SliceData(e.laneTable))
	shift := (32 - e.laneLog) & 31
	base := e.base
	for k := from; k < n; k++ {
		i := uint32(first) + 2*uint32(k)
		x := laneHash(load64(p, uint(i)))
		entry := laneTagged(base+i, x)
		at := slot(tab, uint(x<<8>>shift))
		off := entry - *at
		*at = entry
		c := off<<8 | laneJump
		if off > i {
			c = 0
		}
		e.lanes.cand[k] = c
	}
}

// laneCandidatesLong is laneCandidates with a second table, of matches of three
// elements, which pays when the noise is so low that these are common.
func (e *encoder) laneCandidatesLong(p unsafe.Pointer, first, n uint) {
	e.laneLong = table(e.laneLong, e.laneLog)
	tab := unsafe.Pointer(unsafe.SliceData(e.laneTable))
	long := unsafe.Pointer(unsafe.SliceData(e.laneLong))
	shift, longShift := (32-e.laneLog)&31, (64-e.laneLog)&63
	base := e.base
	for k := range e.lanes.cand[:n] {
		i := uint32(first) + 2*uint32(k)
		v := load64(p, uint(i))
		x := laneHash(v)
		entry := laneTagged(base+i, x)
		at := slot(tab, uint(x<<8>>shift))
		off := entry - *at
		*at = entry
		c := off<<8 | laneJump
		if off > i {
			c = 0
		}
		y := v << (64 - 8*(laneMatch+2)) * hashPrime8
		entry = tagged(base+i, y)
		at = slot(long, uint(y>>longShift))
		off = entry - *at
		*at = entry
		cl := off<<8 | (laneJump + 1)
		if off <= i {
			c = cl
		}
		e.lanes.cand[k] = c
	}
}

const (
	pathBits = 12 // the element in a path word; must exceed laneSpan
	pathMask = 1<<pathBits - 1

	// Costs are in eighths of a bit. Their exact values hardly matter: the
	// literal cost is that of a low byte and a high byte, which is rare among
	// the literals; a match comes with one low byte.
	costBit   = 8 << pathBits
	litCost   = 20 * costBit
	matchCost = 16 * costBit
	noMatch   = 1 << 31
	matched   = 1<<32 - 127*costBit + matchCost
)

// candCost holds the cost of a candidate without its offset, by its low bits.
// The exponent bias of the logarithm is taken off here.
var candCost = [8]uint32{
	0:            noMatch,
	laneJump:     matched,
	laneJump + 1: matched,
}

// parse computes the cheapest way to code a span of n elements, from its end to the element from.
func (sc *laneScratch) parse(from, n uint) {
	path := unsafe.Pointer(&sc.path)
	w := uint32(n)
	for i := range sc.path[n:][:laneJump+1] {
		sc.path[n+uint(i)] = w
	}
	for k := int(n) - 1; k >= int(from); k-- {
		c := sc.cand[k]
		jump := uint(c & 7)
		// Without a match this reads the word about to be written: whatever it
		// holds, noMatch makes it too expensive.
		m := *(*uint32)(unsafe.Add(path, (uint(k)+jump)*4))&^pathMask | uint32(k)
		// The exponent of a float32 and the top of its mantissa are a logarithm
		// that takes no branch and no table.
		m += math.Float32bits(float32(int32(c>>8))) >> (20 - pathBits) &^ pathMask
		m += candCost[jump]
		w = min(w+litCost, m)
		*(*uint32)(unsafe.Add(path, k*4)) = w
	}
}

// laneWalk follows the path through a span and emits its sequences. It returns
// the position reached and the start of the literals not yet emitted.
func (e *encoder) laneWalk(p unsafe.Pointer, pos, anchor, first, n, end, tail uint) (uint, uint) {
	sc := &e.lanes
	r0, r1, r2 := e.reps[0], e.reps[1], e.reps[2]
	seqs, nseq := e.seqs[:cap(e.seqs)], len(e.seqs)
	lits, nlit := unsafe.Pointer(unsafe.SliceData(e.lits)), uint(len(e.lits))
	for pos = max(pos, first); ; {
		k := (pos - first + 1) >> 1
		if k >= n {
			break
		}
		k = uint(sc.path[k] & pathMask)
		if k >= n {
			break
		}
		off := sc.cand[k] >> 8
		at := first + 2*k
		// The length is almost always the expected one. Leaving that to branch
		// prediction lets the next steps start before the data is here.
		d := load64(p, at) ^ load64(p, at-uint(off))
		if d<<(64-8*laneMatch) != 0 {
			pos = at + 1 // the tag was wrong
			continue
		}
		l := uint(laneMatch)
		if d<<8 == 0 {
			sc.extended++
			l = laneMatch + 2
			if d == 0 {
				l = 8 + matchLen(p, at+8-uint(off), at+8, end)
			}
		}
		ll := at - anchor
		out := unsafe.Add(lits, nlit)
		if at+16 <= tail {
			store64(out, 0, load64(p, anchor))
			for k := uint(8); k < ll; k += 8 {
				store64(out, k, load64(p, anchor+k))
			}
		} else {
			copy(unsafe.Slice((*byte)(out), ll), unsafe.Slice((*byte)(p), at)[anchor:])
		}
		nlit += ll
		v := uint(off) + 3
		if off == r0 || off == r1 || off == r2 {
			e.reps = [3]uint32{r0, r1, r2}
			v = e.offsetValue(ll, off)
			r0, r1, r2 = e.reps[0], e.reps[1], e.reps[2]
		} else {
			r2, r1, r0 = r1, r0, off
		}
		seqs[nseq] = makeSequence(ll, l, v)
		nseq++
		pos = at + l
		anchor = pos
	}
	sc.adapt(uint(nseq - len(e.seqs)))
	e.reps = [3]uint32{r0, r1, r2}
	e.seqs, e.lits = seqs[:nseq], e.lits[:nlit]
	return pos, anchor
}

// adapt decides from the matches of a span how to search the next ones. Long
// matches turn up more often when searched for, hence two thresholds.
func (sc *laneScratch) adapt(matches uint) {
	const enough = 1000
	if sc.matches += matches; sc.matches < enough {
		return
	}
	if sc.long {
		sc.long = sc.extended > sc.matches*2/7
	} else {
		sc.long = sc.extended > sc.matches/12
	}
	sc.matches, sc.extended = 0, 0
}
