package check

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/internal/strictjson"
)

// lengths checks what no schema can say: that columns, indexes and times fit what they
// belong to. Of values only indexes and row numbers are read.
func (c *checker) lengths(ctx context.Context, o hdmf.Object, v visit) error {
	k := c.kind(o.Type())
	switch o := o.(type) {
	case *hdmf.Dataset:
		if k.is("DynamicTableRegion") {
			return c.tableRegion(ctx, o, v.at)
		}
	case *hdmf.Group:
		switch {
		case k.is("TimeSeries"):
			c.times(ctx, o, v, k)
		case k.is("DynamicTable"), k.typ == nil && hdmf.IsTable(o):
			return c.table(ctx, o, v)
		}
	}
	return ctx.Err()
}

// times compares the samples of a series with their times.
func (c *checker) times(ctx context.Context, g *hdmf.Group, v visit, k *kind) {
	data, times := v.child(ctx, g, "data"), v.child(ctx, g, "timestamps")
	if data == nil || times == nil || len(data.Shape()) == 0 || len(times.Shape()) != 1 || !strings.HasPrefix(times.DType().Name, "float") {
		return // of times that are none the schema tells
	}
	samples, n := data.Shape()[0], times.Shape()[0]
	still := k.is("ImageSeries") && (n == 0 || samples == 0 && v.child(ctx, g, "external_file") != nil)
	if n == samples || still {
		return
	}
	// A clock that several series share goes on with the longest of them; pynwb warns.
	shared := n > samples && (times.File() != g.File() || times.Path() != join(g.Path(), "timestamps"))
	c.add(Finding{v.at, BadLength, fmt.Sprintf("there are %d samples and %d times", samples, n), shared})
	if c.opt.Inspect {
		c.tell(v.at, "check_timestamps_match_first_dimension", "there are %d samples and %d times", samples, n)
	}
}

// child is child of a group whose members are known: only a link is looked up.
func (v visit) child(ctx context.Context, g *hdmf.Group, name string) *hdmf.Dataset {
	for _, m := range v.held {
		if m.Name != name {
			continue
		}
		if m.Object == nil {
			return child(ctx, g, name)
		}
		d, _ := m.Object.(*hdmf.Dataset)
		return d
	}
	return nil
}

// table checks the columns of a table, and those of its categories.
func (c *checker) table(ctx context.Context, g *hdmf.Group, v visit) error {
	at := v.at
	t, err := hdmf.OpenTable(ctx, g)
	if err != nil {
		return ctx.Err() // the schema says what it lacks, and what cannot be read is told
	}
	c.rows[tableAt{g.File(), g.Path()}] = t.Rows()
	for _, err := range t.Problems() {
		var elsewhere *zarr.Error
		switch {
		case errors.Is(err, hdmf.ErrRows): // below, where all are compared
		case errors.As(err, &elsewhere): // told of the link
		case errors.Is(err, hdmf.ErrNoColumn):
			c.tell(at, Missing, "colnames has a name without a column: %v", err)
		case errors.Is(err, hdmf.ErrIndex):
			c.tell(at, BadIndex, "%v", err)
		default:
			c.tell(at, BadColumn, "%v", err)
		}
	}
	c.columns(t, at)
	known := map[string]bool{"id": true}
	if a, ok := g.Attribute("colnames"); ok {
		var names []string
		strictjson.Decode(a.Raw, &names) // a single name is that of a column
		for _, name := range names {
			known[name] = true
		}
	}
	for _, col := range t.Columns() {
		known[col.Name()] = true
		if err := c.indexes(ctx, col, at, known); err != nil {
			return err
		}
	}
	if err := c.unnamed(ctx, t, v, known); err != nil {
		return err
	}
	return c.categories(ctx, t, v)
}

// columns compares the lengths of columns and ids. If all columns agree, the ids are
// what is wrong.
func (c *checker) columns(t *hdmf.Table, at string) {
	columns, ids := t.Columns(), t.IDs()
	if len(columns) == 0 {
		return
	}
	first, agree := columns[0].Rows(), true
	for _, col := range columns {
		agree = agree && col.Rows() == first
	}
	if agree {
		if ids != nil && ids.Rows() != first {
			c.tell(join(at, "id"), BadLength, "there are %d ids, and %d rows in all columns", ids.Rows(), first)
		}
		return
	}
	for _, col := range columns {
		if n := col.Rows(); n != t.Rows() {
			c.tell(join(at, col.Name()), BadLength, "the column has %d rows, the table %d", n, t.Rows())
		}
	}
}

// indexes checks the indexes of a column: each one ascends and ends where that ends
// which it is the index of. Their names are added to known.
func (c *checker) indexes(ctx context.Context, col *hdmf.Column, at string, known map[string]bool) error {
	chain := append(col.Indexes(), col.Dataset())
	for i, x := range chain[:len(chain)-1] {
		of, name := chain[i+1], path.Base(x.Path())
		known[name] = true
		if err := c.index(ctx, x, join(at, name), path.Base(of.Path()), of.Shape()[0]); err != nil {
			return err
		}
	}
	return nil
}

// index checks an index of so many values, whatever its own length is: chunks that
// were never written hold one value all over.
func (c *checker) index(ctx context.Context, x *hdmf.Dataset, at, of string, values int) error {
	last, next, bad := int64(0), 0, false
	entry := func(i int, end int64) {
		switch {
		case bad:
		case end < last:
			c.tell(at, BadIndex, "entry %d is %d, behind %d: lists end one after the other", i, end, last)
			bad = true
		case end > int64(values):
			c.tell(at, BadIndex, "entry %d is %d, and %s has %d values", i, end, of, values)
			bad = true
		}
		last = end
	}
	gap := func(upTo int) error {
		if bad || next >= upTo {
			return nil
		}
		v, err := x.Read(ctx, zarr.Box([]int{next}, []int{1}))
		if err != nil {
			return err
		}
		list, err := v.Ints()
		if err == nil {
			entry(next, list[0])
		}
		return err
	}
	err := eachBlock(ctx, x, func(start []int, v *hdmf.Values) error {
		if bad {
			return errEnough
		}
		if err := gap(start[0]); err != nil {
			return err
		}
		list, err := v.Ints()
		for i, end := range list {
			entry(start[0]+i, end)
		}
		next = start[0] + len(list)
		return err
	})
	if err == nil {
		err = gap(x.Shape()[0])
	}
	switch {
	case errors.Is(err, errEnough), errors.Is(err, hdmf.ErrNoNumber): // of other types the schema tells
		return nil
	case err != nil:
		return c.unreadable(ctx, at, err)
	case !bad && last != int64(values):
		c.tell(at, BadIndex, "the last list ends at %d, and %s has %d values: no row has those behind it", last, of, values)
	}
	return nil
}

// errEnough ends the look at an index that is known to be wrong.
var errEnough = errors.New("enough")

// unnamed looks for columns that colnames does not name, which readers pass over, and
// for indexes of something else.
func (c *checker) unnamed(ctx context.Context, t *hdmf.Table, v visit, known map[string]bool) error {
	elements := map[string]bool{} // of columns that are numbers of them
	for _, col := range t.Columns() {
		if a, ok := col.Dataset().Attribute("elements"); ok && len(a.References) == 1 {
			elements[path.Base(a.References[0].Path)] = true
		}
	}
	for _, m := range v.held {
		d, ok := m.Object.(*hdmf.Dataset)
		if !ok || known[m.Name] || elements[m.Name] {
			continue
		}
		switch k := c.kind(d.Type()); {
		case k.is("VectorIndex"):
			a, _ := d.Attribute("target")
			if len(a.References) == 1 && path.Dir(path.Clean("/"+a.References[0].Path)) != path.Clean(t.Group().Path()) {
				c.tell(join(v.at, m.Name), BadIndex, "is the index of %s, which is no column of the table", a.References[0])
			}
		case k.is("VectorData"):
			c.tell(join(v.at, m.Name), ExtraField, "colnames does not name this column, so that readers pass it over")
		}
	}
	return ctx.Err()
}

// categories compares the tables inside an aligned one with it.
func (c *checker) categories(ctx context.Context, t *hdmf.Table, v visit) error {
	named := map[string]bool{}
	for _, name := range t.Categories() {
		named[name] = true
		sub, err := t.Category(ctx, name)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, zarr.ErrNoNode):
			c.tell(v.at, Missing, "categories names %s, and there is no such table", quote(name))
		case err == nil && sub.Rows() != t.Rows():
			c.tell(join(v.at, name), BadLength, "the category has %d rows, the table %d", sub.Rows(), t.Rows())
		}
	}
	if !c.kind(t.Group().Type()).is("AlignedDynamicTable") {
		return nil
	}
	for _, m := range v.held {
		if g, ok := m.Object.(*hdmf.Group); ok && !named[m.Name] {
			if k := c.kind(g.Type()); k.is("DynamicTable") && !k.is("MeaningsTable") {
				c.tell(join(v.at, m.Name), ExtraField, "categories does not name this table, and readers refuse that")
			}
		}
	}
	return ctx.Err()
}

// tableRegion checks that the rows are there that a column or a series names.
func (c *checker) tableRegion(ctx context.Context, d *hdmf.Dataset, at string) error {
	a, ok := d.Attribute("table")
	if !ok || len(a.References) != 1 || d.DType().Kind != hdmf.Number {
		return nil
	}
	o, err := d.File().Resolve(ctx, a.References[0])
	if err != nil {
		return ctx.Err() // told already
	}
	g, ok := o.(*hdmf.Group)
	if !ok {
		return nil
	}
	table := tableAt{g.File(), g.Path()}
	n, ok := c.rows[table]
	if !ok {
		t, err := hdmf.OpenTable(ctx, g)
		if err != nil {
			return ctx.Err()
		}
		n = t.Rows()
		c.rows[table] = n
	}
	rows := int64(n)
	err = eachBlock(ctx, d, func(start []int, v *hdmf.Values) error {
		list, err := v.Ints()
		for i, row := range list {
			if row >= 0 && row < rows {
				continue
			}
			c.tell(at, BadRow, "element %s is row %d of %s, which has %d rows", index(start, v.Shape, i), row, g.Path(), rows)
			if c.opt.Inspect {
				c.tell(at, "check_dynamic_table_region_data_validity", "element %s is row %d of %s, which has %d rows", index(start, v.Shape, i), row, g.Path(), rows)
			}
			return errEnough
		}
		return err
	})
	if errors.Is(err, errEnough) || errors.Is(err, hdmf.ErrNoNumber) {
		return nil
	}
	return c.readable(ctx, at, err)
}
