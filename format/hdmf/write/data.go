package write

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"unsafe"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/nd"
)

// Data is what a dataset holds: elements in C order, or a single value. The
// functions of this package that return one make it.
type Data struct {
	what   elem
	dims   []int // nil for a scalar
	mem    items
	array  *stored // instead: elements that are read when they are needed
	broken error
}

// Shape is how long the axes are, nil of a single value.
func (d Data) Shape() []int { return slices.Clone(d.dims) }

// Err says what is wrong with the values that the data was made of.
func (d Data) Err() error { return d.broken }

// Number is a type of numbers.
type Number interface {
	~bool | ~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~float32 | ~float64 | ~complex64 | ~complex128
}

// Numbers gives numbers in C order. Without a shape they are a list.
func Numbers[T Number](values []T, shape ...int) Data {
	t, err := dtype.For[T]()
	if err != nil {
		return Data{broken: err}
	}
	mem := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), len(values)*t.Size())
	d := shaped(len(values), shape)
	d.what = elem{kind: hdmf.Number, typ: t}
	d.mem = items{kind: hdmf.Number, typ: t, data: mem, stride: t.Size()}
	return d
}

// Text gives texts in C order; an ISO 8601 time is one. Without a shape they are a
// list.
func Text(values []string, shape ...int) Data {
	d := shaped(len(values), shape)
	d.what = elem{kind: hdmf.Text}
	d.mem = items{kind: hdmf.Text, texts: notNil(values)}
	return d
}

// Bytes gives byte strings in C order. The layout V3 stores them as text if they
// are. Without a shape they are a list.
func Bytes(values [][]byte, shape ...int) Data {
	d := shaped(len(values), shape)
	d.what = elem{kind: hdmf.Bytes}
	d.mem = items{kind: hdmf.Bytes, bins: notNil(values)}
	return d
}

// References gives references in C order, to regions if one of them has a region: the
// others are to regions that are the whole then. Each has a path. Without a shape they are a list.
func References(values []hdmf.Reference, shape ...int) Data {
	d := shaped(len(values), shape)
	for i, r := range values {
		if err := checkReference(r); err != nil {
			return Data{broken: fmt.Errorf("element %d %w", i, err)}
		}
	}
	kind := hdmf.ObjectRef
	if slices.ContainsFunc(values, func(r hdmf.Reference) bool { return r.Region != nil }) {
		kind = hdmf.RegionRef
		values = slices.Clone(values)
		for i := range values {
			if values[i].Region == nil {
				values[i].Region = &hdmf.Region{}
			}
		}
	}
	d.what = elem{kind: kind}
	d.mem = items{kind: kind, refs: notNil(values)}
	return d
}

// Field is a part of compounds: one value for each.
type Field struct {
	Name string
	Data Data
}

// Compounds gives elements with fields. All fields have as many values.
func Compounds(fields ...Field) Data {
	if len(fields) == 0 {
		return Data{broken: fmt.Errorf("a compound without fields")}
	}
	d := Data{dims: fields[0].Data.dims, what: elem{kind: hdmf.Compound}, mem: items{kind: hdmf.Compound}}
	fixed := make([]dtype.Field, 0, len(fields))
	for _, f := range fields {
		switch {
		case f.Data.broken != nil:
			return Data{broken: f.Data.broken}
		case f.Data.what.kind == 0:
			return Data{broken: fmt.Errorf("field %q has no data", f.Name)}
		case f.Data.array != nil || f.Data.what.fields != nil || !slices.Equal(f.Data.dims, d.dims):
			return Data{broken: fmt.Errorf("field %q does not have one value for each element", f.Name)}
		}
		e := f.Data.what
		e.name = f.Name
		d.what.fields = append(d.what.fields, e)
		d.mem.fields = append(d.mem.fields, f.Data.mem)
		if e.typ != nil {
			fixed = append(fixed, dtype.Field{Name: f.Name, Type: e.typ})
		}
	}
	if len(fixed) == len(fields) {
		return d.packed(fixed)
	}
	return d
}

// packed lays numbers out side by side, which is the same in both layouts.
func (d Data) packed(fields []dtype.Field) Data {
	t, err := dtype.NewStruct(fields)
	if err != nil {
		return Data{broken: err}
	}
	n, _ := nd.Len(d.dims)
	w := &elements{}
	mem := make([]byte, n*t.Size())
	for i := range n {
		if err := w.put(context.Background(), mem[i*t.Size():][:t.Size()], t, &d.mem, i); err != nil {
			return Data{broken: err}
		}
	}
	d.what = elem{kind: hdmf.Compound, typ: t}
	d.mem = items{kind: hdmf.Compound, typ: t, data: mem, stride: t.Size()}
	return d
}

// Scalar gives a single value: a number, a bool, a string, a byte slice, or a
// reference.
func Scalar(v any) Data {
	var d Data
	switch v := v.(type) {
	case string:
		d = Text([]string{v})
	case []byte:
		d = Bytes([][]byte{v})
	case hdmf.Reference:
		d = References([]hdmf.Reference{v})
	case bool:
		d = Numbers([]bool{v})
	case int:
		d = Numbers([]int64{int64(v)})
	case int8:
		d = Numbers([]int8{v})
	case int16:
		d = Numbers([]int16{v})
	case int32:
		d = Numbers([]int32{v})
	case int64:
		d = Numbers([]int64{v})
	case uint8:
		d = Numbers([]uint8{v})
	case uint16:
		d = Numbers([]uint16{v})
	case uint32:
		d = Numbers([]uint32{v})
	case uint64:
		d = Numbers([]uint64{v})
	case float32:
		d = Numbers([]float32{v})
	case float64:
		d = Numbers([]float64{v})
	default:
		return Data{broken: fmt.Errorf("no dataset holds a %v", reflect.TypeOf(v))}
	}
	d.dims = nil
	return d
}

// Array gives the numbers or the text of an array, which are read in parts when
// they are written: the array may be larger than memory.
func Array(a *zarr.Array) Data {
	if a == nil {
		return Data{} // which is none
	}
	t := a.DataType()
	s := &stored{array: a, scalar: len(a.Metadata().Shape) == 0, what: elem{kind: hdmf.Number, typ: t}}
	switch t.Kind() {
	case dtype.String, dtype.UTF32:
		s.what = elem{kind: hdmf.Text}
	case dtype.Bytes:
		s.what = elem{kind: hdmf.Bytes}
	case dtype.Struct:
		s.what.kind = hdmf.Compound
	}
	if s.what.typ != nil && len(t.Refs()) > 0 {
		return Data{broken: fmt.Errorf("elements of type %s are no numbers", t.Name())}
	}
	if err := s.look(); err != nil {
		return Data{broken: err}
	}
	return Data{what: s.what, dims: s.shape(), array: s}
}

// shaped checks that a shape has room for n elements.
func shaped(n int, shape []int) Data {
	if shape == nil {
		shape = []int{n}
	}
	if k, ok := nd.Len(shape); !ok || k != n {
		return Data{broken: fmt.Errorf("%d values for shape %v", n, shape)}
	}
	return Data{dims: shape}
}

func notNil[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// memory is Data that lies in memory as a source.
type memory struct {
	Data
	cut      []int
	outer    []int // shards
	compress json.RawMessage
}

// source gives d as what is written, cut into chunks and with codecs behind the
// serializer if these are not nil.
func (d Data) source(chunks []int, codecs json.RawMessage) (source, error) {
	switch {
	case d.broken != nil:
		return nil, d.broken
	case d.what.kind == 0:
		return nil, fmt.Errorf("a dataset without data")
	case chunks != nil && len(chunks) != len(d.dims):
		return nil, fmt.Errorf("chunks of shape %v for a dataset of shape %v", chunks, d.dims)
	case slices.ContainsFunc(chunks, func(n int) bool { return n < 1 }):
		return nil, fmt.Errorf("chunks of shape %v: lengths are at least 1", chunks)
	}
	if err := checkCodecs(codecs); err != nil {
		return nil, err
	}
	switch {
	case d.array != nil && chunks == nil && codecs == nil:
		return d.array, nil
	case d.array != nil:
		return &recut{stored: d.array, cut: chunks, compress: codecs}, nil
	}
	return &memory{Data: d, cut: chunks, compress: codecs}, nil
}

// checkShards refuses shards that do not hold whole chunks.
func checkShards(shards, chunks []int) error {
	if shards == nil {
		return nil
	}
	if len(shards) != len(chunks) {
		return fmt.Errorf("shards of shape %v for chunks of shape %v", shards, chunks)
	}
	for i, n := range shards {
		if n < 1 || chunks[i] < 1 || n%chunks[i] != 0 {
			return fmt.Errorf("shards of shape %v do not hold whole chunks of shape %v", shards, chunks)
		}
	}
	return nil
}

func (m *memory) elem() elem { return m.what }

func (m *memory) shape() []int { return m.dims }

func (m *memory) chunks() (chunks, shards []int) { return m.cut, m.outer }

func (m *memory) fill() json.RawMessage { return nil }

func (m *memory) codecs() (json.RawMessage, bool) { return m.compress, m.compress != nil }

func (m *memory) blocks(context.Context) iter.Seq2[part, error] {
	return func(yield func(part, error) bool) {
		if !slices.Contains(m.dims, 0) {
			yield(part{box: nd.Whole(m.dims)}, nil)
		}
	}
}

func (m *memory) read(context.Context, part) (*items, error) { return &m.mem, nil }

// recut is an array that is cut and compressed in another way.
type recut struct {
	*stored
	cut      []int
	outer    []int // shards
	compress json.RawMessage
}

func (r *recut) chunks() (chunks, shards []int) {
	if r.cut == nil {
		return r.stored.chunks()
	}
	return r.cut, r.outer
}

func (r *recut) codecs() (json.RawMessage, bool) {
	if r.compress == nil {
		return r.stored.codecs()
	}
	return r.compress, true
}
