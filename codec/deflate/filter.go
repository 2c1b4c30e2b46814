package deflate

import (
	"bytes"
	"errors"
	"io"
	"sync"

	"github.com/klauspost/compress/flate"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/internal/drain"
)

type filter struct {
	level  int
	format Format
	size   codec.Size
}

func (f *filter) Size() codec.Size { return f.size }

// writer and reader are what is kept for the next chunk: the state of the
// library, and what it writes to or reads from.
type writer struct {
	out bytes.Buffer
	w   *flate.Writer
}

type reader struct {
	in bytes.Reader
	r  io.ReadCloser
}

var (
	writers [10]sync.Pool // by level
	readers = sync.Pool{New: func() any {
		d := &reader{}
		d.r = flate.NewReader(&d.in)
		return d
	}}
)

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
func (f *filter) Decode(_ *codec.Chunk, dst, src []byte, limit int) ([]byte, error) {
	d := readers.Get().(*reader)
	defer func() {
		d.in.Reset(nil)
		readers.Put(d)
	}()
	for at := len(dst); ; {
		n, err := f.format.header(src)
		if err != nil {
			return nil, err
		}
		start := len(dst)
		d.in.Reset(src[n:])
		if err := d.r.(flate.Resetter).Reset(&d.in, nil); err != nil {
			return nil, err
		}
		dst, err = drain.Append(dst, d.r, limit-(start-at))
		switch {
		case errors.Is(err, drain.ErrLimit):
			return nil, codec.Bad("holds more than the %d bytes that are possible", limit)
		case err != nil:
			return nil, codec.Bad("%v", err)
		}
		src = src[len(src)-d.in.Len():]
		if n, err = f.format.checkTrailer(src, dst[start:]); err != nil {
			return nil, err
		}
		src = bytes.TrimLeft(src[n:], "\x00")
		if f.format == Zlib || len(src) == 0 {
			return dst, nil
		}
	}
}
