// Package inflate decodes raw DEFLATE streams (RFC 1951) that are in memory
// into memory, and computes the checksum of zlib's frames.
//
// It is made for chunks and tiles: the whole stream is there, and how many
// bytes come out is known or bounded. Knowing both ends of both buffers, most
// of the work runs in a loop that checks for room once per turn; see fast.
package inflate

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
)

// The ways in which decoding fails. All but ErrFull come wrapped in an error
// that tells what is wrong, and where.
var (
	// ErrFull says that the stream goes on when the room for what comes out is
	// used up.
	ErrFull = errors.New("deflate: there is more than the room takes")
	// ErrCorrupt says that the stream has bits that mean nothing.
	ErrCorrupt = errors.New("deflate: corrupt")
	// ErrTruncated says that the stream ends before its last block does.
	ErrTruncated = errors.New("deflate: truncated")
)

var decoders = sync.Pool{New: func() any { return new(decoder) }}

func newDecoder(src []byte) *decoder {
	d := decoders.Get().(*decoder)
	d.reset(src)
	return d
}

// release gives the decoder back, without what it read and wrote.
func (d *decoder) release() {
	d.src, d.dst = nil, nil
	decoders.Put(d)
}

// Decode inflates the stream at the start of src into dst: n bytes came out,
// and used bytes of src were read. It is ErrFull when dst is filled and the
// stream has more. What dst holds behind n is undefined, also when there is no
// error.
func Decode(dst, src []byte) (n, used int, err error) {
	d := newDecoder(src)
	defer d.release()
	err = d.run(dst)
	return d.op, d.used(), err
}

// Append inflates the stream at the start of src, appends to dst what comes
// out, at most limit bytes, and returns how many bytes of src were read. It is
// ErrFull when there is more than limit, which is noticed before memory is
// asked for. Nothing is allocated where dst has the capacity. After an error
// dst is returned as it was; what its capacity holds behind it is undefined.
func Append(dst, src []byte, limit int) (out []byte, used int, err error) {
	at := len(dst)
	limit = max(min(limit, math.MaxInt-at), 0)
	d := newDecoder(src)
	defer d.release()
	out = dst
	if cap(dst) == at {
		// Most data is not smaller than this.
		out = slices.Grow(dst, min(limit, max(firstRoom, 4*len(src))))
	}
	for {
		room := out[at : at+min(cap(out)-at, limit)]
		err = d.run(room)
		switch {
		case err == nil:
			return out[:at+d.op], d.used(), nil
		case !errors.Is(err, ErrFull), len(room) == limit:
			return dst, d.used(), err
		}
		// The decoder goes on where it stopped, so that each byte is decoded
		// once and moved about once.
		out = slices.Grow(out[:at+len(room)], min(limit-len(room), max(firstRoom, len(room))))
	}
}

// firstRoom is the least that Append asks for, if the limit allows.
const firstRoom = 512

// corrupt says what is wrong where the decoder stands.
func (d *decoder) corrupt(what string, args ...any) error {
	return fmt.Errorf("%w at byte %d of %d, behind %d decoded ones: %s",
		ErrCorrupt, d.used(), len(d.src), d.op, fmt.Sprintf(what, args...))
}

// truncated says that the stream ends within something.
func (d *decoder) truncated(within string) error {
	return fmt.Errorf("%w: its %d bytes end within %s, behind %d decoded ones", ErrTruncated, len(d.src), within, d.op)
}
