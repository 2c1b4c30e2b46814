package main

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/format/n5"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store/file"
)

// edit changes the arrays of a manifest whose names begin with "edit/", which
// have two axes, as a plain model in memory is changed, and leaves a manifest
// of what they must be now. Axes are in the order of the manifest; those of N5 may
// be changed in the opposite order, of which the manifest tells nothing.
func edit(ctx context.Context, dir string, reversed bool) error {
	m, err := loadManifest(manifestIn(dir))
	if err != nil {
		return err
	}
	s, err := file.Open(dir, file.Options{})
	if err != nil {
		return err
	}
	defer s.Close()
	m.Cases = slices.DeleteFunc(m.Cases, func(e entry) bool { return !strings.HasPrefix(e.Name, "edit/") })
	var opts []zarr.Option
	if reversed {
		opts = append(opts, zarr.With(n5.Reversed))
	}
	for i := range m.Cases {
		e := &m.Cases[i]
		a, err := e.open(ctx, s, opts...)
		if err != nil {
			return err
		}
		switch a.DataType().Kind() {
		case dtype.String:
			e.SHA256, err = editArray(ctx, a, reversed, func(r *rand.Rand) string { return words[r.IntN(len(words))] }, appendText)
		case dtype.Object:
			e.SHA256, err = editArray(ctx, a, reversed, func(r *rand.Rand) json.RawMessage { return json.RawMessage(objects[r.IntN(len(objects))]) }, appendObject)
		default:
			e.SHA256, err = editArray(ctx, a, reversed, func(r *rand.Rand) uint16 { return uint16(r.Uint32()) }, binary.LittleEndian.AppendUint16)
		}
		if err == nil {
			err = e.describe(ctx, a)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", e.Name, err)
		}
		if e.Shape = slices.Clone(a.Shape()); reversed {
			slices.Reverse(e.Shape)
		}
	}
	return m.save(manifestIn(dir))
}

// describe changes the attributes: one more, one other than before.
func (e *entry) describe(ctx context.Context, a *zarr.Array) error {
	attrs := a.Attributes().Clone()
	if attrs == nil {
		attrs = &meta.Attributes{}
	}
	if err := errors.Join(attrs.Set("by", "Omnizarr"), attrs.Set("edited", []any{1, "ü", nil})); err != nil {
		return err
	}
	if err := a.SetAttributes(ctx, attrs); err != nil {
		return err
	}
	var err error
	e.Attributes, err = attrs.MarshalJSON()
	return err
}

func appendText(dst []byte, s string) []byte {
	return append(binary.LittleEndian.AppendUint32(dst, uint32(len(s))), s...)
}

func appendObject(dst []byte, v json.RawMessage) []byte { return appendBlob(dst, canonical(v)) }

// table is the model: elements of rows × columns.
type table[T any] struct {
	data       []T
	rows, cols int
}

// resized is the table with other lengths, filled up with fill.
func (t table[T]) resized(rows, cols int, fill T) table[T] {
	out := table[T]{make([]T, rows*cols), rows, cols}
	for y := range rows {
		for x := range cols {
			out.data[y*cols+x] = fill
			if y < t.rows && x < t.cols {
				out.data[y*cols+x] = t.data[y*t.cols+x]
			}
		}
	}
	return out
}

// put sets the elements at rows ys and columns xs.
func (t table[T]) put(ys, xs []int, values []T) {
	for i, y := range ys {
		for j, x := range xs {
			t.data[y*t.cols+x] = values[i*len(xs)+j]
		}
	}
}

// turned is the table with columns for rows.
func (t table[T]) turned() table[T] {
	out := table[T]{rows: t.cols, cols: t.rows}
	for x := range t.cols {
		for y := range t.rows {
			out.data = append(out.data, t.data[y*t.cols+x])
		}
	}
	return out
}

// steps are the positions from start to, not including, stop.
func steps(start, stop, step int) []int {
	var out []int
	for i := start; i < stop; i += step {
		out = append(out, i)
	}
	return out
}

// editArray writes a box, then every third column of every second row, appends
// rows, makes the array narrower and then wider than it was. The digest is the
// model's.
func editArray[T any](ctx context.Context, a *zarr.Array, reversed bool, value func(*rand.Rand) T, encode func([]byte, T) []byte) (string, error) {
	r := rand.New(rand.NewPCG(3, 4))
	values := func(n int) []T {
		out := make([]T, n)
		for i := range out {
			out[i] = value(r)
		}
		return out
	}
	var fill T
	if err := json.Unmarshal(a.Metadata().FillValue, &fill); err != nil {
		return "", err
	}
	was, err := zarr.Read[T](ctx, a, zarr.All())
	if err != nil {
		return "", err
	}
	t := table[T]{was.Data, was.Shape[0], was.Shape[1]}
	for _, w := range []struct{ ys, xs []int }{
		{steps(1, t.rows-1, 1), steps(2, t.cols-2, 1)},
		{steps(0, t.rows, 2), steps(1, t.cols, 3)},
	} {
		v := values(len(w.ys) * len(w.xs))
		if err := zarr.Write(ctx, a, zarr.Select(zarr.List(w.ys...), zarr.List(w.xs...)), v); err != nil {
			return "", err
		}
		t.put(w.ys, w.xs, v)
	}
	more := values(3 * t.cols)
	if err := zarr.Append(ctx, a, 0, more); err != nil {
		return "", err
	}
	t = t.resized(t.rows+3, t.cols, fill)
	t.put(steps(t.rows-3, t.rows, 1), steps(0, t.cols, 1), more)
	for _, cols := range []int{t.cols - 3, t.cols + 2} {
		if err := a.Resize(ctx, t.rows, cols); err != nil {
			return "", err
		}
		t = t.resized(t.rows, cols, fill)
	}
	if reversed {
		t = t.turned()
	}
	h := sha256.New()
	for _, v := range t.data {
		h.Write(encode(nil, v))
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
