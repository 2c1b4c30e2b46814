package coordinates

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/format/cf"
	"github.com/omnizarr/zarr/internal/strictjson"
)

// Summary tells what lies along an axis of an array.
type Summary struct {
	Axis int    `json:"axis"`
	Name string `json:"name"`
	Unit string `json:"unit,omitempty"`
	// First and Last are the coordinates at the ends: numbers, dates or names.
	First json.RawMessage `json:"first,omitempty"`
	Last  json.RawMessage `json:"last,omitempty"`
	// Step is the distance of coordinates that are evenly spaced; of times in seconds.
	Step json.RawMessage `json:"step,omitempty"`

	words string
}

// String tells it in words: "60 to 40 by -10 degrees_north".
func (s Summary) String() string { return s.words }

// Describe tells which coordinates the axes of an array have. Those without any are
// left out, and those that cannot be read.
func Describe(ctx context.Context, a *zarr.Array, opts ...Option) ([]Summary, error) {
	axes, err := Of(ctx, a, opts...)
	if err != nil {
		return nil, err
	}
	out := []Summary{}
	for _, axis := range axes {
		if axis.Line == nil || axis.Line.Len == 0 {
			continue
		}
		s, err := axis.Summary(ctx)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil {
			out = append(out, s)
		}
	}
	return out, nil
}

// Summary tells what lies along the axis, which has coordinates.
func (a Axis) Summary(ctx context.Context) (Summary, error) {
	s := Summary{Axis: a.Dim, Name: a.Name, Unit: a.Unit}
	l := a.Line
	var err error
	switch {
	case l.Texts != nil:
		err = s.texts(ctx, l)
	case l.Times != nil:
		p := l.times()
		if err = p.look(ctx); err == nil {
			err = tell(ctx, &s, p, func(t cf.Time) json.RawMessage { return append(t.Append([]byte{'"'}, cf.Day), '"') }, 0)
		}
	default:
		p := l.numbers()
		if err = p.look(ctx); err == nil {
			near := 1e-9
			if l.Narrow {
				near = 1e-4
			}
			err = tell(ctx, &s, p, func(v float64) json.RawMessage { return l.number64(v) }, near)
		}
	}
	return s, err
}

// number64 spells a number of the line as JSON.
func (l *Line) number64(v float64) json.RawMessage {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return dtype.AppendFloat(nil, v)
	}
	return json.RawMessage(l.show(v))
}

// tell sets the ends and the step of coordinates, whose distances may differ by so
// much of themselves.
func tell[T any](ctx context.Context, s *Summary, p *points[T], spell func(T) json.RawMessage, near float64) error {
	first, err := p.at(ctx, 0)
	if err != nil {
		return err
	}
	last, err := p.at(ctx, p.n-1)
	if err != nil {
		return err
	}
	s.First, s.Last = spell(first), spell(last)
	s.words = brief(s.First)
	if p.n > 1 {
		s.words += " to " + brief(s.Last)
	}
	unit := s.Unit
	if step := p.step(ctx, near); step != 0 {
		step *= float64(p.order)
		s.Step = dtype.AppendFloat(nil, step)
		if _, isTime := any(first).(cf.Time); isTime {
			s.words += ", every " + lasting(math.Abs(step))
		} else {
			s.words += fmt.Sprintf(" by %.6g", step)
		}
	} else if p.order == unordered {
		s.words += ", in no order"
	}
	if unit != "" {
		s.words += " " + unit
	}
	return nil
}

// step is the distance of coordinates, 0 unless it is the same everywhere. Of many
// only some are looked at.
func (p *points[T]) step(ctx context.Context, near float64) float64 {
	if p.n < 2 || p.order == unordered {
		return 0
	}
	at := func(i int) (v T, ok bool) {
		v, err := p.at(ctx, i)
		return v, err == nil
	}
	first, ok := at(0)
	last, also := at(p.n - 1)
	mean := p.distance(first, last) / float64(p.n-1)
	if !ok || !also || mean == 0 {
		return 0
	}
	each := max(1, (p.n-1)/64)
	if p.whole != nil {
		each = 1
	}
	for i := 0; i+1 < p.n; i += each {
		x, ok := at(i)
		y, also := at(i + 1)
		if !ok || !also || math.Abs(p.distance(x, y)-mean) > near*math.Max(mean, 1e-300)+1e-12*p.distance(first, last) {
			return 0
		}
	}
	return mean
}

// lasting is a duration in words.
func lasting(seconds float64) string {
	for _, u := range []struct {
		name string
		long float64
	}{{"day", 86400}, {"hour", 3600}, {"minute", 60}} {
		if n := seconds / u.long; n == math.Trunc(n) {
			if n == 1 {
				return u.name
			}
			return fmt.Sprintf("%g %ss", n, u.name)
		}
	}
	return fmt.Sprintf("%g s", seconds)
}

func (s *Summary) texts(ctx context.Context, l *Line) error {
	list, err := l.Texts(ctx, 0, min(l.Len, namesShown))
	if err != nil {
		return err
	}
	last, err := l.Texts(ctx, l.Len-1, l.Len)
	if err != nil {
		return err
	}
	s.First, s.Last = strictjson.AppendString(nil, list[0]), strictjson.AppendString(nil, last[0])
	s.words = strings.Join(list, ", ")
	if l.Len > len(list) {
		s.words += fmt.Sprintf(", … %s", last[0])
	}
	return nil
}

// brief is a JSON string as it is, and a number without the digits that come of computing
// it.
func brief(raw json.RawMessage) string {
	text := bare(raw)
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || len(text) <= 12 || !strings.Contains(text, ".") {
		return text
	}
	return strconv.FormatFloat(v, 'g', 10, 64)
}

// bare is a JSON string as it is.
func bare(raw json.RawMessage) string { return strings.Trim(string(raw), `"`) }
