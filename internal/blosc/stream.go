package blosc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zlib"

	"github.com/omnizarr/zarr/internal/blosclz"
	"github.com/omnizarr/zarr/internal/lz4"
	"github.com/omnizarr/zarr/internal/zstddec"
)

var decoders = sync.Pool{New: func() any { return new(decoder) }}

// format is how streams are compressed, as the header numbers it.
type format uint8

const (
	formatBloscLZ format = iota
	formatLZ4
	formatSnappy
	formatZlib
	formatZstd
	formats
)

// String names the format.
func (f format) String() string {
	return [...]string{"BloscLZ", "LZ4", "Snappy", "zlib", "Zstandard"}[f]
}

var errLength = errors.New("a stream does not hold what it should")

// decode fills dst from a stream. It may write into the capacity behind dst.
func (f format) decode(dst, src []byte) error {
	var n int
	var err error
	switch f {
	case formatBloscLZ:
		n, err = blosclz.Decode(dst, src)
	case formatLZ4:
		n, err = lz4.Decode(dst, src)
	case formatSnappy:
		n, err = decodeSnappy(dst, src)
	case formatZlib:
		n, err = decodeZlib(dst, src)
	case formatZstd:
		n, err = decodeZstd(dst, src)
	}
	if err == nil && n != len(dst) {
		err = fmt.Errorf("a stream holds %d bytes instead of %d", n, len(dst))
	}
	return err
}

func decodeSnappy(dst, src []byte) (int, error) {
	n, err := snappy.DecodedLen(src)
	if err != nil || n != len(dst) {
		return n, err
	}
	out, err := snappy.Decode(dst, src)
	return len(out), err
}

// inflater is a zlib reader and what it reads from.
type inflater struct {
	in bytes.Reader
	r  io.ReadCloser
}

var inflaters = sync.Pool{New: func() any { return new(inflater) }}

func decodeZlib(dst, src []byte) (int, error) {
	z := inflaters.Get().(*inflater)
	defer inflaters.Put(z)
	z.in.Reset(src)
	var err error
	if z.r == nil {
		z.r, err = zlib.NewReader(&z.in)
	} else {
		err = z.r.(zlib.Resetter).Reset(&z.in, nil)
	}
	if err != nil {
		return 0, noEOF(err)
	}
	n, err := io.ReadFull(z.r, dst)
	if err != nil {
		return n, noEOF(err)
	}
	// The checksum is only compared at the end.
	var more [1]byte
	switch k, err := z.r.Read(more[:]); {
	case k > 0:
		return n, errLength
	case err != io.EOF:
		return n, err
	}
	return n, nil
}

// noEOF says that the end came too early.
func noEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

func decodeZstd(dst, src []byte) (int, error) {
	return zstddec.Decode(dst[:min(cap(dst), len(dst)+slack)], src)
}

// Compressor is what streams are compressed with.
type Compressor uint8

// The compressors of Blosc.
const (
	BloscLZ Compressor = iota
	LZ4
	LZ4HC
	Snappy
	Zlib
	Zstd
)

var compressors = [...]struct {
	name   string
	format format
}{
	BloscLZ: {"blosclz", formatBloscLZ},
	LZ4:     {"lz4", formatLZ4},
	LZ4HC:   {"lz4hc", formatLZ4},
	Snappy:  {"snappy", formatSnappy},
	Zlib:    {"zlib", formatZlib},
	Zstd:    {"zstd", formatZstd},
}

// String is the name that Blosc gives the compressor.
func (c Compressor) String() string { return compressors[c].name }

// LookupCompressor finds a compressor by its name.
func LookupCompressor(name string) (Compressor, bool) {
	for i, c := range compressors {
		if c.name == name {
			return Compressor(i), true
		}
	}
	return 0, false
}

// encode appends the compressed form of src to dst and reports whether it has
// less than max bytes. If it has not, what follows dst is undefined. src may
// consist of rows of equal length that were shuffled together.
func (c Compressor) encode(dst, src []byte, level, max, row int) ([]byte, bool) {
	at := len(dst)
	switch c {
	case BloscLZ, LZ4, LZ4HC:
		var n int
		switch room := dst[at : at+max]; c {
		case BloscLZ:
			n = blosclz.Encode(room, src, level)
		case LZ4:
			n = lz4.Encode(room, src, 10-level)
		default:
			n = lz4.EncodeHC(room, src, level)
		}
		return dst[:at+n], n > 0 && n < max
	case Snappy:
		dst = appendSnappy(dst, src)
	case Zlib:
		var ok bool
		if dst, ok = appendZlib(dst, src, level, max); !ok {
			return dst, false
		}
	case Zstd:
		dst = appendZstd(dst, src, zstdLevel(level), row)
	}
	return dst, len(dst)-at < max
}

// zstdLevel spreads Blosc's levels over those of Zstandard, as c-blosc does.
func zstdLevel(level int) int {
	if level == 9 {
		return 22
	}
	return 2*level - 1
}

func appendSnappy(dst, src []byte) []byte {
	at, room := len(dst), s2.MaxEncodedLen(len(src))
	if cap(dst)-at < room {
		dst = append(make([]byte, 0, at+room), dst...)
	}
	return dst[:at+len(s2.EncodeSnappy(dst[at:at+room], src))]
}

// deflater is a zlib writer and what it writes to.
type deflater struct {
	out   bytes.Buffer
	limit int
	w     *zlib.Writer
}

var (
	deflaters [10]sync.Pool
	errFull   = errors.New("no room")
)

// Write takes the compressed bytes up to the limit.
func (z *deflater) Write(b []byte) (int, error) {
	if len(b) > z.limit-z.out.Len() {
		return 0, errFull
	}
	return z.out.Write(b)
}

func appendZlib(dst, src []byte, level, max int) ([]byte, bool) {
	z, ok := deflaters[level].Get().(*deflater)
	if !ok {
		z = &deflater{}
	}
	z.out, z.limit = *bytes.NewBuffer(dst), len(dst)+max
	if z.w == nil {
		z.w, _ = zlib.NewWriterLevel(z, level) // the level is known to be one
	} else {
		z.w.Reset(z)
	}
	_, err := z.w.Write(src)
	if err == nil {
		err = z.w.Close()
	}
	out := z.out.Bytes()
	z.out = bytes.Buffer{}
	deflaters[level].Put(z)
	return out, err == nil
}
