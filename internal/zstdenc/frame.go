package zstdenc

import (
	"encoding/binary"
	"slices"

	"github.com/omnizarr/zarr/internal/xxh64"
)

const (
	frameMagic = 0xFD2FB528
	maxWindow  = 8 << 20

	// Longer inputs are encoded in independent segments of one frame. That
	// bounds the positions that tables have to represent to segmentBits, keeps
	// every offset within the window, and lets several goroutines encode them.
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
	dst, _ = AppendEncodeParts(dst, src, level, checksum, nil)
	return dst
}

// AppendEncodeParts is AppendEncode of a frame whose segments may be encoded at once, to
// the same bytes: run calls part for each i below n, in any order and on any goroutines,
// and its error is returned. Where it is nil, in short frames and at high levels, one
// follows the other.
func AppendEncodeParts(dst, src []byte, level int, checksum bool, run func(n int, part func(i int) error) error) ([]byte, error) {
	if level == 0 {
		level = 3
	}
	if level > maxOwnLevel && len(src) > 0 {
		return appendDelegated(dst, src, level, checksum), nil
	}
	dst = appendFrameHeader(dst, len(src), checksum)
	n := (len(src) + maxSegment - 1) / maxSegment
	if n > 1 && run != nil {
		return appendAtOnce(dst, src, level, checksum, run)
	}
	for i := range n {
		dst = appendSegment(dst, src, i, level)
	}
	if n == 0 {
		dst = blockHeader(dst, 1|blockRaw<<1, 0)
	}
	if checksum {
		dst = binary.LittleEndian.AppendUint32(dst, uint32(xxh64.Sum(src)))
	}
	return dst, nil
}

// appendAtOnce appends all that comes behind the header of a frame of several segments,
// as parts of run: each has room of its own, and moves to its place when all are there.
func appendAtOnce(dst, src []byte, level int, checksum bool, run func(n int, part func(i int) error) error) ([]byte, error) {
	lengths := make([]int, (len(src)+maxSegment-1)/maxSegment)
	room := MaxEncodedLen(maxSegment)
	at, sum := len(dst), uint32(0)
	dst = slices.Grow(dst, len(lengths)*room+4)
	err := run(1+len(lengths), func(i int) error {
		if i > 0 {
			from := at + (i-1)*room
			lengths[i-1] = len(appendSegment(dst[from:from:from+room], src, i-1, level))
		} else if checksum {
			sum = uint32(xxh64.Sum(src))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	all := dst[:at+len(lengths)*room]
	for i, n := range lengths {
		dst = append(dst, all[at+i*room:][:n]...)
	}
	if checksum {
		dst = binary.LittleEndian.AppendUint32(dst, sum)
	}
	return dst, nil
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

// appendSegment appends the blocks of the segment i of a frame that holds frame.
func appendSegment(dst, frame []byte, i, level int) []byte {
	e := encoders.Get().(*encoder)
	dst = e.appendSegment(dst, frame, i, level)
	encoders.Put(e)
	return dst
}

func (e *encoder) appendSegment(dst, frame []byte, i, level int) []byte {
	src := frame[i*maxSegment : min((i+1)*maxSegment, len(frame))]
	after := len(frame) - i*maxSegment - len(src)
	e.start(level, len(frame), i == 0)
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
