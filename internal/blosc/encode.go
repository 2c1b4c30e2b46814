package blosc

import (
	"fmt"
	"slices"

	"github.com/omnizarr/zarr/internal/buf"
	"github.com/omnizarr/zarr/internal/shuffle"
	"github.com/omnizarr/zarr/internal/zstdenc"
)

// Shuffle is how blocks are reordered before they are compressed.
type Shuffle uint8

// The ways of shuffling.
const (
	NoShuffle Shuffle = iota
	ByteShuffle
	BitShuffle
)

// Options says how a frame is written.
type Options struct {
	Compressor Compressor
	Level      int // from 0, which stores, to 9
	Shuffle    Shuffle
	TypeSize   int // bytes of an element; what Blosc cannot express counts as 1
	BlockSize  int // bytes of a block before c-blosc's adjustments; 0: automatic
}

// MaxLen is the length of the longest frame that holds n bytes.
func MaxLen(n int) int { return n + HeaderLen }

// Encode appends a frame that holds src to dst.
func Encode(dst, src []byte, o Options) ([]byte, error) {
	if len(src) > maxBytes {
		return nil, fmt.Errorf("%d bytes are too many for a Blosc frame, at most %d fit", len(src), maxBytes)
	}
	if o.TypeSize < 1 || o.TypeSize > maxTypeSize {
		o.TypeSize = 1
	}
	h := o.header(len(src))
	// Compressors that do not know a limit overshoot by a little.
	room := MaxLen(len(src)) + zstdenc.MaxEncodedLen(h.BlockSize) - h.BlockSize
	dst = slices.Grow(dst, room)
	at := len(dst)
	if !h.Stored() {
		e := encoder{Header: h, Options: o, base: at, limit: at + MaxLen(len(src))}
		out, ok := e.blocks(dst, src)
		if ok {
			h.Length = len(out) - at
			h.put(out[at:])
			return out, nil
		}
		// It did not get smaller.
		dst = out[:at]
		h.flags |= flagStored
	}
	h.Length = MaxLen(len(src))
	dst = dst[:at+HeaderLen]
	h.put(dst[at:])
	return append(dst, src...), nil
}

// Blocks is into how many blocks n bytes are cut.
func (o Options) Blocks(n int) int {
	if o.TypeSize < 1 || o.TypeSize > maxTypeSize {
		o.TypeSize = 1
	}
	size := o.blockSize(n)
	return (n + size - 1) / size
}

// header is that of a frame of n bytes.
func (o Options) header(n int) Header {
	h := Header{Bytes: n, BlockSize: o.blockSize(n), TypeSize: o.TypeSize}
	if o.Level == 0 || n < minBytes {
		h.flags |= flagStored
	}
	switch o.Shuffle {
	case ByteShuffle:
		h.flags |= flagShuffle
	case BitShuffle:
		h.flags |= flagBitshuffle
	}
	if !o.splits(h.BlockSize) {
		h.flags |= flagWhole
	}
	h.flags |= byte(compressors[o.Compressor].format) << flagsFormat
	return h
}

// put writes the header.
func (h Header) put(b []byte) {
	b[0], b[1], b[2], b[3] = formatVersion, streamVersion, h.flags, byte(h.TypeSize)
	le.PutUint32(b[4:], uint32(h.Bytes))
	le.PutUint32(b[8:], uint32(h.BlockSize))
	le.PutUint32(b[12:], uint32(h.Length))
}

// splits reports whether blocks of n bytes are split into streams. Those of
// Zstandard never are: it came together with the flag that says so.
func (o Options) splits(n int) bool {
	return o.Compressor != Zstd && splittable(o.TypeSize, n)
}

// blockSize is how c-blosc cuts n bytes.
func (o Options) blockSize(n int) int {
	if n < o.TypeSize || n == 0 {
		return 1
	}
	size := n
	if o.BlockSize > 0 {
		size = min(max(o.BlockSize, minStream), maxBlockSize)
	} else if n >= 32<<10 {
		size = (8 << 10) * [...]int{1, 2, 4, 8, 16, 16, 32, 32, 32, 32}[o.Level]
		switch o.Compressor {
		case LZ4HC, Zlib, Zstd: // these look for matches far away
			size *= 2
			if o.Level == 9 {
				size *= 2
			}
		}
	}
	if o.Level > 0 && o.splits(size) {
		size = min(size, 256<<10) * o.TypeSize
		size = min(max(size, 64<<10), 1<<20)
	}
	size = min(size, n)
	if size > o.TypeSize {
		size -= size % o.TypeSize
	}
	return size
}

// encoder writes the blocks of a frame that begins at base and ends before limit.
type encoder struct {
	Header
	Options
	base, limit int
}

// blocks appends everything behind the header and reports whether it fits.
func (e *encoder) blocks(dst, src []byte) ([]byte, bool) {
	if e.IndexLen() > e.limit-e.base {
		return dst, false
	}
	dst = dst[:e.base+e.IndexLen()]
	var mem []byte
	if e.filter(e.Header.BlockSize) != noFilter {
		scratch := buf.Get(e.Header.BlockSize)
		defer scratch.Free()
		mem = scratch.B[:e.Header.BlockSize]
	}
	for i := range e.Header.Blocks() {
		le.PutUint32(dst[e.base+HeaderLen+4*i:], uint32(len(dst)-e.base))
		lo, hi := e.Block(i)
		block := src[lo:hi]
		elements, row := (hi-lo)/e.Header.TypeSize, 0
		switch e.filter(len(block)) {
		case byBytes:
			row = elements
			shuffle.Shuffle(mem[:len(block)], block, e.Header.TypeSize)
			block = mem[:len(block)]
		case byBits:
			row = elements / 8
			shuffle.Bitshuffle(mem[:len(block)], block, e.Header.TypeSize)
			block = mem[:len(block)]
		}
		n := len(block) / e.streams(len(block))
		for ; len(block) > 0; block = block[n:] {
			var ok bool
			if dst, ok = e.stream(dst, block[:n], row); !ok {
				return dst, false
			}
		}
	}
	return dst, true
}

// stream appends a stream and reports whether it fits.
func (e *encoder) stream(dst, src []byte, row int) ([]byte, bool) {
	at := len(dst) + 4
	if at >= e.limit {
		return dst, false
	}
	dst = append(dst, 0, 0, 0, 0)
	if out, ok := e.Compressor.encode(dst, src, e.Level, min(len(src), e.limit-at), row); ok {
		le.PutUint32(out[at-4:], uint32(len(out)-at))
		return out, true
	}
	if len(src) > e.limit-at {
		return dst, false
	}
	le.PutUint32(dst[at-4:], uint32(len(src)))
	return append(dst, src...), true
}
