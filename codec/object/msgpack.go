package object

import (
	"encoding/json"
	"fmt"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/internal/msgpack"
	"github.com/omnizarr/zarr/internal/pyjson"
	"github.com/omnizarr/zarr/nd"
)

// packed is the format of msgpack2. Raw asks for bytes where text is stored;
// here it stays text if it is UTF-8, so that it is the same when it is written
// again.
type packed struct {
	Raw       bool `json:"raw"`
	Single    bool `json:"use_single_float"`
	UseBinary bool `json:"use_bin_type"`
}

// ParseMsgPack reads the configuration of "numcodecs.msgpack2".
func ParseMsgPack(_ *codec.Registry, name string, raw json.RawMessage) (codec.Codec, error) {
	f := packed{UseBinary: true}
	if err := codec.ParseConfig(raw, &f); err != nil {
		return nil, err
	}
	return Codec{name, f}, nil
}

func (f packed) config() any { return f }

func (f packed) encode(dst []byte, s *serializer, src nd.View) ([]byte, error) {
	w := &msgpack.Writer{B: dst, Old: !f.UseBinary, Single: f.Single}
	if err := document(w, s, src); err != nil {
		return nil, err
	}
	return w.B, nil
}

func (f packed) decode(data []byte, into *filler) error {
	r := &packedReader{Reader: msgpack.Reader{Src: data, Raw: f.Raw}, into: into}
	shape, descr, err := r.tail()
	if err != nil {
		return err
	}
	if err := into.check(descr, shape); err != nil {
		return err
	}
	r.value = func(s pyjson.Sink) error {
		var err error
		r.pos, err = r.Value(r.pos, s)
		return err
	}
	if len(shape) == 0 {
		return into.next(r.value)
	}
	for range shape[0] {
		if err := r.nested(shape[1:]); err != nil {
			return err
		}
	}
	return nil
}

// packedReader reads a document.
type packedReader struct {
	msgpack.Reader
	into  *filler
	pos   int                     // where the next element begins
	value func(pyjson.Sink) error // reads the value at pos
}

// tail goes over the elements to the type and the shape behind them.
func (r *packedReader) tail() (shape []int, descr string, err error) {
	n, pos, err := r.List(0)
	if err != nil {
		return nil, "", err
	}
	if n < 2 {
		return nil, "", errTail
	}
	r.pos = pos
	for range n - 2 {
		if pos, err = r.Skip(pos); err != nil {
			return nil, "", err
		}
	}
	text, pos, err := r.Text(pos)
	if err != nil {
		return nil, "", err
	}
	rank, pos, err := r.List(pos)
	if err != nil {
		return nil, "", err
	}
	if rank > nd.MaxRank {
		return nil, "", errTail
	}
	shape = make([]int, rank)
	for i := range shape {
		if shape[i], pos, err = r.Int(pos); err != nil {
			return nil, "", err
		}
	}
	if pos != len(r.Src) {
		return nil, "", codec.Bad("%d bytes follow the shape", len(r.Src)-pos)
	}
	if rank == 0 && n != 3 || rank > 0 && shape[0] != n-2 {
		return nil, "", codec.Bad("%d items before the type of an array of shape %v", n-2, shape)
	}
	return shape, string(text), nil
}

// nested reads an element, or a list of them for every axis that is left.
func (r *packedReader) nested(left []int) error {
	if len(left) == 0 {
		return r.into.next(r.value)
	}
	n, next, err := r.List(r.pos)
	if err != nil {
		return err
	}
	if n != left[0] {
		return codec.Bad("a list of %d where the shape says %d", n, left[0])
	}
	r.pos = next
	for range n {
		if err := r.nested(left[1:]); err != nil {
			return err
		}
	}
	return nil
}

func (f packed) decodeOne(data []byte, w *pyjson.Writer) error {
	r := &packedReader{Reader: msgpack.Reader{Src: data, Raw: f.Raw}}
	shape, _, err := r.tail()
	if err != nil {
		return err
	}
	if len(shape) > 0 {
		return fmt.Errorf("holds an array of shape %v, not one value", shape)
	}
	_, err = r.Value(r.pos, w)
	return err
}

func (f packed) encodeOne(dst, value []byte) ([]byte, error) {
	w := &msgpack.Writer{B: dst, Old: !f.UseBinary, Single: f.Single}
	err := one(w, value)
	return w.B, err
}
