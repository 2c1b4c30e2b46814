// Package blosc reads and writes Blosc 1 frames, the container of c-blosc 1.x, and reads
// the chunks of Blosc 2.
//
// A frame is a header of sixteen bytes and, unless the data is stored as it is,
// the places of its blocks and the blocks. A block is filtered (its bytes or bits
// shuffled), then compressed in one stream, or in as many as an element has
// bytes; a stream is its length in four bytes and that many bytes. Streams that
// would not get smaller are stored. All numbers are little-endian.
//
// Blocks can be decoded one by one, see Index. The encoder cuts blocks and streams
// where c-blosc 1.21 does.
package blosc

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// HeaderLen is the length of a frame's header, and the most by which a frame is
// longer than what it holds.
const HeaderLen = 16

const (
	maxBytes     = math.MaxInt32 - HeaderLen
	maxTypeSize  = 255
	maxBlockSize = (math.MaxInt32 - 4*maxTypeSize) / 3

	formatVersion = 2 // of the frame
	streamVersion = 1 // of every compressor

	flagShuffle    = 1 << 0
	flagStored     = 1 << 1 // one piece, not compressed, behind the header
	flagBitshuffle = 1 << 2
	flagReserved   = 1 << 3
	flagWhole      = 1 << 4 // blocks are not split into streams
	flagsFormat    = 5      // where the format of the streams stands

	maxStreams = 16  // elements that have more bytes are not split
	minStream  = 128 // streams would have to have so many bytes
	minBytes   = 128 // less is not compressed
)

// Header is the beginning of a frame, read and checked by ParseHeader.
type Header struct {
	Bytes     int // that the frame holds
	BlockSize int // bytes a block holds; the last one may hold less
	Length    int // of the frame
	TypeSize  int // bytes of an element

	flags byte
}

var le = binary.LittleEndian

// ParseHeader reads the first sixteen bytes of a frame.
func ParseHeader(b []byte) (Header, error) {
	if len(b) < HeaderLen {
		return Header{}, fmt.Errorf("%d bytes are too few for a Blosc header", len(b))
	}
	h := Header{flags: b[2], TypeSize: int(b[3])}
	if b[0] != formatVersion {
		return h, fmt.Errorf("version %d of the Blosc format is not known, only %d is", b[0], formatVersion)
	}
	if h.flags&flagReserved != 0 {
		return h, fmt.Errorf("flags %#02x of the Blosc header are not known", h.flags)
	}
	bytes, block, length := le.Uint32(b[4:]), le.Uint32(b[8:]), le.Uint32(b[12:])
	if bytes > maxBytes || length > math.MaxInt32 || length < HeaderLen {
		return h, fmt.Errorf("header claims %d bytes in a frame of %d", bytes, length)
	}
	h.Bytes, h.Length = int(bytes), int(length)
	if h.Bytes == 0 {
		h.BlockSize = 1
		return h, nil
	}
	if block == 0 || block > maxBlockSize || block > bytes {
		return h, fmt.Errorf("header claims blocks of %d bytes, %d bytes in all", block, bytes)
	}
	h.BlockSize = int(block)
	if h.TypeSize == 0 {
		return h, errors.New("header claims elements of no bytes")
	}
	if h.Stored() {
		if h.Length != h.Bytes+HeaderLen {
			return h, fmt.Errorf("header claims %d bytes, stored in a frame of %d", h.Bytes, h.Length)
		}
		return h, nil
	}
	if f := h.format(); f >= formats || b[1] != streamVersion {
		return h, fmt.Errorf("format %d.%d of Blosc streams is not known", f, b[1])
	}
	if h.Blocks() > (h.Length-HeaderLen)/4 {
		return h, fmt.Errorf("header claims %d blocks in a frame of %d bytes", h.Blocks(), h.Length)
	}
	return h, nil
}

// Stored reports whether the data follows the header as it is.
func (h Header) Stored() bool { return h.flags&flagStored != 0 || h.Bytes == 0 }

func (h Header) format() format { return format(h.flags >> flagsFormat) }

// Blocks is the number of blocks.
func (h Header) Blocks() int { return (h.Bytes + h.BlockSize - 1) / h.BlockSize }

// Block is the part of the data that block i holds.
func (h Header) Block(i int) (start, end int) {
	return i * h.BlockSize, min((i+1)*h.BlockSize, h.Bytes)
}

// IndexLen is how many bytes of the frame, from its beginning, ParseIndex needs.
func (h Header) IndexLen() int {
	if h.Stored() {
		return HeaderLen
	}
	return HeaderLen + 4*h.Blocks()
}

// streams is the number of streams of a block that holds n bytes. Early writers
// did not say that blocks are not split, so that it is found out as they did.
func (h Header) streams(n int) int {
	if h.flags&flagWhole != 0 || n < h.BlockSize || !splittable(h.TypeSize, n) {
		return 1
	}
	return h.TypeSize
}

// splittable reports whether a block of n bytes can be cut into one stream for
// each byte of an element.
func splittable(typeSize, n int) bool {
	return typeSize <= maxStreams && n/typeSize >= minStream
}

// maxStream is the length of the longest stream of n bytes that any compressor
// writes. Longer ones would hold nothing but work for the reader.
func maxStream(n int) int { return 32 + n + n/6 }
