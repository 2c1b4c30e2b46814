package write

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store"
)

// source is where the elements of a dataset come from.
type source interface {
	elem() elem
	// shape is nil for a scalar.
	shape() []int
	// chunks and shards are how the source is cut, nil if it does not matter.
	chunks() (chunks, shards []int)
	// fill is the fill value of elements of a fixed size, nil for zero.
	fill() json.RawMessage
	// codecs are those behind the serializer, ok false for the default.
	codecs() (list json.RawMessage, ok bool)
	// blocks yields the parts that there are.
	blocks(ctx context.Context) iter.Seq2[part, error]
	// read gives the elements of a part.
	read(ctx context.Context, p part) (*items, error)
}

// part is a part of a dataset.
type part struct {
	box  nd.Box
	size int // bytes that it takes in memory
}

// stored is a dataset of a file as a source.
type stored struct {
	array  *zarr.Array
	scalar bool
	what   elem
	whole  bool // chunks that are not stored are copied as well, if they are few
	must   bool // and even if they are many
}

// fromDataset makes a source of a dataset.
func fromDataset(d *hdmf.Dataset) (*stored, error) {
	s := &stored{array: d.Array(), scalar: d.Scalar()}
	t := s.array.DataType()
	kind := d.DType().Kind
	s.what = elem{kind: kind}
	switch kind {
	case hdmf.Bytes:
		if t.Kind() == dtype.Raw && t.Name() != terminated {
			s.what.typ = t // no text, whatever is in it
		}
	case hdmf.Number:
		s.what.typ = t
		if name, err := strictjson.String(d.Stored()); err == nil && slices.Contains(pythonNames, name) {
			s.what.stored = name
		}
	case hdmf.Compound:
		if err := s.compound(d.DType().Fields); err != nil {
			return nil, err
		}
	}
	return s, s.look()
}

// look finds out whether chunks that are not stored hold something that the new
// array would not show: only elements of a fixed size keep their fill value.
func (s *stored) look() error {
	if s.what.typ != nil {
		return nil
	}
	fill, err := s.fills()
	if err != nil {
		return err
	}
	switch s.what.kind {
	case hdmf.Text, hdmf.Bytes:
		text, err := fill.blob(nil, 0)
		s.must = err == nil && len(text) > 0
	case hdmf.Compound:
		for i, f := range s.what.fields {
			if f.typ != nil && fill.fields != nil && fill.fields[i].typ != nil && len(fill.fields[i].typ.Refs()) == 0 {
				s.must = s.must || strings.Trim(string(fill.fields[i].raw(0)), "\x00") != ""
			}
		}
	}
	return nil
}

// fills is the fill value as an item.
func (s *stored) fills() (*items, error) {
	t := s.array.DataType()
	heap := &nd.Heap{}
	mem, err := t.ParseFill(s.array.Metadata().FillValue, heap)
	if err != nil {
		return nil, err
	}
	all := &items{kind: s.what.kind, typ: t, data: mem, stride: t.Size(), blobs: heap.Blobs()}
	all.divide(s.what.fields)
	return all, nil
}

// copyAll makes blocks yield also chunks that are not stored, if they are few.
func (s *stored) copyAll() { s.whole = true }

func (s *stored) fill() json.RawMessage {
	if s.what.typ == nil {
		return nil
	}
	return s.array.Metadata().FillValue
}

// divide gives the fields of elements that lie in memory.
func (s *items) divide(fields []elem) {
	for i, f := range dtype.Fields(s.typ) {
		if i >= len(fields) {
			return
		}
		part := *s
		part.kind, part.typ, part.offset, part.fields = fields[i].kind, f.Type, f.Offset, nil
		s.fields = append(s.fields, part)
	}
}

// pythonNames are the types that hdmf-zarr names after Python's, for lists and
// single values.
var pythonNames = []string{"int", "float", "bool"}

// compound finds the types of the fields. Compounds of numbers are the same in
// both layouts.
func (s *stored) compound(fields []hdmf.Field) error {
	t := s.array.DataType()
	inMemory := dtype.Fields(t)
	plain := len(t.Refs()) == 0 && inMemory != nil
	for i, f := range fields {
		e := elem{name: f.Name, kind: f.Kind}
		if inMemory != nil && (f.Kind == hdmf.Number || f.Kind == hdmf.Bytes || f.Kind == hdmf.Compound) && len(inMemory[i].Type.Refs()) == 0 {
			e.typ = inMemory[i].Type
		}
		if f.Kind == hdmf.Anything && inMemory != nil { // a number that a codec for objects has as JSON
			if t, err := numberType(f.Stored); err == nil {
				e.kind, e.typ = hdmf.Number, t
			}
		}
		if inMemory == nil && f.Kind == hdmf.Number {
			var err error
			if e.typ, err = numberType(f.Stored); err != nil {
				return strictjson.At(f.Name, err)
			}
		}
		plain = plain && (f.Kind == hdmf.Number || f.Kind == hdmf.Bytes || f.Kind == hdmf.Compound)
		s.what.fields = append(s.what.fields, e)
	}
	if plain {
		s.what.typ, s.what.fields = t, nil
	}
	return nil
}

// numberType is the type of numbers that a layout names.
func numberType(name string) (dtype.Type, error) {
	switch name {
	case "int":
		name = "int64"
	case "float":
		name = "float64"
	}
	for long, short := range map[string]string{"datetime64": "<M8", "timedelta64": "<m8"} {
		if unit, ok := strings.CutPrefix(name, long); ok {
			t, _, err := dtype.ParseNumpy(quoted(short + unit))
			return t, err
		}
	}
	t, err := dtype.Lookup(name)
	if err == nil && (len(t.Refs()) > 0 || dtype.Fields(t) != nil) {
		err = fmt.Errorf("%s is no type of numbers", name)
	}
	return t, err
}

func (s *stored) elem() elem { return s.what }

func (s *stored) shape() []int {
	if s.scalar {
		return nil
	}
	return s.array.Shape()
}

func (s *stored) chunks() (chunks, shards []int) {
	if s.scalar {
		return nil, nil
	}
	if sharded(s.array) != nil {
		return s.array.ChunkShape(), s.array.ShardShape()
	}
	return s.array.Metadata().Grid.Uniform(), nil
}

// blocks yields the chunks that are stored, so that a vast array of nothing is
// nothing to copy; all of them where the store cannot list.
func (s *stored) blocks(ctx context.Context) iter.Seq2[part, error] {
	return func(yield func(part, error) bool) {
		count, countable := nd.Len(s.array.Metadata().Grid.Count())
		countable = countable && count <= maxUnlisted
		if s.must && !countable {
			yield(part{}, fmt.Errorf("%v chunks, of which those that are missing hold something", s.array.Metadata().Grid.Count()))
			return
		}
		if s.must || s.scalar || s.whole && countable && count <= maxEmpty {
			s.all(ctx, yield)
			return
		}
		for c, err := range s.array.Stored(ctx) {
			switch {
			case !errors.Is(err, store.ErrNoList):
			case countable:
				s.all(ctx, yield)
				return
			default:
				err = fmt.Errorf("%v chunks of which nobody tells which are there", s.array.Metadata().Grid.Count())
			}
			if !yield(s.part(c.Box), err) || err != nil {
				return
			}
		}
	}
}

// all yields all chunks.
func (s *stored) all(ctx context.Context, yield func(part, error) bool) {
	for c := range s.array.Grid() {
		if !yield(s.part(c.Box), nil) || ctx.Err() != nil {
			return
		}
	}
}

// maxEmpty is how many chunks are written of an array in which some are not there.
const maxEmpty = 1 << 16

// maxUnlisted is how many chunks are looked for where the store cannot list.
const maxUnlisted = 1 << 24

func (s *stored) part(b nd.Box) part {
	n, _ := nd.Bytes(b.Shape, s.array.DataType().Size())
	return part{b, n}
}

// maxPart bounds the memory that a part may take, before text is counted.
const maxPart = 8 << 30

func (s *stored) read(ctx context.Context, p part) (*items, error) {
	t := s.array.DataType()
	if n, ok := nd.Bytes(p.box.Shape, t.Size()); !ok || n > maxPart {
		return nil, fmt.Errorf("a chunk of shape %v takes more than %d bytes", p.box.Shape, maxPart)
	}
	v := nd.Make(t.Size(), p.box.Shape...)
	if len(t.Refs()) > 0 {
		v.Heap = &nd.Heap{}
	}
	if err := s.array.ReadInto(ctx, zarr.Box(p.box.Start, p.box.Shape), v); err != nil {
		return nil, err
	}
	all := items{kind: s.what.kind, typ: t, data: v.Data, stride: t.Size()}
	if v.Heap != nil {
		all.blobs = v.Heap.Blobs()
	}
	if s.what.fields == nil {
		return &all, nil
	}
	if dtype.Fields(t) == nil {
		return all.split(s.what.fields, v.Len())
	}
	all.divide(s.what.fields)
	return &all, nil
}

// split takes the lists apart that compounds are under a codec for objects.
func (s *items) split(fields []elem, n int) (*items, error) {
	out := &items{kind: hdmf.Compound}
	for _, f := range fields {
		out.fields = append(out.fields, items{kind: f.kind, json: make([]json.RawMessage, n)})
	}
	for i := range n {
		count := 0
		err := strictjson.Each(s.blobs.Value(s.raw(i)), func(k int, raw json.RawMessage) error {
			if k < len(fields) {
				out.fields[k].json[i] = raw
			}
			count++
			return nil
		})
		if err == nil && count != len(fields) {
			err = fmt.Errorf("%d values for %d fields", count, len(fields))
		}
		if err != nil {
			return nil, fmt.Errorf("element %d: %w", i, err)
		}
	}
	return out, nil
}
