package lzf

import (
	"sync"

	"github.com/omnizarr/zarr/codec"
)

// A run begins with a byte. Below 32 it is one less than the number of bytes that
// follow as they are. Else its upper three bits are two less than the length of a
// match, seven if one more byte adds to it, and the lower five the upper bits of the
// distance less one, of which the next byte has the rest.
const (
	maxLiterals = 1 << 5
	minMatch    = 3
	longMatch   = 7
	maxMatch    = longMatch + 255 + 2
	maxDistance = 1 << 13
)

// bound is the length of n bytes that do not repeat.
func bound(n int) int { return n + (n+maxLiterals-1)/maxLiterals }

// run reads what the run at src[at] says: where it ends, its length, and the distance
// of a match, which is 0 for bytes that follow. An end of 0 is cut short.
func run(src []byte, at int) (end, n, distance int) {
	c := int(src[at])
	at++
	if c < maxLiterals {
		if c+1 > len(src)-at {
			return 0, 0, 0
		}
		return at + c + 1, c + 1, 0
	}
	n = c >> 5
	if n == longMatch {
		if at == len(src) {
			return 0, 0, 0
		}
		n += int(src[at])
		at++
	}
	if at == len(src) {
		return 0, 0, 0
	}
	return at + 1, n + 2, c&31<<8 + int(src[at]) + 1
}

// measure is how many bytes the runs hold, all of which are there. It ends behind
// the limit.
func measure(src []byte, limit int) (int, error) {
	n := 0
	for at := 0; at < len(src) && n <= limit; {
		end, k, distance := run(src, at)
		switch {
		case end == 0:
			return 0, codec.Bad("ends inside of the run at byte %d of %d", at, len(src))
		case distance > n:
			return 0, codec.Bad("the run at byte %d of %d repeats what is %d bytes back, behind %d", at, len(src), distance, n)
		}
		at, n = end, n+k
	}
	return n, nil
}

// decode fills dst, which has the length that was measured.
func decode(dst, src []byte) {
	n := 0
	for at := 0; at < len(src); {
		end, k, distance := run(src, at)
		if distance == 0 {
			copy(dst[n:n+k], src[end-k:end])
		} else {
			repeat(dst, n, distance, k)
		}
		at, n = end, n+k
	}
}

// repeat copies k bytes to dst[n] from distance bytes before, which may overlap.
func repeat(dst []byte, n, distance, k int) {
	from, to := dst[n-distance:n+k], dst[n:n+k]
	for done := 0; done < k; {
		done += copy(to[done:], from[:distance+done])
	}
}

// table has, by the hash of three bytes, one more than where they were last seen.
type table [1 << 13]int

var tables = sync.Pool{New: func() any { return new(table) }}

func hash(b []byte) uint32 {
	return (uint32(b[0])<<16 | uint32(b[1])<<8 | uint32(b[2])) * 2654435761 >> (32 - 13)
}

// encode appends runs to dst, which has room for them.
func encode(dst, src []byte) []byte {
	t := tables.Get().(*table)
	defer tables.Put(t)
	clear(t[:])
	anchor := 0
	for i := 0; i+minMatch <= len(src); {
		h := hash(src[i:])
		at := t[h] - 1
		t[h] = i + 1
		if at < 0 || i-at > maxDistance || src[at] != src[i] || src[at+1] != src[i+1] || src[at+2] != src[i+2] {
			i++
			continue
		}
		n, most := minMatch, min(len(src)-i, maxMatch)
		for n < most && src[at+n] == src[i+n] {
			n++
		}
		dst = appendMatch(appendLiterals(dst, src[anchor:i]), i-at, n)
		i += n
		anchor = i
		if i+1 < len(src) { // what the match ends with is found again
			t[hash(src[i-1:])] = i
		}
	}
	return appendLiterals(dst, src[anchor:])
}

func appendLiterals(dst, src []byte) []byte {
	for len(src) > 0 {
		n := min(len(src), maxLiterals)
		dst = append(append(dst, byte(n-1)), src[:n]...)
		src = src[n:]
	}
	return dst
}

func appendMatch(dst []byte, distance, n int) []byte {
	distance, n = distance-1, n-2
	if n < longMatch {
		return append(dst, byte(n<<5|distance>>8), byte(distance))
	}
	return append(dst, byte(longMatch<<5|distance>>8), byte(n-longMatch), byte(distance))
}
