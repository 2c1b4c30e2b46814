package lzw

import (
	"errors"
	"fmt"
	"slices"

	"github.com/omnizarr/zarr/codec"
)

// ErrNoEnd says that the data ends without an end code, or inside a code.
var ErrNoEnd = errors.New("data ends without an end code")

// Decode decodes src into dst until dst is full or src says that it ends, and
// returns how many bytes came out. Fewer bytes than dst takes and no error mean
// that there was an end code; what is behind it, or behind the code that fills
// dst, does not matter.
//
// An error that is ErrNoEnd says that no end code was there, any other that src
// is corrupt. What was decoded before is in dst then. The rest of dst may have
// been overwritten.
func Decode(dst, src []byte) (n int, err error) {
	d := decoders.Get().(*decoder)
	defer d.release()
	if err = d.begin(src); err == nil {
		err = d.run(dst)
	}
	switch {
	case d.op == len(dst):
		return d.op, nil
	case err == errFull:
		return d.fill(dst), nil
	case err != nil:
		return d.op, fmt.Errorf("LZW: %w", err)
	}
	return d.op, nil
}

// AppendDecode appends the decompressed form of src to dst, at most limit bytes.
func AppendDecode(dst, src []byte, limit int) ([]byte, error) {
	return appendDecode(nil, dst, src, limit)
}

func appendDecode(ck *codec.Chunk, dst, src []byte, limit int) ([]byte, error) {
	d := decoders.Get().(*decoder)
	defer d.release()
	if err := d.begin(src); err != nil {
		return nil, err
	}
	at := len(dst)
	// What is compressed is rarely less than a quarter of what it was. Where it
	// is, the room grows with what really came out.
	room := max(cap(dst)-at, 4*len(src), 512)
	for {
		room = min(room, limit)
		dst = slices.Grow(dst, at+room-len(dst))[:at+room]
		err := d.run(dst[at:])
		dst = dst[:at+d.op]
		switch {
		case err == nil:
			return dst, nil
		case err != errFull:
			return nil, err
		case room == limit:
			return nil, ck.Over(-1, limit)
		}
		room = 2*room + maxCodes
	}
}

// errFull says that the next string does not fit.
var errFull = errors.New("full")

// noEnd is ErrNoEnd with numbers.
type noEnd struct{ read, decoded int }

func (e noEnd) Error() string {
	return fmt.Sprintf("%v: %d bytes give %d", ErrNoEnd, e.read, e.decoded)
}

func (e noEnd) Is(target error) bool { return target == ErrNoEnd || target == codec.ErrData }
