package lz4

import "encoding/binary"

// decodePlain is decodeFast in Go: it unpacks sequences from src[ip:] to
// dst[op:] as long as they are short, right and far enough from the ends of
// both, and returns where it stopped. It copies words, some more than needed.
func decodePlain(dst, src []byte, ip, op int) (int, int) {
	for ip <= len(src)-srcMargin && op <= len(dst)-dstMargin {
		token := src[ip]
		literals := int(token >> 4)
		if literals == 15 {
			break
		}
		copyWords(dst[op:], src[ip+1:])
		at := op + literals
		next := ip + 1 + literals
		distance := int(binary.LittleEndian.Uint16(src[next:]))
		next += 2
		n := int(token & 15)
		if n == 15 {
			b := src[next]
			next++
			if b == 255 {
				break
			}
			n += int(b)
		}
		n += minMatch
		end := at + n
		if distance == 0 || distance > at || end > len(dst)-16 {
			break
		}
		if distance < 8 {
			for i := range 8 {
				dst[at+i] = dst[at+i-distance]
			}
			at += 8
			distance = int(atLeast8[distance])
		}
		if distance < 16 {
			for ; at < end; at += 8 {
				binary.LittleEndian.PutUint64(dst[at:], binary.LittleEndian.Uint64(dst[at-distance:]))
			}
		}
		for ; at < end; at += 16 {
			copyWords(dst[at:], dst[at-distance:])
		}
		ip, op = next, end
	}
	return ip, op
}

// atLeast8 are the smallest multiples from 8 on.
var atLeast8 = [8]byte{0, 8, 8, 9, 8, 10, 12, 14}

// copyWords copies sixteen bytes, which do not overlap.
func copyWords(dst, src []byte) {
	low, high := binary.LittleEndian.Uint64(src), binary.LittleEndian.Uint64(src[8:])
	binary.LittleEndian.PutUint64(dst, low)
	binary.LittleEndian.PutUint64(dst[8:], high)
}
