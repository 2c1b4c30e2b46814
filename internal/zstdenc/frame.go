package zstdenc

import (
	"encoding/binary"
	"slices"

	"github.com/omnizarr/zarr/internal/xxh64"
)

const (
	frameMagic = 0xFD2FB528
	maxWindow  = 8 << 20

	// Longer inputs are searched in independent segments of one frame. That
	// bounds the positions that tables have to represent to segmentBits, and
	// keeps every offset within the window.
	maxSegment  = maxWindow
	segmentBits = 24
)

// MaxEncodedLen is the largest size AppendEncode can append for n bytes of src.
func MaxEncodedLen(n int) int {
	// Frame header, checksum and slack, then raw blocks with their headers. The
	// smallest block any of the encoders cuts from a longer input is 64 KiB.
	return n + 3*(n/(64<<10)+1) + 32
}

// AppendEncode appends one zstd frame holding src to dst and returns the
// extended slice. level follows libzstd's numbers (…-5..22, 0 means 3);
// checksum adds the XXH64 content checksum. It is safe for concurrent use, and
// does not allocate when dst has MaxEncodedLen(len(src)) bytes of spare capacity.
func AppendEncode(dst, src []byte, level int, checksum bool) []byte {
	if level == 0 {
		level = 3
	}
	if level > maxOwnLevel && len(src) > 0 {
		return appendDelegated(dst, src, level, checksum)
	}
	dst = appendFrameHeader(dst, len(src), checksum)
	if len(src) == 0 {
		dst = blockHeader(dst, 1|blockRaw<<1, 0)
	} else {
		e := encoders.Get().(*encoder)
		e.startFrame(level, len(src))
		for rest := src; len(rest) > 0; {
			seg := rest[:min(len(rest), maxSegment)]
			rest = rest[len(seg):]
			dst = e.appendSegment(dst, seg, len(rest))
		}
		encoders.Put(e)
	}
	if checksum {
		dst = binary.LittleEndian.AppendUint32(dst, uint32(xxh64.Sum(src)))
	}
	return dst
}

// appendFrameHeader writes the header of a frame of n content bytes. Up to the
// window limit the frame is a single segment: the decoder then needs no window
// besides its output.
func appendFrameHeader(dst []byte, n int, checksum bool) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, frameMagic)
	desc := uint8(0)
	if checksum {
		desc |= 1 << 2
	}
	if n <= maxWindow {
		desc |= 1 << 5
	}
	switch {
	case n < 256:
		return append(dst, desc, uint8(n))
	case n < 256+65536:
		dst = append(dst, desc|1<<6)
		return binary.LittleEndian.AppendUint16(dst, uint16(n-256))
	case n <= maxWindow:
		dst = append(dst, desc|2<<6)
		return binary.LittleEndian.AppendUint32(dst, uint32(n))
	}
	const window8MiB = 13 << 3 // exponent 13 over 1 KiB, mantissa 0
	if uint64(n) < 1<<32 {
		dst = append(dst, desc|2<<6, window8MiB)
		return binary.LittleEndian.AppendUint32(dst, uint32(n))
	}
	dst = append(dst, desc|3<<6, window8MiB)
	return binary.LittleEndian.AppendUint64(dst, uint64(n))
}

// appendSegment appends the blocks of src; after is the number of bytes that
// follow it in the frame.
func (e *encoder) appendSegment(dst, src []byte, after int) []byte {
	e.startSegment(len(src))
	for start := 0; start < len(src); {
		end := min(start+maxBlock, len(src))
		if room := end - start + 16; cap(dst)-len(dst) < room {
			// Grow once for all that may follow rather than block by block.
			dst = slices.Grow(dst, MaxEncodedLen(len(src)-start+after))
		}
		dst = e.appendBlock(dst, src, start, end, end == len(src) && after == 0)
		start = end
	}
	return dst
}
