package deflate

import (
	"bytes"
	"errors"
	"sync"

	"github.com/klauspost/compress/flate"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/internal/inflate"
)

type filter struct {
	level  int
	format Format
	size   codec.Size
}

func (f *filter) Size() codec.Size { return f.size }

// writer is what is kept for the next chunk: the state of the library, and what
// it writes to.
type writer struct {
	out bytes.Buffer
	w   *flate.Writer
}

var writers [10]sync.Pool // by level

func (f *filter) Encode(_ *codec.Chunk, dst, src []byte) ([]byte, error) {
	e, ok := writers[f.level].Get().(*writer)
	if !ok {
		e = &writer{}
	}
	e.out = *bytes.NewBuffer(f.format.appendHeader(dst, f.level))
	if ok {
		e.w.Reset(&e.out)
	} else {
		var err error
		if e.w, err = flate.NewWriter(&e.out, f.level); err != nil {
			return nil, err
		}
	}
	_, err := e.w.Write(src)
	if err == nil {
		err = e.w.Close()
	}
	out := e.out.Bytes()
	e.out = bytes.Buffer{}
	writers[f.level].Put(e)
	if err != nil {
		return nil, err
	}
	return f.format.appendTrailer(out, src), nil
}

// Decode reads all members of a gzip file, with zeros between and behind them,
// as zlib's own tools do. Of zlib there is only one, and what follows it means
// nothing.
func (f *filter) Decode(ck *codec.Chunk, dst, src []byte, limit int) ([]byte, error) {
	for at := len(dst); ; {
		n, err := f.format.header(src)
		if err != nil {
			return nil, err
		}
		src = src[n:]
		start := len(dst)
		dst, n, err = inflate.Append(dst, src, limit-(start-at))
		switch {
		case errors.Is(err, inflate.ErrFull):
			return nil, ck.Over(-1, limit)
		case err != nil:
			return nil, codec.Bad("%v", err)
		}
		src = src[n:]
		if n, err = f.format.checkTrailer(src, dst[start:]); err != nil {
			return nil, err
		}
		src = bytes.TrimLeft(src[n:], "\x00")
		if f.format == Zlib || len(src) == 0 {
			return dst, nil
		}
	}
}

// DecodeZlib fills dst with the beginning of what a frame of zlib holds, and
// returns how much there was, also if there is an error. That there is more than
// dst takes is none: the checksum, which is that of all, is not looked at then.
func DecodeZlib(dst, src []byte) (int, error) {
	header, err := Zlib.header(src)
	if err != nil {
		return 0, err
	}
	n, used, err := inflate.Decode(dst, src[header:])
	switch {
	case errors.Is(err, inflate.ErrFull):
		return n, nil
	case err != nil:
		return n, codec.Bad("%v", err)
	}
	_, err = Zlib.checkTrailer(src[header+used:], dst[:n])
	return n, err
}
