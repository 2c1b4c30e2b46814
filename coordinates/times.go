package coordinates

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/cf"
)

// times are the coordinates for a search. Missing ones are in no order.
func (l *Line) times() *points[cf.Time] {
	return &points[cf.Time]{
		n:    l.Len,
		read: l.Times,
		compare: func(x, y cf.Time) int {
			if x.IsNaT() || y.IsNaT() {
				return 1
			}
			return x.Compare(y)
		},
		distance: func(x, y cf.Time) float64 {
			if x.IsNaT() || y.IsNaT() {
				return math.Inf(1)
			}
			return math.Abs(x.Sub(y))
		},
	}
}

// chooseTime selects along a line of times.
func (l *Line) chooseTime(ctx context.Context, t zarr.Term, exact bool) (zarr.Axis, error) {
	parts, err := l.cutTimes(t.Value)
	if err != nil {
		return zarr.Axis{}, err
	}
	step, err := stepOf(parts)
	if err != nil {
		return zarr.Axis{}, err
	}
	var bounds [2]*cf.Period
	for i, text := range parts[:min(len(parts), 2)] {
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		p, err := cf.ParseTime(text, l.Calendar)
		if err != nil {
			return zarr.Axis{}, err
		}
		bounds[i] = &p
	}
	p := l.times()
	if err := p.look(ctx); err != nil {
		return zarr.Axis{}, err
	}
	if len(parts) == 1 {
		if bounds[0].Precision >= cf.Day {
			return p.single(ctx, bounds[0].From, exact, cf.Time.String)
		}
		return p.span(ctx, &bounds[0].From, &bounds[0].To, 1, cf.Time.String)
	}
	if bounds[0] != nil && bounds[1] != nil && bounds[0].From.Compare(bounds[1].From) > 0 {
		bounds[0], bounds[1] = bounds[1], bounds[0]
	}
	var from, to *cf.Time
	if bounds[0] != nil {
		from = &bounds[0].From
	}
	if bounds[1] != nil {
		to = &bounds[1].To
	}
	return p.span(ctx, from, to, step, cf.Time.String)
}

// cutTimes cuts a value into its times and step: colons stand inside of times too, and
// those belong to a time that make one.
func (l *Line) cutTimes(text string) ([]string, error) {
	pieces := strings.Split(text, ":")
	isTime := func(from, to int) bool {
		part := strings.TrimSpace(strings.Join(pieces[from:to], ":"))
		_, err := cf.ParseTime(part, l.Calendar)
		return part == "" || err == nil
	}
	n := len(pieces)
	if n <= 9 { // two times with a zone, and a step
		if isTime(0, n) && strings.TrimSpace(text) != "" {
			return []string{text}, nil
		}
		for i := 1; i < n; i++ {
			if isTime(0, i) && isTime(i, n) {
				return []string{strings.Join(pieces[:i], ":"), strings.Join(pieces[i:], ":")}, nil
			}
		}
		for i := 1; i < n-1; i++ {
			if isTime(0, i) && isTime(i, n-1) {
				return []string{strings.Join(pieces[:i], ":"), strings.Join(pieces[i:n-1], ":"), pieces[n-1]}, nil
			}
		}
	}
	if n == 1 {
		_, err := cf.ParseTime(strings.TrimSpace(text), l.Calendar)
		return nil, err
	}
	return nil, fmt.Errorf("%q is no time or range of times, such as 2025-06-01:2025-06-30T12:00", text)
}
