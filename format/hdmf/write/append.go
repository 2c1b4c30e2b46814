package write

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/nd"
)

type rawMessage = json.RawMessage

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

// AppendRows adds rows to a table. The rows of a table are as many as it has ids,
// which come to count last: other columns may be longer after an interruption, and
// the next rows take the place of what is there.
func (e *Editor) AppendRows(ctx context.Context, at string, rows Rows) error {
	o, err := e.own(ctx, at)
	if err != nil {
		return e.failed(at, err)
	}
	g, ok := o.(*hdmf.Group)
	if !ok {
		return e.failed(at, hdmf.ErrNoTable)
	}
	t, err := openGrowing(ctx, g)
	if err == nil {
		err = t.check(rows)
	}
	if err != nil {
		return e.failed(at, err)
	}
	return e.fail(at, e.appendRows(ctx, t, rows))
}

// growing is a table that rows are added to.
type growing struct {
	ids     *hdmf.Dataset
	columns map[string]*hdmf.Dataset
	indexes map[string]*hdmf.Dataset // by the name of what they index
	rows    int
}

func openGrowing(ctx context.Context, g *hdmf.Group) (*growing, error) {
	if !hdmf.IsTable(g) {
		return nil, hdmf.ErrNoTable
	}
	t := &growing{columns: map[string]*hdmf.Dataset{}, indexes: map[string]*hdmf.Dataset{}}
	for m, err := range g.Members(ctx) {
		if err != nil {
			return nil, err
		}
		d, ok := m.Object.(*hdmf.Dataset)
		if m.Link != nil {
			return nil, fmt.Errorf("column %q is a link to %s; rows are added where the columns are", m.Name, m.Link.Reference)
		}
		if !ok || d.Scalar() {
			continue
		}
		switch target := indexed(g, d); {
		case m.Name == "id":
			t.ids = d
		case target != "":
			t.indexes[target] = d
		default:
			t.columns[m.Name] = d
		}
	}
	if t.ids == nil {
		return nil, errors.New("has no ids, by which rows are counted")
	}
	t.rows = t.ids.Shape()[0]
	return t, nil
}

// indexed is the name of the member that a dataset is an index of, "" if it is
// none.
func indexed(g *hdmf.Group, d *hdmf.Dataset) string {
	if a, ok := d.Attribute("target"); ok && len(a.References) == 1 && !a.List {
		if at := path.Clean("/" + a.References[0].Path); path.Dir(at) == g.Path() {
			return path.Base(at)
		}
	}
	if name, ok := strings.CutSuffix(d.Name(), "_index"); ok && d.Type().Name == "VectorIndex" {
		return name
	}
	return ""
}

// maxIndexes is how many indexes may lie above each other.
const maxIndexes = 8

// above are the indexes of a column, the outermost first.
func (t *growing) above(name string) []*hdmf.Dataset {
	var list []*hdmf.Dataset
	for x := t.indexes[name]; x != nil && len(list) < maxIndexes; x = t.indexes[x.Name()] {
		list = append([]*hdmf.Dataset{x}, list...)
	}
	return list
}

// check looks whether rows fit the table, before anything is written.
func (t *growing) check(rows Rows) error {
	n := -1
	count := func(what string, k int) error {
		if n >= 0 && k != n {
			return fmt.Errorf("%s has %d rows, others have %d", what, k, n)
		}
		n = k
		return nil
	}
	if rows.IDs != nil {
		if err := count("id", len(rows.IDs)); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(t.columns)) {
		c, ok := rows.Columns[name]
		if !ok {
			return fmt.Errorf("nothing is given for column %q", name)
		}
		have := t.columns[name]
		if err := fits(have, c.Data); err != nil {
			return fmt.Errorf("column %q: %w", name, err)
		}
		k := c.Data.dims[0]
		indexes := t.above(name)
		if len(indexes) != len(c.Counts) {
			return fmt.Errorf("column %q has %d indexes, counts are given for %d", name, len(indexes), len(c.Counts))
		}
		for i := len(c.Counts) - 1; i >= 0; i-- {
			sum := 0
			for _, m := range c.Counts[i] {
				if m < 0 || sum > math.MaxInt-m {
					return fmt.Errorf("column %q: a count of %d", name, m)
				}
				sum += m
			}
			if sum != k {
				return fmt.Errorf("column %q: counts for %d entries, there are %d", name, sum, k)
			}
			k = len(c.Counts[i])
		}
		if err := count(fmt.Sprintf("column %q", name), k); err != nil {
			return err
		}
	}
	for name := range rows.Columns {
		if t.columns[name] == nil {
			return fmt.Errorf("%w: %q", hdmf.ErrNoColumn, name)
		}
	}
	return nil
}

func (e *Editor) appendRows(ctx context.Context, t *growing, rows Rows) error {
	n := len(rows.IDs)
	for _, name := range slices.Sorted(maps.Keys(t.columns)) {
		c := rows.Columns[name]
		n = c.Data.dims[0]
		start := t.rows
		// From the outermost index inwards: where the new entries of each begin.
		starts := []int{start}
		indexes := t.above(name)
		for _, x := range indexes {
			var err error
			if start, err = lastEntry(ctx, x, start); err != nil {
				return err
			}
			starts = append(starts, start)
		}
		if err := e.extend(ctx, t.columns[name], start, c.Data); err != nil {
			return err
		}
		// What an index points at is there before the index is.
		for i := len(indexes) - 1; i >= 0; i-- {
			if err := e.extendIndex(ctx, indexes[i], starts[i], starts[i+1], c.Counts[i]); err != nil {
				return err
			}
			n = len(c.Counts[i])
		}
	}
	ids := rows.IDs
	if ids == nil {
		last := int64(-1)
		if t.rows > 0 {
			v, err := readInts(ctx, t.ids, t.rows-1, 1)
			if err != nil {
				return err
			}
			last = v[0]
		}
		for i := range n {
			ids = append(ids, last+1+int64(i))
		}
	}
	data, err := integers(t.ids.Array().DataType(), ids)
	if err != nil {
		return err
	}
	return e.extend(ctx, t.ids, t.rows, data)
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
	e.touched = append(e.touched, a.Path())
	shape := a.Shape()
	shape[0] = start + data.dims[0]
	if err := a.Resize(ctx, shape...); err != nil {
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
	if errors.Is(err, errNarrow) && e.layout == hdmf.V3 {
		if a, err = e.widen(ctx, x, a, start, at); err == nil {
			data, err = integers(a.DataType(), ends)
		}
	}
	if errors.Is(err, errNarrow) {
		err = fmt.Errorf("%w, and no wider type can take its place at once: copy the file with wide indexes (--wide-indexes)", err)
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
