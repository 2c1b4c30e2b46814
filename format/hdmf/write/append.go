package write

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/nd"
)

// Column is what new rows have in one column of a table.
type Column struct {
	// Data has one element for each row, along its first axis. In a ragged column
	// it has the items of all rows, one row behind the other.
	Data Data
	// Counts is for ragged columns: for every index, the outermost first, how many
	// entries of what it indexes belong to each entry. Counts[0] has one number for
	// each row.
	Counts [][]int
}

// Rows are new rows of a table: something for every column.
type Rows struct {
	// IDs are the numbers of the rows. By default they go on from the last one.
	IDs     []int64
	Columns map[string]Column
}

// AppendRows adds rows to a table, which are as many as it has ids. It is an error if
// a column is longer or shorter, or if the table is one of several that have their
// rows in common.
func (e *Editor) AppendRows(ctx context.Context, at string, rows Rows) error {
	defer e.lock()()
	o, err := e.own(ctx, at)
	if err != nil {
		return e.failed(at, err)
	}
	g, ok := o.(*hdmf.Group)
	if !ok {
		return e.failed(at, hdmf.ErrNoTable)
	}
	t, err := e.openGrowing(ctx, g)
	var ids Data
	if err == nil {
		ids, err = t.check(ctx, rows, e.layout == hdmf.V3)
	}
	if err != nil {
		return e.failed(at, err)
	}
	return e.fail(at, e.appendRows(ctx, t, rows, ids))
}

func (e *Editor) appendRows(ctx context.Context, t *growing, rows Rows, ids Data) error {
	for _, c := range t.columns {
		given := rows.Columns[c.name]
		last := len(c.indexes)
		if err := e.extend(ctx, c.data, c.starts[last], given.Data); err != nil {
			return err
		}
		// What an index points at is there before the index is.
		for i := last - 1; i >= 0; i-- {
			if err := e.extendIndex(ctx, c.indexes[i], c.starts[i], c.starts[i+1], given.Counts[i]); err != nil {
				return err
			}
		}
	}
	return e.extend(ctx, t.ids, t.rows, ids)
}

// lastEntry is where the entries end that the first n of an index point at.
func lastEntry(ctx context.Context, x *hdmf.Dataset, n int) (int, error) {
	if n == 0 {
		return 0, nil
	}
	if len(x.Shape()) != 1 || x.Shape()[0] < n {
		return 0, fmt.Errorf("index %s has shape %v, %d entries are needed", x.Name(), x.Shape(), n)
	}
	v, err := readInts(ctx, x, n-1, 1)
	if err != nil {
		return 0, err
	}
	if v[0] < 0 || v[0] > math.MaxInt32*1024 {
		return 0, fmt.Errorf("index %s ends with %d", x.Name(), v[0])
	}
	return int(v[0]), nil
}

// readInts reads integers of a list.
func readInts(ctx context.Context, d *hdmf.Dataset, from, n int) ([]int64, error) {
	v, err := d.Read(ctx, zarr.Select(zarr.Span(from, from+n)))
	if err != nil {
		return nil, err
	}
	return v.Ints()
}

// extend puts values from a place of a dataset on, which ends behind them.
func (e *Editor) extend(ctx context.Context, d *hdmf.Dataset, start int, data Data) error {
	a, err := e.root.Array(ctx, d.Path()[1:])
	if err != nil {
		return err
	}
	return e.extendArray(ctx, a, start, data)
}

func (e *Editor) extendArray(ctx context.Context, a *zarr.Array, start int, data Data) error {
	src, err := data.source(nil, nil)
	if err != nil {
		return err
	}
	if s, ok := src.(*stored); ok {
		all := *s
		all.must = true // also what is nothing but the fill value of another array
		src = &all
	}
	e.held.Grows(a.Path())
	e.touched = append(e.touched, a.Path())
	if a.Shape()[0] == 0 {
		if a, err = e.cutAnew(ctx, a, rowsFor(a, data.dims[0])); err != nil {
			return err
		}
	}
	shape := a.Shape()
	shape[0] = start + data.dims[0]
	resize := a.Grow // all that is new is written here
	if shape[0] < a.Shape()[0] {
		resize = a.Resize
	}
	if err := resize(ctx, shape...); err != nil {
		return err
	}
	for p, err := range src.blocks(ctx) {
		if err != nil {
			return err
		}
		s, err := src.read(ctx, p)
		if err != nil {
			return err
		}
		p.box = nd.Box{Start: slices.Clone(p.box.Start), Shape: p.box.Shape}
		p.box.Start[0] += start
		if err := e.put(ctx, a, p.box, s); err != nil {
			return err
		}
	}
	return nil
}

// extendIndex adds entries to an index: where each list ends, from a place on.
func (e *Editor) extendIndex(ctx context.Context, x *hdmf.Dataset, start, from int, counts []int) error {
	ends := make([]int64, len(counts))
	at := int64(from)
	for i, n := range counts {
		at += int64(n)
		ends[i] = at
	}
	a, err := e.root.Array(ctx, x.Path()[1:])
	if err != nil {
		return err
	}
	data, err := integers(a.DataType(), ends)
	if errors.Is(err, errNarrow) {
		if a, err = e.widen(ctx, x, a, start, at); err == nil {
			data, err = integers(a.DataType(), ends)
		}
	}
	if err != nil {
		return fmt.Errorf("index %s: %w", x.Name(), err)
	}
	return e.extendArray(ctx, a, start, data)
}

var errNarrow = errors.New("does not fit")

// integers gives numbers in an integer type.
func integers(t dtype.Type, values []int64) (Data, error) {
	size := t.Size()
	if t.Kind() != dtype.Int && t.Kind() != dtype.Uint || size > 8 {
		return Data{}, fmt.Errorf("is of type %s, which has no integers", t.Name())
	}
	least, most := int64(0), int64(math.MaxInt64)
	if t.Kind() == dtype.Int {
		least, most = -1<<(8*size-1), 1<<(8*size-1)-1
	} else if size < 8 {
		most = 1<<(8*size) - 1
	}
	mem := make([]byte, 0, size*len(values))
	var word [8]byte
	for _, v := range values {
		if v < least || v > most {
			return Data{}, fmt.Errorf("%d %w in %s", v, errNarrow, t.Name())
		}
		binary.LittleEndian.PutUint64(word[:], uint64(v))
		mem = append(mem, word[:size]...)
	}
	d := shaped(len(values), nil)
	d.what = elem{kind: hdmf.Number, typ: t}
	d.mem = items{kind: hdmf.Number, typ: t, data: mem, stride: size}
	return d, nil
}
