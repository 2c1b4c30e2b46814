package hdmf

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/strictjson"
)

// Column is a column of a table. One with indexes has any number of values in
// every row; one with two has any number of such lists.
type Column struct {
	name    string
	table   *Table
	data    *Dataset
	indexes []*index // the first one has an entry for every row
}

// ErrIndex says that the index of a column does not fit what it is the index of.
var ErrIndex = errors.New("index does not fit its column")

// Name is the name of the column.
func (c *Column) Name() string { return c.name }

// Description is what the column says about itself.
func (c *Column) Description() string { return text(c.data.attrs().Raw("description")) }

// Dataset holds the values of all rows, one after the other.
func (c *Column) Dataset() *Dataset { return c.data }

// Depth is how many indexes the column has: 0 for one value in every row, 1 for a
// list of them, 2 for a list of lists.
func (c *Column) Depth() int { return len(c.indexes) }

// Indexes are those of the column: the first one has an entry for every row, which is
// where its list ends in the next, and the entries of the last one are ends in Dataset.
func (c *Column) Indexes() []*Dataset {
	var out []*Dataset
	for _, x := range c.indexes {
		out = append(out, x.data)
	}
	return out
}

// Rows is the number of rows.
func (c *Column) Rows() int {
	if len(c.indexes) > 0 {
		return c.indexes[0].data.Shape()[0]
	}
	return c.data.Shape()[0]
}

// Table is the table that a DynamicTableRegion's values are rows of, nil if the
// column is none.
func (c *Column) Table(ctx context.Context) (*Table, error) { return c.data.RowsOf(ctx) }

// RowsOf is the table that the values of a DynamicTableRegion are rows of, nil if the
// dataset is none.
func (d *Dataset) RowsOf(ctx context.Context) (*Table, error) {
	r, ok, err := attributeReference(d.attrs().Raw("table"))
	if !ok || d.DType().Kind != Number {
		return nil, nil
	}
	if err != nil {
		return nil, d.file.failed("read column", d.path, strictjson.At("table", err))
	}
	o, err := d.file.Resolve(ctx, r)
	if err != nil {
		return nil, err
	}
	g, ok := o.(*Group)
	if !ok {
		return nil, o.File().failed("open table", o.Path(), ErrNoTable)
	}
	return OpenTable(ctx, g)
}

// Cells are the values of some rows of a column.
type Cells struct {
	// Values are those of all the rows, one after the other along the first axis.
	*Values
	// Offsets say where a row begins, one list for each index of the column: row i
	// has entries Offsets[0][i] up to, not including, Offsets[0][i+1] of the next
	// list, and those of the last list are of Values.
	Offsets [][]int
	// Counts say how many entries each list has, like Offsets, where only the first of
	// them were read; nil where Offsets tell.
	Counts [][]int
}

// Rows is the number of rows.
func (c *Cells) Rows() int {
	if len(c.Offsets) > 0 {
		return len(c.Offsets[0]) - 1
	}
	if len(c.Shape) == 0 {
		return 0
	}
	return c.Shape[0]
}

// Row gives the values of one row, of all its lists where rows have several.
// Nothing is copied.
func (c *Cells) Row(i int) *Values {
	start, stop := i, i+1
	for _, list := range c.Offsets {
		start, stop = list[start], list[stop]
	}
	return c.Part(start, stop)
}

// Read reads the rows from start up to, not including, stop.
func (c *Column) Read(ctx context.Context, start, stop int) (*Cells, error) {
	if start < 0 || stop < start || stop > c.Rows() {
		return nil, c.failed(fmt.Errorf("rows %d to %d of %d", start, stop, c.Rows()))
	}
	return c.read(ctx, appendRun(nil, start, stop-start), 0)
}

// ReadRows reads rows in the order of the list, which may name one several times.
// However many they are, the index is read once, and every chunk of the values.
func (c *Column) ReadRows(ctx context.Context, rows []int) (*Cells, error) {
	runs, err := c.runs(rows)
	if err != nil {
		return nil, err
	}
	return c.read(ctx, runs, 0)
}

// ReadHeads is ReadRows for the first values of every list, at most so many; Counts say
// how many there are.
func (c *Column) ReadHeads(ctx context.Context, rows []int, most int) (*Cells, error) {
	runs, err := c.runs(rows)
	if err != nil {
		return nil, err
	}
	return c.read(ctx, runs, max(most, 1))
}

// ReadParts is ReadRows for a part of every list: entries from one up to, not including,
// another. It is for columns with one index.
func (c *Column) ReadParts(ctx context.Context, rows []int, parts [][2]int) (*Cells, error) {
	if len(c.indexes) != 1 || len(parts) != len(rows) {
		return nil, c.failed(fmt.Errorf("%d parts of %d lists, with %d indexes", len(parts), len(rows), len(c.indexes)))
	}
	if _, err := c.runs(rows); err != nil {
		return nil, err
	}
	var alone []run
	for _, i := range rows {
		alone = appendApart(alone, i, 1)
	}
	out := &Cells{Offsets: [][]int{{0}}}
	var runs []run
	k := 0
	for ends, err := range c.indexes[0].entries(ctx, alone) {
		if err != nil {
			return nil, c.failed(fmt.Errorf("%s: %w", c.indexes[0].name, err))
		}
		from, to := parts[k][0], parts[k][1]
		begin, end, length := ends[0], ends[len(ends)-1], int64(c.data.Shape()[0])
		switch {
		case begin < 0 || end < begin || end > length:
			return nil, c.failed(fmt.Errorf("%s: %w: a list from %d to %d of %d", c.indexes[0].name, ErrIndex, begin, end, length))
		case from < 0 || to < from || int64(to) > end-begin:
			return nil, c.failed(fmt.Errorf("entries %d to %d of row %d, which has %d", from, to, rows[k], end-begin))
		}
		runs = appendRun(runs, int(begin)+from, to-from)
		out.Offsets[0] = append(out.Offsets[0], out.Offsets[0][k]+to-from)
		k++
	}
	var err error
	out.Values, err = c.data.gather(ctx, runs)
	return out, err
}

// Lengths says how long the lists of rows are. It reads the index alone, and is for
// columns that have one.
func (c *Column) Lengths(ctx context.Context, rows []int) ([]int, error) {
	runs, err := c.runs(rows)
	if err != nil || len(c.indexes) == 0 {
		return nil, err
	}
	list, err := c.follow(ctx, 0, runs, 1)
	return list.counts, err
}

func (c *Column) runs(rows []int) (runs []run, err error) {
	for _, i := range rows {
		if i < 0 || i >= c.Rows() {
			return nil, c.failed(fmt.Errorf("row %d of %d", i, c.Rows()))
		}
		runs = appendRun(runs, i, 1)
	}
	return runs, nil
}

func (c *Column) failed(err error) error {
	if err == nil {
		return nil
	}
	return c.data.file.failed("read column", c.table.group.path+"/"+c.name, err)
}

// read follows runs of rows through the indexes to the values: of every list to all, or
// to the first most.
func (c *Column) read(ctx context.Context, runs []run, most int) (*Cells, error) {
	out := &Cells{}
	for k := range c.indexes {
		list, err := c.follow(ctx, k, runs, most)
		if err != nil {
			return nil, err
		}
		runs = list.next
		out.Offsets = append(out.Offsets, list.offsets)
		if most > 0 {
			out.Counts = append(out.Counts, list.counts)
		}
	}
	var err error
	out.Values, err = c.data.gather(ctx, runs)
	return out, err
}

// follow follows runs of entries of the k-th index.
func (c *Column) follow(ctx context.Context, k int, runs []run, most int) (followed, error) {
	length := c.data.Shape()[0]
	if k+1 < len(c.indexes) {
		length = c.indexes[k+1].data.Shape()[0]
	}
	list, err := c.indexes[k].follow(ctx, runs, length, most)
	if err != nil {
		err = c.failed(fmt.Errorf("%s: %w", c.indexes[k].name, err))
	}
	return list, err
}

// index says where lists end that lie one after the other.
type index struct {
	name string // in the table, where it may be a link
	data *Dataset
	mu   sync.Mutex
	ends []int64 // all, once they were read; nil where there are too many
	some int     // that were wanted before all were read
}

const (
	// maxEnds is how many ends are kept in memory.
	maxEnds = 16 << 20
	// fewEnds is how many are read at once in any case.
	fewEnds = 1 << 16
)

// followed is what an index says of some entries.
type followed struct {
	offsets []int // of what was taken of the lists
	counts  []int // of the whole lists, where only their heads were taken
	next    []run // of what they list
}

// follow gives the offsets of the lists in runs of entries, and the runs of what
// they list, which has a length: all of it, or the first most of each.
func (x *index) follow(ctx context.Context, runs []run, length, most int) (out followed, err error) {
	total := 0
	for _, r := range runs {
		total += r.n
	}
	offsets := make([]int, 1, min(total, maxEnds)+1)
	for ends, err := range x.entries(ctx, runs) {
		if err != nil {
			return out, err
		}
		before := ends[0]
		for i, end := range ends[1:] {
			if end < before || end > int64(length) {
				return out, fmt.Errorf("%w: a list from %d to %d of %d (entry %d of those read)", ErrIndex, before, end, length, len(offsets)+i-1)
			}
			before = end
		}
		first, at := int(ends[0]), offsets[len(offsets)-1]
		if first < 0 {
			return out, fmt.Errorf("%w: a list begins at %d", ErrIndex, first)
		}
		if most > 0 {
			for i, end := range ends[1:] {
				n := int(end - ends[i])
				out.counts = append(out.counts, n)
				out.next = appendRun(out.next, int(ends[i]), min(n, most))
				at += min(n, most)
				offsets = append(offsets, at)
			}
			continue
		}
		for _, end := range ends[1:] {
			offsets = append(offsets, at+int(end)-first)
		}
		n := int(ends[len(ends)-1]) - first
		if at+n < at {
			return out, fmt.Errorf("%w: the lists are too long together", ErrIndex)
		}
		out.next = appendRun(out.next, first, n)
	}
	out.offsets = offsets
	return out, nil
}

// entries yields, for every run, where its first list begins and where all of them
// end.
func (x *index) entries(ctx context.Context, runs []run) func(yield func([]int64, error) bool) {
	return func(yield func([]int64, error) bool) {
		wanted := 0
		for _, r := range runs {
			wanted += r.n
		}
		ends, err := x.load(ctx, wanted)
		var some []run
		if err == nil && ends == nil { // only those that are needed
			for _, r := range runs {
				lead := min(r.from, 1)
				some = appendApart(some, r.from-lead, r.n+lead)
			}
			var v *Values
			if v, err = x.data.gather(ctx, some); err == nil {
				ends, err = v.Ints()
			}
		}
		if err != nil {
			yield(nil, err)
			return
		}
		var first [1]int64
		for k, r := range runs {
			lead := min(r.from, 1)
			from := r.from - lead
			if some != nil {
				from = some[k].to
			}
			list := ends[from : from+lead+r.n]
			if lead == 0 {
				list = append(first[:], list...)
			}
			if !yield(list, nil) {
				return
			}
		}
	}
}

// appendApart is appendRun for runs that stay apart.
func appendApart(runs []run, from, n int) []run {
	to := 0
	if len(runs) > 0 {
		last := runs[len(runs)-1]
		to = last.to + last.n
	}
	return append(runs, run{from, to, n})
}

// load reads the whole index once, unless it is too large, or so far only a small part
// of a long one was wanted.
func (x *index) load(ctx context.Context, wanted int) ([]int64, error) {
	n := x.data.Shape()[0]
	if n > maxEnds {
		return nil, nil
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.ends != nil {
		return x.ends, nil
	}
	if x.some += wanted; n > fewEnds && x.some < n/16 {
		return nil, nil
	}
	v, err := x.data.Read(ctx, zarr.All())
	if err != nil {
		return nil, err
	}
	ends, err := v.Ints()
	if err != nil {
		return nil, err
	}
	x.ends = ends
	return ends, nil
}
