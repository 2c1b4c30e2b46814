package main

import (
	"context"
	"fmt"
	"math"
	"path"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/nd"
)

// rowsOf gives the table or the time series that a group is, row by row. The slice
// selects rows and, of a series with two axes, channels, which are columns if they
// are to be apart.
func rowsOf(ctx context.Context, g *hdmf.Group, slice string, apart bool) (*rowSet, *seriesView, error) {
	fail := func(err error) (*rowSet, *seriesView, error) {
		return nil, nil, &zarr.Error{Op: "print", URL: g.Node().URL(), Err: err}
	}
	axes := strings.Split(slice, ",")
	if hdmf.IsTable(g) {
		t, err := hdmf.OpenTable(ctx, g)
		if err != nil {
			return nil, nil, err
		}
		r := &rowSet{problems: t.Problems()}
		r.fields = r.tableFields(ctx, t, "")
		if r.rows, err = parseSpan(axes[0], t.Rows()); err == nil && len(axes) > 1 {
			err = fmt.Errorf("slice %q has %d axes, rows are one", slice, len(axes))
		}
		if err == nil {
			err = fits(t, r)
		}
		if err != nil {
			return fail(err)
		}
		return r, nil, nil
	}
	if !hdmf.IsSeries(ctx, g) {
		name := "without a type"
		if t := g.Type(); t.Name != "" {
			name = "of type " + t.String()
		}
		return fail(fmt.Errorf("is a group %s, neither an array nor a table nor a time series", name))
	}
	s, err := hdmf.OpenSeries(ctx, g)
	if err != nil {
		return nil, nil, err
	}
	r := &rowSet{}
	if r.rows, err = parseSpan(axes[0], s.Len()); err != nil {
		return fail(err)
	}
	shape := s.Data().Shape()
	if len(axes) > 2 || len(axes) == 2 && len(shape) != 2 {
		return fail(fmt.Errorf("slice %q has %d axes for data of shape %v: it may be of samples, and of channels if there are two axes", slice, len(axes), shape))
	}
	channels := span{}
	if len(shape) == 2 {
		channels = span{0, 1, shape[1]}
	}
	if len(axes) == 2 {
		if channels, err = parseSpan(axes[1], shape[1]); err != nil {
			return fail(err)
		}
	}
	r.fields = seriesFields(ctx, s, channels, apart)
	if unit := unitOf(s); unit != "" {
		r.note = "data in " + unit
	}
	return r, &seriesView{s, r.rows, channels}, nil
}

// fits checks that the columns have as many rows as the table.
func fits(t *hdmf.Table, r *rowSet) error {
	if len(r.fields) == 0 {
		return fmt.Errorf("the table has no columns")
	}
	for _, c := range t.Columns() {
		if c.Rows() < t.Rows() {
			return fmt.Errorf("column %s has %d rows, the table %d", c.Name(), c.Rows(), t.Rows())
		}
	}
	return nil
}

// tableFields are the columns of a table, and of the tables inside it.
func (r *rowSet) tableFields(ctx context.Context, t *hdmf.Table, prefix string) (out []rowField) {
	if ids := t.IDs(); ids != nil {
		out = append(out, columnField(ids, prefix+"id"))
	}
	for _, c := range t.Columns() {
		out = append(out, columnField(c, prefix+c.Name()))
	}
	if prefix != "" {
		return out
	}
	for _, name := range t.Categories() {
		inner, err := t.Category(ctx, name)
		switch {
		case err != nil:
			r.problems = append(r.problems, fmt.Errorf("category %q: %w", name, err))
			continue
		case inner.Rows() != t.Rows():
			r.problems = append(r.problems, fmt.Errorf("category %q has %s, the table %d", name, counted(inner.Rows(), "row"), t.Rows()))
		}
		for _, err := range inner.Problems() {
			r.problems = append(r.problems, fmt.Errorf("category %q: %w", name, err))
		}
		if inner.Rows() >= t.Rows() {
			out = append(out, r.tableFields(ctx, inner, name+".")...)
		}
	}
	return out
}

// columnField reads a column of a table.
func columnField(c *hdmf.Column, name string) rowField {
	elements, _ := nd.Len(c.Dataset().Array().Shape())
	f := rowField{name: name, bytes: elements / max(c.Rows(), 1) * c.Dataset().Array().DataType().Size()}
	f.read = func(ctx context.Context, s span) (func([]byte, int) ([]byte, error), error) {
		var cells *hdmf.Cells
		var err error
		if s.step == 1 {
			cells, err = c.Read(ctx, s.start, s.start+s.count)
		} else {
			cells, err = c.ReadRows(ctx, s.positions())
		}
		if err != nil {
			return nil, err
		}
		p, err := newCellPrinter(cells.Values)
		if err != nil {
			return nil, err
		}
		return func(dst []byte, i int) ([]byte, error) { return p.appendRow(dst, cells.Offsets, i) }, nil
	}
	return f
}

// cellPrinter spells cells in JSON.
type cellPrinter struct {
	values *hdmf.Values
	fields []*hdmf.Values // of compounds
	shape  []int          // of a value along the first axis
	each   int
}

func newCellPrinter(v *hdmf.Values) (*cellPrinter, error) {
	p := &cellPrinter{values: v}
	if len(v.Shape) > 0 {
		p.shape = v.Shape[1:]
	}
	p.each, _ = nd.Len(p.shape)
	for _, f := range v.Fields {
		part, err := v.Field(f.Name)
		if err != nil {
			return nil, err
		}
		p.fields = append(p.fields, part)
	}
	return p, nil
}

// appendRow appends a row: a value, or a list where there is an index.
func (p *cellPrinter) appendRow(dst []byte, offsets [][]int, i int) ([]byte, error) {
	if len(offsets) == 0 {
		return p.appendNested(dst, p.shape, i*p.each)
	}
	dst = append(dst, '[')
	for k := offsets[0][i]; k < offsets[0][i+1]; k++ {
		if k > offsets[0][i] {
			dst = append(dst, ", "...)
		}
		var err error
		if dst, err = p.appendRow(dst, offsets[1:], k); err != nil {
			return nil, err
		}
	}
	return append(dst, ']'), nil
}

// appendNested appends the elements of a shape from one on.
func (p *cellPrinter) appendNested(dst []byte, shape []int, first int) ([]byte, error) {
	return appendNested(dst, shape, first, p.appendElement)
}

func appendNested(dst []byte, shape []int, first int, element func(dst []byte, i int) ([]byte, error)) ([]byte, error) {
	if len(shape) == 0 {
		return element(dst, first)
	}
	each, _ := nd.Len(shape[1:])
	dst = append(dst, '[')
	for k := range shape[0] {
		if k > 0 {
			dst = append(dst, ", "...)
		}
		var err error
		if dst, err = appendNested(dst, shape[1:], first+k*each, element); err != nil {
			return nil, err
		}
	}
	return append(dst, ']'), nil
}

// appendElement appends an element: references by what they name, bytes that are
// text as such.
func (p *cellPrinter) appendElement(dst []byte, i int) ([]byte, error) {
	if p.fields == nil {
		return appendValue(dst, p.values, i)
	}
	dst = append(dst, '{')
	for k, f := range p.fields {
		if k > 0 {
			dst = append(dst, ", "...)
		}
		dst = append(strictjson.AppendString(dst, p.values.Fields[k].Name), ": "...)
		var err error
		if dst, err = appendValue(dst, f, i); err != nil {
			return nil, err
		}
	}
	return append(dst, '}'), nil
}

func appendValue(dst []byte, v *hdmf.Values, i int) ([]byte, error) {
	switch v.Kind {
	case hdmf.ObjectRef, hdmf.RegionRef:
		r, err := v.Reference(i)
		if err != nil {
			return append(dst, "null"...), nil
		}
		return strictjson.AppendString(dst, r.String()), nil
	case hdmf.Bytes:
		if b := v.Blob(i); utf8.Valid(b) {
			return strictjson.AppendString(dst, string(b)), nil
		}
	}
	raw, err := v.JSON(i)
	return append(dst, raw...), err
}

// mostChannels is how many channels get a column each.
const mostChannels = 1 << 12

// seriesFields are the times and the samples of a series, in the unit that it
// gives: as a list, or in a column for every channel.
func seriesFields(ctx context.Context, s *hdmf.Series, channels span, apart bool) []rowField {
	shape := s.Data().Shape()
	each, _ := nd.Len(shape[1:])
	clock := rowField{name: "time", bytes: 8, digits: 10}
	clock.read = func(ctx context.Context, at span) (func([]byte, int) ([]byte, error), error) {
		low, list, err := spread(at, func(start, stop int) ([]float64, error) { return s.Times(ctx, zarr.Select(zarr.Span(start, stop))) })
		return func(dst []byte, i int) ([]byte, error) { return appendNumber(dst, list[at.start+i*at.step-low]), nil }, err
	}
	read := readStored
	if isScaled(ctx, s) {
		read = readScaled
	}
	var last span // that was read for the channel before
	var cells cellReader
	data := func(name string, wanted []int) rowField {
		f := rowField{name: name, bytes: each * 16}
		f.read = func(ctx context.Context, at span) (func([]byte, int) ([]byte, error), error) {
			if cells == nil || at != last {
				var err error
				if cells, err = read(ctx, s, at); err != nil {
					return nil, err
				}
				last = at
			}
			now := cells
			return func(dst []byte, i int) ([]byte, error) {
				if !apart && len(shape) == 2 {
					return appendList(dst, wanted, func(dst []byte, k int) ([]byte, error) { return now(dst, i, k) })
				}
				return now(dst, i, wanted[0])
			}, nil
		}
		return f
	}
	if len(shape) != 2 {
		return []rowField{clock, data("data", []int{wholeRow})}
	}
	if apart = apart && channels.count <= mostChannels; !apart {
		return []rowField{clock, data("data", channels.positions())}
	}
	fields := []rowField{clock}
	for _, k := range channels.positions() {
		f := data(fmt.Sprintf("data[%d]", k), []int{k})
		f.bytes = 16 * each / channels.count
		fields = append(fields, f)
	}
	return fields
}

// cellReader appends an element of a row, or all of it.
type cellReader func(dst []byte, i, element int) ([]byte, error)

const wholeRow = -1

// isScaled reports whether stored samples are not yet in the unit.
func isScaled(ctx context.Context, s *hdmf.Series) bool {
	if s.Data().DType().Kind != hdmf.Number {
		return false
	}
	if s.Conversion != 1 || s.Offset != 0 {
		return true
	}
	_, err := s.Group().File().Object(ctx, path.Join(s.Group().Path(), "channel_conversion"))
	return err == nil
}

// spread calls a function that reads from a position up to another with what a span
// lies between.
func spread[T any](s span, read func(start, stop int) (T, error)) (low int, out T, err error) {
	if s.count == 0 {
		return s.start, out, nil
	}
	first, last := s.start, s.start+(s.count-1)*s.step
	low = min(first, last)
	out, err = read(low, max(first, last)+1)
	return low, out, err
}

func readStored(ctx context.Context, s *hdmf.Series, at span) (cellReader, error) {
	low, v, err := spread(at, func(start, stop int) (*hdmf.Values, error) {
		return s.Data().Read(ctx, zarr.Select(zarr.Span(start, stop), zarr.Ellipsis()))
	})
	if err != nil {
		return nil, err
	}
	p, err := newCellPrinter(v)
	return func(dst []byte, i, k int) ([]byte, error) {
		row := at.start + i*at.step - low
		if k == wholeRow {
			return p.appendNested(dst, p.shape, row*p.each)
		}
		return p.appendElement(dst, row*p.each+k)
	}, err
}

func readScaled(ctx context.Context, s *hdmf.Series, at span) (cellReader, error) {
	shape := s.Data().Shape()[1:]
	low, list, err := spread(at, func(start, stop int) ([]float64, error) {
		list, _, err := s.Scaled(ctx, zarr.Select(zarr.Span(start, stop)))
		return list, err
	})
	if err != nil {
		return nil, err
	}
	each, _ := nd.Len(shape)
	number := func(dst []byte, i int) ([]byte, error) { return appendNumber(dst, list[i]), nil }
	return func(dst []byte, i, k int) ([]byte, error) {
		row := at.start + i*at.step - low
		if k == wholeRow {
			return appendNested(dst, shape, row*each, number)
		}
		return number(dst, row*each+k)
	}, nil
}

// appendList appends the elements at some positions.
func appendList(dst []byte, at []int, element func(dst []byte, k int) ([]byte, error)) ([]byte, error) {
	dst = append(dst, '[')
	for i, k := range at {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		var err error
		if dst, err = element(dst, k); err != nil {
			return nil, err
		}
	}
	return append(dst, ']'), nil
}

// appendNumber spells a number as cat does.
func appendNumber(dst []byte, f float64) []byte {
	switch {
	case math.IsNaN(f):
		return append(dst, `"NaN"`...)
	case math.IsInf(f, 1):
		return append(dst, `"Infinity"`...)
	case math.IsInf(f, -1):
		return append(dst, `"-Infinity"`...)
	}
	return strconv.AppendFloat(dst, f, 'g', -1, 64)
}
