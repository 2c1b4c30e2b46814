// Package object holds the codecs that numcodecs has for arrays of Python
// objects: "numcodecs.json2", "numcodecs.msgpack2" and "numcodecs.pickle". A
// chunk is one document that holds all elements, the NumPy type and the shape.
//
// Elements of type omnizarr.json take any value; text, numbers, bools and
// structs of these take values that fit. What JSON has no form for is changed on
// the way: bytes become base64 text and tuples lists. Pickles are read as data
// only: see package internal/pickle.
package object

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/pyjson"
	"github.com/omnizarr/zarr/nd"
)

// Codec is a parsed entry.
type Codec struct {
	name   string
	format format
}

// format is how a document is written.
type format interface {
	// config is the configuration as numcodecs writes it.
	config() any
	// decode sends the elements of a document to f, in the order of memory.
	decode(data []byte, f *filler) error
	// encode appends the document of a chunk.
	encode(dst []byte, s *serializer, src nd.View) ([]byte, error)
	// decodeOne sends the only value of a document to w.
	decodeOne(data []byte, w *pyjson.Writer) error
	// encodeOne appends the document of a single value.
	encodeOne(dst, value []byte) ([]byte, error)
}

// Name is the name in the metadata.
func (c Codec) Name() string { return c.name }

// MarshalJSON gives the entry for metadata.
func (c Codec) MarshalJSON() ([]byte, error) { return codec.MarshalEntry(c.name, c.format.config()) }

// BindSerializer fits the codec to chunks.
func (c Codec) BindSerializer(in codec.Spec) (codec.Serializer, error) {
	n, ok := nd.Len(in.Shape)
	if !ok || n > math.MaxInt32 {
		return nil, fmt.Errorf("a chunk of shape %v has more values than one document can hold", in.Shape)
	}
	s := &serializer{format: c.format, spec: in, count: n}
	var err error
	if s.set, err = newSetter(in.Type); err != nil {
		return nil, err
	}
	if s.emit, err = newEmitter(in.Type); err != nil {
		return nil, err
	}
	s.descr = descr(in.Type)
	if _, ok := c.format.(pickled); !ok {
		return s, nil
	}
	if len(in.Type.Refs()) == 0 {
		return nil, fmt.Errorf("cannot write %s: only objects are pickled", in.Type.Name())
	}
	return unpickler{s}, nil
}

// unpickler is the serializer of pickles, in which a program may hide. It runs
// none, and an array whose first chunk has one does not open.
type unpickler struct{ *serializer }

// Traits warns of programs.
func (unpickler) Traits() codec.Traits { return codec.Traits{Programs: true} }

// serializer is a bound Codec.
type serializer struct {
	format format
	spec   codec.Spec
	count  int
	set    setter
	emit   emitter
	descr  string // the NumPy type, such as |O
}

// Size is not known before there are values.
func (s *serializer) Size() codec.Size { return codec.Size{} }

// Encode appends the document.
func (s *serializer) Encode(_ context.Context, _ *codec.Chunk, dst []byte, src nd.View) ([]byte, error) {
	return s.format.encode(dst, s, src)
}

// Decode reads the whole document and copies the elements in box.
func (s *serializer) Decode(ctx context.Context, ck *codec.Chunk, src codec.Source, box nd.Box, dst nd.View) error {
	var data []byte
	if m, ok := src.(*codec.Memory); ok {
		data = m.Bytes
	} else {
		var err error
		if data, err = ck.ReadAll(ctx, src, codec.Size{}, nil); err != nil {
			return err
		}
	}
	if len(data) < s.count {
		return codec.Bad("%d bytes are too few for %d values", len(data), s.count)
	}
	size := s.spec.Type.Size()
	out, ok := dst.Contiguous()
	whole := ok && box.Covers(s.spec.Shape)
	if !whole {
		v, err := ck.Make(size, s.spec.Shape...)
		if err != nil {
			return err
		}
		out = v.Data
	}
	f := &filler{s: s, out: out, size: size}
	f.w.Limit = min(ck.MaxChunk(), maxGrowth*len(data)+maxFill)
	if len(s.spec.Type.Refs()) > 0 {
		f.w.B = make([]byte, 0, min(len(data)+len(data)/8, f.w.Limit)+64)
	}
	if err := s.format.decode(data, f); err != nil {
		return badData(err)
	}
	if f.n != s.count {
		return codec.Bad("holds %d values, the chunk has %d", f.n, s.count)
	}
	v := nd.Of(out, size, s.spec.Shape...)
	if refs := s.spec.Type.Refs(); len(refs) > 0 {
		nd.Rebase(v, refs, dst.Heap.Add(f.w.B))
	}
	if !whole {
		nd.Copy(dst, v.Box(box))
	}
	return nil
}

// maxGrowth bounds how much longer values are than their document. A pickle may
// refer to one value again and again, and so a few bytes mean terabytes; honest
// ones repeat the strings that they share.
const maxGrowth = 512

// badData marks what a document's reader says as bad data.
func badData(err error) error {
	if err == nil || errors.Is(err, codec.ErrData) {
		return err
	}
	return codec.Bad("%v", err)
}

// filler takes the elements of a document, one after the other.
type filler struct {
	s    *serializer
	w    pyjson.Writer // what it holds becomes a blob of the heap
	out  []byte
	size int
	n    int // elements so far
	// place is where an element lies in memory; nil: in the order they come.
	place func(i int) int
}

// next takes an element, which value sends to a sink.
func (f *filler) next(value func(pyjson.Sink) error) error {
	if f.n >= f.s.count {
		return codec.Bad("holds more than the %d values of the chunk", f.s.count)
	}
	start := len(f.w.B)
	if err := value(&f.w); err != nil {
		return fmt.Errorf("value %d: %w", f.n, err)
	}
	if len(f.w.B) > f.w.Limit {
		return fmt.Errorf("value %d: %w", f.n, pyjson.ErrLimit)
	}
	at := f.n
	if f.place != nil {
		at = f.place(f.n)
	}
	elem := f.out[at*f.size : (at+1)*f.size]
	keep, err := f.s.set(elem, text{f.w.B, start, len(f.w.B)})
	if err != nil {
		return fmt.Errorf("value %d: %w", f.n, err)
	}
	if !keep {
		f.w.B = f.w.B[:start]
	}
	f.n++
	return nil
}

// check compares what a document says about itself with the chunk.
func (f *filler) check(descr string, shape []int) error {
	if want := f.s.descr; !sameType(descr, want) {
		return codec.Bad("holds values of NumPy type %s, want %s", clip(descr), want)
	}
	return f.checkCount(shape)
}

func (f *filler) checkCount(shape []int) error {
	if n, ok := nd.Len(shape); !ok || n != f.s.count || len(shape) > nd.MaxRank {
		return codec.Bad("holds an array of shape %v, the chunk has %v", shape[:min(len(shape), 8)], f.s.spec.Shape)
	}
	return nil
}

// sameType compares NumPy types but for the order of bytes, which values in a
// document do not have, and the size of a struct, which says nothing.
func sameType(a, b string) bool {
	if len(a) < 2 || len(b) < 2 {
		return false
	}
	return a[1:] == b[1:] || a[1] == 'V' && b[1] == 'V'
}

// descr is NumPy's name of a type.
func descr(t dtype.Type) string {
	switch t.Kind() {
	case dtype.Object, dtype.String:
		return "|O"
	case dtype.Struct:
		size := 0
		for _, f := range dtype.Fields(t) {
			if dtype.IsReference(f.Type) {
				size += 8 // a pointer
			} else {
				size += f.Type.Size()
			}
		}
		return fmt.Sprintf("|V%d", size)
	}
	raw, err := dtype.NumpyJSON(t, false)
	var s string
	if err != nil || json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// clip makes text out of a document fit for an error.
func clip(s string) string {
	if len(s) > 40 {
		s = s[:40] + "…"
	}
	return fmt.Sprintf("%q", s)
}
