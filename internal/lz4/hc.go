package lz4

import (
	"sync"
	"unsafe"
)

const (
	headLog = 15
	window  = 1 << 16
)

// chains finds matches by a list of all earlier positions with the same hash.
type chains struct {
	head [1 << headLog]uint32 // the last position by hash
	back [window]uint16       // how far before a position the one before it is; 0 ends the list
	next uint                 // the first position that is not in the lists
}

var chainPool = sync.Pool{New: func() any { return new(chains) }}

// EncodeHC packs smaller and slower than Encode, by level from 1 to 12.
func EncodeHC(dst, src []byte, level int) int {
	if len(src) > MaxSource {
		return 0
	}
	if len(src) <= matchLimit {
		return last(dst, 0, src)
	}
	c := chainPool.Get().(*chains)
	clear(c.head[:])
	c.next = 0
	op, anchor := c.encode(dst, src, min(max(level, 1), 12))
	chainPool.Put(c)
	if op < 0 {
		return 0
	}
	return last(dst, op, src[anchor:])
}

// found is a match of n bytes at at; none if n is 0.
type found struct{ at, from, n uint }

// encode packs all but the last literals. It returns the number of packed bytes
// and where the literals begin, or -1 if there is no room.
func (c *chains) encode(dst, src []byte, level int) (int, int) {
	p := unsafe.Pointer(unsafe.SliceData(src))
	limit, end := uint(len(src)-matchLimit), uint(len(src)-lastLiterals)
	depth := depths[level]
	op := 0
	ip, anchor := uint(1), uint(0)
	for ip < limit {
		m := c.find(p, ip, ip, end, minMatch-1, depth)
		if m.n == 0 {
			if ip++; ip-anchor > uint(len(dst)-op) {
				return -1, 0
			}
			continue
		}
		for {
			// What follows a match says more about where to look than its
			// beginning: a longer match that is found there, and that begins
			// earlier, replaces the match or its end.
			var later found
			if tail := m.at + m.n - 2; tail < limit {
				later = c.find(p, tail, m.at, end, m.n, depth)
			}
			if later.n > 0 {
				if later.at < m.at+minMatch {
					m = later
					continue
				}
				m.n = min(m.n, later.at-m.at)
			}
			if op = sequence(dst, op, src[anchor:m.at], m.at-m.from, m.n-minMatch); op < 0 {
				return -1, 0
			}
			anchor = m.at + m.n
			if later.n == 0 {
				break
			}
			m = later
		}
		ip = anchor
	}
	return op, int(anchor)
}

// find looks for a match of more than n bytes that includes those at ip and
// begins at low or later. low+n is not before ip.
func (c *chains) find(p unsafe.Pointer, ip, low, end, n uint, depth int) (m found) {
	for ; c.next < ip; c.next++ {
		head := &c.head[hash4(load32(p, c.next))]
		c.back[c.next%window] = uint16(min(c.next-uint(*head), maxDistance))
		*head = uint32(c.next)
	}
	v := load32(p, ip)
	from := uint(c.head[hash4(v)])
	for ; depth > 0 && ip-from <= maxDistance; depth-- {
		if low+n >= end {
			break
		}
		// The match must reach further than the best one so far.
		if byteAt(p, from+low+n-ip) == byteAt(p, low+n) && load32(p, from) == v {
			k := minMatch + matching(p, from+minMatch, ip+minMatch, end)
			at, start := ip, from
			for at > low && start > 0 && byteAt(p, at-1) == byteAt(p, start-1) {
				at--
				start--
				k++
			}
			if k > n {
				m, n = found{at, start, k}, k
			}
		}
		back := uint(c.back[from%window])
		if back == 0 || back > from {
			break
		}
		from -= back
	}
	return m
}

// depths are how many positions are looked at, by level.
var depths = [...]int{0, 2, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 4096}

func hash4(v uint32) uint32 { return v * 2654435761 >> (32 - headLog) }
