package hdmf

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/omnizarr/zarr/internal/strictjson"
)

// Table is a group whose datasets are columns, such as a DynamicTable.
type Table struct {
	group      *Group
	columns    []*Column
	ids        *Column
	categories []string
	problems   []error
}

// ErrNoTable says that a group is no table.
var ErrNoTable = errors.New("is no table: it has no list of columns (colnames)")

// ErrNoColumn says that a table has no column of a name.
var ErrNoColumn = errors.New("no such column")

// ErrRows says that a column has more or fewer rows than its table.
var ErrRows = errors.New("a column has other rows than its table")

// rowsError is that of a column.
type rowsError struct {
	column    string
	has, want int
}

// Error names the column.
func (e *rowsError) Error() string {
	return fmt.Sprintf("column %q has %d rows, the table %d", e.column, e.has, e.want)
}

// Is reports whether it is ErrRows.
func (e *rowsError) Is(target error) bool { return target == ErrRows }

// maxColumns bounds the columns of a table.
const maxColumns = 1 << 16

// maxIndexes is how many indexes may lie above each other.
const maxIndexes = 8

// OpenTable gives the table that a group is. It reads no values. A column that is
// named and not there does not hide the others; see Problems.
func OpenTable(ctx context.Context, g *Group) (*Table, error) {
	if g == nil {
		return nil, ErrNoTable
	}
	t := &Table{group: g}
	names, err := t.names("colnames")
	if err == nil && names == nil {
		err = ErrNoTable
	}
	if err == nil {
		t.categories, err = t.names("categories")
	}
	if err == nil {
		err = t.find(ctx, names)
	}
	if err != nil {
		return nil, g.file.failed("open table", g.path, err)
	}
	return t, nil
}

// IsTable reports whether a group lists columns.
func IsTable(g *Group) bool { return g != nil && g.attrs().Raw("colnames") != nil }

// names reads an attribute that lists names, nil if it is not there. A single name
// may stand for itself.
func (t *Table) names(attribute string) ([]string, error) {
	raw := t.group.attrs().Raw(attribute)
	if raw == nil || strictjson.IsNull(raw) {
		return nil, nil
	}
	if s, err := strictjson.String(raw); err == nil {
		return []string{s}, nil
	}
	names := []string{}
	err := strictjson.Each(raw, func(i int, elem json.RawMessage) error {
		if i == maxColumns {
			return fmt.Errorf("more than %d names", maxColumns)
		}
		name, err := strictjson.String(elem)
		names = append(names, name)
		return strictjson.AtIndex(i, err)
	})
	if err != nil {
		return nil, strictjson.At(attribute, err)
	}
	return names, nil
}

// find looks for the columns and their indexes.
func (t *Table) find(ctx context.Context, names []string) error {
	held, err := t.hold(ctx)
	if err != nil {
		return err
	}
	indexes, err := t.indexes(ctx, held)
	if err != nil {
		return err
	}
	had := map[string]bool{}
	for _, name := range names {
		if had[name] {
			t.problems = append(t.problems, fmt.Errorf("column %q is named twice", name))
			continue
		}
		had[name] = true
		c, err := t.column(held, name, indexes)
		if err != nil {
			t.problems = append(t.problems, err)
			continue
		}
		t.columns = append(t.columns, c)
	}
	if held["id"] != nil {
		c, err := t.column(held, "id", nil)
		if err != nil {
			t.problems = append(t.problems, err)
		}
		t.ids = c
	}
	return nil
}

// tableMember is an object in the group, or what a link leads to.
type tableMember struct {
	Object
	err error // why the link leads nowhere
}

// hold finds all members by name. Links are followed: nothing but what they lead to
// tells which ones are indexes.
func (t *Table) hold(ctx context.Context) (map[string]*tableMember, error) {
	held := map[string]*tableMember{}
	for m, err := range t.group.Members(ctx) {
		if err != nil {
			return nil, err
		}
		one := &tableMember{Object: m.Object}
		if m.Link != nil {
			one.Object, one.err = m.Link.Target(ctx)
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
		held[m.Name] = one
	}
	return held, nil
}

// indexes finds the indexes by the names of what they index.
func (t *Table) indexes(ctx context.Context, held map[string]*tableMember) (map[string]*index, error) {
	type place struct {
		file *File
		path string
	}
	at := map[place]string{} // the names of members by where they really are
	names := slices.Sorted(maps.Keys(held))
	for _, name := range names {
		if o := held[name].Object; o != nil {
			if p := (place{o.File(), o.Path()}); at[p] == "" {
				at[p] = name
			}
		}
	}
	out := map[string]*index{}
	for _, name := range names {
		d, ok := held[name].Object.(*Dataset)
		if !ok {
			continue
		}
		target := ""
		if r, ok, err := attributeReference(d.attrs().Raw("target")); ok && err == nil {
			// What it refers to is in its own file, where that too may be a link.
			clean := path.Clean("/" + r.Path)
			if r.Source == "." && d.file == t.group.file && path.Dir(clean) == path.Clean(t.group.path) {
				target = path.Base(clean)
			} else if o, err := d.file.resolve(ctx, r); err == nil {
				target = at[place{o.File(), o.Path()}]
			} else if ctx.Err() != nil {
				return nil, ctx.Err()
			}
		}
		if of, ok := strings.CutSuffix(name, "_index"); ok && target == "" && d.Type().Name == "VectorIndex" {
			target = of
		}
		switch {
		case target == "":
		case out[target] != nil:
			t.problems = append(t.problems, fmt.Errorf("%q has two indexes, %s and %s, which is passed over: %w", target, out[target].name, name, ErrIndex))
		default:
			out[target] = &index{name: name, data: d}
		}
	}
	return out, nil
}

func (t *Table) column(held map[string]*tableMember, name string, indexes map[string]*index) (*Column, error) {
	m := held[name]
	if m == nil {
		return nil, fmt.Errorf("column %q: %w", name, ErrNoColumn)
	}
	if m.err != nil {
		return nil, fmt.Errorf("column %q: %w", name, m.err)
	}
	d, ok := m.Object.(*Dataset)
	if !ok || d.Scalar() {
		return nil, fmt.Errorf("column %q is no list", name)
	}
	c := &Column{name: name, table: t, data: d}
	if indexes == nil {
		return c, nil
	}
	for at := name; ; {
		x := indexes[at]
		if lost := held[at+"_index"]; x == nil && lost != nil && lost.err != nil {
			// Without it the rows would be others.
			return nil, fmt.Errorf("column %q: its index: %w", name, lost.err)
		}
		if x == nil {
			return c, nil
		}
		if len(c.indexes) == maxIndexes || x.data.DType().Kind != Number || len(x.data.Shape()) != 1 {
			return nil, fmt.Errorf("column %q: its index %s is no list of numbers: %w", name, x.name, ErrIndex)
		}
		c.indexes = slices.Insert(c.indexes, 0, x)
		at = x.name
	}
}

// Group is the group that the table is.
func (t *Table) Group() *Group { return t.group }

// Rows is the number of rows: that of the ids, or of the first column where there
// are none.
func (t *Table) Rows() int {
	switch {
	case t.ids != nil:
		return t.ids.Rows()
	case len(t.columns) > 0:
		return t.columns[0].Rows()
	}
	return 0
}

// Columns are the columns in the order of the table.
func (t *Table) Columns() []*Column { return slices.Clone(t.columns) }

// Column finds a column.
func (t *Table) Column(name string) (*Column, error) {
	for _, c := range t.columns {
		if c.name == name {
			return c, nil
		}
	}
	return nil, t.group.file.failed("read table", t.group.path, fmt.Errorf("%w: %q", ErrNoColumn, name))
}

// IDs are the numbers of the rows, nil if the table has none.
func (t *Table) IDs() *Column { return t.ids }

// Categories names the tables inside an aligned table, whose rows belong to the
// rows of this one.
func (t *Table) Categories() []string { return slices.Clone(t.categories) }

// Category opens one of them.
func (t *Table) Category(ctx context.Context, name string) (*Table, error) {
	if !slices.Contains(t.categories, name) {
		return nil, t.group.file.failed("read table", t.group.path, fmt.Errorf("no category %q", name))
	}
	return t.group.file.Table(ctx, path.Join(t.group.path, name))
}

// Problems tells what is wrong with the table: columns that are named and not
// there, or as long as no other.
func (t *Table) Problems() []error {
	out := slices.Clone(t.problems)
	for _, c := range t.columns {
		if n := c.Rows(); n != t.Rows() {
			out = append(out, &rowsError{c.name, n, t.Rows()})
		}
	}
	return out
}
