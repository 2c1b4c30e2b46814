// Package lz4 is the LZ4 block format, without any frame: a sequence of
// literals and matches, of which neither the packed nor the unpacked size is
// written down.
//
// It is made for the planes that Blosc cuts chunks into, of some hundred
// kilobytes each. No function allocates once the process has warmed up.
package lz4

import (
	"errors"
	"fmt"
)

// ErrRoom says that a block holds more than the destination.
var ErrRoom = errors.New("LZ4 block holds more than there is room for")

// A match has at least four bytes; its length is written without them.
const minMatch = 4

// What the fast ways of decoding leave at the ends of both buffers, since they
// read and write more than they need.
const (
	srcMargin = 48
	dstMargin = 64
)

// Decode unpacks a block into dst and returns the number of bytes that it
// holds. Bytes of dst behind them may have changed. A block that is damaged or
// does not fit is an error.
func Decode(dst, src []byte) (n int, err error) {
	ip, op := 0, 0
	for {
		ip, op = decodeFast(dst, src, ip, op)
		if ip >= len(src) {
			return 0, damaged(ip, len(src), "ends where literals should follow")
		}
		token := src[ip]
		ip++
		literals := int(token >> 4)
		if literals == 15 {
			if literals, ip, err = length(src, ip, literals, len(dst)-op); err != nil {
				return 0, err
			}
		}
		if literals > len(src)-ip {
			return 0, damaged(ip, len(src), "ends inside of literals")
		}
		if literals > len(dst)-op {
			return 0, ErrRoom
		}
		copy(dst[op:], src[ip:ip+literals])
		ip += literals
		op += literals
		if ip == len(src) {
			return op, nil
		}
		if len(src)-ip < 2 {
			return 0, damaged(ip, len(src), "ends inside of a distance")
		}
		distance := int(src[ip]) | int(src[ip+1])<<8
		ip += 2
		if distance == 0 || distance > op {
			return 0, damaged(ip-2, len(src), "a match refers to what is not there")
		}
		match := int(token & 15)
		if match == 15 {
			if match, ip, err = length(src, ip, match, len(dst)-op); err != nil {
				return 0, err
			}
		}
		match += minMatch
		if match > len(dst)-op {
			return 0, ErrRoom
		}
		repeat(dst, op, distance, match)
		op += match
	}
}

// length reads the rest of a length that begins with n, and stops when it
// exceeds the room.
func length(src []byte, ip, n, room int) (int, int, error) {
	for {
		if ip == len(src) {
			return 0, 0, damaged(ip, len(src), "ends inside of a length")
		}
		b := int(src[ip])
		ip++
		if n += b; n > room {
			return 0, 0, ErrRoom
		}
		if b < 255 {
			return n, ip, nil
		}
	}
}

// repeat copies n bytes to dst[at:] from distance before it. Where they
// overlap, the copied ones are copied again.
func repeat(dst []byte, at, distance, n int) {
	from := at - distance
	for n > 0 {
		k := copy(dst[at:at+n], dst[from:at])
		at += k
		n -= k
	}
}

func damaged(at, size int, what string) error {
	return fmt.Errorf("LZ4 block is damaged at byte %d of %d: %s", at, size, what)
}
