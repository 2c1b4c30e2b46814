// Package anndata reads the data frames of AnnData, obs and var, as tables: categories
// are shown by their words, values that are missing as null. Frames are read in the
// encodings of all versions that had them: with categories beside their codes, and in
// __categories.
package anndata

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/elements"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/internal/words"
	"github.com/omnizarr/zarr/rows"
)

// Frame is a data frame.
type Frame struct{ group *zarr.Group }

// Of gives the frame that a group is; ok is false for other groups.
func Of(g *zarr.Group) (f *Frame, ok bool) {
	return &Frame{g}, text(g, "encoding-type") == "dataframe"
}

// The names that frames use.
const (
	indexAttribute = "_index"
	orderAttribute = "column-order"
	oldCategories  = "__categories"
)

// text is an attribute that is a string, "" if it is none.
func text(n zarr.Node, name string) string {
	s, err := strictjson.String(n.Attributes().Raw(name))
	if err != nil {
		return ""
	}
	return s
}

// column is one of a frame.
type column struct {
	rows.Field
	rows int
}

// Rows gives the table. The slice selects rows.
func (f *Frame) Rows(ctx context.Context, slice string, _ bool) (*rows.Set, error) {
	fail := func(err error) (*rows.Set, error) {
		var known *zarr.Error
		if errors.As(err, &known) && known.URL != "selection" {
			return nil, err
		} else if known != nil {
			err = known.Err
		}
		return nil, &zarr.Error{Op: "print", URL: f.group.URL(), Err: err}
	}
	names, err := f.names()
	if err != nil {
		return fail(err)
	}
	out := &rows.Set{Note: "AnnData"}
	n := 0
	for i, name := range names {
		c, err := f.column(ctx, name)
		if err != nil {
			return fail(fmt.Errorf("column %s: %w", name, err))
		}
		if i == 0 {
			n = c.rows
		}
		if c.rows != n {
			return fail(fmt.Errorf("column %s has %s, the index %d", name, words.Counted(c.rows, "row"), n))
		}
		if name == indexAttribute {
			c.Name = "index"
		}
		out.Fields = append(out.Fields, c.Field)
	}
	at, err := zarr.Resolve(zarr.Slice(slice), []int{n})
	if err != nil {
		return fail(err)
	}
	start, step, ok := at[0].Even()
	if !ok {
		return fail(fmt.Errorf("slice %q selects no even rows", slice))
	}
	out.Rows = rows.Span{Start: start, Step: step, Count: at[0].Count}
	return out, nil
}

// Len is how many rows the index has.
func (f *Frame) Len(ctx context.Context) (int, error) {
	index := text(f.group, indexAttribute)
	if index == "" {
		index = indexAttribute
	}
	c, err := f.column(ctx, index)
	if err != nil {
		return 0, err
	}
	return c.rows, nil
}

// names are those of the columns in their order, the index first.
func (f *Frame) names() ([]string, error) {
	index := text(f.group, indexAttribute)
	if index == "" {
		return nil, fmt.Errorf("attribute %s does not name the index", indexAttribute)
	}
	names := []string{index}
	err := strictjson.Each(f.group.Attributes().Raw(orderAttribute), func(i int, raw json.RawMessage) error {
		name, err := strictjson.String(raw)
		if err != nil {
			return strictjson.AtIndex(i, err)
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("attribute %s: %w", orderAttribute, err)
	}
	return names, nil
}

// column opens one.
func (f *Frame) column(ctx context.Context, name string) (*column, error) {
	n, err := f.group.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	if a, ok := n.(*zarr.Array); ok {
		if a.Attributes().Raw("categories") != nil {
			categories, err := f.group.Array(ctx, oldCategories+"/"+name)
			if err != nil {
				return nil, err
			}
			return categorical(name, a, categories)
		}
		return plain(name, a)
	}
	g := n.(*zarr.Group)
	pair := func(one, other string) (a, b *zarr.Array, err error) {
		if a, err = g.Array(ctx, one); err == nil {
			b, err = g.Array(ctx, other)
		}
		return a, b, err
	}
	switch kind := text(g, "encoding-type"); kind {
	case "categorical":
		codes, categories, err := pair("codes", "categories")
		if err != nil {
			return nil, err
		}
		return categorical(name, codes, categories)
	case "nullable-integer", "nullable-boolean", "nullable-string-array":
		values, mask, err := pair("values", "mask")
		if err != nil {
			return nil, err
		}
		return nullable(name, values, mask)
	default:
		return nil, fmt.Errorf("is a group of encoding %q, which is not known", kind)
	}
}

// line checks that an array is a column and gives its length.
func line(a *zarr.Array) (int, error) {
	if len(a.Shape()) != 1 {
		return 0, fmt.Errorf("%s has shape %v, columns have one axis", a.Path(), a.Shape())
	}
	return a.Shape()[0], nil
}

// plain is a column whose elements are its values.
func plain(name string, a *zarr.Array) (*column, error) {
	n, err := line(a)
	if err != nil {
		return nil, err
	}
	return &column{elements.Field(name, a), n}, nil
}

// categorical is a column of codes that stand for categories; a negative one is
// missing.
func categorical(name string, codes, categories *zarr.Array) (*column, error) {
	n, err := line(codes)
	if err != nil {
		return nil, err
	}
	count, err := line(categories)
	if k := codes.DataType().Kind(); err == nil && k != dtype.Int && k != dtype.Uint {
		err = fmt.Errorf("codes are %s, no integers", codes.DataType().Name())
	}
	if err != nil {
		return nil, err
	}
	words := elements.Field(name, categories)
	var mu sync.Mutex
	var list rows.Cells
	var texts []string
	load := func(ctx context.Context) (err error) {
		mu.Lock()
		defer mu.Unlock()
		all := rows.Span{Step: 1, Count: count}
		if list == nil && words.Texts != nil {
			if texts, err = words.Texts(ctx, all); err != nil {
				return err
			}
		}
		if list == nil {
			list, err = words.Read(ctx, all)
		}
		return err
	}
	read := func(ctx context.Context, s rows.Span) ([]int64, error) {
		if err := load(ctx); err != nil {
			return nil, err
		}
		numbers, err := zarr.ReadAs[int64](ctx, codes, zarr.Select(zarr.List(s.Positions()...)))
		return numbers.Data, err
	}
	wrong := func(k int64) error { return fmt.Errorf("code %d of %d categories", k, count) }
	c := &column{rows.Field{Name: name, Bytes: 8, Type: "category", Path: "/" + codes.Path()}, n}
	c.Read = func(ctx context.Context, s rows.Span) (rows.Cells, error) {
		numbers, err := read(ctx, s)
		if err != nil {
			return nil, err
		}
		return func(dst []byte, i int) ([]byte, error) {
			switch k := numbers[i]; {
			case k < 0:
				return append(dst, "null"...), nil
			case k >= int64(count):
				return nil, wrong(k)
			default:
				return list(dst, int(k))
			}
		}, nil
	}
	if words.Texts != nil {
		c.Texts = func(ctx context.Context, s rows.Span) ([]string, error) {
			numbers, err := read(ctx, s)
			if err != nil {
				return nil, err
			}
			out := make([]string, len(numbers))
			for i, k := range numbers {
				if k >= int64(count) {
					return nil, wrong(k)
				}
				if k >= 0 {
					out[i] = texts[k]
				}
			}
			return out, nil
		}
	}
	return c, nil
}

// nullable is a column of values of which those that the mask says are missing.
func nullable(name string, data, mask *zarr.Array) (*column, error) {
	n, err := line(data)
	if err != nil {
		return nil, err
	}
	if m, err := line(mask); err != nil || m != n || mask.DataType().Kind() != dtype.Bool {
		return nil, errors.Join(err, fmt.Errorf("the mask is %s of shape %v for %d values", mask.DataType().Name(), mask.Shape(), n))
	}
	f := elements.Field(name, data)
	missing := func(ctx context.Context, s rows.Span) ([]bool, error) {
		list, err := zarr.Read[bool](ctx, mask, zarr.Select(zarr.List(s.Positions()...)))
		return list.Data, err
	}
	cells, numbers, texts := f.Read, f.Numbers, f.Texts
	f.Read = func(ctx context.Context, s rows.Span) (rows.Cells, error) {
		values, err := cells(ctx, s)
		if err != nil {
			return nil, err
		}
		gone, err := missing(ctx, s)
		if err != nil {
			return nil, err
		}
		return func(dst []byte, i int) ([]byte, error) {
			if gone[i] {
				return append(dst, "null"...), nil
			}
			return values(dst, i)
		}, nil
	}
	if numbers != nil {
		f.Numbers = masked(numbers, missing, math.NaN())
	}
	if texts != nil {
		f.Texts = masked(texts, missing, "")
	}
	return &column{f, n}, nil
}

// masked reads values, and none in the place of those that are missing.
func masked[T any](read func(context.Context, rows.Span) ([]T, error), missing func(context.Context, rows.Span) ([]bool, error), none T) func(context.Context, rows.Span) ([]T, error) {
	return func(ctx context.Context, s rows.Span) ([]T, error) {
		list, err := read(ctx, s)
		if err != nil {
			return nil, err
		}
		gone, err := missing(ctx, s)
		for i, no := range gone {
			if no {
				list[i] = none
			}
		}
		return list, err
	}
}
