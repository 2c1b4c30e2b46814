package hdf5

import (
	"bytes"
	"compress/bzip2"
	"errors"
	"io"
	"math"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/bitshuffle"
	"github.com/omnizarr/zarr/codec/blosc2"
	"github.com/omnizarr/zarr/codec/lz4"
	"github.com/omnizarr/zarr/codec/lzf"
	"github.com/omnizarr/zarr/codec/nbit"
	"github.com/omnizarr/zarr/codec/scaleoffset"
	"github.com/omnizarr/zarr/codec/szip"
	"github.com/omnizarr/zarr/hdf5"
	"github.com/omnizarr/zarr/internal/blosc"
	"github.com/omnizarr/zarr/internal/zstddec"
)

// The filters beyond those of package hdf5 that there are codecs for, by their
// numbers.
const (
	filterSzip        = 4
	filterNbit        = 5
	filterScaleOffset = 6
	filterBzip2       = 307
	filterLZF         = 32000
	filterBlosc       = 32001
	filterLZ4         = 32004
	filterBitshuffle  = 32008
	filterZstd        = 32015
	filterBlosc2      = 32026
)

// decoders undo filters of chunks that are made: of text, and of datasets that
// virtual ones are made of. Other chunks go to the codecs as they are.
var decoders = map[uint16]hdf5.Decoder{
	filterSzip:        by(func(v []uint32) codec.BytesToBytes { return szip.Codec{Values: v} }),
	filterNbit:        by(func(v []uint32) codec.BytesToBytes { return nbit.Codec{Values: v} }),
	filterScaleOffset: by(func(v []uint32) codec.BytesToBytes { return scaleoffset.Codec{Values: v} }),
	filterBzip2: func(src []byte, _ []uint32, limit int) ([]byte, error) {
		return io.ReadAll(io.LimitReader(bzip2.NewReader(bytes.NewReader(src)), int64(limit)))
	},
	filterLZF:    func(src []byte, _ []uint32, limit int) ([]byte, error) { return undo(lzf.Codec{}, src, limit) },
	filterBlosc2: func(src []byte, _ []uint32, limit int) ([]byte, error) { return undo(blosc2.Codec{}, src, limit) },
	filterBlosc: func(src []byte, _ []uint32, limit int) ([]byte, error) {
		return blosc.Decode(nil, src, limit)
	},
	filterLZ4: func(src []byte, v []uint32, limit int) ([]byte, error) { return undo(lz4Codec(v), src, limit) },
	filterBitshuffle: func(src []byte, v []uint32, limit int) ([]byte, error) {
		return undo(bitshuffleCodec(v), src, limit)
	},
	filterZstd: func(src []byte, _ []uint32, limit int) ([]byte, error) {
		n, _ := zstddec.Bound(src)
		dst := make([]byte, min(n, limit))
		n, err := zstddec.Decode(dst, src)
		if errors.Is(err, zstddec.ErrRoom) { // more than the limit, which may end there
			err = nil
		}
		return dst[:n], err
	},
}

// by undoes a filter with the codec that its parameters give.
func by(make func(values []uint32) codec.BytesToBytes) hdf5.Decoder {
	return func(src []byte, values []uint32, limit int) ([]byte, error) {
		return undo(make(values), src, limit)
	}
}

// lz4Codec is the codec of LZ4 that the parameters of its filter mean. Each chunk says
// how large its blocks are.
func lz4Codec(values []uint32) lz4.HDF5 {
	return lz4.HDF5{BlockSize: int(min(parameter(values, 0, 0), lz4.DefaultHDF5BlockSize))}
}

// bitshuffleCodec is the codec that the parameters of the filter mean: its version in
// two, then the size of an element, elements in a block, the compressor and its level.
// It has no compressor where that is not known, and cannot be bound.
func bitshuffleCodec(values []uint32) bitshuffle.Codec {
	c := bitshuffle.Codec{
		ElementSize: int(min(parameter(values, 2, 1), math.MaxInt32)),
		BlockSize:   int(min(parameter(values, 3, 0), math.MaxInt32)),
	}
	switch parameter(values, 4, 0) {
	case 0:
		c.Compressor = bitshuffle.None
	case 2:
		c.Compressor = bitshuffle.LZ4
	case 3:
		c.Compressor, c.Level = bitshuffle.Zstd, int(min(parameter(values, 5, 0), 22))
	}
	return c
}

// parameter is one of a filter, or what it is where it is left out.
func parameter(values []uint32, i int, or uint32) uint32 {
	if i < len(values) {
		return values[i]
	}
	return or
}

// undo decodes by a codec.
func undo(c codec.BytesToBytes, src []byte, limit int) ([]byte, error) {
	f, err := c.BindBytes(codec.Spec{}, codec.Size{})
	if err != nil {
		return nil, err
	}
	return f.Decode(nil, nil, src, limit)
}
