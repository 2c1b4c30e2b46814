package write

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"unicode/utf8"

	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/nd"
)

// items are elements of a dataset, or one field of them, wherever they come from:
// from an array in memory, from Go values, or from JSON.
type items struct {
	kind hdmf.Kind

	typ            dtype.Type // in memory, nil for the others
	data           []byte
	stride, offset int
	blobs          nd.Blobs

	texts []string
	bins  [][]byte
	refs  []hdmf.Reference
	json  []json.RawMessage

	fields []items // of compounds
}

// raw is an element of a fixed size as it lies in memory.
func (s *items) raw(i int) []byte {
	at := i*s.stride + s.offset
	return s.data[at : at+s.typ.Size()]
}

// blob appends the text or the bytes of an element to dst.
func (s *items) blob(dst []byte, i int) ([]byte, error) {
	switch {
	case s.texts != nil:
		return append(dst, s.texts[i]...), nil
	case s.bins != nil:
		return append(dst, s.bins[i]...), nil
	case s.json != nil:
		return appendJSONText(dst, s.json[i])
	}
	switch e := s.raw(i); s.typ.Kind() {
	case dtype.String, dtype.Bytes:
		return append(dst, s.blobs.Value(e)...), nil
	case dtype.Object:
		return appendJSONText(dst, s.blobs.Value(e))
	case dtype.UTF32:
		for len(e) >= 4 && binary.LittleEndian.Uint32(e[len(e)-4:]) == 0 {
			e = e[:len(e)-4] // what fills the room; other zeros are text
		}
		for ; len(e) >= 4; e = e[4:] {
			dst = utf8.AppendRune(dst, rune(min(binary.LittleEndian.Uint32(e), math.MaxInt32)))
		}
		return dst, nil
	default:
		if s.typ.Name() == terminated {
			e = bytes.TrimRight(e, "\x00")
		}
		return append(dst, e...), nil
	}
}

// terminated is the type of bytes of a fixed length in which zeros at the end do
// not count.
const terminated = "null_terminated_bytes"

// appendJSONText appends what a JSON string says. Where nothing was written,
// there is null or 0.
func appendJSONText(dst []byte, raw json.RawMessage) ([]byte, error) {
	if len(raw) == 0 || string(raw) == "null" || string(raw) == "0" {
		return dst, nil
	}
	text, err := strictjson.String(raw)
	return append(dst, text...), err
}

// reference is that of an element; one without a path says that there is none.
func (s *items) reference(i int) (hdmf.Reference, error) {
	if s.refs != nil {
		return s.refs[i], nil
	}
	var raw json.RawMessage
	switch {
	case s.json != nil:
		raw = s.json[i]
	case s.typ.Kind() == dtype.Object:
		raw = s.blobs.Value(s.raw(i))
	default:
		text, err := s.blob(nil, i)
		if err != nil || len(text) == 0 {
			return hdmf.Reference{}, err
		}
		return hdmf.ParseText(string(text))
	}
	if len(raw) == 0 || string(raw) == "null" || string(raw) == "0" || string(raw) == `""` {
		return hdmf.Reference{}, nil
	}
	return hdmf.ParseReference(raw)
}

// elements turns items into memory of a type, which an array takes.
type elements struct {
	*form
	blob []byte // what elements refer to
	text []byte // of the element at hand
}

var errNumber = errors.New("is no number")

// put writes element i of s as t has it.
func (w *elements) put(ctx context.Context, dst []byte, t dtype.Type, s *items, i int) (err error) {
	if t.Kind() == dtype.Struct && s.fields != nil {
		for k, f := range dtype.Fields(t) {
			if err := w.put(ctx, dst[f.Offset:f.Offset+f.Type.Size()], f.Type, &s.fields[k], i); err != nil {
				return fmt.Errorf("field %s: %w", strictjson.Quote(f.Name), err)
			}
		}
		return nil
	}
	isRef := s.kind == hdmf.ObjectRef || s.kind == hdmf.RegionRef
	at := len(w.blob)
	switch k := t.Kind(); {
	case isRef:
		var r hdmf.Reference
		if r, err = s.reference(i); err != nil {
			return err
		}
		if k == dtype.UTF32 {
			w.text, err = w.appendElement(ctx, w.text[:0], r)
		} else {
			w.blob, err = w.appendElement(ctx, w.blob, r)
		}
	case k == dtype.Object && s.kind == hdmf.Anything:
		if s.json != nil {
			w.blob = append(w.blob, s.json[i]...)
		} else {
			w.blob = append(w.blob, s.blobs.Value(s.raw(i))...)
		}
	case k == dtype.Object && s.kind == hdmf.Number:
		w.blob, err = s.appendNumber(w.blob, i)
	case k == dtype.Object:
		if w.text, err = s.blob(w.text[:0], i); err == nil && !utf8.Valid(w.text) {
			err = errText
		}
		w.blob = appendText(w.blob, string(w.text))
	case k == dtype.String || k == dtype.Bytes:
		w.blob, err = s.blob(w.blob, i)
		if err == nil && k == dtype.String && !utf8.Valid(w.blob[at:]) {
			err = errText
		}
	case k == dtype.UTF32:
		w.text, err = s.blob(w.text[:0], i)
	case s.json != nil:
		return putJSON(dst, t, s.json[i])
	case s.typ != nil && s.typ.Kind() == dtype.Object && s.kind == hdmf.Number:
		return putJSON(dst, t, s.blobs.Value(s.raw(i)))
	case k == dtype.Raw && s.kind != hdmf.Number && (s.typ == nil || !dtype.Equal(s.typ, t)):
		if w.text, err = s.blob(w.text[:0], i); err == nil {
			err = putBytes(dst, t, w.text)
		}
		return err
	case s.typ == nil || s.typ.Size() != len(dst) || len(s.typ.Refs()) > 0:
		return errNumber
	default:
		copy(dst, s.raw(i))
		return nil
	}
	if err != nil {
		return err
	}
	if t.Kind() == dtype.UTF32 {
		return putUTF32(dst, w.text)
	}
	nd.PutRef(dst, 0, at, len(w.blob)-at)
	return nil
}

var errText = errors.New("text is not UTF-8")

// appendNumber appends a number as JSON.
func (s *items) appendNumber(dst []byte, i int) ([]byte, error) {
	switch {
	case s.json != nil:
		return append(dst, s.json[i]...), nil
	case s.typ.Kind() == dtype.Object:
		return append(dst, s.blobs.Value(s.raw(i))...), nil
	}
	return dtype.AppendExact(s.typ, dst, s.raw(i), s.blobs)
}

// putJSON writes a number that JSON holds. Where nothing was written, there is 0,
// also for complex numbers.
func putJSON(dst []byte, t dtype.Type, raw json.RawMessage) error {
	if string(raw) == "0" {
		clear(dst)
		return nil
	}
	elem, err := t.ParseFill(raw, nil)
	copy(dst, elem)
	return err
}

// putBytes writes bytes of a fixed length.
func putBytes(dst []byte, t dtype.Type, b []byte) error {
	switch {
	case len(b) > len(dst) || len(b) < len(dst) && t.Name() != terminated:
		return fmt.Errorf("%d bytes, there is room for %d", len(b), len(dst))
	case t.Name() == terminated && bytes.HasSuffix(b, []byte{0}):
		return errTail
	}
	clear(dst[copy(dst, b):])
	return nil
}

var errTail = errors.New("ends with a zero, which would be lost where the length is fixed")

// putUTF32 writes text of four bytes per code point, zeros behind it.
func putUTF32(dst, text []byte) error {
	if !utf8.Valid(text) {
		return errText
	}
	if bytes.HasSuffix(text, []byte{0}) {
		return errTail
	}
	clear(dst)
	at := 0
	for _, c := range string(text) {
		if at+4 > len(dst) {
			return fmt.Errorf("%d code points, there is room for %d", utf8.RuneCount(text), len(dst)/4)
		}
		binary.LittleEndian.PutUint32(dst[at:], uint32(c))
		at += 4
	}
	return nil
}

// view gives n elements of s from the first one on as memory of t. It is good
// until the next call.
func (w *elements) view(ctx context.Context, t dtype.Type, s *items, first, n int, shape []int) (nd.View, error) {
	size := t.Size()
	if s.typ != nil && s.fields == nil && len(t.Refs()) == 0 && s.stride == size && s.offset == 0 && dtype.Equal(s.typ, t) {
		return nd.Of(s.data[first*size:(first+n)*size], size, shape...), nil
	}
	v := nd.Of(make([]byte, n*size), size, shape...)
	w.blob = nil // the heap keeps the last one
	for i := range n {
		if err := w.put(ctx, v.Data[i*size:(i+1)*size], t, s, first+i); err != nil {
			return v, fmt.Errorf("element %d: %w", first+i, err)
		}
	}
	if len(t.Refs()) > 0 {
		v.Heap = &nd.Heap{}
		v.Heap.Add(w.blob)
	}
	return v, nil
}
