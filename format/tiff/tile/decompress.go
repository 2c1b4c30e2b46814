package tile

import (
	"errors"
	"sync"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/deflate"
	"github.com/omnizarr/zarr/codec/lzma"
	"github.com/omnizarr/zarr/codec/lzw"
	"github.com/omnizarr/zarr/format/tiff/packbits"
	"github.com/omnizarr/zarr/internal/zstddec"
)

// decompress fills dst with the beginning of what src holds, and returns how
// much there was. More than dst takes is no error.
func (d *decoder) decompress(dst, src []byte) (int, error) {
	switch d.l.Compression {
	case LZW:
		return lzw.Decode(dst, src)
	case PackBits:
		return packbits.Decode(dst, src)
	case Zstd, OldZstd:
		n, err := zstddec.Decode(dst, src)
		if n == len(dst) && err != zstddec.ErrChecksum {
			err = nil // what comes behind is not looked at
		}
		return n, err
	default:
		return deflate.DecodeZlib(dst, src)
	}
}

// decompressAll is decompress for a compression that is decoded as a whole: into
// dst if that has the room, else into memory that grows with what comes out. The
// decoded bytes are what it returns.
func (d *decoder) decompressAll(dst, src []byte) ([]byte, error) {
	return lzmaFilter().Decode(nil, dst[:0], src, d.total)
}

// whole reports whether the compression is decoded as a whole.
func whole(compression int) bool { return compression == LZMA }

// isNoEnd reports whether the data merely ends without saying so, which several
// programs write: that is fine where all rows that are wanted are there.
func isNoEnd(err error) bool { return errors.Is(err, lzw.ErrNoEnd) }

// filter is a bytes-to-bytes codec of this module, ready for use.
func filter(k codec.BytesToBytes) codec.BytesFilter {
	f, err := k.BindBytes(codec.Spec{}, codec.Size{})
	if err != nil {
		panic(err) // only for codecs that were not made by Parse
	}
	return f
}

var lzmaFilter = sync.OnceValue(func() codec.BytesFilter {
	k, err := lzma.Parse(nil, "numcodecs.lzma", nil)
	if err != nil {
		panic(err)
	}
	return filter(k.(codec.BytesToBytes))
})
