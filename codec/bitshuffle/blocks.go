package bitshuffle

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/internal/shuffle"
)

// filter shuffles blocks and leaves them so.
type filter struct {
	element, block int // in bytes
	size           codec.Size

	// What packed blocks need.
	level  int
	ratio  int // how many bytes one byte can stand for
	bound  func(n int) int
	encode func(dst, src []byte, level int) []byte
	decode func(dst, src []byte) (int, error)
}

// Size is that of what comes in, or of blocks that do not get smaller.
func (f *filter) Size() codec.Size { return f.size }

// whole is how many of n bytes are elements by eights, which are shuffled.
func (f *filter) whole(n int) int { return n / f.element &^ 7 * f.element }

// Encode appends the shuffled bytes.
func (f *filter) Encode(ck *codec.Chunk, dst, src []byte) ([]byte, error) {
	return f.move(ck, dst, src, shuffle.Bitshuffle)
}

// Decode appends the bytes as they were.
func (f *filter) Decode(ck *codec.Chunk, dst, src []byte, limit int) ([]byte, error) {
	if len(src) > limit {
		return nil, codec.Bad("%d bytes, at most %d are possible", len(src), limit)
	}
	return f.move(ck, dst, src, shuffle.Bitunshuffle)
}

func (f *filter) move(ck *codec.Chunk, dst, src []byte, kernel func(dst, src []byte, size int)) ([]byte, error) {
	dst, err := ck.Grow(dst, len(src))
	if err != nil {
		return nil, err
	}
	whole := f.whole(len(src))
	for block := range slices.Chunk(src[:whole], f.block) {
		at := len(dst)
		dst = dst[:at+len(block)]
		kernel(dst[at:], block, f.element)
	}
	return append(dst, src[whole:]...), nil
}

// packed has a header, which is the size of all bytes in eight and of a block in four,
// and the packed size of each block in four bytes before it, all big-endian.
type packed struct{ *filter }

const header = 8 + 4

// most is how long the form of n bytes can be.
func (f *filter) most(n int) int {
	block := min(f.block, n)
	return header + n + (n/f.block+1)*(4+f.bound(block)-block)
}

// Encode appends the header and the blocks.
func (f packed) Encode(ck *codec.Chunk, dst, src []byte) ([]byte, error) {
	dst, err := ck.Grow(dst, f.most(len(src)))
	if err != nil {
		return nil, err
	}
	whole := f.whole(len(src))
	scratch, err := ck.Lend(min(f.block, whole))
	if err != nil {
		return nil, err
	}
	defer scratch.Free()
	dst = binary.BigEndian.AppendUint64(dst, uint64(len(src)))
	dst = binary.BigEndian.AppendUint32(dst, uint32(f.block))
	for block := range slices.Chunk(src[:whole], f.block) {
		mem := scratch.B[:len(block)]
		shuffle.Bitshuffle(mem, block, f.element)
		at := len(dst)
		dst = f.encode(append(dst, 0, 0, 0, 0), mem, f.level)
		binary.BigEndian.PutUint32(dst[at:], uint32(len(dst)-at-4))
	}
	return append(dst, src[whole:]...), nil
}

// Decode appends what the blocks hold. The header says how large they are, whatever
// metadata does.
func (f packed) Decode(ck *codec.Chunk, dst, src []byte, limit int) ([]byte, error) {
	if len(src) < header {
		return nil, codec.Bad("%d bytes, too few for a header of %d", len(src), header)
	}
	all := len(src)
	claimed, elements := binary.BigEndian.Uint64(src), int(binary.BigEndian.Uint32(src[8:]))/f.element
	src = src[header:]
	if elements == 0 {
		elements = defaultBlock(f.element)
	}
	switch {
	case claimed > uint64(limit):
		return nil, ck.Over(int(min(claimed, math.MaxInt)), limit)
	case claimed/uint64(f.ratio) > uint64(len(src)):
		return nil, codec.Bad("claims to hold %d bytes: %d packed ones cannot", claimed, len(src))
	case elements%8 != 0:
		return nil, codec.Bad("claims blocks of %d elements, which is no multiple of 8", elements)
	}
	at, n := len(dst), int(claimed)
	dst, err := ck.Grow(dst, n)
	if err != nil {
		return nil, err
	}
	dst = dst[:at+n]
	out := dst[at : at+n : at+n]
	whole, size := f.whole(n), elements*f.element
	scratch, err := ck.Lend(min(size, whole))
	if err != nil {
		return nil, err
	}
	defer scratch.Free()
	for block := range slices.Chunk(out[:whole], size) {
		begin := all - len(src)
		if len(src) < 4 {
			return nil, codec.Bad("ends at byte %d, where a block of %d bytes should begin", all, len(block))
		}
		length := uint64(binary.BigEndian.Uint32(src))
		if src = src[4:]; length > uint64(len(src)) {
			return nil, codec.Bad("the block at byte %d has %d packed bytes, of which %d are there", begin, length, len(src))
		}
		mem := scratch.B[:len(block):len(block)]
		switch k, err := f.decode(mem, src[:length]); {
		case err != nil:
			return nil, codec.Bad("the block at byte %d of %d: %v", begin, all, err)
		case k < len(mem):
			return nil, codec.Bad("the block at byte %d of %d holds %d bytes instead of %d", begin, all, k, len(mem))
		}
		shuffle.Bitunshuffle(block, mem, f.element)
		src = src[length:]
	}
	if len(src) < n-whole {
		return nil, codec.Bad("ends at byte %d, where %d bytes should follow the last block", all, n-whole)
	}
	copy(out[whole:], src)
	if rest := len(src) - (n - whole); ck.Strict() && rest > 0 {
		return nil, codec.Bad("%d bytes follow the end", rest)
	}
	return dst, nil
}
