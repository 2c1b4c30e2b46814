package object

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/pickle"
	"github.com/omnizarr/zarr/internal/pyjson"
	"github.com/omnizarr/zarr/nd"
)

// pickled is the format of pickle. The protocol is kept for the metadata; what
// is written is always protocol 5, which every reader of it finds out itself.
type pickled struct {
	Protocol json.RawMessage `json:"protocol"`
}

// ParsePickle reads the configuration of "numcodecs.pickle".
func ParsePickle(_ *codec.Registry, name string, raw json.RawMessage) (codec.Codec, error) {
	f := pickled{Protocol: json.RawMessage("5")}
	if err := codec.ParseConfig(raw, &f); err != nil {
		return nil, err
	}
	if n, err := strconv.Atoi(string(f.Protocol)); string(f.Protocol) != "null" && (err != nil || n < -1 || n > 5) {
		return nil, fmt.Errorf("protocol is %s: must be a number up to 5", clip(string(f.Protocol)))
	}
	return Codec{name, f}, nil
}

func (f pickled) config() any { return f }

func (f pickled) decode(data []byte, into *filler) error {
	doc, err := pickle.Load(data, into.s.count)
	if err != nil {
		return err
	}
	a, err := doc.Array()
	if err != nil {
		return err
	}
	if err := into.checkCount(a.Shape); err != nil {
		return err
	}
	if err := checkPickled(a.Type, into.s.spec.Type); err != nil {
		return err
	}
	if a.Fortran && len(a.Shape) > 1 {
		into.place = fortran(a.Shape)
	}
	return a.Each(func(_ int, value func(pyjson.Sink) error) error { return into.next(value) })
}

// fortran gives the places in memory of elements that come in C order and lie in
// Fortran order.
func fortran(shape []int) func(i int) int {
	return func(i int) int {
		at := 0
		for k := len(shape) - 1; k >= 0; k-- {
			at = at*shape[k] + i%shape[k]
			i /= shape[k]
		}
		return at
	}
}

// checkPickled compares the type in a pickle with that of the chunk.
func checkPickled(got pickle.Type, t dtype.Type) error {
	want := pickleType(t)
	if got.Code != want.Code && want.Fields == nil || len(got.Fields) != len(want.Fields) {
		return codec.Bad("holds values of NumPy type %s with %d fields, want %s with %d",
			clip(got.Code), len(got.Fields), want.Code, len(want.Fields))
	}
	for i, f := range want.Fields {
		if g := got.Fields[i]; g.Name != f.Name || g.Type.Code != f.Type.Code {
			return codec.Bad("field %d is %s of NumPy type %s, want %q of %s", i, clip(g.Name), clip(g.Type.Code), f.Name, f.Type.Code)
		}
	}
	return nil
}

// pickleType is a type as pickles spell it.
func pickleType(t dtype.Type) pickle.Type {
	if dtype.IsReference(t) {
		return pickle.Type{Code: "O8"}
	}
	out := pickle.Type{Code: descr(t)[1:]}
	for _, f := range dtype.Fields(t) {
		out.Fields = append(out.Fields, pickle.Field{Name: f.Name, Type: pickleType(f.Type)})
	}
	return out
}

func (f pickled) encode(dst []byte, s *serializer, src nd.View) ([]byte, error) {
	w := &pickle.Writer{B: dst}
	if err := w.BeginArray(src.Shape, pickleType(s.spec.Type)); err != nil {
		return nil, err
	}
	o := &out{Sink: w, tuple: w.Tuple, blobs: src.Heap.Blobs()}
	var err error
	src.Each(func(elem []byte) {
		if err == nil {
			w.Item()
			err = s.emit(o, elem)
		}
	})
	w.FinishArray()
	return w.B, err
}

func (f pickled) decodeOne(data []byte, w *pyjson.Writer) error {
	doc, err := pickle.Load(data, 1)
	if err != nil {
		return err
	}
	return doc.Value(w)
}

func (f pickled) encodeOne(dst, value []byte) ([]byte, error) {
	w := &pickle.Writer{B: dst}
	w.Begin()
	var r pyjson.Reader
	err := r.All(value, w)
	w.Finish()
	return w.B, err
}
