package check

import (
	"context"
	"math"
	"slices"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
)

const (
	// longest is longer than any session: 365.25 days, in seconds.
	longest = 365.25 * 24 * 3600
	// sample is how many values at the start tell what a column is like.
	sample = 200
	// maxRows bounds the rows whose numbers are held at once.
	maxRows = 1 << 24
)

// inspectTable looks at a table.
func (c *checker) inspectTable(ctx context.Context, g *hdmf.Group, at string, k *kind) error {
	t, err := hdmf.OpenTable(ctx, g)
	if err != nil {
		return ctx.Err() // the schema says what it lacks
	}
	if ids := t.IDs(); ids != nil && ids.Rows() <= maxRows {
		if list, err := ints(ctx, ids.Dataset(), ids.Rows()); err == nil {
			slices.Sort(list)
			for i := 1; i < len(list); i++ {
				if list[i] == list[i-1] {
					c.tell(at, "check_ids_unique", "several rows have id %d", list[i])
					break
				}
			}
		}
	}
	switch {
	case k.is("Units"):
		return c.inspectUnits(ctx, t, at)
	case k.is("TimeIntervals"):
		return c.inspectIntervals(ctx, t, at)
	}
	return ctx.Err()
}

func ints(ctx context.Context, d *hdmf.Dataset, n int) ([]int64, error) {
	if len(d.Shape()) != 1 {
		return nil, hdmf.ErrNoNumber
	}
	if n > d.Shape()[0] {
		return nil, zarr.ErrRange
	}
	v, err := d.Read(ctx, zarr.Box([]int{0}, []int{n}))
	if err != nil {
		return nil, err
	}
	return v.Ints()
}

func floats(ctx context.Context, d *hdmf.Dataset, start, stop int) ([]float64, error) {
	if len(d.Shape()) != 1 {
		return nil, hdmf.ErrNoNumber
	}
	if start < 0 || stop > d.Shape()[0] {
		return nil, zarr.ErrRange
	}
	v, err := d.Read(ctx, zarr.Box([]int{start}, []int{stop - start}))
	if err != nil {
		return nil, err
	}
	return v.Floats()
}

// inspectUnits looks at the spikes of units.
func (c *checker) inspectUnits(ctx context.Context, t *hdmf.Table, at string) error {
	col, err := t.Column("spike_times")
	if err != nil {
		c.tell(at, "check_units_table_has_spikes", "there is no column spike_times")
		return nil
	}
	d := col.Dataset()
	resolution, resolved := math.NaN(), false
	if a, ok := d.Attribute("resolution"); ok {
		if v, err := plain(a.Raw); err == nil {
			resolution, resolved = v.(float64)
		}
	}
	n := 0
	if shape := d.Shape(); len(shape) == 1 {
		n = shape[0]
	}
	if first, err := floats(ctx, d, 0, min(n, sample)); err == nil && len(first) > 0 && !(resolution >= 1) {
		if !slices.ContainsFunc(first, func(x float64) bool { return x != math.Floor(x) }) {
			c.tell(at, "check_spike_times_not_in_samples", "all times are whole numbers: are they samples instead of seconds?")
		}
	}
	if col.Depth() != 1 || col.Rows() > maxRows {
		return nil
	}
	index := child(ctx, t.Group(), "spike_times_index")
	if index == nil {
		return nil
	}
	ends, err := ints(ctx, index, col.Rows())
	if err != nil {
		return c.unreadable(ctx, at, err)
	}
	return c.inspectSpikes(ctx, d, ends, resolved, at)
}

// inspectSpikes looks at all times: whether those of each unit ascend, and how long
// they last. ends is where each unit's times end.
func (c *checker) inspectSpikes(ctx context.Context, d *hdmf.Dataset, ends []int64, resolved bool, at string) error {
	low, high := math.Inf(1), math.Inf(-1)
	unit, told := 0, false
	last, next := math.Inf(-1), 0
	err := eachBlock(ctx, d, func(start []int, v *hdmf.Values) error {
		list, err := v.Floats()
		if err != nil {
			return err
		}
		for i, x := range list {
			pos := int64(start[0] + i)
			if start[0]+i != next { // a part was never written
				last = math.Inf(-1)
			}
			next = start[0] + i + 1
			for unit < len(ends) && pos >= ends[unit] {
				unit++
				last = math.Inf(-1)
			}
			if unit == len(ends) {
				break
			}
			if !told && (x < last || x == last && !resolved) {
				c.tell(at, "check_ascending_spike_times", "the times of row %d do not ascend: %v after %v", unit, x, last)
				told = true
			}
			last, low, high = x, min(low, x), max(high, x)
		}
		return ctx.Err()
	})
	if high-low > longest {
		c.tell(at, "check_units_table_duration", "the times span %.0f seconds, more than a year: are they seconds?", high-low)
	}
	return c.readable(ctx, at, err)
}

// inspectIntervals looks at starts and stops.
func (c *checker) inspectIntervals(ctx context.Context, t *hdmf.Table, at string) error {
	low, high := math.Inf(1), math.Inf(-1)
	for _, col := range t.Columns() {
		if !strings.HasSuffix(col.Name(), "_time") || col.Depth() > 0 || t.Rows() == 0 {
			continue
		}
		head, err := floats(ctx, col.Dataset(), 0, min(col.Rows(), sample))
		if err != nil {
			continue
		}
		tail, err := floats(ctx, col.Dataset(), max(0, col.Rows()-sample), col.Rows())
		if err != nil {
			continue
		}
		if col.Name() == "start_time" && len(head) > 1 && !slices.ContainsFunc(head, func(x float64) bool { return x != head[0] }) {
			c.tell(at, "check_time_intervals_start_time_not_constant", "all rows start at %v", head[0])
		}
		for _, x := range head {
			if !math.IsNaN(x) && col.Name() != "stop_time" {
				low = min(low, x)
			}
		}
		for _, x := range tail {
			if !math.IsNaN(x) && col.Name() != "start_time" {
				high = max(high, x)
			}
		}
	}
	if high-low > longest {
		c.tell(at, "check_time_intervals_duration", "the rows span %.0f seconds, more than a year: are they seconds?", high-low)
	}
	return ctx.Err()
}
