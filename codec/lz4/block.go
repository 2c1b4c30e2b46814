package lz4

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/internal/lz4"
)

// BlockName is the name in metadata of the stream of lz4-java.
const BlockName = "omnizarr.lz4_block"

// Block is the codec "omnizarr.lz4_block": the stream that lz4-java writes by its
// LZ4BlockOutputStream, which is "lz4" in N5. Bytes are cut into pieces, each of
// which has a header and is packed, or stored where that does not pay. A header
// without a piece is the end.
type Block struct {
	Size int // bytes of a piece, 64 to 32 MiB
}

type blockConfig struct {
	BlockSize *int `json:"block_size"`
}

// The sizes of a piece: what is used where metadata gives none, and what lz4-java
// can do.
const (
	DefaultBlockSize = 1 << 16
	minBlockSize     = 64
	maxBlockSize     = 1 << 25
)

// ParseBlock reads the configuration.
func ParseBlock(_ *codec.Registry, _ string, raw json.RawMessage) (codec.Codec, error) {
	var c blockConfig
	if err := codec.ParseConfig(raw, &c); err != nil {
		return nil, err
	}
	out := Block{DefaultBlockSize}
	if c.BlockSize != nil {
		out.Size = *c.BlockSize
	}
	if out.Size < minBlockSize || out.Size > maxBlockSize {
		return nil, fmt.Errorf("block_size is %d: must be from %d to %d", out.Size, minBlockSize, maxBlockSize)
	}
	return out, nil
}

// Name is "omnizarr.lz4_block".
func (Block) Name() string { return BlockName }

// MarshalJSON gives the entry for metadata.
func (c Block) MarshalJSON() ([]byte, error) {
	return codec.MarshalEntry(BlockName, blockConfig{&c.Size})
}

// BindBytes fits the codec to what comes in.
func (c Block) BindBytes(_ codec.Spec, in codec.Size) (codec.BytesFilter, error) {
	f := &blockFilter{piece: c.Size}
	if in.Known && in.N < math.MaxInt/2 {
		f.size = codec.AtMost(in.N + (in.N/c.Size+2)*pieceHeader)
	}
	return f, nil
}

type blockFilter struct {
	piece int
	size  codec.Size
}

// The header of a piece: eight letters, the method and the size of pieces in one
// byte, the packed size, the size and the checksum in four each, little-endian.
const (
	pieceMagic  = "LZ4Block"
	pieceHeader = len(pieceMagic) + 1 + 3*4

	methodStored = 0x10
	methodPacked = 0x20
	levelBase    = 10 // level 0 is pieces of up to 1 << 10 bytes

	pieceSeed = 0x9747b28c
	checkMask = 0xfffffff // lz4-java drops four bits
)

func checkPiece(data []byte) uint32 { return hash32(data, pieceSeed) & checkMask }

// Size is at most that of pieces that are all stored.
func (f *blockFilter) Size() codec.Size { return f.size }

// level is how the size of pieces is written in a header.
func (f *blockFilter) level() byte { return byte(max(bits.Len(uint(f.piece-1))-levelBase, 0)) }

// Encode appends the pieces and the end.
func (f *blockFilter) Encode(_ *codec.Chunk, dst, src []byte) ([]byte, error) {
	for piece := range slices.Chunk(src, f.piece) {
		at := len(dst) + pieceHeader
		dst = slices.Grow(dst, pieceHeader+len(piece))
		// There is room for what is worth to be packed only.
		n := lz4.Encode(dst[at:at+len(piece)-1], piece, 1)
		method := byte(methodPacked)
		if n == 0 {
			method, n = methodStored, copy(dst[at:at+len(piece)], piece)
		}
		appendPiece(dst, method|f.level(), n, len(piece), checkPiece(piece))
		dst = dst[:at+n]
	}
	return appendPiece(dst, methodStored|f.level(), 0, 0, 0), nil
}

func appendPiece(dst []byte, token byte, packed, size int, check uint32) []byte {
	dst = append(append(dst, pieceMagic...), token)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(packed))
	dst = binary.LittleEndian.AppendUint32(dst, uint32(size))
	return binary.LittleEndian.AppendUint32(dst, check)
}

// Decode appends what the pieces hold.
func (f *blockFilter) Decode(ck *codec.Chunk, dst, src []byte, limit int) ([]byte, error) {
	start, all := len(dst), len(src)
	for {
		at := all - len(src)
		p, err := parsePiece(src)
		if err != nil {
			return nil, codec.Bad("%v at byte %d of %d", err, at, all)
		}
		src = src[pieceHeader:]
		if p.size == 0 {
			if len(src) > 0 {
				return nil, codec.Bad("%d bytes follow the end", len(src))
			}
			return dst, nil
		}
		if have := len(dst) - start; p.size > limit-have {
			return nil, ck.Over(-1, limit)
		}
		dst, err = p.append(dst, src[:p.packed])
		if err != nil {
			return nil, codec.Bad("the piece at byte %d of %d %v", at, all, err)
		}
		src = src[p.packed:]
	}
}

// piece is the header of one.
type piece struct {
	method       byte
	packed, size int
	check        uint32
}

// parsePiece reads the header that data begins with. What it counts is there, and
// can become as much as it says.
func parsePiece(data []byte) (piece, error) {
	if len(data) < pieceHeader {
		return piece{}, fmt.Errorf("%d bytes are too few for the %d of a header", len(data), pieceHeader)
	}
	if !bytes.HasPrefix(data, []byte(pieceMagic)) {
		return piece{}, fmt.Errorf("a header begins with %q, not %q", data[:len(pieceMagic)], pieceMagic)
	}
	fields := data[len(pieceMagic)+1:]
	packed, size := uint64(binary.LittleEndian.Uint32(fields)), uint64(binary.LittleEndian.Uint32(fields[4:]))
	p := piece{method: data[len(pieceMagic)] & 0xf0, check: binary.LittleEndian.Uint32(fields[8:])}
	most := uint64(1) << (levelBase + data[len(pieceMagic)]&0x0f)
	left := uint64(len(data) - pieceHeader)
	switch {
	case p.method != methodStored && p.method != methodPacked:
		return p, fmt.Errorf("a header has method %#x, not %#x or %#x", p.method, methodStored, methodPacked)
	case size > most:
		return p, fmt.Errorf("a header has a piece of %d bytes, where they have at most %d", size, most)
	case packed > left:
		return p, fmt.Errorf("a header has %d packed bytes, of which %d are there", packed, left)
	case p.method == methodStored && packed != size, size > 255*packed, size == 0 && packed > 0:
		return p, fmt.Errorf("a header says that %d bytes hold %d", packed, size)
	case size == 0 && p.check != 0:
		return p, fmt.Errorf("the end has the checksum %#x", p.check)
	}
	p.packed, p.size = int(packed), int(size)
	return p, nil
}

// append appends what a piece holds.
func (p piece) append(dst, packed []byte) ([]byte, error) {
	at := len(dst)
	dst = slices.Grow(dst, p.size)[:at+p.size]
	out := dst[at : at+p.size : at+p.size]
	if p.method == methodStored {
		copy(out, packed)
	} else if n, err := lz4.Decode(out, packed); errors.Is(err, lz4.ErrRoom) {
		return nil, fmt.Errorf("holds more than the %d bytes that it claims", p.size)
	} else if err != nil {
		return nil, fmt.Errorf("is bad: %v", err)
	} else if n < p.size {
		return nil, fmt.Errorf("holds %d of the %d bytes that it claims", n, p.size)
	}
	if check := checkPiece(out); check != p.check {
		return nil, fmt.Errorf("has the checksum %#x, want %#x", check, p.check)
	}
	return dst, nil
}
