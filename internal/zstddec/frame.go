package zstddec

import (
	"encoding/binary"
	"fmt"
	"math"
)

var le = binary.LittleEndian

const (
	magic         = 0xfd2fb528
	skippable     = 0x184d2a50 // and the fifteen that follow
	skippableMask = 0xfffffff0

	maxBlock  = 128 << 10
	minWindow = 1 << 10
)

// header is what the header of a frame says.
type header struct {
	skipped  bool // it is a skippable frame, and size is that of the rest of it
	size     int  // of the content, below zero if it does not say
	window   int
	checksum bool
}

// parseHeader reads the header of the frame that begins src, and returns how long
// it is.
func parseHeader(src []byte) (h header, n int, err error) {
	if len(src) < 5 {
		return h, 0, errTruncated
	}
	m := le.Uint32(src)
	if m&skippableMask == skippable {
		if len(src) < 8 {
			return h, 0, errTruncated
		}
		size := le.Uint32(src[4:])
		if uint64(size) > uint64(len(src)-8) {
			return h, 0, errTruncated
		}
		return header{skipped: true, size: int(size)}, 8, nil
	}
	if m != magic {
		return h, 0, fmt.Errorf("no Zstandard frame: it begins with %#08x", m)
	}
	flags := src[4]
	if flags&8 != 0 {
		return h, 0, corrupt("the header has flags that are not known")
	}
	single, sizeCode, idCode := flags&0x20 != 0, flags>>6, flags&3
	h.checksum = flags&4 != 0
	h.size = -1
	n = 5
	if !single {
		n++
	}
	idAt := n
	n += [4]int{0, 1, 2, 4}[idCode]
	sizeAt := n
	switch {
	case sizeCode > 0:
		n += 1 << sizeCode
	case single:
		n++
	}
	if len(src) < n {
		return h, 0, errTruncated
	}
	if id := number(src[idAt:sizeAt]); id != 0 {
		return h, 0, fmt.Errorf("needs dictionary %d, and dictionaries are not supported", id)
	}
	if n > sizeAt {
		size := number(src[sizeAt:n])
		if sizeCode == 1 {
			size += 256
		}
		if size > math.MaxInt {
			return h, 0, corrupt("the header claims more bytes than can be counted")
		}
		h.size = int(size)
	}
	window := uint64(max(h.size, minWindow))
	if !single {
		base := uint64(1) << (10 + src[5]>>3)
		window = base + base/8*uint64(src[5]&7)
	}
	h.window = int(min(window, math.MaxInt))
	return h, n, nil
}

// number is up to eight bytes as a number.
func number(b []byte) uint64 {
	var v uint64
	for i, c := range b {
		v |= uint64(c) << (8 * i)
	}
	return v
}

// kind is what a block is made of.
type kind uint8

const (
	stored kind = iota
	repeated
	compressed
	reserved
)

// blockHeader is the header of a block.
type blockHeader struct {
	last bool
	kind kind
	size int // of what it holds if it is stored or repeated, else of the block
}

const blockHeaderLen = 3

func parseBlockHeader(b []byte) blockHeader {
	v := int(b[0]) | int(b[1])<<8 | int(b[2])<<16
	return blockHeader{v&1 != 0, kind(v >> 1 & 3), v >> 3}
}

// stored is the number of bytes that follow the header.
func (h blockHeader) stored() int {
	if h.kind == repeated {
		return 1
	}
	return h.size
}

// Bound tells how many bytes all frames in src hold, from the headers of frames and
// blocks: exactly if every frame says it and can hold as much, else at most. What is
// malformed ends it, and is left to Decode.
func Bound(src []byte) (n int, exact bool) {
	exact = true
	for len(src) > 0 {
		h, k, err := parseHeader(src)
		if err != nil {
			break
		}
		src = src[k:]
		if h.skipped {
			src = src[h.size:]
			continue
		}
		most, rest := blocks(src)
		if h.size >= 0 && h.size <= most {
			most = h.size
		} else {
			exact = false
		}
		if n += most; n < 0 {
			return math.MaxInt, false
		}
		if h.checksum {
			rest = rest[min(len(rest), 4):]
		}
		src = rest
	}
	return n, exact
}

// Checked tells whether a frame in src has a checksum of its content. What is malformed
// ends it, and is left to Decode.
func Checked(src []byte) bool {
	for len(src) > 0 {
		h, n, err := parseHeader(src)
		switch {
		case err != nil:
			return false
		case h.checksum:
			return true
		case h.skipped:
			src = src[n+h.size:]
		default:
			_, src = blocks(src[n:])
		}
	}
	return false
}

// blocks adds up what the blocks of a frame hold at most, and returns what follows.
func blocks(b []byte) (n int, rest []byte) {
	for len(b) >= blockHeaderLen {
		h := parseBlockHeader(b)
		b = b[blockHeaderLen:]
		if h.kind == compressed {
			n += maxBlock
		} else {
			n += h.size
		}
		b = b[min(len(b), h.stored()):]
		if h.last {
			return n, b
		}
	}
	return n, nil
}
