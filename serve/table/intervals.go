package table

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/internal/words"
	"github.com/omnizarr/zarr/rows"
)

// Intervals are rows that last from one time to another.
type Intervals struct {
	Intervals []Interval `json:"intervals"`
	Complete  bool       `json:"complete"` // false if there are more
}

// Interval is one of them.
type Interval struct {
	Start float64 `json:"start"`
	Stop  float64 `json:"stop"`
	Label string  `json:"label"`
	Row   int     `json:"row"`
}

// HasIntervals reports whether rows last from one time to another.
func (t *Table) HasIntervals() bool { return t.set.Bands != nil }

// mostLabel is how long a label is at most.
const mostLabel = 200

// Intervals gives those that have a part between two times, at most so many.
func (t *Table) Intervals(ctx context.Context, from, to float64, limit int) (*Intervals, error) {
	if t.set.Bands == nil {
		return nil, fmt.Errorf("%w of intervals: rows have no start_time and stop_time", ErrNone)
	}
	if !(from <= to) || limit < 0 || limit > MaxLimit {
		return nil, fmt.Errorf("%w: %d intervals from %v to %v", ErrRequest, limit, from, to)
	}
	if t.Rows() > MaxRows {
		return nil, fmt.Errorf("intervals among %d rows: finding them %w", t.Rows(), ErrTooMuch)
	}
	starts, err := t.field(t.set.Bands.Start)
	if err != nil {
		return nil, err
	}
	stops, err := t.field(t.set.Bands.Stop)
	if err != nil {
		return nil, err
	}
	out := &Intervals{Intervals: []Interval{}, Complete: true}
	err = t.each(ctx, order{n: t.Rows()}, textBlock, func(span rows.Span, _ []uint32) error {
		if !out.Complete {
			return nil
		}
		start, err := numbers(ctx, starts, span)
		if err != nil {
			return err
		}
		stop, err := numbers(ctx, stops, span)
		if err != nil {
			return err
		}
		for i := range start {
			if !(start[i] <= to && stop[i] >= from) || start[i]-start[i] != 0 || stop[i]-stop[i] != 0 {
				continue
			}
			if len(out.Intervals) == limit {
				out.Complete = false
				return nil
			}
			out.Intervals = append(out.Intervals, Interval{Start: start[i], Stop: stop[i], Row: span.At(i)})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, t.label(ctx, out.Intervals)
}

// label names intervals by a column, or by their numbers.
func (t *Table) label(ctx context.Context, list []Interval) error {
	at := make([]int, len(list))
	for i := range list {
		at[i] = list[i].Row
	}
	names, err := t.labels(ctx, rows.Listed(at))
	if err != nil {
		return err
	}
	for i := range list {
		list[i].Label = names[i]
	}
	f := t.set.Field(t.set.Bands.Label)
	if f == nil || len(list) == 0 {
		return nil
	}
	cells, err := f.Read(ctx, rows.Listed(at))
	if err != nil {
		return err
	}
	for i := range list {
		cell, err := cells(nil, i)
		if err != nil {
			return err
		}
		text := words.Bare(cell)
		if len(cell) > 0 && cell[0] == '[' {
			var parts []string
			err := strictjson.Each(cell, func(_ int, elem json.RawMessage) error {
				parts = append(parts, words.Bare(elem))
				return nil
			})
			if err != nil {
				return err
			}
			text = strings.Join(parts, ", ")
		}
		if text = words.Cut(words.OneLine(text), mostLabel); text != "" && text != "null" {
			list[i].Label = text
		}
	}
	return nil
}
