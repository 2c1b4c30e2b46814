package blosc2

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/internal/blosc"
)

// frame is what the header of a contiguous frame says: MessagePack, whose members have
// fixed places up to the metalayers. All numbers are big-endian.
type frame struct {
	src      []byte
	header   int // its length, behind which the chunks lie
	bytes    int // that all chunks hold
	packed   int // bytes of all chunks, behind which their index lies
	typeSize int
	chunk    int // bytes of a chunk; the last one may hold less
	array    *array
}

const magic = "\xa8b2frame\x00"

// The places of members, each behind the byte that says its type.
const (
	atHeader   = 11
	atLength   = 16
	atFlags    = 25
	atBytes    = 30
	atPacked   = 39
	atTypeSize = 48
	atChunk    = 58
	atLayers   = 87 // behind the filters, which every chunk has by itself
)

// types are what stands before members.
var types = map[int]byte{atHeader: 0xd2, atLength: 0xcf, atFlags: 0xa4, atBytes: 0xd3, atPacked: 0xd3, atTypeSize: 0xd2, atChunk: 0xd2}

// wideIndex says that the index has numbers of eight bytes.
const wideIndex = 1

func isFrame(src []byte) bool { return len(src) > 1 && bytes.HasPrefix(src[1:], []byte(magic)) }

// parseFrame reads the header.
func parseFrame(src []byte) (*frame, error) {
	if len(src) < atLayers {
		return nil, fmt.Errorf("%d bytes are too few for its header", len(src))
	}
	for at, want := range types {
		if src[at-1] != want {
			return nil, errors.New("its header has members of other types than are known")
		}
	}
	be := binary.BigEndian
	f := &frame{header: int(int32(be.Uint32(src[atHeader:]))), typeSize: int(int32(be.Uint32(src[atTypeSize:]))), chunk: int(int32(be.Uint32(src[atChunk:])))}
	length, held, packed := be.Uint64(src[atLength:]), be.Uint64(src[atBytes:]), be.Uint64(src[atPacked:])
	switch {
	case length > uint64(len(src)):
		return nil, fmt.Errorf("it has %d bytes, of which %d are there", length, len(src))
	case f.header < atLayers || uint64(f.header) > length || packed > length-uint64(f.header):
		return nil, fmt.Errorf("a header of %d bytes and chunks of %d are more than its %d", f.header, packed, length)
	case held > math.MaxInt/2:
		return nil, fmt.Errorf("it claims to hold %d bytes", held)
	case held > 0 && f.chunk <= 0:
		return nil, errors.New("its chunks are not all as long, which is not known")
	case f.typeSize <= 0:
		return nil, fmt.Errorf("its elements have %d bytes", f.typeSize)
	case src[atFlags]>>4&3 != wideIndex:
		return nil, errors.New("its index has numbers of another width than is known")
	}
	f.src, f.bytes, f.packed = src[:length], int(held), int(packed)
	var err error
	f.array, err = parseLayers(src[:f.header])
	return f, err
}

// decode appends what the frame holds.
func (f *frame) decode(ck *codec.Chunk, dst []byte, limit int) ([]byte, error) {
	n := f.bytes
	if f.array != nil {
		if err := f.array.check(f); err != nil {
			return nil, codec.Bad("frame of Blosc 2: %v", err)
		}
		n = f.array.bytes(f.typeSize)
	}
	if n > limit {
		return nil, ck.Over(n, limit)
	}
	dst, err := ck.Grow(dst, n)
	if err != nil {
		return nil, err
	}
	at := len(dst)
	dst = dst[:at+n]
	if f.array == nil || f.array.inOrder() {
		return dst, f.chunks(ck, dst[at:at+n:at+n])
	}
	blocks, err := ck.Lend(f.bytes)
	if err != nil {
		return nil, err
	}
	defer blocks.Free()
	mem := blocks.B[:f.bytes:f.bytes]
	if err := f.chunks(ck, mem); err != nil {
		return nil, err
	}
	f.array.place(dst[at:], mem, f.typeSize)
	return dst, nil
}

// chunks fills dst from all chunks.
func (f *frame) chunks(ck *codec.Chunk, dst []byte) error {
	if len(dst) == 0 {
		return nil
	}
	count := (f.bytes-1)/f.chunk + 1
	if count > math.MaxInt32/8 {
		return codec.Bad("frame of Blosc 2: it claims %d chunks", count)
	}
	index, err := ck.Lend(8 * count)
	if err != nil {
		return err
	}
	defer index.Free()
	places := index.B[: 8*count : 8*count]
	if err := decodeChunk(places, f.src[f.header+f.packed:]); err != nil {
		return codec.Bad("index of a Blosc 2 frame: %v", err)
	}
	for i := range count {
		part := dst[i*f.chunk : min((i+1)*f.chunk, len(dst))]
		place := binary.LittleEndian.Uint64(places[8*i:])
		switch {
		case place>>63 == 1: // not stored, since all elements are one value
			err = fill(part, place>>56&0x7f, f.typeSize)
		case place > uint64(f.packed):
			err = fmt.Errorf("begins at byte %d of %d", place, f.packed)
		default:
			err = decodeChunk(part, f.src[f.header+int(place):f.header+f.packed])
		}
		if err != nil {
			return codec.Bad("chunk %d of a Blosc 2 frame: %v", i, err)
		}
	}
	return nil
}

// decodeChunk fills dst from the chunk that src begins with.
func decodeChunk(dst, src []byte) error {
	c, err := blosc.ParseChunk(src)
	if err != nil {
		return err
	}
	if c.Bytes != len(dst) {
		return fmt.Errorf("holds %d bytes instead of %d", c.Bytes, len(dst))
	}
	return c.Decode(dst, src)
}

// The values of chunks that are not stored.
const (
	zeros = 1
	nans  = 2
	unset = 4
)

func fill(dst []byte, value uint64, typeSize int) error {
	switch {
	case value == zeros || value == unset:
		clear(dst)
	case value == nans && typeSize == 4:
		for i := 0; i+4 <= len(dst); i += 4 {
			binary.LittleEndian.PutUint32(dst[i:], 0x7fc0<<16)
		}
	case value == nans && typeSize == 8:
		for i := 0; i+8 <= len(dst); i += 8 {
			binary.LittleEndian.PutUint64(dst[i:], 0x7ff8<<48)
		}
	default:
		return fmt.Errorf("has the special value %d for elements of %d bytes, which is not known", value, typeSize)
	}
	return nil
}
