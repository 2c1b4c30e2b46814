package hdmf

import (
	"context"
	"errors"
	"fmt"
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

// maxColumns bounds the columns of a table.
const maxColumns = 1 << 16

// maxIndexes is how many indexes may lie above each other.
const maxIndexes = 8

// OpenTable gives the table that a group is. It reads no values. A column that is
// named and not there does not hide the others; see Problems.
func OpenTable(ctx context.Context, g *Group) (*Table, error) {
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
func IsTable(g *Group) bool { return g.attrs().Raw("colnames") != nil }

// names reads an attribute that lists names, nil if it is not there. A single name
// may stand for itself.
func (t *Table) names(attribute string) ([]string, error) {
	raw := t.group.attrs().Raw(attribute)
	if raw == nil {
		return nil, nil
	}
	if s, err := strictjson.String(raw); err == nil {
		return []string{s}, nil
	}
	names := []string{}
	if err := strictjson.Decode(raw, &names); err != nil {
		return nil, strictjson.At(attribute, err)
	}
	if len(names) > maxColumns {
		return nil, fmt.Errorf("%s: %d names, at most %d are read", attribute, len(names), maxColumns)
	}
	return names, nil
}

// find looks for the columns and their indexes.
func (t *Table) find(ctx context.Context, names []string) error {
	held := map[string]Member{}
	indexes := map[string]*Dataset{} // by the name of what they index
	for m, err := range t.group.Members(ctx) {
		if err != nil {
			return err
		}
		held[m.Name] = m
		if d, ok := m.Object.(*Dataset); ok {
			if target := t.indexed(d); target != "" {
				indexes[target] = d
			}
		}
	}
	had := map[string]bool{}
	for _, name := range names {
		if had[name] {
			t.problems = append(t.problems, fmt.Errorf("column %q is named twice", name))
			continue
		}
		had[name] = true
		c, err := t.column(ctx, held[name], name, indexes)
		if err != nil {
			t.problems = append(t.problems, err)
			continue
		}
		t.columns = append(t.columns, c)
	}
	if m, ok := held["id"]; ok {
		c, err := t.column(ctx, m, "id", nil)
		if err != nil {
			t.problems = append(t.problems, err)
		}
		t.ids = c
	}
	return nil
}

// indexed is the name of the member that a dataset is an index of, "" if it is
// none.
func (t *Table) indexed(d *Dataset) string {
	raw := d.attrs().Raw("target")
	if r, ok := attributeReference(raw); ok {
		if at := path.Clean("/" + r.Path); path.Dir(at) == path.Clean(t.group.path) {
			return path.Base(at)
		}
	}
	if name, ok := strings.CutSuffix(d.Name(), "_index"); ok && d.Type().Name == "VectorIndex" {
		return name
	}
	return ""
}

func (t *Table) column(ctx context.Context, m Member, name string, indexes map[string]*Dataset) (*Column, error) {
	o := m.Object
	if m.Link != nil {
		var err error
		if o, err = m.Link.Target(ctx); err != nil {
			return nil, fmt.Errorf("column %q: %w", name, err)
		}
	}
	d, ok := o.(*Dataset)
	switch {
	case o == nil:
		return nil, fmt.Errorf("column %q: %w", name, ErrNoColumn)
	case !ok || d.Scalar():
		return nil, fmt.Errorf("column %q is no list", name)
	}
	c := &Column{name: name, table: t, data: d}
	for at := name; indexes[at] != nil; {
		x := indexes[at]
		if len(c.indexes) == maxIndexes || x.DType().Kind != Number || len(x.Shape()) != 1 {
			return nil, fmt.Errorf("column %q: its index %s cannot be used", name, x.Name())
		}
		c.indexes = slices.Insert(c.indexes, 0, &index{data: x})
		at = x.Name()
	}
	return c, nil
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
	return t.group.file.openTable(ctx, path.Join(t.group.path, name))
}

func (f *File) openTable(ctx context.Context, at string) (*Table, error) {
	o, err := f.Object(ctx, at)
	if err != nil {
		return nil, err
	}
	g, ok := o.(*Group)
	if !ok {
		return nil, f.failed("open table", at, ErrNoTable)
	}
	return OpenTable(ctx, g)
}

// Problems tells what is wrong with the table: columns that are named and not
// there, or as long as no other.
func (t *Table) Problems() []error {
	out := slices.Clone(t.problems)
	for _, c := range t.columns {
		if n := c.Rows(); n != t.Rows() {
			out = append(out, fmt.Errorf("column %q has %d rows, the table %d", c.name, n, t.Rows()))
		}
	}
	return out
}
