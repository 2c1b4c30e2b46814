// Package zlib is the codec "numcodecs.zlib", also spelled "zlib": the format of
// RFC 1950, which is that of gzip with a smaller frame.
package zlib

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"sync"

	"github.com/klauspost/compress/zlib"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/internal/drain"
)

// Codec is a parsed entry.
type Codec struct {
	// Level is from 0 (stored) to 9 (smallest).
	Level int

	name string
}

type config struct {
	Level *int `json:"level"`
}

// DefaultLevel is used where metadata gives none; it is that of numcodecs.
const DefaultLevel = 1

const defaultName = "numcodecs.zlib"

// Parse reads the configuration; an absent one means the default level.
func Parse(_ *codec.Registry, name string, raw json.RawMessage) (codec.Codec, error) {
	var c config
	if err := codec.ParseConfig(raw, &c); err != nil {
		return nil, err
	}
	out := Codec{DefaultLevel, name}
	if c.Level != nil {
		out.Level = *c.Level
	}
	if out.Level < 0 || out.Level > 9 {
		return nil, fmt.Errorf("level is %d: must be from 0 to 9", out.Level)
	}
	return out, nil
}

// Name is "numcodecs.zlib", or what the entry was called.
func (c Codec) Name() string {
	if c.name == "" {
		return defaultName
	}
	return c.name
}

// MarshalJSON gives the entry for metadata.
func (c Codec) MarshalJSON() ([]byte, error) {
	return codec.MarshalEntry(c.Name(), config{&c.Level})
}

// BindBytes fits the codec to what comes in.
func (c Codec) BindBytes(_ codec.Spec, in codec.Size) (codec.BytesFilter, error) {
	f := &filter{level: c.Level}
	if in.Known && in.N < math.MaxInt/2 {
		f.size = codec.AtMost(in.N + in.N/8 + 1<<16)
	}
	return f, nil
}

type filter struct {
	level int
	size  codec.Size
}

func (f *filter) Size() codec.Size { return f.size }

var (
	writers [10]sync.Pool
	readers sync.Pool
)

func (f *filter) Encode(_ *codec.Chunk, dst, src []byte) ([]byte, error) {
	out := bytes.NewBuffer(dst)
	w, ok := writers[f.level].Get().(*zlib.Writer)
	if ok {
		w.Reset(out)
	} else {
		var err error
		if w, err = zlib.NewWriterLevel(out, f.level); err != nil {
			return nil, err
		}
	}
	defer writers[f.level].Put(w)
	if _, err := w.Write(src); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func (f *filter) Decode(_ *codec.Chunk, dst, src []byte, limit int) ([]byte, error) {
	in := bytes.NewReader(src)
	r, ok := readers.Get().(io.Reader)
	if ok {
		if err := r.(zlib.Resetter).Reset(in, nil); err != nil {
			readers.Put(r)
			return nil, bad(err, limit)
		}
	} else {
		var err error
		if r, err = zlib.NewReader(in); err != nil {
			return nil, bad(err, limit)
		}
	}
	defer readers.Put(r)
	dst, err := drain.Append(dst, r, limit)
	if err != nil {
		return nil, bad(err, limit)
	}
	return dst, nil
}

func bad(err error, limit int) error {
	switch {
	case errors.Is(err, drain.ErrLimit):
		return codec.Bad("holds more than the %d bytes that are possible", limit)
	case errors.Is(err, io.EOF):
		err = io.ErrUnexpectedEOF
	}
	return codec.Bad("%v", err)
}
