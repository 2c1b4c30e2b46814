package zfp

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Elem says what an element in memory is, and how it becomes a value that streams
// hold.
type Elem struct {
	Type  Type
	Width int // bytes in memory: 1, 2, 4 or 8
	// Bits is the number of bits of an integer that is shifted to the top of an
	// Int32, just below the sign; 0 for a value that is taken as it is.
	Bits     int
	Unsigned bool
}

// load reads four elements, which lie in data from byte row on at these
// distances.
func load[T integer](out []T, e Elem, data []byte, row int, at *[4]int) error {
	_ = out[3]
	switch e.Width {
	case 4:
		for i, o := range at {
			x := binary.LittleEndian.Uint32(data[row+o:])
			if e.Unsigned && x > math.MaxInt32 {
				return fmt.Errorf("value %d is too large: zfp holds numbers up to %d", x, math.MaxInt32)
			}
			out[i] = T(int32(x))
		}
	case 8:
		for i, o := range at {
			x := binary.LittleEndian.Uint64(data[row+o:])
			if e.Unsigned && x > math.MaxInt64 {
				return fmt.Errorf("value %d is too large: zfp holds numbers up to %d", x, int64(math.MaxInt64))
			}
			out[i] = T(x)
		}
	case 2:
		for i, o := range at {
			out[i] = promote[T](e, int32(int16(binary.LittleEndian.Uint16(data[row+o:]))))
		}
	default:
		for i, o := range at {
			out[i] = promote[T](e, int32(int8(data[row+o])))
		}
	}
	return nil
}

// store writes elements from byte at on, step bytes apart.
func store[T integer](e Elem, data []byte, at, step int, values []T) {
	switch e.Width {
	case 4:
		for _, x := range values {
			if e.Unsigned {
				x = max(x, 0)
			}
			binary.LittleEndian.PutUint32(data[at:], uint32(x))
			at += step
		}
	case 8:
		for _, x := range values {
			if e.Unsigned {
				x = max(x, 0)
			}
			binary.LittleEndian.PutUint64(data[at:], uint64(x))
			at += step
		}
	case 2:
		for _, x := range values {
			binary.LittleEndian.PutUint16(data[at:], uint16(demote(e, x)))
			at += step
		}
	default:
		for _, x := range values {
			data[at] = byte(demote(e, x))
			at += step
		}
	}
}

// promote makes an integer of few bits, which was sign-extended from its width in
// memory, a large one.
func promote[T integer](e Elem, x int32) T {
	if e.Unsigned {
		x = x&int32(mask(8*e.Width)) - 1<<(e.Bits-1)
	}
	return T(x << (31 - e.Bits))
}

// demote undoes promote. What was lost must not lead out of the range.
func demote[T integer](e Elem, v T) int32 {
	half := int32(1) << (e.Bits - 1)
	x := max(-half, min(int32(v)>>(31-e.Bits), half-1))
	if e.Unsigned {
		x += half
	}
	return x
}
