package describe

import (
	"context"

	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/rows"
)

// compoundFields are the fields of a dataset of compounds, each as a column.
func compoundFields(d *hdmf.Dataset) (out []rows.Field) {
	show := &shower{dataset: d}
	for _, field := range d.DType().Fields {
		f := rows.Field{Name: field.Name, Type: field.DType.Name, Bytes: d.Array().DataType().Size(), Path: d.Path(), Refers: field.Refers()}
		read := func(ctx context.Context, s rows.Span) (*hdmf.Values, error) {
			v, err := d.Read(ctx, of(s))
			if err != nil {
				return nil, err
			}
			return v.Field(field.Name)
		}
		f.Read = func(ctx context.Context, s rows.Span) (rows.Cells, error) {
			v, err := read(ctx, s)
			return func(dst []byte, i int) ([]byte, error) { return appendValue(dst, v, i) }, err
		}
		switch field.Kind {
		case hdmf.Number:
			f.Numbers = func(ctx context.Context, s rows.Span) ([]float64, error) {
				v, err := read(ctx, s)
				if err != nil {
					return nil, err
				}
				return v.Floats()
			}
		case hdmf.Text:
			f.Texts = func(ctx context.Context, s rows.Span) ([]string, error) {
				v, err := read(ctx, s)
				if err != nil {
					return nil, err
				}
				texts := make([]string, v.Len())
				for i := range texts {
					texts[i] = v.Text(i)
				}
				return texts, nil
			}
		case hdmf.ObjectRef, hdmf.RegionRef:
			f.Show = func(ctx context.Context, s rows.Span, _ int) (rows.Cells, error) {
				v, err := read(ctx, s)
				return func(dst []byte, i int) ([]byte, error) { return show.appendReference(ctx, dst, v, i, nil), nil }, err
			}
		}
		out = append(out, f)
	}
	return out
}
