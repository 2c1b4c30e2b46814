package gdeflate

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/internal/gdeflate"
)

// fixedLen is the part of the header that every chunk has; the size of a page
// takes wordLen.
const (
	fixedLen = 16
	wordLen  = 8
)

// numPages is how many pages n bytes take.
func numPages(n int) int {
	pages := n / gdeflate.PageSize
	if n%gdeflate.PageSize != 0 {
		pages++
	}
	return pages
}

// headerLen is the length of the header of n bytes.
func headerLen(n int) int { return fixedLen + wordLen*numPages(n) }

func (f *filter) Encode(_ *codec.Chunk, dst, src []byte) ([]byte, error) {
	dst = binary.LittleEndian.AppendUint64(dst, uint64(len(src)))
	dst = binary.LittleEndian.AppendUint64(dst, uint64(numPages(len(src))))
	at := len(dst)
	sizes := wordLen * numPages(len(src))
	dst = slices.Grow(dst, sizes)[:at+sizes]
	for page := range slices.Chunk(src, gdeflate.PageSize) {
		start := len(dst)
		dst = gdeflate.AppendEncode(dst, page, f.level)
		binary.LittleEndian.PutUint64(dst[at:], uint64(len(dst)-start))
		at += wordLen
	}
	return dst, nil
}

func (f *filter) Decode(ck *codec.Chunk, dst, src []byte, limit int) ([]byte, error) {
	n, err := decodedLen(ck, src, limit)
	if err != nil {
		return nil, err
	}
	strict := ck.Strict()
	sizes, pages := src[fixedLen:headerLen(n)], src[headerLen(n):]
	at := len(dst)
	dst = slices.Grow(dst, n)[:at+n]
	for page := range slices.Chunk(dst[at:], gdeflate.PageSize) {
		size := binary.LittleEndian.Uint64(sizes)
		if size > uint64(len(pages)) {
			return nil, codec.Bad("page of %d bytes where %d are left", size, len(pages))
		}
		used, err := gdeflate.Decode(page, pages[:size])
		if err != nil {
			return nil, codec.Bad("%v", err)
		}
		if strict && used < int(size) {
			return nil, codec.Bad("%d bytes behind a page of %d", int(size)-used, used)
		}
		sizes, pages = sizes[wordLen:], pages[size:]
	}
	if strict && len(pages) > 0 {
		return nil, codec.Bad("%d bytes behind the last page", len(pages))
	}
	return dst, nil
}

// decodedLen reads how many bytes a chunk holds, and checks that its header can be
// true, so that little data cannot ask for much memory.
func decodedLen(ck *codec.Chunk, src []byte, limit int) (int, error) {
	if len(src) < fixedLen {
		return 0, codec.Bad("%d bytes are too few for a header", len(src))
	}
	n, pages := binary.LittleEndian.Uint64(src), binary.LittleEndian.Uint64(src[8:])
	if n > uint64(max(limit, 0)) {
		return 0, ck.Over(int(min(n, math.MaxInt)), limit)
	}
	if want := numPages(int(n)); pages != uint64(want) {
		return 0, codec.Bad("%d bytes are in %d pages, not in %d", n, want, pages)
	}
	if most := (len(src) - fixedLen) / (wordLen + gdeflate.MinEncoded); pages > uint64(most) {
		return 0, codec.Bad("%d bytes are too few for %d pages", len(src), pages)
	}
	return int(n), nil
}
