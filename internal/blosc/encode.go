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
	return EncodeParts(dst, src, o, nil)
}

// EncodeParts is Encode of a frame whose blocks may be encoded at once, to the same bytes:
// run is as that of DecodeParts.
func EncodeParts(dst, src []byte, o Options, run func(n int, part func(i int) error) error) ([]byte, error) {
	if len(src) > maxBytes {
		return nil, fmt.Errorf("%d bytes are too many for a Blosc frame, at most %d fit", len(src), maxBytes)
	}
	if o.TypeSize < 1 || o.TypeSize > maxTypeSize {
		o.TypeSize = 1
	}
	h := o.header(len(src))
	dst = slices.Grow(dst, MaxLen(len(src))+overshoot(h.BlockSize))
	at := len(dst)
	if !h.Stored() {
		e := encoder{Header: h, Options: o, base: at, limit: at + MaxLen(len(src))}
		out, ok, err := e.blocks(dst, src, run)
		if err != nil {
			return nil, err
		}
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

// overshoot is by how many bytes compressors that do not know a limit may pass it.
func overshoot(blockSize int) int { return zstdenc.MaxEncodedLen(blockSize) - blockSize }

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
	index       []byte // where the blocks begin
}

// blocks appends everything behind the header and reports whether it fits.
func (e *encoder) blocks(dst, src []byte, run func(n int, part func(i int) error) error) ([]byte, bool, error) {
	if e.IndexLen() > e.limit-e.base {
		return dst, false, nil
	}
	first, blocks, each := 0, e.Header.Blocks(), max(1, share/e.Header.BlockSize)
	if run != nil && blocks > each {
		var err error
		if dst, first, err = e.atOnce(dst, src, each, run); err != nil {
			return nil, false, err
		}
	} else {
		dst = dst[:e.base+e.IndexLen()]
		e.index = dst[e.base+HeaderLen:]
	}
	dst, ok := e.some(dst, src, first, blocks)
	return dst, ok, nil
}

// atOnce appends the index and blocks that run encodes, some in each part, and returns how many there are. It ends
// before a block that would not fit if it did not get smaller: how its streams are
// stored goes by the room that is left.
func (e *encoder) atOnce(dst, src []byte, each int, run func(n int, part func(i int) error) error) ([]byte, int, error) {
	blocks := e.Header.Blocks()
	parts := (blocks + each - 1) / each
	most := e.Header.BlockSize + 4*e.streams(e.Header.BlockSize)
	room := each*most + overshoot(e.Header.BlockSize)
	// Each part has room of its own, and moves to its place when all are there.
	at := e.base + e.IndexLen()
	dst = slices.Grow(dst, e.IndexLen()+parts*room)[:at]
	e.index = dst[e.base+HeaderLen:]
	ends := make([]int, parts)
	err := run(parts, func(i int) error {
		part := encoder{Header: e.Header, Options: e.Options, index: e.index, limit: room}
		from := at + i*room
		out, ok := part.some(dst[from:from:from+room], src, i*each, min((i+1)*each, blocks))
		if !ok {
			return fmt.Errorf("%d bytes are too few for blocks of %d", room, each*e.Header.BlockSize)
		}
		ends[i] = from + len(out)
		return nil
	})
	if err != nil {
		return nil, 0, err
	}
	all := dst[:at+parts*room]
	for i := range blocks {
		if len(dst)+most > e.limit {
			return dst, i, nil
		}
		from, end := at+i/each*room+int(le.Uint32(e.index[4*i:])), ends[i/each]
		if next := i + 1; next < blocks && next%each != 0 {
			end = at + i/each*room + int(le.Uint32(e.index[4*next:]))
		}
		e.begin(dst, i)
		dst = append(dst, all[from:end]...)
	}
	return dst, blocks, nil
}

// begin says in the index that a block begins behind dst.
func (e *encoder) begin(dst []byte, i int) { le.PutUint32(e.index[4*i:], uint32(len(dst)-e.base)) }

// some appends the blocks from first to end and reports whether they fit.
func (e *encoder) some(dst, src []byte, first, end int) ([]byte, bool) {
	var mem []byte
	if e.filter(e.Header.BlockSize) != noFilter {
		scratch := buf.Get(e.Header.BlockSize)
		defer scratch.Free()
		mem = scratch.B[:e.Header.BlockSize]
	}
	for i := first; i < end; i++ {
		e.begin(dst, i)
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
