// Package table pages through tables of any length: rows by their number, chosen by
// conditions and sorted by a column, with only those chunks read that are needed. Which
// rows there are and in which order is found out once, and kept. It also finds the events
// and intervals that tables hold.
package table

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/convention"
	"github.com/omnizarr/zarr/elements"
	"github.com/omnizarr/zarr/kind"
	"github.com/omnizarr/zarr/rows"
	"github.com/omnizarr/zarr/serve/kept"
)

// Errors of requests; test with errors.Is.
var (
	// ErrNone says that a node is no table.
	ErrNone = errors.New("is no table")
	// ErrRequest says that what is asked for makes no sense.
	ErrRequest = errors.New("wrong request")
	// ErrTooMuch says that a filter or an order would make too much be read.
	ErrTooMuch = errors.New("would read too much")
	// ErrTooLarge says that more is asked for than is given at once.
	ErrTooLarge = errors.New("more than is given at once")
)

// MaxRows is how many rows a table may have to be filtered or sorted.
const MaxRows = 1 << 24

// Options say how a table is read.
type Options struct {
	// Cache keeps what was found out; nil keeps nothing. Key is a name for the table
	// that changes when it does.
	Cache *kept.Cache
	Key   string
	// Link gives what a cell that leads elsewhere is to be shown as.
	Link func(ref rows.Ref) any
}

// Table is a table whose rows are asked for. Its methods may be called by several
// goroutines.
type Table struct {
	set rows.Set
	opt Options
}

// New makes a table of a set, which is empty without one.
func New(set *rows.Set, o Options) *Table {
	if set == nil {
		set = &rows.Set{}
	}
	return &Table{*set, o}
}

// kept gives what is made of the table once.
func (t *Table) kept(ctx context.Context, what string, work func(ctx context.Context) ([]byte, error)) ([]byte, error) {
	if t.opt.Cache == nil {
		return work(ctx)
	}
	return t.opt.Cache.Get(ctx, "rows "+t.opt.Key+" "+what, work)
}

// peek gives what was kept, if it is in memory.
func (t *Table) peek(what string) ([]byte, bool) {
	if t.opt.Cache == nil {
		return nil, false
	}
	return t.opt.Cache.Peek("rows " + t.opt.Key + " " + what)
}

// keep keeps what was made along with something else.
func (t *Table) keep(what string, data []byte) {
	if t.opt.Cache != nil {
		t.opt.Cache.Keep("rows "+t.opt.Key+" "+what, data)
	}
}

// Of gives the rows of what is a table: an object of a convention, a frame, an array of
// structs. Anything else is ErrNone.
func Of(ctx context.Context, s *convention.Subject, kinds kind.List) (*rows.Set, error) {
	if s == nil || s.Node == nil {
		return nil, ErrNone
	}
	if t, ok := kinds.Table(s); ok {
		set, err := t.Rows(ctx, "", false)
		if !errors.Is(err, convention.ErrNoRows) {
			return set, err
		}
	}
	if a, ok := s.Node.(*zarr.Array); ok {
		if set, ok := elements.Table(a); ok {
			return set, nil
		}
	}
	return nil, none(s.Node)
}

func none(n zarr.Node) error { return &zarr.Error{Op: "read rows", URL: n.URL(), Err: ErrNone} }

// Rows is how many rows there are.
func (t *Table) Rows() int { return t.set.Rows.Count }

// Set is what the table was made of.
func (t *Table) Set() *rows.Set { return &t.set }

// Column is what is said of a column.
type Column struct {
	Name        string `json:"name"`
	Type        string `json:"type"`
	Unit        string `json:"unit,omitempty"`
	Description string `json:"description,omitempty"`
	Ragged      bool   `json:"ragged,omitempty"`
	Reference   bool   `json:"reference,omitempty"`
	Sortable    bool   `json:"sortable"`
	Path        string `json:"path,omitempty"` // in its file
}

// Columns says what they are.
func (t *Table) Columns() []Column {
	out := make([]Column, len(t.set.Fields))
	for i, f := range t.set.Fields {
		out[i] = Column{
			Name: f.Name, Type: f.Type, Unit: f.Unit, Description: f.Description, Ragged: f.Ragged, Reference: f.Refers,
			Sortable: t.sortable(&f) == nil, Path: f.Path,
		}
	}
	return out
}

// sortable says why rows cannot be sorted by a column, nil if they can.
func (t *Table) sortable(f *rows.Field) error {
	switch {
	case f.Numbers == nil && f.Texts == nil && f.Lengths == nil:
		return fmt.Errorf("sorting by %s: its cells are neither numbers nor texts: %w", f.Name, ErrTooMuch)
	case t.Rows() > MaxRows:
		return fmt.Errorf("sorting %d rows %w: it can be done up to %d", t.Rows(), ErrTooMuch, MaxRows)
	}
	return nil
}

// field finds a column.
func (t *Table) field(name string) (*rows.Field, error) {
	if f := t.set.Field(name); f != nil {
		return f, nil
	}
	var known []string
	for _, f := range t.set.Fields {
		known = append(known, f.Name)
	}
	if len(known) > 20 {
		known = append(known[:20], "…")
	}
	return nil, fmt.Errorf("%w: no column is called %q, only %q", ErrRequest, name, known)
}

// fields finds several columns, all of them if none are named.
func (t *Table) fields(names []string) ([]rows.Field, error) {
	if len(names) == 0 {
		return t.set.Fields[:min(len(t.set.Fields), mostColumns)], nil
	}
	if len(names) > mostColumns {
		return nil, fmt.Errorf("%d columns: %w, which is %d", len(names), ErrTooLarge, mostColumns)
	}
	var out []rows.Field
	for _, name := range names {
		f, err := t.field(name)
		if err != nil {
			return nil, err
		}
		out = append(out, *f)
	}
	return out, nil
}

// order is which rows there are, in which order.
type order struct {
	n    int
	rows []byte // uint32 each; nil if they are all, in the order of the table
}

func (o order) at(i int) int {
	if o.rows == nil {
		return i
	}
	return int(binary.LittleEndian.Uint32(o.rows[4*i:]))
}

// span is some of them.
func (o order) span(from, count int) rows.Span {
	if o.rows == nil {
		return rows.Span{Start: from, Step: 1, Count: count}
	}
	return rows.Chosen(count, func(i int) int { return o.at(from + i) })
}

// list makes an order of rows.
func list(at []uint32) []byte {
	out := make([]byte, 0, 4*len(at))
	for _, row := range at {
		out = binary.LittleEndian.AppendUint32(out, row)
	}
	return out
}

// order finds the rows that a filter leaves, sorted.
func (t *Table) order(ctx context.Context, filter, by string) (order, error) {
	conditions, err := t.conditions(filter)
	if err != nil {
		return order{}, err
	}
	out := order{n: t.Rows()}
	if len(conditions) > 0 {
		out.rows, err = t.kept(ctx, fmt.Sprintf("filter %q", filter), func(ctx context.Context) ([]byte, error) {
			return t.filtered(ctx, conditions)
		})
		if err != nil {
			return order{}, err
		}
		out.n = len(out.rows) / 4
		out.rows = slices.Clip(out.rows)
		if out.rows == nil {
			out.rows = []byte{}
		}
	}
	if by == "" {
		return out, nil
	}
	name, down := by, false
	if t.set.Field(by) == nil && by[0] == '-' {
		name, down = by[1:], true
	}
	f, err := t.field(name)
	if err == nil {
		err = t.sortable(f)
	}
	if err != nil {
		return order{}, err
	}
	sorted, err := t.kept(ctx, fmt.Sprintf("filter %q sort %q", filter, by), func(ctx context.Context) ([]byte, error) {
		return t.sorted(ctx, out, f, down)
	})
	return order{out.n, sorted}, err
}
