package lzw

import (
	"slices"

	"github.com/omnizarr/zarr/codec"
)

// AppendDecode appends the decompressed form of src to dst, at most limit bytes.
func AppendDecode(dst, src []byte, limit int) ([]byte, error) {
	// Every string is what was put out when its code was made, so it is enough
	// to remember where that stands.
	var from, length [maxCodes]int
	at := len(dst)
	width, next := uint(minWidth), firstCode
	prev, prevLen := 0, 0 // the string before, in dst; no length: none
	var acc uint64
	var n uint
	for {
		for n < width {
			if len(src) == 0 {
				return nil, codec.Bad("data ends after %d bytes without saying so", len(dst)-at)
			}
			acc, src, n = acc<<8|uint64(src[0]), src[1:], n+8
		}
		n -= width
		code := int(acc>>n) & (1<<width - 1)
		switch {
		case code == endCode:
			return dst, nil
		case code == clearCode:
			width, next, prevLen = minWidth, firstCode, 0
			continue
		}
		here := len(dst)
		size := 1
		if code >= firstCode {
			size = length[code]
			if code == next {
				size = prevLen + 1
			}
			if code > next || prevLen == 0 {
				return nil, codec.Bad("code %d stands where %d are known", code, next)
			}
		}
		if size > limit-(here-at) {
			return nil, codec.Bad("holds more than the %d bytes that are possible", limit)
		}
		dst = slices.Grow(dst, size)[:here+size]
		switch {
		case code < clearCode:
			dst[here] = byte(code)
		case code == next:
			copy(dst[here:], dst[prev:prev+prevLen])
			dst[here+prevLen] = dst[prev]
		default:
			copy(dst[here:], dst[from[code]:from[code]+size])
		}
		if prevLen > 0 && next < maxCodes {
			from[next], length[next] = prev, prevLen+1
			if next++; next > 1<<width-2 && width < maxWidth {
				width++
			}
		}
		prev, prevLen = here, size
	}
}
