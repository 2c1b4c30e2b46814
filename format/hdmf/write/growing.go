package write

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/internal/strictjson"
)

// growing is a table that rows are added to.
type growing struct {
	ids     *hdmf.Dataset
	columns []*grown
	rows    int
}

// grown is one of its columns.
type grown struct {
	name    string
	data    *hdmf.Dataset
	indexes []*hdmf.Dataset // the outermost first
	// starts are where new entries begin: those of every index, and those of data.
	starts []int
}

// maxIndexes is how many indexes may lie above each other.
const maxIndexes = 8

// openGrowing finds the columns that the table lists, with their indexes, and makes
// sure that they end where its rows do. Other members are none of its columns, such
// as what the numbers of an enumeration stand for.
func (e *Editor) openGrowing(ctx context.Context, g *hdmf.Group) (*growing, error) {
	if !hdmf.IsTable(g) {
		return nil, hdmf.ErrNoTable
	}
	if err := e.alone(ctx, g); err != nil {
		return nil, err
	}
	names, err := listed(g, "colnames")
	if err != nil {
		return nil, err
	}
	t := &growing{}
	data, indexes := map[string]*hdmf.Dataset{}, map[string]*hdmf.Dataset{} // by the name of what they index
	for m, err := range g.Members(ctx) {
		if err != nil {
			return nil, err
		}
		if m.Link != nil {
			of := m.Name
			for short := true; short && !slices.Contains(names, of); {
				of, short = strings.CutSuffix(of, "_index")
			}
			if of == "id" || slices.Contains(names, of) {
				return nil, fmt.Errorf("column %q is a link to %s; rows are added where the columns are", m.Name, m.Link.Reference)
			}
			continue
		}
		d, ok := m.Object.(*hdmf.Dataset)
		if !ok || d.Scalar() {
			continue
		}
		if target := indexed(g, d); target != "" && m.Name != "id" {
			indexes[target] = d
		}
		data[m.Name] = d
	}
	if t.ids = data["id"]; t.ids == nil {
		return nil, errors.New("has no ids, by which rows are counted")
	}
	t.rows = t.ids.Shape()[0]
	for _, name := range slices.Compact(slices.Sorted(slices.Values(names))) {
		if data[name] == nil || name == "id" {
			continue
		}
		c := &grown{name: name, data: data[name]}
		for x := indexes[name]; x != nil; x = indexes[x.Name()] {
			if len(c.indexes) == maxIndexes {
				return nil, fmt.Errorf("column %q has more than %d indexes above each other", name, maxIndexes)
			}
			c.indexes = slices.Insert(c.indexes, 0, x)
		}
		if err := e.locate(ctx, c, t.rows); err != nil {
			return nil, err
		}
		t.columns = append(t.columns, c)
	}
	return t, nil
}

// alone refuses tables whose rows belong to those of other tables.
func (e *Editor) alone(ctx context.Context, g *hdmf.Group) error {
	categories, err := listed(g, "categories")
	if err != nil {
		return err
	}
	if len(categories) > 0 {
		return fmt.Errorf("has rows in common with its categories %q; rows cannot be added to all of them at once", categories)
	}
	if g.Path() == "/" {
		return nil
	}
	o, err := e.own(ctx, path.Dir(g.Path()))
	if err != nil {
		return err
	}
	if categories, err = listed(o, "categories"); err == nil && slices.Contains(categories, g.Name()) {
		err = fmt.Errorf("is a category of %s, and has its rows in common with it; rows cannot be added to all of them at once", o.Path())
	}
	return err
}

// listed reads an attribute that lists names. A single name may stand for itself.
func listed(o hdmf.Object, attribute string) ([]string, error) {
	raw := o.Node().Attributes().Raw(attribute)
	if raw == nil {
		return nil, nil
	}
	if s, err := strictjson.String(raw); err == nil {
		return []string{s}, nil
	}
	var names []string
	if err := strictjson.Decode(raw, &names); err != nil {
		return nil, strictjson.At(attribute, err)
	}
	return names, nil
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

// locate finds where new entries of a column begin, from the outermost index
// inwards.
func (e *Editor) locate(ctx context.Context, c *grown, rows int) error {
	start, counts := rows, "the table %d"
	for _, d := range append(slices.Clone(c.indexes), c.data) {
		if err := e.untaken(d); err != nil {
			return err
		}
		if have := d.Shape()[0]; have != start {
			return fmt.Errorf("column %q has %d entries, "+counts, d.Name(), have, start)
		}
		c.starts = append(c.starts, start)
		if d == c.data {
			break
		}
		var err error
		if start, err = lastEntry(ctx, d, start); err != nil {
			return err
		}
		counts = "its index ends at %d"
	}
	return nil
}

// check looks whether rows fit the table, before anything is written, and gives
// their ids. wider says that indexes can become so.
func (t *growing) check(ctx context.Context, rows Rows, wider bool) (Data, error) {
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
			return Data{}, err
		}
	}
	for _, c := range t.columns {
		given, ok := rows.Columns[c.name]
		if !ok {
			return Data{}, fmt.Errorf("nothing is given for column %q", c.name)
		}
		k, err := c.check(given, wider)
		if err == nil {
			err = count(fmt.Sprintf("column %q", c.name), k)
		}
		if err != nil {
			return Data{}, err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(rows.Columns)) {
		if !slices.ContainsFunc(t.columns, func(c *grown) bool { return c.name == name }) {
			return Data{}, fmt.Errorf("%w: %q", hdmf.ErrNoColumn, name)
		}
	}
	return t.newIDs(ctx, rows.IDs, max(n, 0))
}

// check looks whether entries fit the column, and counts the rows that they make.
func (c *grown) check(given Column, wider bool) (rows int, err error) {
	if err := fits(c.data, given.Data); err != nil {
		return 0, fmt.Errorf("column %q: %w", c.name, err)
	}
	k := given.Data.dims[0]
	if len(c.indexes) != len(given.Counts) {
		return 0, fmt.Errorf("column %q has %d indexes, counts are given for %d", c.name, len(c.indexes), len(given.Counts))
	}
	for i := len(given.Counts) - 1; i >= 0; i-- {
		sum := 0
		for _, m := range given.Counts[i] {
			if m < 0 || sum > math.MaxInt-m {
				return 0, fmt.Errorf("column %q: a count of %d", c.name, m)
			}
			sum += m
		}
		if sum != k {
			return 0, fmt.Errorf("column %q: counts for %d entries, there are %d", c.name, sum, k)
		}
		x := c.indexes[i]
		_, err := integers(x.Array().DataType(), []int64{int64(c.starts[i+1]) + int64(sum)})
		if errors.Is(err, errNarrow) && wider {
			err = nil
		}
		if errors.Is(err, errNarrow) {
			err = fmt.Errorf("%w, and no wider type can take its place at once: copy the file with wide indexes (--wide-indexes)", err)
		}
		if err != nil {
			return 0, fmt.Errorf("index %s: %w", x.Name(), err)
		}
		k = len(given.Counts[i])
	}
	return k, nil
}

// newIDs gives n ids as the table has them; by default they go on from the last.
func (t *growing) newIDs(ctx context.Context, ids []int64, n int) (Data, error) {
	if ids == nil {
		next := int64(0)
		if t.rows > 0 {
			v, err := readInts(ctx, t.ids, t.rows-1, 1)
			if err != nil {
				return Data{}, err
			}
			next = v[0] + 1
		}
		for i := range n {
			ids = append(ids, next+int64(i))
		}
	}
	data, err := integers(t.ids.Array().DataType(), ids)
	if err == nil {
		err = fits(t.ids, data)
	}
	if err != nil {
		err = fmt.Errorf("id: %w", err)
	}
	return data, err
}
