package describe

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/convention"
	"github.com/omnizarr/zarr/coordinates"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/internal/words"
	"github.com/omnizarr/zarr/rows"
)

// Rows gives the table or the time series that a group is, row by row. The slice
// selects rows and, of a series with two axes, channels, which are columns if they
// are to be apart: by position, or as package coordinates does by "time" and
// "channel", or by the columns of the table.
func (o *Object) Rows(ctx context.Context, slice string, apart bool) (*rows.Set, error) {
	g, ok := o.object.(*hdmf.Group)
	fail := func(err error) (*rows.Set, error) {
		return nil, &zarr.Error{Op: "print", URL: o.Node().URL(), Err: err}
	}
	if d, isData := o.object.(*hdmf.Dataset); isData && d.DType().Kind == hdmf.Compound && len(d.Shape()) == 1 && !d.Scalar() {
		spans, err := spansOf(ctx, slice, nil, d.Shape()[0])
		if err != nil {
			return fail(err)
		}
		return &rows.Set{Fields: compoundFields(d), Rows: spans[0]}, nil
	}
	if !ok {
		return fail(fmt.Errorf("is a dataset, %w", convention.ErrNoRows))
	}
	if hdmf.IsTable(g) {
		t, err := hdmf.OpenTable(ctx, g)
		if err != nil {
			return nil, err
		}
		b := &tableFields{problems: t.Problems()}
		fields := b.of(ctx, t, "")
		spans, err := spansOf(ctx, slice, tableAxes(t), t.Rows())
		if axes := strings.Count(slice, ",") + 1; axes > 1 {
			err = fmt.Errorf("slice %q has %d axes, rows are one", slice, axes)
		}
		if err == nil {
			err = fits(t, fields)
		}
		if err != nil {
			return fail(err)
		}
		return &rows.Set{Fields: fields, Rows: spans[0], Notes: problemNotes(g, b.problems), Events: events(t, spans[0]), Bands: bands(t)}, nil
	}
	if !hdmf.IsSeries(ctx, g) {
		name := "without a type"
		if t := g.Type(); t.Name != "" {
			name = "of type " + t.String()
		}
		return fail(fmt.Errorf("is a group %s, %w", name, convention.ErrNoRows))
	}
	s, err := hdmf.OpenSeries(ctx, g)
	if err != nil {
		return nil, err
	}
	shape := s.Data().Shape()
	if axes := strings.Count(slice, ",") + 1; axes > 2 || axes == 2 && len(shape) != 2 {
		return fail(fmt.Errorf("slice %q has %d axes for data of shape %v: it may be of samples, and of channels if there are two axes", slice, axes, shape))
	}
	spans, err := spansOf(ctx, slice, seriesAxes(s), shape[:min(len(shape), 2)]...)
	if err != nil {
		return fail(err)
	}
	view := &seriesView{Series: s, rows: spans[0]}
	if len(shape) == 2 {
		view.channels = spans[1]
	}
	r := &rows.Set{Rows: view.rows, Fields: view.fields(apart), Curves: view.curves()}
	if unit := unitOf(s); unit != "" {
		r.Note = "data in " + unit
	}
	return r, nil
}

// spansOf reads a slice of axes of some lengths, by position, or by their names and
// values.
func spansOf(ctx context.Context, slice string, named []coordinates.Axis, lengths ...int) ([]rows.Span, error) {
	sel, err := coordinates.Choose(ctx, slice, lengths, named)
	var axes []zarr.Positions
	if err == nil {
		axes, err = zarr.Resolve(sel, lengths)
	}
	var known *zarr.Error
	if errors.As(err, &known) {
		err = known.Err // of a selection of a node that has a name
	}
	if err != nil {
		return nil, err
	}
	out := make([]rows.Span, len(axes))
	for i, a := range axes {
		start, step, _ := a.Even() // as what a slice selects is
		out[i] = rows.Span{Start: start, Step: step, Count: a.Count}
	}
	return out, nil
}

// fits checks that the columns have as many rows as the table.
func fits(t *hdmf.Table, fields []rows.Field) error {
	if len(fields) == 0 {
		return fmt.Errorf("the table has no columns")
	}
	for _, c := range t.Columns() {
		if c.Rows() < t.Rows() {
			return fmt.Errorf("column %s has %d rows, the table %d", c.Name(), c.Rows(), t.Rows())
		}
	}
	return nil
}

// tableFields gathers what is wrong with the columns of a table.
type tableFields struct{ problems []error }

// of are the columns of a table, and of the tables inside it.
func (r *tableFields) of(ctx context.Context, t *hdmf.Table, prefix string) (out []rows.Field) {
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
			r.problems = append(r.problems, fmt.Errorf("category %q has %s, the table %d", name, words.Counted(inner.Rows(), "row"), t.Rows()))
		}
		for _, err := range inner.Problems() {
			r.problems = append(r.problems, fmt.Errorf("category %q: %w", name, err))
		}
		if inner.Rows() >= t.Rows() {
			out = append(out, r.of(ctx, inner, name+".")...)
		}
	}
	return out
}
