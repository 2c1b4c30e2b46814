package zstddec

import (
	"errors"
	"fmt"
	"sync"

	"github.com/omnizarr/zarr/internal/xxh64"
)

var (
	// ErrRoom is the error for frames that hold more than there is room for.
	ErrRoom = errors.New("holds more than there is room for")

	// ErrChecksum is the error for content that was changed.
	ErrChecksum = errors.New("the content does not have the checksum that its Zstandard frame gives")

	errTruncated = errors.New("ends in the middle of a Zstandard frame")
)

// corruptError says what is wrong with a frame.
type corruptError string

func (e corruptError) Error() string { return "corrupt Zstandard frame: " + string(e) }

func corrupt(what string) error { return corruptError(what) }

// Decode fills dst with what all frames in src hold, and returns how many bytes that
// is. It may write anything into the rest of dst, and nothing behind it. With an error
// comes the number of bytes that were decoded before: all of dst with ErrRoom.
func Decode(dst, src []byte) (int, error) {
	d := decoders.Get().(*decoder)
	defer d.free()
	src = src[:len(src):len(src)] // what lies behind is not ours to read
	n := 0
	for len(src) > 0 {
		k, rest, err := d.frame(dst[n:], src)
		n += k
		if err != nil {
			return n, err
		}
		src = rest
	}
	return n, nil
}

var decoders = sync.Pool{New: func() any { return newDecoder() }}

// decoder is the state of one call.
type decoder struct {
	dst    []byte // of the frame, and room behind it
	n      int    // bytes of the frame that are written
	limit  int    // bytes that the frame may have
	window int

	literals literalDecoder
	seq      sequenceDecoder
}

func newDecoder() *decoder {
	return new(decoder)
}

// free gives the decoder back, without the memory of others.
func (d *decoder) free() {
	d.dst = nil
	d.literals.release()
	d.seq.release()
	decoders.Put(d)
}

// frame decodes the frame that begins src, and returns what follows it.
func (d *decoder) frame(dst, src []byte) (n int, rest []byte, err error) {
	h, k, err := parseHeader(src)
	if err != nil {
		return 0, nil, err
	}
	src = src[k:]
	if h.skipped {
		return 0, src[h.size:], nil
	}
	d.dst, d.n, d.limit, d.window = dst, 0, len(dst), h.window
	told := h.size >= 0 && h.size <= len(dst)
	if told {
		d.limit = h.size
	}
	d.literals.reset()
	d.seq.reset()
	src, err = d.blocks(src)
	switch {
	case err == ErrRoom && told:
		return d.n, nil, fmt.Errorf("corrupt Zstandard frame: holds more than the %d bytes that its header claims", h.size)
	case err != nil:
		return d.n, nil, err
	case h.size >= 0 && d.n != h.size:
		return d.n, nil, fmt.Errorf("corrupt Zstandard frame: holds %d bytes, its header claims %d", d.n, h.size)
	}
	if h.checksum {
		if len(src) < 4 {
			return d.n, nil, errTruncated
		}
		if uint32(xxh64.Sum(dst[:d.n])) != le.Uint32(src) {
			return d.n, nil, ErrChecksum
		}
		src = src[4:]
	}
	return d.n, src, nil
}
