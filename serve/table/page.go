package table

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/internal/words"
	"github.com/omnizarr/zarr/rows"
)

// Query is which rows are wanted.
type Query struct {
	Columns       []string // none is all
	Sort          string   // a column, with "-" in front from the greatest down; "" is the order of the table
	Filter        string   // see ParseFilter
	Offset, Limit int      // among the rows that the filter leaves
}

// Page is some rows.
type Page struct {
	Total   int                 `json:"total"`
	Matched int                 `json:"matched"` // rows that the filter leaves
	Offset  int                 `json:"offset"`
	Columns []string            `json:"columns"`
	Rows    [][]json.RawMessage `json:"rows"`
	Index   []int               `json:"index"` // the numbers of the rows in the table
}

const (
	// MaxLimit is how many rows are given at once.
	MaxLimit = 10_000
	// headValues is how many values of a list are given.
	headValues = 8
	// cutText is how much of a text is given.
	cutText = 4096
	// cellBytes is about how much of a column is read at once.
	cellBytes = 32 << 20
	// mostCell is how many values of one cell are given when it is asked for alone.
	mostCell = 1 << 20
	// mostPage is how many bytes the cells of one answer have.
	mostPage = 64 << 20
)

// Page gives rows.
func (t *Table) Page(ctx context.Context, q Query) (*Page, error) {
	if q.Limit > MaxLimit {
		return nil, fmt.Errorf("%w: %d rows, at most %d are given at once", ErrRequest, q.Limit, MaxLimit)
	}
	fields, o, from, err := t.chosen(ctx, q)
	if err != nil {
		return nil, err
	}
	return t.page(ctx, fields, o.n, from, o.span(from, min(q.Limit, o.n-from)), headValues)
}

// chosen finds the columns of a query, its rows, and which of these is the first.
func (t *Table) chosen(ctx context.Context, q Query) (fields []rows.Field, o order, from int, err error) {
	if q.Offset < 0 || q.Limit < 0 {
		return nil, o, 0, fmt.Errorf("%w: %d rows from %d on", ErrRequest, q.Limit, q.Offset)
	}
	if fields, err = t.fields(q.Columns); err == nil {
		o, err = t.order(ctx, q.Filter, q.Sort)
	}
	return fields, o, min(q.Offset, o.n), err
}

// Cell gives one cell with all its values.
func (t *Table) Cell(ctx context.Context, row int, column string) (*Page, error) {
	f, err := t.field(column)
	if err != nil {
		return nil, err
	}
	if row < 0 || row >= t.Rows() {
		return nil, fmt.Errorf("%w: row %d of %d", ErrRequest, row, t.Rows())
	}
	span := rows.Span{Start: row, Step: 1, Count: 1}
	if f.Lengths != nil {
		if n, err := f.Lengths(ctx, span); err != nil {
			return nil, err
		} else if n[0] > mostCell {
			return nil, fmt.Errorf("a list of %d values: %w, which is %d", n[0], ErrTooLarge, mostCell)
		}
	}
	return t.page(ctx, []rows.Field{*f}, t.Rows(), row, span, mostCell)
}

func (t *Table) page(ctx context.Context, fields []rows.Field, matched, offset int, span rows.Span, most int) (*Page, error) {
	out := &Page{Total: t.Rows(), Matched: matched, Offset: offset, Index: span.Positions(), Rows: make([][]json.RawMessage, span.Count), Columns: []string{}}
	for i := range out.Rows {
		out.Rows[i] = make([]json.RawMessage, len(fields))
	}
	size := 0 // of all cells
	for k, f := range fields {
		out.Columns = append(out.Columns, f.Name)
		p := printer{link: t.opt.Link, most: most, date: f.Type == "date"}
		each := max(1, cellBytes/max(f.Bytes, 1))
		for from := 0; from < span.Count; from += each {
			part := span.Part(from, min(each, span.Count-from))
			var cells rows.Cells
			var err error
			if f.Show != nil {
				cells, err = f.Show(ctx, part, most)
			} else {
				cells, err = f.Read(ctx, part)
			}
			if err != nil {
				return nil, err
			}
			for i := range part.Count {
				raw, err := cells(nil, i)
				if err == nil {
					out.Rows[from+i][k], err = p.cell(raw)
				}
				if err != nil {
					return nil, fmt.Errorf("column %s: row %d: %w", f.Name, part.At(i), err)
				}
				if size += len(out.Rows[from+i][k]); size > mostPage {
					return nil, fmt.Errorf("%d rows of %d columns are more than %d MiB: %w, ask for fewer", span.Count, len(fields), mostPage>>20, ErrTooLarge)
				}
			}
		}
	}
	return out, nil
}

// printer makes cells as they are shown of cells as they are read.
type printer struct {
	link func(rows.Ref) any // nil: the reference itself
	most int                // values of a list
	date bool
}

func (p printer) cell(raw []byte) (json.RawMessage, error) {
	raw = bytes.TrimSpace(raw)
	switch {
	case len(raw) == 0:
		return json.RawMessage("null"), nil
	case raw[0] == '"' && p.date && !isNumber(raw):
		return append(append(json.RawMessage(`{"time":`), raw...), '}'), nil
	case raw[0] == '"' && len(raw) > cutText && p.most == headValues:
		return strictjson.AppendString(nil, words.Cut(words.Bare(raw), cutText)), nil
	case raw[0] == '[':
		return p.list(raw)
	case raw[0] != '{':
		return raw, nil
	}
	if ref, ok := rows.ParseRef(raw); ok {
		var to any = ref
		if p.link != nil {
			to = p.link(ref)
		}
		return strictjson.Marshal(map[string]any{"link": to}, false)
	}
	if bytes.HasPrefix(raw, []byte(`{"list":`)) {
		return p.head(raw)
	}
	// Fields of a compound, in a line.
	return strictjson.AppendString(nil, words.Cut(words.Compact(raw), cutText)), nil
}

// isNumber reports whether a text stands for a number that JSON lacks.
func isNumber(raw []byte) bool {
	switch string(raw) {
	case `"NaN"`, `"Infinity"`, `"-Infinity"`:
		return true
	}
	return false
}

// list shows the first values of a list.
func (p printer) list(raw []byte) (json.RawMessage, error) {
	n := 0
	values := []json.RawMessage{}
	err := strictjson.Each(raw, func(_ int, elem json.RawMessage) error {
		if n++; n > p.most {
			return nil
		}
		v, err := p.cell(elem)
		values = append(values, v)
		return err
	})
	return listed(n, values, err)
}

// head is list for one of which only the first values were read.
func (p printer) head(raw []byte) (json.RawMessage, error) {
	var h struct {
		List   int               `json:"list"`
		Values []json.RawMessage `json:"values"`
	}
	err := strictjson.Decode(raw, &h)
	for i, v := range h.Values {
		if err == nil {
			h.Values[i], err = p.cell(v)
		}
	}
	return listed(h.List, h.Values, err)
}

func listed(n int, values []json.RawMessage, err error) (json.RawMessage, error) {
	if err != nil {
		return nil, err
	}
	if values == nil {
		values = []json.RawMessage{}
	}
	return strictjson.Marshal(struct {
		List   int               `json:"list"`
		Values []json.RawMessage `json:"values"`
	}{n, values}, false)
}

// CSV prepares all rows of a query as comma-separated values; what cannot be done is an
// error before anything is written. A limit of 0 is none. Rows in another order than that of
// the table are read and written block by block, each of which goes through all chunks.
func (t *Table) CSV(ctx context.Context, q Query) (write func(out io.Writer) error, err error) {
	fields, o, from, err := t.chosen(ctx, q)
	if err != nil {
		return nil, err
	}
	count := o.n - from
	if q.Limit > 0 {
		count = min(count, q.Limit)
	}
	set := &rows.Set{Fields: fields, Rows: o.span(from, count)}
	return func(out io.Writer) error { return set.WriteCSV(ctx, out) }, nil
}
