package hdf5

import (
	"bytes"
	"compress/bzip2"
	"errors"
	"io"

	"github.com/omnizarr/zarr/codec"
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
	filterBlosc       = 32001
	filterZstd        = 32015
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
	filterBlosc: func(src []byte, _ []uint32, limit int) ([]byte, error) {
		return blosc.Decode(nil, src, limit)
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
		f, err := make(values).BindBytes(codec.Spec{}, codec.Size{})
		if err != nil {
			return nil, err
		}
		return f.Decode(nil, nil, src, limit)
	}
}
