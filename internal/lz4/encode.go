package lz4

import (
	"encoding/binary"
	"math/bits"
	"sync"
	"unsafe"
)

const (
	tableLog     = 12
	lastLiterals = 5  // a block ends with at least so many
	matchLimit   = 12 // no match begins in so many bytes at the end
	maxDistance  = 1<<16 - 1
	sequenceRoom = 24 // of a short sequence with what is written too much

	// Where so many matches follow each other without literals, they get shorter
	// by their last byte, and the next one begins with it. In a plane of bytes
	// that wander slowly, what is behind the end of a match is found by it: the
	// block gets a fifth smaller and is made faster. In text it would grow.
	joinedMin = 6
)

// MaxSource is the size from which on nothing is packed; it is that of liblz4.
const MaxSource = 0x7e000000

// Bound is the largest size of a packed block of n bytes.
func Bound(n int) int { return n + n/255 + 16 }

// table has by hash where the bytes were last seen. It takes 16 KiB, as that of
// liblz4: with more it is slower, since it shares the first-level cache with
// what is packed.
type table [1 << tableLog]uint32

var tables = sync.Pool{New: func() any { return new(table) }}

// Encode packs src into dst and returns the packed length, or 0 if it does not
// fit or src has more than MaxSource bytes. A larger acceleration, from 1 on,
// is faster and packs less.
func Encode(dst, src []byte, acceleration int) int {
	if len(src) <= matchLimit {
		return last(dst, 0, src)
	}
	if len(src) > MaxSource {
		return 0
	}
	t := tables.Get().(*table)
	clear(t[:])
	op, anchor := t.encode(dst, src, uint(min(max(acceleration, 1), 1<<16)))
	tables.Put(t)
	if op < 0 {
		return 0
	}
	return last(dst, op, src[anchor:])
}

// progress is how far a block is packed.
type progress struct {
	ip, lit uint // where to look for a match, where the literals before it begin
	from    uint // where it was seen before, if one is found
	op      uint // where to write
	joined  uint // matches without literals between them

	limit uint // no match begins from here on
	room  uint // bytes of dst
	tries uint // 64 times the first step of a search
}

// encode packs all but the last literals. It returns the number of packed bytes
// and where those literals begin, or -1 if there is no room.
//
// src is read through p without checks: the searches stop 12 bytes before its
// end, and what the table holds lies before them.
func (t *table) encode(dst, src []byte, acceleration uint) (op, anchor int) {
	p := unsafe.Pointer(unsafe.SliceData(src))
	end := uint(len(src) - lastLiterals)
	// Position 0 is in the table already.
	s := progress{ip: 1, limit: uint(len(src) - matchLimit), room: uint(len(dst)), tries: acceleration << 6}
	for t.seek(dst, src, &s) {
		ip, from := s.ip, s.from
		for ip > s.lit && from > 0 && byteAt(p, ip-1) == byteAt(p, from-1) {
			ip--
			from--
		}
		distance, literals := ip-from, ip-s.lit
		ip += minMatch
		from += minMatch
		matched := ip
		ip += matching(p, from, ip, end)
		if s.joined++; literals > 0 {
			s.joined = 0
		} else if s.joined > joinedMin && ip > matched {
			ip--
		}
		more := ip - matched
		if literals < 15 && more < 15+255 && s.room-s.op >= sequenceRoom && s.lit+4 <= s.limit {
			// Most sequences are so short. Sixteen literals are copied, and what
			// follows is put over those that are too many.
			b := dst[s.op : s.op+sequenceRoom : s.op+sequenceRoom]
			b[0] = byte(literals<<4 | min(more, 15))
			binary.LittleEndian.PutUint64(b[1:], load64(p, s.lit))
			binary.LittleEndian.PutUint64(b[9:], load64(p, s.lit+8))
			b = b[1+literals&15:]
			binary.LittleEndian.PutUint16(b, uint16(distance))
			s.op += 3 + literals
			if more >= 15 {
				b[2] = byte(more - 15)
				s.op++
			}
		} else if op := sequence(dst, int(s.op), src[s.lit:s.lit+literals], distance, more); op < 0 {
			return -1, 0
		} else {
			s.op = uint(op)
		}
		s.lit, s.ip = ip, ip
		if ip >= s.limit {
			break
		}
		t[hash(load64(p, ip-2))] = uint32(ip - 2)
	}
	if s.ip < s.limit {
		return -1, 0
	}
	return int(s.op), int(s.lit)
}

// seekPlain looks for the next match from s.ip on, or says that there is none.
// Steps grow with the number of tries, so that what cannot be packed is passed
// quickly. The search ends also where literals alone fill dst.
func (t *table) seekPlain(src []byte, s *progress) bool {
	p := unsafe.Pointer(unsafe.SliceData(src))
	ip, stop := s.ip, min(s.limit, s.lit+s.room-s.op)
	for tries := s.tries; ip < stop; tries++ {
		v := load64(p, ip)
		slot := &t[hash(v)]
		from := uint(*slot)
		*slot = uint32(ip)
		if load32(p, from) == uint32(v) && ip-from <= maxDistance {
			s.ip, s.from = ip, from
			return true
		}
		ip += tries >> 6
	}
	s.ip = ip
	return false
}

// matching counts equal bytes at a and b, a < b, looking no further than end.
func matching(p unsafe.Pointer, a, b, end uint) uint {
	start := b
	// Planes of shuffled elements match for thousands of bytes.
	for b+32 <= end {
		d := (load64(p, a) ^ load64(p, b)) | (load64(p, a+8) ^ load64(p, b+8)) |
			(load64(p, a+16) ^ load64(p, b+16)) | (load64(p, a+24) ^ load64(p, b+24))
		if d != 0 {
			break
		}
		a += 32
		b += 32
	}
	for b+8 <= end {
		if d := load64(p, a) ^ load64(p, b); d != 0 {
			return b - start + uint(bits.TrailingZeros64(d))>>3
		}
		a += 8
		b += 8
	}
	for b < end && byteAt(p, a) == byteAt(p, b) {
		a++
		b++
	}
	return b - start
}

// sequence writes literals and a match that is longer than minMatch by more. It
// returns where the next sequence begins, or -1 if there is no room.
func sequence(dst []byte, op int, literals []byte, distance, more uint) int {
	if uint(len(dst)-op) < 5+uint(len(literals))+uint(len(literals))/255+more/255 {
		return -1
	}
	dst[op] = byte(min(len(literals), 15)<<4) | byte(min(more, 15))
	op = putLength(dst, op+1, len(literals))
	op += copy(dst[op:], literals)
	binary.LittleEndian.PutUint16(dst[op:], uint16(distance))
	return putLength(dst, op+2, int(more))
}

// last writes the literals at the end and returns the size of the block, or 0
// if there is no room.
func last(dst []byte, op int, literals []byte) int {
	if len(dst)-op < 1+len(literals)+(len(literals)+240)/255 {
		return 0
	}
	dst[op] = byte(min(len(literals), 15) << 4)
	op = putLength(dst, op+1, len(literals))
	return op + copy(dst[op:], literals)
}

// putLength writes what does not fit into the token.
func putLength(dst []byte, op, n int) int {
	if n -= 15; n < 0 {
		return op
	}
	for ; n >= 255; n -= 255 {
		dst[op] = 255
		op++
	}
	dst[op] = byte(n)
	return op + 1
}

// hash hashes the low five bytes of v.
func hash(v uint64) uint64 { return v << 24 * 889523592379 >> (64 - tableLog) }

func load64(p unsafe.Pointer, i uint) uint64 {
	return binary.LittleEndian.Uint64((*[8]byte)(unsafe.Add(p, i))[:])
}

func load32(p unsafe.Pointer, i uint) uint32 {
	return binary.LittleEndian.Uint32((*[4]byte)(unsafe.Add(p, i))[:])
}

func byteAt(p unsafe.Pointer, i uint) byte { return *(*byte)(unsafe.Add(p, i)) }
