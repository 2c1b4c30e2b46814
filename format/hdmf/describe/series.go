package describe

import (
	"context"
	"fmt"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/rows"
)

// mostChannels is how many channels get a column each.
const mostChannels = 1 << 12

// seriesView is a part of a time series.
type seriesView struct {
	*hdmf.Series
	rows, channels rows.Span // channels only of data with two axes
}

// along selects along an axis what a span names.
func along(s rows.Span) zarr.Axis {
	if s.Step < 0 || s.Count == 0 || s.IsListed() {
		return zarr.List(s.Positions()...)
	}
	return zarr.Step(s.Start, s.Start+(s.Count-1)*s.Step+1, s.Step)
}

// of selects samples of the series with all that belongs to them.
func of(s rows.Span) zarr.Selection { return zarr.Select(along(s), zarr.Ellipsis()) }

// fields are the times and the samples of a series, in the unit that it gives: as a
// list, or in a column for every channel.
func (s *seriesView) fields(apart bool) []rows.Field {
	shape := s.Data().Shape()
	each, _ := nd.Len(shape[1:])
	clock := rows.Field{Name: "time", Bytes: 8, Digits: 10}
	clock.Read = func(ctx context.Context, at rows.Span) (rows.Cells, error) {
		list, err := s.Times(ctx, of(at))
		return func(dst []byte, i int) ([]byte, error) { return appendNumber(dst, list[i]), nil }, err
	}
	read := s.readStored
	if s.IsScaled() {
		read = s.readScaled
	}
	var last rows.Span // that was read for the channel before
	var cells cellReader
	data := func(name string, wanted []int) rows.Field {
		f := rows.Field{Name: name, Bytes: each * 16}
		f.Read = func(ctx context.Context, at rows.Span) (rows.Cells, error) {
			if cells == nil || at != last {
				var err error
				if cells, err = read(ctx, at); err != nil {
					return nil, err
				}
				last = at
			}
			now := cells
			return func(dst []byte, i int) ([]byte, error) {
				if !apart && len(shape) == 2 {
					return appendList(dst, wanted, func(dst []byte, k int) ([]byte, error) { return now(dst, i, k) })
				}
				return now(dst, i, wanted[0])
			}, nil
		}
		return f
	}
	if len(shape) != 2 {
		return []rows.Field{clock, data("data", []int{wholeRow})}
	}
	// Cells are numbered as the channels that are read.
	numbers := make([]int, s.channels.Count)
	for i := range numbers {
		numbers[i] = i
	}
	each = s.channels.Count
	if apart = apart && s.channels.Count <= mostChannels; !apart {
		return []rows.Field{clock, data("data", numbers)}
	}
	fields := []rows.Field{clock}
	for i, k := range s.channels.Positions() {
		f := data(fmt.Sprintf("data[%d]", k), []int{i})
		f.Bytes = 16
		fields = append(fields, f)
	}
	return fields
}

// cellReader appends an element of a row, or all of it.
type cellReader func(dst []byte, i, element int) ([]byte, error)

const wholeRow = -1

// part selects samples with the channels that are wanted.
func (s *seriesView) part(at rows.Span) zarr.Selection {
	if len(s.Data().Shape()) == 2 {
		return zarr.Select(along(at), along(s.channels))
	}
	return of(at)
}

func (s *seriesView) readStored(ctx context.Context, at rows.Span) (cellReader, error) {
	v, err := s.Data().Read(ctx, s.part(at))
	if err != nil {
		return nil, err
	}
	p, err := newCellPrinter(v)
	return func(dst []byte, i, k int) ([]byte, error) {
		if k == wholeRow {
			return p.appendNested(dst, p.shape, i*p.each)
		}
		return p.appendElement(dst, i*p.each+k)
	}, err
}

func (s *seriesView) readScaled(ctx context.Context, at rows.Span) (cellReader, error) {
	list, shape, err := s.Scaled(ctx, s.part(at))
	if err != nil {
		return nil, err
	}
	each, _ := nd.Len(shape[1:])
	number := func(dst []byte, i int) ([]byte, error) { return appendNumber(dst, list[i]), nil }
	return func(dst []byte, i, k int) ([]byte, error) {
		if k == wholeRow {
			return appendNested(dst, shape[1:], i*each, number)
		}
		return number(dst, i*each+k)
	}, nil
}

// plotChannels is how many channels are drawn.
const plotChannels = 16

// plotBlock is how many elements are read at once.
const plotBlock = 1 << 20

// curves draws the series, the first channels of it.
func (s *seriesView) curves() *rows.Curves {
	title := s.Group().Path()
	if unit := unitOf(s.Series); unit != "" {
		title += " (" + unit + ")"
	}
	return &rows.Curves{Title: title, Alone: s.Data().DType().Kind == hdmf.Number && len(s.Data().Shape()) == 1, Read: s.drawing}
}

// drawing sums up samples in a number of places between the first time and the last.
func (s *seriesView) drawing(ctx context.Context, places int) (*rows.Drawing, error) {
	fail := func(format string, args ...any) (*rows.Drawing, error) {
		return nil, &zarr.Error{Op: "plot", URL: s.Group().Node().URL(), Err: fmt.Errorf(format, args...)}
	}
	shape := s.Data().Shape()
	switch {
	case s.Data().DType().Kind != hdmf.Number:
		return fail("samples are %s, not numbers", s.Data().DType().Name)
	case len(shape) > 2:
		return fail("samples have %d axes, one can be plotted", len(shape)-1)
	case s.rows.Count == 0:
		return fail("there are no samples")
	}
	v := *s
	if v.rows.Step < 0 {
		v.rows = rows.Span{Start: v.rows.Start + (v.rows.Count-1)*v.rows.Step, Step: -v.rows.Step, Count: v.rows.Count}
	}
	out := &rows.Drawing{Unit: "s", Traces: []rows.Trace{rows.NewTrace(places)}}
	if len(shape) == 2 {
		v.channels = s.channels.Part(0, min(s.channels.Count, plotChannels))
		out.Traces, out.Channels, out.More = nil, v.channels.Positions(), s.channels.Count-v.channels.Count
		for range out.Channels {
			out.Traces = append(out.Traces, rows.NewTrace(places))
		}
	}
	ends, err := v.Times(ctx, zarr.Select(zarr.List(v.rows.Start, v.rows.Start+(v.rows.Count-1)*v.rows.Step), zarr.Ellipsis()))
	if err != nil {
		return nil, err
	}
	out.From, out.To = ends[0], ends[1]
	count := max(plotBlock/max(len(out.Traces), 1), 1)
	for done := 0; done < v.rows.Count; done += count {
		if err := v.trace(ctx, out, v.rows.Part(done, min(count, v.rows.Count-done)), places); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// trace adds some samples to a drawing.
func (s *seriesView) trace(ctx context.Context, out *rows.Drawing, block rows.Span, places int) error {
	clock, err := s.Times(ctx, of(block))
	if err != nil {
		return err
	}
	list, _, err := s.Scaled(ctx, s.part(block))
	if err != nil {
		return err
	}
	for i, now := range clock {
		at := 0
		if out.To > out.From {
			at = int((now-out.From)/(out.To-out.From)*float64(places-1) + 0.5)
		}
		if at < 0 || at >= places { // times need not ascend
			continue
		}
		for k, t := range out.Traces {
			t.Add(at, list[i*len(out.Traces)+k])
		}
	}
	return nil
}
