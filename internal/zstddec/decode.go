package zstddec

import (
	"errors"
	"fmt"
	"sync"
	"unsafe"

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
	d := NewDecoder()
	defer d.Free()
	return d.Decode(dst, src, nil)
}

var decoders = sync.Pool{New: func() any {
	d := new(Decoder)
	d.seq.llLengths, d.seq.mlLengths = llField.lengths, mlField.lengths
	return d
}}

// Decoder decodes one piece of data after the other. Where it is told of the next one, short
// frames take less time than each by itself.
type Decoder struct {
	dst    []byte // of the frame, and room behind it
	n      int    // bytes of the frame that are written
	limit  int    // bytes that the frame may have
	window int
	next   []byte // what is decoded next, as far as is known
	sum    xxh64.Growing

	literals literalDecoder
	seq      sequenceDecoder
}

// NewDecoder lends a decoder, until Free is called.
func NewDecoder() *Decoder { return decoders.Get().(*Decoder) }

// Free gives the decoder back, without the memory of others.
func (d *Decoder) Free() {
	d.dst, d.next = nil, nil
	d.literals.release()
	d.seq.release()
	decoders.Put(d)
}

// Decode does what the function Decode does. next is what the decoder will be asked for
// after that, if it is known: it must not change meanwhile, since it may be begun.
func (d *Decoder) Decode(dst, src, next []byte) (int, error) {
	src = src[:len(src):len(src)] // what lies behind is not ours to read
	begun := d.literals.ahead
	if !begun.other || len(src) != len(d.next) || unsafe.SliceData(src) != unsafe.SliceData(d.next) {
		begun = ahead{}
	}
	d.next = next[:len(next):len(next)]
	n := 0
	for len(src) > 0 {
		k, rest, err := d.frame(dst[n:], src, begun)
		n += k
		if err != nil {
			return n, err
		}
		src, begun = rest, ahead{}
	}
	return n, nil
}

// frame decodes the frame that begins src, whose first block may have been begun, and
// returns what follows it.
func (d *Decoder) frame(dst, src []byte, begun ahead) (n int, rest []byte, err error) {
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
	d.literals.reset(begun)
	d.seq.reset()
	d.sum = xxh64.Growing{}
	src, err = d.blocks(src, h.checksum && h.size <= len(dst))
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
		if uint32(d.sum.Sum(dst[:d.n])) != le.Uint32(src) {
			return d.n, nil, ErrChecksum
		}
		src = src[4:]
	}
	return d.n, src, nil
}
