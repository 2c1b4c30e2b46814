package lzw

import (
	"encoding/binary"
	"sync"

	"github.com/omnizarr/zarr/codec"
)

// decoder is what is known in the middle of a stream. It is used again, so that
// nothing is allocated.
//
// Every code but the first after a clear code makes a string: that of the code
// before it, and one byte. As a code's string is put out where that of the code
// before ends, the new string stands in the output already, one byte into what
// the code gives. So where the codes' strings begin is all that is needed to
// find any string, however long; and most are short enough to be kept whole.
type decoder struct {
	src   []byte
	bit   uint64 // where in src the next code begins
	width uint   // of the next code
	old   bool   // least significant bit first
	op    int    // bytes decoded
	base  int    // bytes decoded before the last clear code

	// next is the code whose string the next code completes. After a clear code
	// that is endCode, which stands for no string: so the first code needs no
	// case of its own.
	next uint
	prev uint64 // value of the string before

	// values has the strings of up to seven bytes: from the least significant
	// byte on, and in the top byte shortest-1 more than the length. Longer ones
	// have the top bit set, as have codes that stand for no string.
	values [maxCodes]uint64
	// starts has where strings begin behind base. A string ends one byte behind
	// the start of the next one.
	starts [maxCodes + 1]uint32
}

const (
	one      = 1 << 56   // a byte more, in a value
	noLength = 120 * one // so that eight bytes set the top bit
	long     = 1 << 63
)

var decoders = sync.Pool{New: func() any {
	d := new(decoder)
	for i := range uint64(clearCode) {
		d.values[i] = noLength + one | i
	}
	d.values[clearCode] = long
	return d
}}

func (d *decoder) release() {
	d.src = nil
	decoders.Put(d)
}

// begin sets out to decode src. As libtiff does, it demands a clear code, and
// takes a stream that has one when read from the least significant bit up for
// one of the time before TIFF 5.0 said otherwise.
func (d *decoder) begin(src []byte) error {
	d.src, d.bit, d.op = src, minWidth, 0
	if len(src) < 2 {
		return noEnd{len(src), 0}
	}
	d.old = src[0] == 0 && src[1]&1 == 1
	if first := int(src[0])<<1 | int(src[1]>>7); first != clearCode && !d.old {
		return codec.Bad("code %d stands where only the clear code %d can, at byte 0", first, clearCode)
	}
	d.clear()
	return nil
}

// clear forgets all strings.
func (d *decoder) clear() {
	d.width, d.next, d.base, d.prev = minWidth, endCode, d.op, long
}

// run decodes until there is an end code. At errFull, it goes on from there with
// a dst that is longer and begins with the same.
func (d *decoder) run(dst []byte) error {
	for {
		if !d.old {
			d.fast(dst)
		}
		if done, err := d.step(dst); done || err != nil {
			return err
		}
	}
}

// step decodes one code, and says whether it was the end code.
func (d *decoder) step(dst []byte) (done bool, err error) {
	code, ok := d.peek()
	switch {
	case !ok:
		return false, noEnd{len(d.src), d.op}
	case code == endCode:
		return true, nil
	case code == clearCode:
		d.bit += uint64(d.width)
		d.clear()
		return false, nil
	case code > d.next:
		return false, codec.Bad("code %d stands where %d are known, at byte %d, behind %d decoded bytes",
			code, d.next, d.bit/8, d.op)
	}
	from, n := d.find(code)
	if n > len(dst)-d.op {
		return false, errFull
	}
	d.bit += uint64(d.width)
	if code < clearCode {
		dst[d.op] = byte(code)
	} else if k := copy(dst[d.op:d.op+n], dst[from:d.op]); k < n {
		// Of the string that this code makes, the last byte is also the first.
		dst[d.op+k] = dst[from]
	}
	if d.next < maxCodes {
		d.values[d.next] = join(d.prev, uint64(dst[d.op]))
		d.next++
		d.starts[d.next] = uint32(d.op - d.base)
		d.widen()
	}
	d.prev = d.values[code]
	if d.prev >= long {
		d.prev = long
	}
	d.op += n
	return false, nil
}

// fill fills dst with the first bytes of the string that does not fit.
func (d *decoder) fill(dst []byte) int {
	code, _ := d.peek()
	from, _ := d.find(code)
	return d.op + copy(dst[d.op:], dst[from:d.op])
}

// peek gives the next code, if there are enough bits.
func (d *decoder) peek() (code uint, ok bool) {
	var b [4]byte
	at, shift := d.bit/8, uint(d.bit%8)
	if copy(b[:], d.src[min(at, uint64(len(d.src))):])*8 < int(shift+d.width) {
		return 0, false
	}
	if d.old {
		code = uint(binary.LittleEndian.Uint32(b[:])) >> shift
	} else {
		code = uint(binary.BigEndian.Uint32(b[:])) >> (32 - shift - d.width)
	}
	return code & (1<<d.width - 1), true
}

// find gives where the string of a code begins and how long it is. A code that
// is a byte need not stand anywhere.
func (d *decoder) find(code uint) (from, n int) {
	if code < clearCode {
		return d.op, 1
	}
	from = d.base + int(d.starts[code])
	if code == d.next {
		return from, d.op + 1 - from
	}
	return from, int(d.starts[code+1]-d.starts[code]) + 1
}

// widen makes codes longer when so many are known. Old streams do it one code
// later.
func (d *decoder) widen() {
	known := d.next
	if d.old {
		known--
	}
	if known == 1<<d.width-1 && d.width < maxWidth {
		d.width++
	}
}

// join gives the value of a string and a byte behind it. If the string is long,
// so is what comes out, whatever else its bits are.
func join(value, last uint64) uint64 {
	return value + one | last<<(value>>53&63)
}
