package bzip2

import (
	"errors"
	"io"
	"math"
	"slices"
)

// errLimit says that there is more than the limit.
var errLimit = errors.New("more than is possible")

// drain appends all of r to dst, at most limit bytes. More is errLimit, and is
// noticed before it is allocated. Nothing is allocated where dst has the room.
func drain(dst []byte, r io.Reader, limit int) ([]byte, error) {
	at := len(dst)
	limit = min(limit, math.MaxInt-1-at)
	for {
		// One byte more than allowed shows that there is more.
		room := limit + 1 - (len(dst) - at)
		if room == 0 {
			return nil, errLimit
		}
		var n int
		var err error
		if len(dst) < cap(dst) {
			n, err = r.Read(dst[len(dst):min(cap(dst), len(dst)+room)])
			dst = dst[:len(dst)+n]
		} else {
			// Mostly nothing follows when the room is used up: look before
			// asking for more.
			var next [1]byte
			if n, err = r.Read(next[:]); n > 0 {
				dst = append(slices.Grow(dst, min(room, max(512, len(dst)-at))), next[0])
			}
		}
		if errors.Is(err, io.EOF) {
			if len(dst)-at > limit {
				return nil, errLimit
			}
			return dst, nil
		}
		if err != nil {
			return nil, err
		}
	}
}
