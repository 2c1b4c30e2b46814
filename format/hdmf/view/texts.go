package view

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/grid"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/nd"
)

// texts is a dataset that the view shows as an array of text.
type texts struct {
	view  *view
	data  *hdmf.Dataset
	shape []int
	grid  *grid.Regular
	chunk []int
}

// maxTexts is how many elements a chunk that is made has at most.
const maxTexts = 1 << 16

var keys = grid.DefaultKeys{Sep: '.'}

// textsOf is nil if a dataset can be shown as it is.
func (v *view) textsOf(d *hdmf.Dataset) (*texts, error) {
	switch d.DType().Kind {
	case hdmf.ObjectRef, hdmf.RegionRef:
	default:
		if !hasObjects(d.Array().DataType()) {
			return nil, nil
		}
	}
	t := &texts{view: v, data: d, shape: d.Array().Shape(), chunk: d.Array().ChunkShape()}
	if t.chunk == nil {
		t.chunk = d.Array().Shape()
	}
	room := maxTexts
	for i := len(t.chunk) - 1; i >= 0; i-- {
		t.chunk[i] = max(1, min(t.chunk[i], t.shape[i], room))
		room /= t.chunk[i]
	}
	var err error
	t.grid, err = grid.NewRegular(t.shape, t.chunk)
	return t, err
}

// hasObjects reports whether elements are values of Python, or have some in them.
func hasObjects(t dtype.Type) bool {
	if t.Kind() == dtype.Object {
		return true
	}
	for _, f := range dtype.Fields(t) {
		if hasObjects(f.Type) {
			return true
		}
	}
	return false
}

// describe changes a document to what the view shows.
func (t *texts) describe(a *meta.Array) {
	a.DataType = dtype.MustParse("string")
	a.Grid, a.Keys = t.grid, keys
	a.FillValue, a.NoFill = json.RawMessage(`""`), false
	a.Codecs = []meta.Extension{{Name: "vlen-utf8"}}
	a.Transformers = nil
}

// count is the number of chunks; ok is false if it does not fit an int.
func (t *texts) count() (n int, ok bool) { return nd.Len(t.grid.Count()) }

// get makes the chunk that has a key.
func (t *texts) get(ctx context.Context, key string) ([]byte, error) {
	index := make([]int, len(t.shape))
	if !keys.Parse(key, index) {
		return nil, errNone
	}
	axes := make([]zarr.Axis, len(index))
	inside := make([]int, len(index))
	for k, i := range index {
		if i < 0 || i >= t.grid.Count()[k] {
			return nil, errNone
		}
		start, n := t.grid.Span(k, i)
		inside[k] = min(n, t.shape[k]-start)
		axes[k] = zarr.Span(start, start+inside[k])
	}
	values, err := t.data.Read(ctx, zarr.Select(axes...))
	if err != nil {
		return nil, err
	}
	return t.encode(ctx, values, inside)
}

// encode writes a count and every text behind its length, as vlen-utf8 has it. A
// chunk at the edge is filled up with empty texts.
func (t *texts) encode(ctx context.Context, values *hdmf.Values, inside []int) ([]byte, error) {
	fields, err := fieldsOf(values)
	if err != nil {
		return nil, err
	}
	total, _ := nd.Len(t.chunk)
	out := binary.LittleEndian.AppendUint32(nil, uint32(total))
	index := make([]int, len(t.chunk))
	strides := nd.Strides(inside, 1)
	for range total {
		at, ok := 0, true
		for k, i := range index {
			at += i * strides[k]
			ok = ok && i < inside[k]
		}
		mark := len(out)
		out = append(out, 0, 0, 0, 0)
		if ok {
			if out, err = t.append(ctx, out, values, fields, at); err != nil {
				return nil, fmt.Errorf("element %v: %w", index, err)
			}
		}
		if len(out) > math.MaxInt32 {
			return nil, errors.New("a chunk of more than 2 GiB of text")
		}
		binary.LittleEndian.PutUint32(out[mark:], uint32(len(out)-mark-4))
		nd.Next(index, t.chunk)
	}
	return out, nil
}

// fieldsOf are the fields of compounds.
func fieldsOf(v *hdmf.Values) ([]*hdmf.Values, error) {
	var out []*hdmf.Values
	for _, f := range v.Fields {
		field, err := v.Field(f.Name)
		if err != nil {
			return nil, err
		}
		out = append(out, field)
	}
	return out, nil
}

// append appends the text of an element: a path, a text as it is, an object of JSON
// for compounds, other JSON.
func (t *texts) append(ctx context.Context, dst []byte, v *hdmf.Values, fields []*hdmf.Values, i int) ([]byte, error) {
	switch v.Kind {
	case hdmf.ObjectRef, hdmf.RegionRef:
		r, err := v.Reference(i)
		if err != nil { // nothing was written there
			return dst, nil
		}
		return append(dst, t.view.reference(ctx, t.data.File(), r)...), nil
	case hdmf.Text, hdmf.Bytes:
		return append(dst, v.Blob(i)...), nil
	case hdmf.Compound:
		dst = append(dst, '{')
		for k, f := range fields {
			if k > 0 {
				dst = append(dst, ", "...)
			}
			dst = append(strictjson.AppendString(dst, v.Fields[k].Name), ": "...)
			if f.Kind == hdmf.ObjectRef || f.Kind == hdmf.RegionRef || f.Kind == hdmf.Text {
				text, err := t.append(ctx, nil, f, nil, i)
				if err != nil {
					return dst, err
				}
				dst = strictjson.AppendString(dst, string(text))
				continue
			}
			raw, err := f.JSON(i)
			if err != nil {
				return dst, err
			}
			dst = append(dst, strictjson.QuoteBare(raw)...)
		}
		return append(dst, '}'), nil
	}
	raw, err := v.JSON(i)
	return append(dst, strictjson.QuoteBare(raw)...), err
}
