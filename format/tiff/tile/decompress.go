package tile

import (
	"bytes"
	"errors"
	"io"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/deflate"
	"github.com/omnizarr/zarr/codec/lzma"
	"github.com/omnizarr/zarr/codec/lzw"
	zstdcodec "github.com/omnizarr/zarr/codec/zstd"
	"github.com/omnizarr/zarr/format/tiff/packbits"
)

// decompress fills dst with the beginning of what src holds, and returns how
// much there was. More than dst takes is no error.
func (d *decoder) decompress(dst, src []byte) (int, error) {
	switch d.l.Compression {
	case LZW:
		return lzw.Decode(dst, src)
	case PackBits:
		return packbits.Decode(dst, src)
	default:
		return deflate.DecodeZlib(dst, src)
	}
}

// decompressAll is decompress for compressions that are decoded as a whole: into
// dst if that has the room, else into memory that grows with what comes out. The
// decoded bytes are what it returns.
func (d *decoder) decompressAll(dst, src []byte) ([]byte, error) {
	if d.l.Compression == LZMA {
		return lzmaFilter().Decode(nil, dst[:0], src, d.total)
	}
	out, err := zstdFilter().Decode(nil, dst[:0], src, d.total)
	if err == nil {
		return out, nil
	}
	// What holds more than the tile, or is damaged, goes through a stream, which
	// gives what comes before.
	if cap(dst) < d.total {
		dst = make([]byte, min(d.total, most(Zstd, len(src))))
	}
	dst = dst[:min(d.total, cap(dst))]
	n, err := readZstd(dst, src)
	return dst[:n], err
}

// whole reports whether the compression is decoded as a whole.
func whole(compression int) bool {
	return compression == LZMA || compression == Zstd || compression == OldZstd
}

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

var (
	zstdFilter = sync.OnceValue(func() codec.BytesFilter { return filter(zstdcodec.Codec{}) })
	lzmaFilter = sync.OnceValue(func() codec.BytesFilter {
		k, err := lzma.Parse(nil, "numcodecs.lzma", nil)
		if err != nil {
			panic(err)
		}
		return filter(k.(codec.BytesToBytes))
	})
)

// stream is a decoder of Zstandard that keeps its memory.
type stream struct {
	in  bytes.Reader
	dec *zstd.Decoder
}

// maxWindow bounds the memory of a stream.
const maxWindow = 8 << 20

var streams = sync.Pool{New: func() any {
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		panic(err) // only for options that contradict each other
	}
	return &stream{dec: dec}
}}

// readZstd fills dst with the beginning of what the frames hold.
func readZstd(dst, src []byte) (n int, err error) {
	s := streams.Get().(*stream)
	defer func() {
		s.in.Reset(nil)
		if s.dec.Reset(nil) == nil {
			streams.Put(s)
		}
	}()
	s.in.Reset(src)
	if err := s.dec.Reset(&s.in); err != nil {
		return 0, err
	}
	for n < len(dst) {
		k, err := s.dec.Read(dst[n:])
		n += k
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return n, err
		}
	}
	return n, nil
}
