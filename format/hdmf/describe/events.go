package describe

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/rows"
)

const (
	// mostTicks is how many rows of events are drawn.
	mostTicks = 256
	// eventRows is how many rows of events are read at once.
	eventRows = 64
)

// events are the times of a table whose rows have lists of them, such as those of
// spikes; nil if it has none.
func events(t *hdmf.Table, span rows.Span) *rows.Curves {
	for _, c := range t.Columns() {
		if c.Depth() == 1 && strings.HasSuffix(c.Name(), "_times") && c.Dataset().DType().Kind == hdmf.Number && len(c.Dataset().Shape()) == 1 {
			return &rows.Curves{Title: c.Dataset().Path() + " (s)", Column: c.Name(), Read: func(ctx context.Context, places int) (*rows.Drawing, error) {
				return ticks(ctx, t, c, span, places)
			}}
		}
	}
	return nil
}

// ticks counts the events of every row in a number of places.
func ticks(ctx context.Context, t *hdmf.Table, c *hdmf.Column, span rows.Span, places int) (*rows.Drawing, error) {
	shown := span.Part(0, min(span.Count, mostTicks))
	out := &rows.Drawing{Unit: "s", From: math.Inf(1), To: math.Inf(-1), More: span.Count - shown.Count}
	each := func(f func(row int, time float64)) error {
		for from := 0; from < shown.Count; from += eventRows {
			part := shown.Part(from, min(eventRows, shown.Count-from))
			cells, err := c.ReadRows(ctx, part.Positions())
			if err != nil {
				return err
			}
			times, err := cells.Floats()
			if err != nil {
				return err
			}
			for i := range part.Count {
				for _, time := range times[cells.Offsets[0][i]:cells.Offsets[0][i+1]] {
					if time-time == 0 {
						f(from+i, time)
					}
				}
			}
		}
		return nil
	}
	// The first pass finds out between which times they are.
	if err := each(func(_ int, time float64) { out.From, out.To = min(out.From, time), max(out.To, time) }); err != nil {
		return nil, err
	}
	if out.From > out.To {
		return nil, fmt.Errorf("plot %s: %w", c.Dataset().Path(), errors.New("there are no times"))
	}
	names, err := rowNames(ctx, t, shown)
	if err != nil {
		return nil, err
	}
	for i := range shown.Count {
		out.Ticks = append(out.Ticks, rows.Ticks{Name: names[i], Counts: make([]int, places)})
	}
	err = each(func(row int, time float64) {
		at := 0
		if out.To > out.From {
			at = int((time-out.From)/(out.To-out.From)*float64(places-1) + 0.5)
		}
		out.Ticks[row].Counts[at]++
	})
	return out, err
}

// rowNames are the ids of rows, or their numbers.
func rowNames(ctx context.Context, t *hdmf.Table, span rows.Span) ([]string, error) {
	out := make([]string, span.Count)
	for i, k := range span.Positions() {
		out[i] = fmt.Sprint(k)
	}
	ids := t.IDs()
	if ids == nil {
		return out, nil
	}
	cells, err := ids.ReadRows(ctx, span.Positions())
	if err != nil {
		return nil, err
	}
	numbers, err := cells.Ints()
	for i, n := range numbers {
		out[i] = fmt.Sprint(n)
	}
	return out, err
}
