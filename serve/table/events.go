package table

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"sort"
	"strconv"

	"github.com/omnizarr/zarr/internal/numeric"
	"github.com/omnizarr/zarr/rows"
)

// EventsQuery is which events of which rows are wanted.
type EventsQuery struct {
	From, To      float64 // seconds
	Width         int     // pixels
	Sort          string  // as in Query
	Offset, Limit int     // rows
}

// Events are those of some rows, such as the spikes of units.
type Events struct {
	Units []Unit `json:"units"`
	Total int    `json:"total"` // rows in all
}

// Unit is the events of a row: their times, or how many there are in every pixel if they
// are more than that.
type Unit struct {
	Row   int       `json:"row"`
	Label string    `json:"label"`
	Count int       `json:"count"`
	Times []float64 `json:"times,omitzero"`
	Bins  []int     `json:"bins,omitzero"`
}

const (
	// maxUnits is how many rows of events are given at once.
	maxUnits = 5000
	// maxPixels is how wide they may be drawn, and maxBins how many bins all of them
	// may have.
	maxPixels, maxBins = 1 << 14, 1 << 23
	// mostEvents is how many events are looked at for one answer.
	mostEvents = 1 << 26
	// someEvents is how many are read at once.
	someEvents = 1 << 21
)

// events finds the column that has them.
func (t *Table) events() (*rows.Field, error) {
	if t.set.Events != nil {
		if f := t.set.Field(t.set.Events.Column); f != nil && f.Lists != nil && f.Lengths != nil {
			return f, nil
		}
	}
	return nil, fmt.Errorf("%w of events: no column has lists of times", ErrNone)
}

// HasEvents reports whether the table has a column of lists of times.
func (t *Table) HasEvents() bool {
	_, err := t.events()
	return err == nil
}

// Events gives those of some rows.
func (t *Table) Events(ctx context.Context, q EventsQuery) (*Events, error) {
	f, err := t.events()
	if err != nil {
		return nil, err
	}
	switch {
	case !(q.From <= q.To) || math.IsInf(q.From, 0) || math.IsInf(q.To, 0) || q.Width < 1 || q.Width > maxPixels || q.Offset < 0 || q.Limit < 0 || q.Limit > maxUnits:
		return nil, fmt.Errorf("%w: from %v to %v in %d pixels, %d rows from %d on", ErrRequest, q.From, q.To, q.Width, q.Limit, q.Offset)
	case q.Limit*q.Width > maxBins:
		return nil, fmt.Errorf("%d rows in %d pixels: %w, ask for fewer", q.Limit, q.Width, ErrTooLarge)
	}
	o, err := t.order(ctx, "", q.Sort)
	if err != nil {
		return nil, err
	}
	from := min(q.Offset, o.n)
	span := o.span(from, min(q.Limit, o.n-from))
	labels, err := t.labels(ctx, span)
	if err != nil {
		return nil, err
	}
	out := &Events{Units: make([]Unit, span.Count), Total: t.Rows()}
	var rest []int // those that are not counted yet
	for i := range out.Units {
		if !t.counted(f, span.At(i), q, &out.Units[i]) {
			rest = append(rest, i)
		}
	}
	uncounted := span
	if len(rest) < span.Count {
		uncounted = rows.Chosen(len(rest), func(k int) int { return span.At(rest[k]) })
	}
	err = t.within(ctx, f, uncounted, q.From, q.To, func(k int, times []float64) {
		out.Units[rest[k]] = unit(times, q)
		t.keepCounts(f, span.At(rest[k]), q, &out.Units[rest[k]])
	})
	for i := range out.Units {
		out.Units[i].Row, out.Units[i].Label = span.At(i), labels[i]
	}
	return out, err
}

// leastCounted is how many events a row has at least whose counts are kept.
const leastCounted = 1 << 12

// countsKey is what the counts of a row are kept under.
func countsKey(f *rows.Field, row int, q EventsQuery) string {
	return fmt.Sprintf("counts %q %d %v %v %d", f.Name, row, q.From, q.To, q.Width)
}

// counted finds the counts of a row that somebody has asked for before.
func (t *Table) counted(f *rows.Field, row int, q EventsQuery, to *Unit) bool {
	raw, ok := t.peek(countsKey(f, row, q))
	if !ok {
		return false
	}
	to.Bins = make([]int, len(raw)/4)
	for i := range to.Bins {
		to.Bins[i] = int(binary.LittleEndian.Uint32(raw[4*i:]))
		to.Count += to.Bins[i]
	}
	return true
}

// keepCounts keeps the counts of a row that has many events, so that it is not read again for
// the same picture.
func (t *Table) keepCounts(f *rows.Field, row int, q EventsQuery, u *Unit) {
	if u.Bins == nil || u.Count < leastCounted {
		return
	}
	raw := make([]byte, 0, 4*len(u.Bins))
	for _, n := range u.Bins {
		raw = binary.LittleEndian.AppendUint32(raw, uint32(n))
	}
	t.keep(countsKey(f, row, q), raw)
}

// unit draws the events of a row.
func unit(times []float64, q EventsQuery) Unit {
	if n := len(times); n > 0 && sort.Float64sAreSorted(times) {
		times = times[sort.SearchFloat64s(times, q.From):]
		times = times[:sort.Search(len(times), func(i int) bool { return times[i] > q.To })]
	} else {
		var in []float64
		for _, x := range times {
			if x >= q.From && x <= q.To {
				in = append(in, x)
			}
		}
		times = in
	}
	u := Unit{Count: len(times)}
	if len(times) <= q.Width {
		u.Times = append([]float64{}, times...)
		return u
	}
	u.Bins = make([]int, q.Width)
	for _, x := range times {
		at := 0
		if q.To > q.From {
			at = min(int((x-q.From)/(q.To-q.From)*float64(q.Width)), q.Width-1)
		}
		u.Bins[at]++
	}
	return u
}

// labels are the ids of rows, or their numbers.
func (t *Table) labels(ctx context.Context, span rows.Span) ([]string, error) {
	out := make([]string, span.Count)
	for i := range out {
		out[i] = strconv.Itoa(span.At(i))
	}
	f := t.set.Field("id")
	if f == nil || f.Numbers == nil || span.Count == 0 {
		return out, nil
	}
	ids, err := f.Numbers(ctx, span)
	for i, id := range ids {
		out[i] = strconv.FormatFloat(id, 'f', -1, 64)
	}
	return out, err
}

// count is how many values all lists of a column have together.
func (t *Table) count(ctx context.Context, f *rows.Field) (int, error) {
	if t.Rows() > MaxRows {
		return 0, fmt.Errorf("the events of %d rows: reading them %w", t.Rows(), ErrTooMuch)
	}
	raw, err := t.kept(ctx, fmt.Sprintf("count %q", f.Name), func(ctx context.Context) ([]byte, error) {
		total := 0
		err := t.each(ctx, order{n: t.Rows()}, block, func(span rows.Span, _ []uint32) error {
			lengths, err := f.Lengths(ctx, span)
			for _, n := range lengths {
				total += n
			}
			return err
		})
		return binary.LittleEndian.AppendUint64(nil, uint64(total)), err
	})
	if err != nil {
		return 0, err
	}
	return int(binary.LittleEndian.Uint64(raw)), nil
}

// EventsInfo is what is said of the events of a table.
type EventsInfo struct {
	Rows, Count int
	Start, End  float64  // of those that were looked at
	Order       []string // columns that rows can be sorted by
}

// mostLooked is how many events are looked at to find the first and the last.
const mostLooked = 8 << 20

// EventsInfo tells of the events of all rows. Of very many it looks at some.
func (t *Table) EventsInfo(ctx context.Context) (*EventsInfo, error) {
	f, err := t.events()
	if err != nil {
		return nil, err
	}
	out := &EventsInfo{Rows: t.Rows()}
	if out.Count, err = t.count(ctx, f); err != nil {
		return nil, err
	}
	for _, c := range t.Columns() {
		if c.Sortable {
			out.Order = append(out.Order, c.Name)
		}
	}
	raw, err := t.kept(ctx, fmt.Sprintf("span %q", f.Name), func(ctx context.Context) ([]byte, error) {
		ends := []float64{math.Inf(1), math.Inf(-1)}
		for k := 0; k*marked < t.Rows(); k += 1 + out.Count/mostLooked {
			list, err := t.marks(ctx, f, k)
			if err != nil {
				return nil, err
			}
			for _, m := range list {
				ends[0], ends[1] = min(ends[0], m.least), max(ends[1], m.most)
			}
		}
		if ends[0] > ends[1] {
			ends[0], ends[1] = 0, 0
		}
		return numeric.Bytes(ends), nil
	})
	if err != nil {
		return nil, err
	}
	ends := numeric.Slice[float64](raw)
	out.Start, out.End = ends[0], ends[1]
	return out, nil
}
