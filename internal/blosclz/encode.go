package blosclz

import (
	"encoding/binary"
	"math/bits"
	"sync"
)

const (
	tableLog    = 14
	maxLiterals = 32 // that one control byte announces
	minMatch    = 4  // the format allows 3, but such are found by chance
	minFar      = 8  // shorter ones that are far away save nothing
	maxDistance = far + 65535
	tail        = 12 // no match begins in so many bytes at the end

	// Where so many matches follow each other without literals, they get shorter
	// by their last byte, and the next one begins with it. In a plane of bytes
	// that wander slowly, what is behind the end of a match is found by it. In
	// text the stream would grow.
	joinedMin = 6
)

// table has by hash where the bytes were last seen.
type table [1 << tableLog]uint32

var tables = sync.Pool{New: func() any { return new(table) }}

// patience is how many times, as a power of two, a search fails before it makes
// larger steps, by level.
var patience = [10]uint{5, 5, 5, 6, 6, 6, 6, 7, 8, 10}

// Encode packs src into dst and returns the packed length, or 0 if it does not
// fit. clevel is from 1, which is fast where little can be packed, to 9.
func Encode(dst, src []byte, clevel int) int {
	if len(src) == 0 || uint64(len(src)) > 1<<32-1 {
		return 0
	}
	t := tables.Get().(*table)
	clear(t[:])
	op, anchor := t.encode(dst, src, patience[min(max(clevel, 1), 9)])
	tables.Put(t)
	if op < 0 {
		return 0
	}
	if op = literals(dst, op, src[anchor:]); op < 0 {
		return 0
	}
	dst[0] |= 1 << 5 // the mark of this format
	return op
}

// encode packs all but the last literals. It returns the number of packed bytes
// and where those literals begin, or -1 if there is no room.
func (t *table) encode(dst, src []byte, patience uint) (op, anchor int) {
	limit := len(src) - tail
	ip := 1 // position 0 is in the table already
	joined := 0
	for {
		// The search ends also where literals alone fill dst.
		stop := min(limit, anchor+len(dst)-op)
		var from, n int
		for tries := 1 << patience; ; tries++ {
			if ip >= stop {
				if stop < limit {
					return -1, 0
				}
				return op, anchor
			}
			v := load32(src, ip)
			slot := &t[hash(v)]
			from = int(*slot)
			*slot = uint32(ip)
			if load32(src, from) == v && ip-from-1 <= maxDistance {
				// One literal must be left: streams do not end with a match.
				n = minMatch + matching(src, from+minMatch, ip+minMatch, len(src)-1)
				if ip-from-1 < far || n >= minFar {
					break
				}
			}
			ip += tries >> patience
		}
		if joined++; ip > anchor {
			joined = 0
		} else if joined > joinedMin && n > minMatch {
			n--
		}
		if op = literals(dst, op, src[anchor:ip]); op < 0 {
			return -1, 0
		}
		if op = match(dst, op, ip-from-1, n); op < 0 {
			return -1, 0
		}
		ip += n
		anchor = ip
		if ip < limit {
			t[hash(load32(src, ip-1))] = uint32(ip - 1)
		}
	}
}

// matching counts equal bytes at a and b, a < b, looking no further than end.
func matching(src []byte, a, b, end int) int {
	start := b
	for b+8 <= end {
		if d := binary.LittleEndian.Uint64(src[a:]) ^ binary.LittleEndian.Uint64(src[b:]); d != 0 {
			return b - start + bits.TrailingZeros64(d)>>3
		}
		a += 8
		b += 8
	}
	for b < end && src[a] == src[b] {
		a++
		b++
	}
	return b - start
}

// literals writes literals and returns where to go on, or -1 if there is no
// room.
func literals(dst []byte, op int, src []byte) int {
	if len(dst)-op < len(src)+(len(src)+maxLiterals-1)/maxLiterals {
		return -1
	}
	for len(src) > 0 {
		n := min(len(src), maxLiterals)
		dst[op] = byte(n - 1)
		op += 1 + copy(dst[op+1:], src[:n])
		src = src[n:]
	}
	return op
}

// match writes a match and returns where to go on, or -1 if there is no room.
// The distance is one less than what it is.
func match(dst []byte, op, distance, n int) int {
	n -= 2
	if len(dst)-op < 6+n/255 {
		return -1
	}
	near := min(distance, far)
	dst[op] = byte(min(n, 7)<<5 | near>>8)
	op++
	if n >= 7 {
		for n -= 7; n >= 255; n -= 255 {
			dst[op] = 255
			op++
		}
		dst[op] = byte(n)
		op++
	}
	dst[op] = byte(near)
	op++
	if near == far {
		binary.BigEndian.PutUint16(dst[op:], uint16(distance-far))
		op += 2
	}
	return op
}

func hash(v uint32) uint32 { return v * 2654435761 >> (32 - tableLog) }

func load32(b []byte, i int) uint32 { return binary.LittleEndian.Uint32(b[i:]) }
