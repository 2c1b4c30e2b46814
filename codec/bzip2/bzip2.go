// Package bzip2 is the codec "numcodecs.bz2", also spelled "bz2".
package bzip2

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"sync"

	"github.com/dsnet/compress/bzip2"

	"github.com/omnizarr/zarr/codec"
)

// Codec is a parsed entry.
type Codec struct {
	// Level is from 1 to 9, the size of blocks in units of 100,000 bytes.
	Level int

	name string
}

type config struct {
	Level *int `json:"level"`
}

// DefaultLevel is used where metadata gives none; it is that of numcodecs.
const DefaultLevel = 1

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
	return out, out.check()
}

func (c Codec) check() error {
	if c.Level < 1 || c.Level > 9 {
		return fmt.Errorf("level is %d: must be from 1 to 9", c.Level)
	}
	return nil
}

// Name is "numcodecs.bz2", or what the entry was called.
func (c Codec) Name() string {
	if c.name == "" {
		return "numcodecs.bz2"
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
		// Runs of four bytes take a fifth, and noise takes codes of a little
		// more than eight bits.
		f.size = codec.AtMost(in.N + in.N/2 + 1<<16)
	}
	return f, c.check()
}

type filter struct {
	level int
	size  codec.Size
}

func (f *filter) Size() codec.Size { return f.size }

// writer and reader are what is kept for the next chunk: the state of the
// library, and what it writes to or reads from.
type writer struct {
	out bytes.Buffer
	w   *bzip2.Writer
}

type reader struct {
	in bytes.Reader
	r  bzip2.Reader
}

var (
	writers [10]sync.Pool // by level
	readers = sync.Pool{New: func() any { return &reader{} }}
)

func (f *filter) Encode(_ *codec.Chunk, dst, src []byte) ([]byte, error) {
	e, ok := writers[f.level].Get().(*writer)
	if !ok {
		e = &writer{}
		var err error
		if e.w, err = bzip2.NewWriter(&e.out, &bzip2.WriterConfig{Level: f.level}); err != nil {
			return nil, err
		}
	}
	e.out = *bytes.NewBuffer(dst)
	err := e.w.Reset(&e.out)
	if err == nil {
		_, err = e.w.Write(src)
	}
	if err == nil {
		err = e.w.Close()
	}
	out := e.out.Bytes()
	e.out = bytes.Buffer{}
	writers[f.level].Put(e)
	if err != nil {
		return nil, err
	}
	return out, nil
}

// Decode reads all streams that follow each other.
func (f *filter) Decode(_ *codec.Chunk, dst, src []byte, limit int) ([]byte, error) {
	d := readers.Get().(*reader)
	d.in.Reset(src)
	if err := d.r.Reset(&d.in); err != nil {
		return nil, err
	}
	dst, err := drain(dst, &d.r, limit)
	switch {
	case errors.Is(err, errLimit):
		return nil, codec.Bad("holds more than the %d bytes that are possible", limit)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, codec.Bad("ends within the data")
	case err != nil:
		return nil, codec.Bad("%v", err)
	}
	// Only a reader that came to the end starts afresh: of any other, the
	// library keeps the rest of a run.
	d.in.Reset(nil)
	readers.Put(d)
	return dst, nil
}
