package lz4

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/internal/lz4"
)

// HDF5Name is the name in metadata of the form in HDF5 files.
const HDF5Name = "omnizarr.lz4_hdf5"

// HDF5 is the codec "omnizarr.lz4_hdf5": what the filter 32004 of HDF5 writes. The
// size of all bytes in eight and of a block in four are followed by the blocks, each
// with its packed size in four, all big-endian. A block that does not get smaller is
// stored.
type HDF5 struct {
	// BlockSize is how many bytes a block holds; 0 stands for DefaultHDF5BlockSize.
	BlockSize int
}

// DefaultHDF5BlockSize is that of the filter.
const DefaultHDF5BlockSize = 1 << 30

// ParseHDF5 reads the configuration.
func ParseHDF5(_ *codec.Registry, _ string, raw json.RawMessage) (codec.Codec, error) {
	var c blockConfig
	if err := codec.ParseConfig(raw, &c); err != nil {
		return nil, err
	}
	out := HDF5{}
	if c.BlockSize != nil {
		out.BlockSize = *c.BlockSize
	}
	if out.BlockSize < 0 || out.BlockSize > lz4.MaxSource {
		return nil, fmt.Errorf("block_size is %d: must be from 0 to %d", out.BlockSize, lz4.MaxSource)
	}
	return out, nil
}

// Name is "omnizarr.lz4_hdf5".
func (HDF5) Name() string { return HDF5Name }

// MarshalJSON gives the entry for metadata.
func (c HDF5) MarshalJSON() ([]byte, error) {
	return codec.MarshalEntry(HDF5Name, blockConfig{&c.BlockSize})
}

// BindBytes fits the codec to what comes in.
func (c HDF5) BindBytes(_ codec.Spec, in codec.Size) (codec.BytesFilter, error) {
	f := &hdf5Filter{block: c.BlockSize}
	if f.block == 0 {
		f.block = DefaultHDF5BlockSize
	}
	if in.Known && in.N < math.MaxInt/8 {
		f.size = codec.AtMost(f.bound(in.N))
	}
	return f, nil
}

type hdf5Filter struct {
	block int
	size  codec.Size
}

// hdf5Header is how many bytes come before the first block.
const hdf5Header = 8 + 4

func (f *hdf5Filter) bound(n int) int { return hdf5Header + n + 4*(n/f.block+1) }

// Size is at most that of blocks that are all stored.
func (f *hdf5Filter) Size() codec.Size { return f.size }

// Encode appends the header and the blocks.
func (f *hdf5Filter) Encode(ck *codec.Chunk, dst, src []byte) ([]byte, error) {
	dst, err := ck.Grow(dst, f.bound(len(src)))
	if err != nil {
		return nil, err
	}
	dst = binary.BigEndian.AppendUint64(dst, uint64(len(src)))
	dst = binary.BigEndian.AppendUint32(dst, uint32(max(min(f.block, len(src)), 1)))
	for block := range slices.Chunk(src, f.block) {
		at := len(dst) + 4
		// There is room for what is worth to be packed only.
		n := lz4.Encode(dst[at:at+len(block)-1], block, 1)
		if n == 0 {
			n = copy(dst[at:at+len(block)], block)
		}
		dst = binary.BigEndian.AppendUint32(dst, uint32(n))[:at+n]
	}
	return dst, nil
}

// Decode appends what the blocks hold.
func (f *hdf5Filter) Decode(ck *codec.Chunk, dst, src []byte, limit int) ([]byte, error) {
	if len(src) < hdf5Header {
		return nil, codec.Bad("%d bytes, too few for a header of %d", len(src), hdf5Header)
	}
	claimed, block := binary.BigEndian.Uint64(src), uint64(binary.BigEndian.Uint32(src[8:]))
	all := len(src)
	src = src[hdf5Header:]
	switch {
	case claimed > uint64(limit):
		return nil, ck.Over(int(min(claimed, math.MaxInt)), limit)
	case claimed > 255*uint64(len(src)):
		return nil, codec.Bad("claims to hold %d bytes: %d packed ones cannot", claimed, len(src))
	case block == 0 && claimed > 0:
		return nil, codec.Bad("claims to hold %d bytes in blocks of none", claimed)
	}
	at, size := len(dst), int(claimed)
	dst, err := ck.Grow(dst, size)
	if err != nil {
		return nil, err
	}
	dst = dst[:at+size]
	for left := dst[at : at+size : at+size]; len(left) > 0; {
		n := int(min(block, uint64(len(left))))
		begin := all - len(src)
		if len(src) < 4 {
			return nil, codec.Bad("ends at byte %d, where a block of %d bytes should begin", all, n)
		}
		packed := uint64(binary.BigEndian.Uint32(src))
		if src = src[4:]; packed > uint64(len(src)) {
			return nil, codec.Bad("the block at byte %d has %d packed bytes, of which %d are there", begin, packed, len(src))
		}
		if err := unpack(left[:n:n], src[:packed]); err != nil {
			return nil, codec.Bad("the block at byte %d of %d %v", begin, all, err)
		}
		left, src = left[n:], src[packed:]
	}
	if ck.Strict() && len(src) > 0 {
		return nil, codec.Bad("%d bytes follow the last block", len(src))
	}
	return dst, nil
}

// unpack fills dst from a block, which is stored if it is as long.
func unpack(dst, block []byte) error {
	if len(block) == len(dst) {
		copy(dst, block)
		return nil
	}
	switch n, err := lz4.Decode(dst, block); {
	case errors.Is(err, lz4.ErrRoom):
		return fmt.Errorf("holds more than %d bytes", len(dst))
	case err != nil:
		return fmt.Errorf("is bad: %v", err)
	case n < len(dst):
		return fmt.Errorf("holds %d of %d bytes", n, len(dst))
	}
	return nil
}
