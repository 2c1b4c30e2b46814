package lzw

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

// slack is more than a turn of the fast loop writes: four strings of up to seven
// bytes, of which the last is written as a word of eight. A longer string is
// written with up to fifteen bytes too many.
const slack = 32

// fast decodes codes of the width at hand until something comes up that needs
// care: a clear code, an end code, one that is not known, a string that may not
// fit, the end of src, or longer codes.
//
// A turn takes four codes. If all four are known and their strings are short,
// which is what most data is like, none has to wait for what another puts out,
// and nothing is decided but that. Otherwise they are taken one by one.
//
// What is read and written through pointers stays in src and dst: at the start
// of a turn there are eight bytes of src and slack bytes of dst, and the lengths
// of short strings come from values, in which only join counts. A longer string
// begins in what is decoded, and fits with slack, or nothing is written.
func (d *decoder) fast(dst []byte) {
	src := d.src
	if len(src) < 8 || len(dst) < slack {
		return
	}
	in, out := unsafe.Pointer(unsafe.SliceData(src)), unsafe.Pointer(unsafe.SliceData(dst))
	inLimit, outLimit := uint64(len(src)-8), uint(len(dst)-slack)
	width := d.width
	mask := uint64(1)<<width - 1
	nextLimit := uint(mask) // where codes become longer
	if width == maxWidth {
		nextLimit = maxCodes
	}
	bit, op, base, next, prev := d.bit, uint(d.op), uint(d.base), d.next, d.prev
	values := &d.values
turns:
	for next+4 <= nextLimit && bit>>3 <= inLimit && op <= outLimit {
		v := bits.ReverseBytes64(load64(in, uint(bit>>3))) << (bit & 7)
		v0 := bits.RotateLeft64(v, int(width))
		v1 := bits.RotateLeft64(v0, int(width))
		v2 := bits.RotateLeft64(v1, int(width))
		v3 := bits.RotateLeft64(v2, int(width))
		c0, c1, c2, c3 := uint(v0&mask), uint(v1&mask), uint(v2&mask), uint(v3&mask)
		e0, e1, e2, e3 := values[c0%maxCodes], values[c1%maxCodes], values[c2%maxCodes], values[c3%maxCodes]
		if c0 < next && c1 < next && c2 < next && c3 < next && e0|e1|e2|e3 < long {
			val := (*[4]uint64)(values[next:])
			val[0], val[1], val[2], val[3] = join(prev, e0&255), join(e0, e1&255), join(e1, e2&255), join(e2, e3&255)
			start := (*[4]uint32)(d.starts[next+1:])
			start[0] = uint32(op - base)
			store64(out, op, e0)
			op += length(e0)
			start[1] = uint32(op - base)
			store64(out, op, e1)
			op += length(e1)
			start[2] = uint32(op - base)
			store64(out, op, e2)
			op += length(e2)
			start[3] = uint32(op - base)
			store64(out, op, e3)
			op += length(e3)
			next += 4
			bit += 4 * uint64(width)
			prev = e3
			continue
		}
		for range 4 {
			v = bits.RotateLeft64(v, int(width))
			c := uint(v & mask)
			if c > next || c == clearCode || c == endCode || op > outLimit {
				break turns
			}
			e := values[c%maxCodes]
			d.starts[next+1] = uint32(op - base)
			if c < next && e < long {
				store64(out, op, e)
				values[next] = join(prev, e&255)
				op += length(e)
			} else {
				from := base + uint(d.starts[c])
				n := uint(d.starts[c+1]-d.starts[c]) + 1
				if from >= op || n > outLimit-op {
					break turns
				}
				if n > 64 { // where a call pays
					copy(dst[op:op+n], dst[from:from+n])
				} else {
					for i := uint(0); i < n; i += 16 {
						a, b := load64(out, from+i), load64(out, from+i+8)
						store64(out, op+i, a)
						store64(out, op+i+8, b)
					}
				}
				first := dst[from]
				if c == next {
					// Its last byte is also its first.
					dst[op+n-1] = first
				}
				values[next] = join(prev, uint64(first))
				if e = values[c]; e >= long {
					e = long
				}
				op += n
			}
			prev = e
			next++
			bit += uint64(width)
		}
	}
	d.bit, d.op, d.next, d.prev = bit, int(op), next, prev
	d.widen()
}

// length gives that of a short string.
func length(value uint64) uint { return uint(value>>56) - noLength>>56 }

// Little-endian words whatever the machine; one instruction on most.

func load64(p unsafe.Pointer, i uint) uint64 {
	return binary.LittleEndian.Uint64((*[8]byte)(unsafe.Add(p, i))[:])
}

func store64(p unsafe.Pointer, i uint, v uint64) {
	binary.LittleEndian.PutUint64((*[8]byte)(unsafe.Add(p, i))[:], v)
}
