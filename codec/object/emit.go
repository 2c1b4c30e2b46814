package object

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/pyjson"
	"github.com/omnizarr/zarr/nd"
)

// out is where elements go when they are encoded.
type out struct {
	pyjson.Sink
	tuple   func() error // opens the list of a struct's fields
	blobs   nd.Blobs
	reader  pyjson.Reader
	scratch []byte
}

// emitter sends an element to a sink.
type emitter func(o *out, elem []byte) error

func newEmitter(t dtype.Type) (emitter, error) {
	size := t.Size()
	switch t.Kind() {
	case dtype.Object:
		return emitObject, nil
	case dtype.String:
		return emitString, nil
	case dtype.Bool:
		return func(o *out, elem []byte) error { return o.Bool(elem[0] != 0) }, nil
	case dtype.Int:
		return func(o *out, elem []byte) error {
			shift := 64 - 8*size
			o.scratch = strconv.AppendInt(o.scratch[:0], int64(get(elem, size)<<shift)>>shift, 10)
			return o.Number(o.scratch)
		}, nil
	case dtype.Uint:
		return func(o *out, elem []byte) error {
			o.scratch = strconv.AppendUint(o.scratch[:0], get(elem, size), 10)
			return o.Number(o.scratch)
		}, nil
	case dtype.Float:
		f, _ := dtype.FormatOf(t)
		return func(o *out, elem []byte) error { return o.Float(float(f, elem, size)) }, nil
	case dtype.UTF32:
		return emitUTF32, nil
	case dtype.Struct:
		return newStructEmitter(t)
	}
	return nil, fmt.Errorf("cannot write %s", t.Name())
}

func get(elem []byte, size int) uint64 {
	var mem [8]byte
	copy(mem[:], elem[:size])
	return binary.LittleEndian.Uint64(mem[:])
}

func float(f *dtype.Format, elem []byte, size int) float64 {
	switch size {
	case 8:
		return math.Float64frombits(get(elem, 8))
	case 4:
		return float64(math.Float32frombits(uint32(get(elem, 4))))
	}
	return f.Decode(get(elem, size))
}

func emitObject(o *out, elem []byte) error {
	value := o.blobs.Value(elem)
	if len(value) == 0 {
		return o.Null()
	}
	if err := o.reader.All(value, o.Sink); err != nil {
		return fmt.Errorf("not a JSON value: %w", err)
	}
	return nil
}

func emitString(o *out, elem []byte) error {
	s := o.blobs.Value(elem)
	if !utf8.Valid(s) {
		return errors.New("text is not UTF-8")
	}
	return o.Text(s)
}

func emitUTF32(o *out, elem []byte) error {
	end := len(elem)
	for end > 0 && binary.LittleEndian.Uint32(elem[end-4:]) == 0 {
		end -= 4
	}
	o.scratch = o.scratch[:0]
	for i := 0; i < end; i += 4 {
		c := binary.LittleEndian.Uint32(elem[i:])
		if c > utf8.MaxRune || !utf8.ValidRune(rune(c)) {
			return fmt.Errorf("0x%x in text is not a code point", c)
		}
		o.scratch = utf8.AppendRune(o.scratch, rune(c))
	}
	return o.Text(o.scratch)
}

func newStructEmitter(t dtype.Type) (emitter, error) {
	fields := dtype.Fields(t)
	emits := make([]emitter, len(fields))
	for i, f := range fields {
		var err error
		if emits[i], err = newEmitter(f.Type); err != nil {
			return nil, fmt.Errorf("field %q: %w", f.Name, err)
		}
	}
	return func(o *out, elem []byte) error {
		if err := o.tuple(); err != nil {
			return err
		}
		for i, f := range fields {
			if err := emits[i](o, elem[f.Offset:f.Offset+f.Type.Size()]); err != nil {
				return fmt.Errorf("field %q: %w", f.Name, err)
			}
		}
		return o.End()
	}, nil
}

// document sends a chunk to a sink as numcodecs lays it out: a list of the
// elements, nested as the axes are, then the type and the shape.
func document(sink pyjson.Sink, s *serializer, src nd.View) error {
	o := &out{Sink: sink, tuple: sink.List, blobs: src.Heap.Blobs()}
	if err := sink.List(); err != nil {
		return err
	}
	if err := nested(o, s, src, src.Shape, 0); err != nil {
		return err
	}
	if err := sink.Text([]byte(s.descr)); err != nil {
		return err
	}
	if err := sink.List(); err != nil {
		return err
	}
	for _, n := range src.Shape {
		if err := sink.Number(strconv.AppendInt(o.scratch[:0], int64(n), 10)); err != nil {
			return err
		}
	}
	if err := sink.End(); err != nil {
		return err
	}
	return sink.End()
}

// nested sends what lies at byte off along the first of the axes that are left.
func nested(o *out, s *serializer, v nd.View, left []int, off int) error {
	if len(left) == 0 {
		at := v.Offset + off
		return s.emit(o, v.Data[at:at+v.Size:at+v.Size])
	}
	axis := len(v.Shape) - len(left)
	for i := range left[0] {
		inner := len(left) > 1
		if inner {
			if err := o.List(); err != nil {
				return err
			}
		}
		if err := nested(o, s, v, left[1:], off+i*v.Strides[axis]); err != nil {
			return err
		}
		if inner {
			if err := o.End(); err != nil {
				return err
			}
		}
	}
	return nil
}
