package blosc

import (
	"errors"
	"fmt"
	"math"

	"github.com/omnizarr/zarr/internal/buf"
	"github.com/omnizarr/zarr/internal/shuffle"
)

// ChunkHeaderLen is the length of the header of a chunk of Blosc 2.
const ChunkHeaderLen = 32

// Chunk is the header of a chunk of Blosc 2. It begins like that of a frame of Blosc 1
// and has up to six filters, which were done to each block one after the other. Streams
// may also be runs of one byte, and a chunk may be nothing but one value.
type Chunk struct {
	Bytes     int // that the chunk holds
	BlockSize int // bytes a block holds; the last one may hold less
	Length    int // of the chunk
	TypeSize  int // bytes of an element

	flags   byte
	special special
	filters [6]chunkFilter
	movers  int // of the filters, those that change places
}

// special is what a chunk without streams holds.
type special byte

const (
	specialZeros special = iota + 1
	specialNaN
	specialValue
	specialUnset // which nobody wrote: zeros
)

// chunkFilter is a filter and its parameter.
type chunkFilter struct{ code, meta byte }

const (
	chunkShuffle = iota + 1
	chunkBitshuffle
	chunkDelta
	chunkTruncate // is not undone
)

const (
	flagsExtended  = flagShuffle | flagBitshuffle // both say that the header is longer
	oldestChunk    = 4
	newestChunk    = 5
	unknownChunk   = 0x8f // dictionaries, longer headers, lazy and instrumented chunks
	specialShift   = 4
	specialMask    = 7
	repeatedStream = 1
)

// IsChunk reports whether b begins like a chunk of Blosc 2.
func IsChunk(b []byte) bool {
	return len(b) > 2 && b[0] >= oldestChunk && b[0] <= newestChunk && b[2]&flagsExtended == flagsExtended
}

// ParseChunk reads the header of a chunk.
func ParseChunk(b []byte) (Chunk, error) {
	if len(b) < ChunkHeaderLen {
		return Chunk{}, fmt.Errorf("%d bytes are too few for the header of a Blosc 2 chunk", len(b))
	}
	if !IsChunk(b) {
		return Chunk{}, fmt.Errorf("version %d with flags %#02x is no Blosc 2 chunk that is known", b[0], b[2])
	}
	c := Chunk{flags: b[2], TypeSize: int(b[3]), special: special(b[31] >> specialShift & specialMask)}
	bytes, block, length := le.Uint32(b[4:]), le.Uint32(b[8:]), le.Uint32(b[12:])
	if bytes > maxBytes || length > math.MaxInt32 || length < ChunkHeaderLen || block > maxBlockSize {
		return c, fmt.Errorf("header claims %d bytes in blocks of %d in a chunk of %d", bytes, block, length)
	}
	c.Bytes, c.BlockSize, c.Length = int(bytes), int(block), int(length)
	switch {
	case b[31]&unknownChunk != 0 || b[30] != 0:
		return c, fmt.Errorf("flags %#02x %#02x of the Blosc 2 header are not known", b[31], b[30])
	case c.TypeSize == 0:
		return c, errors.New("header claims elements of no bytes")
	case c.special == specialValue && (c.Length == ChunkHeaderLen || c.Bytes%(c.Length-ChunkHeaderLen) != 0):
		return c, fmt.Errorf("header claims %d bytes of a value of %d", c.Bytes, c.Length-ChunkHeaderLen)
	case c.special == specialNaN && (c.TypeSize != 4 && c.TypeSize != 8 || c.Bytes%c.TypeSize != 0):
		return c, fmt.Errorf("header claims %d bytes of NaN of %d", c.Bytes, c.TypeSize)
	case c.special > specialUnset:
		return c, fmt.Errorf("special value %d is not known", c.special)
	case c.special != 0 || c.Bytes == 0:
		return c, nil
	case c.BlockSize == 0 || c.BlockSize > c.Bytes:
		return c, fmt.Errorf("header claims blocks of %d bytes, %d bytes in all", c.BlockSize, c.Bytes)
	case c.stored():
		if c.Length != c.Bytes+ChunkHeaderLen {
			return c, fmt.Errorf("header claims %d bytes, stored in a chunk of %d", c.Bytes, c.Length)
		}
		return c, nil
	case c.format() >= formats:
		return c, fmt.Errorf("compressor %d of Blosc 2 is not known", c.format())
	case c.blocks() > (c.Length-ChunkHeaderLen)/4:
		return c, fmt.Errorf("header claims %d blocks in a chunk of %d bytes", c.blocks(), c.Length)
	}
	return c, c.parseFilters(b[16:22], b[24:30])
}

// parseFilters reads the filters in the order in which they are undone.
func (c *Chunk) parseFilters(codes, meta []byte) error {
	delta := false
	for i := range c.filters {
		f := chunkFilter{codes[len(codes)-1-i], meta[len(meta)-1-i]}
		switch f.code {
		case chunkShuffle, chunkBitshuffle:
			if delta {
				return errors.New("filters of Blosc 2: a difference of what was shuffled is not known")
			}
			c.movers++
		case chunkDelta:
			delta = true
		case 0, chunkTruncate:
		default:
			return fmt.Errorf("filter %d of Blosc 2 is not known", f.code)
		}
		c.filters[i] = f
	}
	return nil
}

func (c Chunk) stored() bool   { return c.flags&flagStored != 0 }
func (c Chunk) format() format { return format(c.flags >> flagsFormat) }
func (c Chunk) blocks() int    { return (c.Bytes + c.BlockSize - 1) / c.BlockSize }

// Decode fills dst, which has room for Bytes, from the chunk that src begins with.
func (c Chunk) Decode(dst, src []byte) error {
	if c.Length > len(src) {
		return fmt.Errorf("%d bytes of a Blosc 2 chunk of %d", len(src), c.Length)
	}
	src, dst = src[:c.Length], dst[:c.Bytes:c.Bytes]
	switch {
	case c.special != 0:
		c.fill(dst, src)
		return nil
	case c.stored() || c.Bytes == 0:
		copy(dst, src[ChunkHeaderLen:])
		return nil
	}
	var scratch [2]*buf.Buffer
	for i := range min(c.movers, len(scratch)) {
		scratch[i] = buf.Get(c.BlockSize + slack)
		defer scratch[i].Free()
	}
	for i := range c.blocks() {
		start := int64(le.Uint32(src[ChunkHeaderLen+4*i:]))
		if start < int64(ChunkHeaderLen+4*c.blocks()) || start > int64(len(src)-4) {
			return fmt.Errorf("block %d begins at byte %d of a chunk of %d", i, start, len(src))
		}
		lo, hi := i*c.BlockSize, min((i+1)*c.BlockSize, c.Bytes)
		mem := dst[lo:hi]
		if c.movers > 0 {
			mem = scratch[0].B[:hi-lo]
		}
		if err := c.streams(mem, src[start:]); err != nil {
			return fmt.Errorf("block %d: %w", i, err)
		}
		c.undo(dst, lo, hi, mem, scratch[1])
	}
	return nil
}

// fill fills dst with the one value that a chunk holds.
func (c Chunk) fill(dst, src []byte) {
	var value []byte
	switch c.special {
	case specialValue:
		value = src[ChunkHeaderLen:]
	case specialNaN:
		value = le.AppendUint32(nil, 0x7fc0<<16)
		if c.TypeSize == 8 {
			value = le.AppendUint64(nil, 0x7ff8<<48)
		}
	default:
		clear(dst)
		return
	}
	for n := copy(dst, value); n < len(dst); n *= 2 {
		copy(dst[n:], dst[:n])
	}
}

// streams fills mem, a block, from its streams, which src begins with. It may write
// into the capacity behind mem.
func (c Chunk) streams(mem, src []byte) error {
	streams := 1
	if c.flags&flagWhole == 0 && len(mem) == c.BlockSize {
		streams = c.TypeSize
	}
	n := len(mem) / streams
	if n*streams != len(mem) {
		return fmt.Errorf("%d bytes cannot be split into %d streams", len(mem), streams)
	}
	for j := range streams {
		plane := mem[j*n : (j+1)*n]
		if len(src) < 4 {
			return errors.New("a stream has no length")
		}
		size := int(int32(le.Uint32(src)))
		src = src[4:]
		switch {
		case size > len(src) || size > maxStream(n):
			return fmt.Errorf("a stream of %d bytes claims %d, with %d left", n, size, len(src))
		case size < 0:
			if len(src) == 0 || src[0] != repeatedStream || size < -math.MaxUint8 {
				return fmt.Errorf("a stream of length %d is not known", size)
			}
			for i := range plane {
				plane[i] = byte(-size)
			}
			src = src[1:]
			continue
		case size == 0:
			clear(plane)
		case size == n:
			copy(plane, src)
		default:
			if err := c.format().decode(plane, src[:size]); err != nil {
				return fmt.Errorf("%s: %w", c.format(), err)
			}
		}
		src = src[size:]
	}
	return nil
}

// undo undoes the filters of the block dst[lo:hi], which is in mem. If there is one that
// changes places, mem is other memory; if there are more, spare is needed too.
func (c Chunk) undo(dst []byte, lo, hi int, mem []byte, spare *buf.Buffer) {
	left := c.movers
	var other []byte
	if left > 1 {
		other = spare.B[:len(mem)]
	}
	for _, f := range c.filters {
		if f.code == chunkDelta {
			c.addDelta(mem, dst[:min(c.BlockSize, len(dst))], lo == 0)
			continue
		}
		if f.code != chunkShuffle && f.code != chunkBitshuffle {
			continue
		}
		to := other
		if left--; left == 0 {
			to = dst[lo:hi]
		}
		size := c.TypeSize
		if f.code == chunkShuffle {
			if f.meta != 0 {
				size = int(f.meta)
			}
			shuffle.Unshuffle(to, mem, size)
		} else {
			whole := len(mem) / size &^ 7 * size
			shuffle.Bitunshuffle(to[:whole], mem[:whole], size)
			copy(to[whole:], mem[whole:])
		}
		mem, other = to, mem
	}
}

// addDelta undoes differences: of elements to those before them in the first block, and
// of those of other blocks to it.
func (c Chunk) addDelta(block, first []byte, isFirst bool) {
	size := c.TypeSize
	if size != 2 && size != 4 {
		size = 8
		if c.TypeSize%8 != 0 {
			size = 1
		}
	}
	block = block[:len(block)/size*size]
	if !isFirst {
		for i := range block {
			block[i] ^= first[i]
		}
		return
	}
	for i := size; i < len(block); i++ {
		block[i] ^= block[i-size]
	}
}
