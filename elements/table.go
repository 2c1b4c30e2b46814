package elements

import (
	"bytes"
	"context"
	"fmt"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/format/cf"
	"github.com/omnizarr/zarr/internal/words"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/rows"
)

// Table gives an array of one axis as a table: a column for every field of its structs,
// or one alone; ok is false for arrays of other shapes.
func Table(a *zarr.Array) (set *rows.Set, ok bool) {
	if len(a.Shape()) != 1 {
		return nil, false
	}
	out := &rows.Set{Rows: rows.Span{Step: 1, Count: a.Shape()[0]}}
	fields := dtype.Fields(a.DataType())
	if fields == nil {
		out.Fields = []rows.Field{Field("value", a)}
		return out, true
	}
	for _, f := range fields {
		out.Fields = append(out.Fields, field(f.Name, a, f.Type, f.Offset, f.Type.AppendValue, nil))
	}
	return out, true
}

// Field is an array of one axis as a column.
func Field(name string, a *zarr.Array) rows.Field {
	d, _ := cf.Of(a)
	return field(name, a, a.DataType(), 0, ValuesOf(a, Readable()), d)
}

// field is the part of elements that is of a type and begins at an offset.
func field(name string, a *zarr.Array, t dtype.Type, offset int, value Value, d *cf.Decoder) rows.Field {
	read := func(ctx context.Context, s rows.Span) (nd.View, error) {
		v, err := a.Make(s.Count)
		if err != nil {
			return v, err
		}
		sel := zarr.Select(zarr.List(s.Positions()...))
		if s.IsRun() {
			sel = zarr.Select(zarr.Span(s.Start, s.Start+s.Count))
		}
		return v, a.ReadInto(ctx, sel, v)
	}
	part := func(v nd.View, i int) []byte { return v.At(i)[offset : offset+t.Size()] }
	f := rows.Field{Name: name, Bytes: a.DataType().Size(), Type: typeWord(t), Path: "/" + a.Path()}
	f.Read = func(ctx context.Context, s rows.Span) (rows.Cells, error) {
		v, err := read(ctx, s)
		if err != nil {
			return nil, err
		}
		blobs := v.Heap.Blobs()
		return func(dst []byte, i int) ([]byte, error) { return value(dst, part(v, i), blobs) }, nil
	}
	switch t.Kind() {
	case dtype.Bool, dtype.Int, dtype.Uint, dtype.Float, dtype.Time, dtype.Duration:
		number := func(dst []float64, elems []byte) { dtype.Floats(t, dst, elems) }
		if d != nil {
			number = d.Floats
		}
		if d != nil && d.Kind() == cf.Times {
			f.Type = "date"
		}
		f.Numbers = func(ctx context.Context, s rows.Span) ([]float64, error) {
			v, err := read(ctx, s)
			if err != nil {
				return nil, err
			}
			out := make([]float64, s.Count)
			if t.Size() == a.DataType().Size() {
				number(out, v.Data)
				return out, nil
			}
			for i := range out {
				number(out[i:i+1], part(v, i))
			}
			return out, nil
		}
	case dtype.String, dtype.UTF32, dtype.Raw, dtype.Bytes:
		f.Texts = func(ctx context.Context, s rows.Span) ([]string, error) {
			v, err := read(ctx, s)
			if err != nil {
				return nil, err
			}
			blobs := v.Heap.Blobs()
			out := make([]string, s.Count)
			var cell []byte
			for i := range out {
				switch e := part(v, i); t.Kind() {
				case dtype.String, dtype.Bytes:
					out[i] = string(blobs.Value(e))
				case dtype.Raw:
					out[i] = string(bytes.TrimRight(e, "\x00"))
				default:
					if cell, err = value(cell[:0], e, blobs); err != nil {
						return nil, fmt.Errorf("row %d: %w", s.At(i), err)
					}
					out[i] = words.Bare(cell)
				}
			}
			return out, nil
		}
	}
	return f
}

// typeWord names a type for people.
func typeWord(t dtype.Type) string {
	switch t.Kind() {
	case dtype.String, dtype.UTF32:
		return "text"
	}
	return t.Name()
}
