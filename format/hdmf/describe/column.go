package describe

import (
	"context"
	"strconv"
	"sync"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/rows"
)

// columnField reads a column of a table.
func columnField(c *hdmf.Column, name string) rows.Field {
	d := c.Dataset()
	elements, _ := nd.Len(d.Array().Shape())
	f := rows.Field{
		Name: name, Bytes: elements / max(c.Rows(), 1) * d.Array().DataType().Size(),
		Type: typeWords(d), Unit: attributeText(d, "unit"), Description: c.Description(), Path: d.Path(), Ragged: c.Depth() > 0,
	}
	f.Read = func(ctx context.Context, s rows.Span) (rows.Cells, error) {
		cells, err := readSpan(ctx, c, s)
		if err != nil {
			return nil, err
		}
		p, err := newCellPrinter(cells.Values)
		if err != nil {
			return nil, err
		}
		return func(dst []byte, i int) ([]byte, error) { return p.appendRow(dst, cells.Offsets, i) }, nil
	}
	show := &shower{column: c, dataset: d}
	f.Refers = show.find()
	f.Show = show.read
	flat := len(d.Shape()) == 1
	switch kind := d.DType().Kind; {
	case !flat:
	case c.Depth() == 0 && show.elements != nil:
		f.Type = "enum"
		f.Texts = func(ctx context.Context, s rows.Span) ([]string, error) { return show.words(ctx, s) }
	case c.Depth() == 0 && kind == hdmf.Number:
		f.Numbers = func(ctx context.Context, s rows.Span) ([]float64, error) {
			cells, err := readSpan(ctx, c, s)
			if err != nil {
				return nil, err
			}
			return cells.Floats()
		}
	case c.Depth() == 0 && kind == hdmf.Text:
		f.Texts = func(ctx context.Context, s rows.Span) ([]string, error) { return columnTexts(ctx, c, s) }
	case c.Depth() == 1 && kind == hdmf.Number:
		f.Lists = func(ctx context.Context, s rows.Span, parts [][2]int) ([]float64, []int, error) {
			var cells *hdmf.Cells
			var err error
			if parts == nil {
				cells, err = readSpan(ctx, c, s)
			} else {
				cells, err = c.ReadParts(ctx, s.Positions(), parts)
			}
			if err != nil {
				return nil, nil, err
			}
			list, err := cells.Floats()
			return list, cells.Offsets[0], err
		}
	}
	if f.Ragged {
		f.Lengths = func(ctx context.Context, s rows.Span) ([]int, error) { return c.Lengths(ctx, s.Positions()) }
	}
	return f
}

// attributeText is an attribute that is a text, "" if there is none.
func attributeText(o hdmf.Object, name string) string {
	a, ok := o.Attribute(name)
	if !ok {
		return ""
	}
	text, err := strictjson.String(a.Raw)
	if err != nil {
		return ""
	}
	return text
}

func readSpan(ctx context.Context, c *hdmf.Column, s rows.Span) (*hdmf.Cells, error) {
	if s.IsRun() {
		return c.Read(ctx, s.Start, s.Start+s.Count)
	}
	return c.ReadRows(ctx, s.Positions())
}

// columnTexts are the cells of a column that has one text in each.
func columnTexts(ctx context.Context, c *hdmf.Column, s rows.Span) ([]string, error) {
	cells, err := readSpan(ctx, c, s)
	if err != nil {
		return nil, err
	}
	out := make([]string, s.Count)
	for i := range out {
		out[i] = cells.Text(i)
	}
	return out, nil
}

// shower spells cells for those who look.
type shower struct {
	column   *hdmf.Column // nil for a dataset that is in no table
	dataset  *hdmf.Dataset
	table    *hdmf.Reference // whose rows the numbers are
	elements *hdmf.Reference // whose texts they stand for

	mu    sync.Mutex
	known map[string]rows.Ref // references that were followed
	texts *hdmf.Values        // of elements
}

// find looks for what the values lead to, and reports whether they lead anywhere.
func (s *shower) find() bool {
	d := s.dataset
	if d.DType().Kind == hdmf.Number {
		for name, to := range map[string]**hdmf.Reference{"table": &s.table, "elements": &s.elements} {
			if a, ok := d.Attribute(name); ok && len(a.References) == 1 {
				*to = &a.References[0]
			}
		}
	}
	if s.table != nil || d.DType().Refers() {
		return true
	}
	for _, f := range d.DType().Fields {
		if f.Refers() {
			return true
		}
	}
	return false
}

// mostWords is how many texts numbers may stand for.
const mostWords = 1 << 16

// enum reads the texts that numbers stand for, once.
func (s *shower) enum(ctx context.Context) (*hdmf.Values, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.texts != nil || s.elements == nil {
		return s.texts, nil
	}
	o, err := s.dataset.File().Resolve(ctx, *s.elements)
	if err != nil {
		return nil, err
	}
	d, ok := o.(*hdmf.Dataset)
	if !ok || len(d.Shape()) != 1 || d.Shape()[0] > mostWords {
		return nil, &zarr.Error{Op: "read", URL: o.Node().URL(), Err: hdmf.ErrNoColumn}
	}
	s.texts, err = d.Read(ctx, zarr.All())
	return s.texts, err
}

// words are the texts that the numbers of some rows stand for.
func (s *shower) words(ctx context.Context, at rows.Span) ([]string, error) {
	texts, err := s.enum(ctx)
	if err != nil {
		return nil, err
	}
	cells, err := readSpan(ctx, s.column, at)
	if err != nil {
		return nil, err
	}
	numbers, err := cells.Ints()
	if err != nil {
		return nil, err
	}
	out := make([]string, len(numbers))
	for i, n := range numbers {
		out[i] = strconv.FormatInt(n, 10)
		if n >= 0 && n < int64(texts.Len()) {
			out[i] = texts.Text(int(n))
		}
	}
	return out, nil
}

// read is the Show of a column.
func (s *shower) read(ctx context.Context, at rows.Span, most int) (rows.Cells, error) {
	cells, err := s.column.ReadHeads(ctx, at.Positions(), most)
	if err != nil {
		return nil, err
	}
	texts, err := s.enum(ctx)
	if err != nil {
		texts = nil // the numbers are there all the same
	}
	p, err := newCellPrinter(cells.Values)
	if err != nil {
		return nil, err
	}
	element := func(dst []byte, i int) ([]byte, error) { return s.appendElement(ctx, dst, p, texts, i) }
	var list func(dst []byte, depth, i int) ([]byte, error)
	list = func(dst []byte, depth, i int) ([]byte, error) {
		if depth == len(cells.Offsets) {
			return appendHeads(dst, p.shape, i*p.each, most, element)
		}
		from, to := cells.Offsets[depth][i], cells.Offsets[depth][i+1]
		return appendHead(dst, cells.Counts[depth][i], to-from, func(dst []byte, k int) ([]byte, error) { return list(dst, depth+1, from+k) })
	}
	return func(dst []byte, i int) ([]byte, error) { return list(dst, 0, i) }, nil
}

// appendHead appends the first of a list.
func appendHead(dst []byte, count, shown int, element func(dst []byte, k int) ([]byte, error)) ([]byte, error) {
	dst = append(strconv.AppendInt(append(dst, `{"list":`...), int64(count), 10), `,"values":[`...)
	for k := range shown {
		if k > 0 {
			dst = append(dst, ',')
		}
		var err error
		if dst, err = element(dst, k); err != nil {
			return nil, err
		}
	}
	return append(dst, "]}"...), nil
}

// appendHeads appends the elements of a shape, the first along every axis.
func appendHeads(dst []byte, shape []int, first, most int, element func(dst []byte, i int) ([]byte, error)) ([]byte, error) {
	if len(shape) == 0 {
		return element(dst, first)
	}
	each, _ := nd.Len(shape[1:])
	return appendHead(dst, shape[0], min(shape[0], most), func(dst []byte, k int) ([]byte, error) {
		return appendHeads(dst, shape[1:], first+k*each, most, element)
	})
}

// appendElement appends an element, which may lead elsewhere.
func (s *shower) appendElement(ctx context.Context, dst []byte, p *cellPrinter, texts *hdmf.Values, i int) ([]byte, error) {
	v := p.values
	switch {
	case s.table != nil:
		row, err := v.Float(i)
		if err != nil || row < 0 {
			return p.appendElement(dst, i) // which stands for none
		}
		ref := s.follow(ctx, *s.table)
		n := int(row)
		ref.Row, ref.Text = &n, strconv.Itoa(n)
		return ref.Append(dst), nil
	case texts != nil:
		n, err := v.Float(i)
		if err == nil && n >= 0 && n < float64(texts.Len()) {
			return strictjson.AppendString(dst, texts.Text(int(n))), nil
		}
	case v.DType.Refers():
		return s.appendReference(ctx, dst, v, i, nil), nil
	case len(p.fields) == 3 && v.Fields[0].Name == "idx_start" && v.Fields[1].Name == "count" && v.Fields[2].Refers():
		start, err := p.fields[0].Float(i)
		count, more := p.fields[1].Float(i)
		if err == nil && more == nil && start >= 0 && count >= 0 {
			part := &hdmf.Region{Axes: []hdmf.RegionAxis{{Start: int(start), Stop: int(start + count)}}}
			return s.appendReference(ctx, dst, p.fields[2], i, part), nil
		}
		return s.appendReference(ctx, dst, p.fields[2], i, nil), nil // of which no part is told
	}
	return p.appendElement(dst, i)
}

func (s *shower) appendReference(ctx context.Context, dst []byte, v *hdmf.Values, i int, part *hdmf.Region) []byte {
	r, err := v.Reference(i)
	if err != nil {
		return append(dst, "null"...)
	}
	ref := s.follow(ctx, r)
	if part != nil {
		ref.Text += part.String()
	}
	return ref.Append(dst)
}

// follow finds what a reference of the column's file leads to.
func (s *shower) follow(ctx context.Context, r hdmf.Reference) rows.Ref {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := r.String()
	if ref, ok := s.known[key]; ok {
		return ref
	}
	holder := s.dataset.File()
	ref := rows.Ref{File: r.Source, Path: r.Path, Text: key}
	if o, err := holder.Resolve(ctx, r); err != nil {
		ref.Broken = why(err)
	} else {
		ref.File, ref.Path = place(ctx, holder, o.File()), o.Path()
	}
	if ctx.Err() != nil {
		return ref
	}
	if s.known == nil || len(s.known) >= mostKnown {
		s.known = map[string]rows.Ref{}
	}
	s.known[key] = ref
	return ref
}
