// Package blosclz is BloscLZ, the compressor that Blosc 1 uses where none is
// named: a descendant of FastLZ with longer distances.
//
// A stream is a sequence of control bytes, each followed by what it announces.
// A value below 32 announces that number of literals plus one. Otherwise the
// top three bits are the length of a match minus two, of which 7 continues in
// bytes that are added up until one is not 255, and the low five bits and the
// byte that follows are its distance minus one. The largest distance that is
// possible so stands for a larger one: two bytes follow, big-endian, which
// count from there. Of the first control byte only the low five bits count.
package blosclz

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// ErrRoom says that a stream holds more than the destination.
var ErrRoom = errors.New("BloscLZ stream holds more than there is room for")

// far is the distance, minus one, from which two more bytes count.
const far = 31<<8 | 255

// Decode unpacks a stream into dst and returns the number of bytes that it
// holds. Bytes of dst behind them may have changed. A stream that is damaged or does not fit is an error.
func Decode(dst, src []byte) (n int, err error) {
	if len(src) == 0 {
		return 0, damaged(0, 0, "there is nothing")
	}
	ip, op := 1, 0
	for control := src[0] & 31; ; ip++ {
		if control < 32 {
			n := int(control) + 1
			if n > len(src)-ip {
				return 0, damaged(ip, len(src), "ends inside of literals")
			}
			if n > len(dst)-op {
				return 0, ErrRoom
			}
			if len(src)-ip >= maxLiterals && len(dst)-op >= maxLiterals {
				copyWords(dst[op:], src[ip:])
				if n > 16 {
					copyWords(dst[op+16:], src[ip+16:])
				}
			} else {
				copy(dst[op:], src[ip:ip+n])
			}
			ip += n
			op += n
		} else {
			n := int(control>>5) + 2
			if n == 9 {
				for more := byte(255); more == 255; ip++ {
					if ip == len(src) {
						return 0, damaged(ip, len(src), "ends inside of a length")
					}
					more = src[ip]
					if n += int(more); n > len(dst)-op {
						return 0, ErrRoom
					}
				}
			}
			if ip == len(src) {
				return 0, damaged(ip, len(src), "ends inside of a distance")
			}
			distance := int(control&31)<<8 | int(src[ip])
			ip++
			if distance == far {
				if len(src)-ip < 2 {
					return 0, damaged(ip, len(src), "ends inside of a distance")
				}
				distance += int(src[ip])<<8 | int(src[ip+1])
				ip += 2
			}
			distance++
			if distance > op {
				return 0, damaged(ip, len(src), "a match refers to what is not there")
			}
			if n > len(dst)-op {
				return 0, ErrRoom
			}
			repeat(dst, op, distance, n)
			op += n
		}
		if ip == len(src) {
			return op, nil
		}
		control = src[ip]
	}
}

// repeat copies n bytes to dst[at:] from distance before it. Where they
// overlap, the copied ones are copied again. Some more bytes may be written.
func repeat(dst []byte, at, distance, n int) {
	end := at + n
	if end > len(dst)-16 || n > 1024 {
		for from := at - distance; at < end; {
			at += copy(dst[at:end], dst[from:at])
		}
		return
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
}

// atLeast8 are the smallest multiples from 8 on.
var atLeast8 = [8]byte{0, 8, 8, 9, 8, 10, 12, 14}

// copyWords copies sixteen bytes, which do not overlap.
func copyWords(dst, src []byte) {
	low, high := binary.LittleEndian.Uint64(src), binary.LittleEndian.Uint64(src[8:])
	binary.LittleEndian.PutUint64(dst, low)
	binary.LittleEndian.PutUint64(dst[8:], high)
}

func damaged(at, size int, what string) error {
	return fmt.Errorf("BloscLZ stream is damaged at byte %d of %d: %s", at, size, what)
}
