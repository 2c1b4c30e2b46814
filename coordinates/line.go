package coordinates

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/cf"
)

// Line are the coordinates along an axis. One of its functions is there, and gives
// those from a position up to, not including, another.
type Line struct {
	Len     int
	Numbers func(ctx context.Context, start, stop int) ([]float64, error)
	Times   func(ctx context.Context, start, stop int) ([]cf.Time, error)
	Texts   func(ctx context.Context, start, stop int) ([]string, error)
	// Calendar is that of times.
	Calendar cf.Calendar
	// Narrow says that the numbers are of type float32, so that 0.1 means the float32
	// that is nearest to it.
	Narrow bool
}

// Even gives coordinates that are evenly spaced.
func Even(n int, first, step float64) *Line {
	return &Line{Len: n, Numbers: func(_ context.Context, start, stop int) ([]float64, error) {
		out := make([]float64, stop-start)
		for i := range out {
			out[i] = first + float64(start+i)*step
		}
		return out, nil
	}}
}

var errNoCoordinates = errors.New("there are no coordinates: the axis is empty")

var errUnordered = errors.New("the coordinates are in no order, so that there is nothing between two of them: use single values, or indices with @")

// choose selects along the line by the value of a term.
func (l *Line) choose(ctx context.Context, t zarr.Term, exact bool) (zarr.Axis, error) {
	if l.Len == 0 {
		return zarr.Axis{}, errNoCoordinates
	}
	switch {
	case l.Texts != nil:
		return l.chooseText(ctx, t)
	case l.Times != nil:
		return l.chooseTime(ctx, t, exact)
	}
	p := l.numbers()
	parts := strings.Split(t.Value, ":")
	if len(parts) > 3 {
		return zarr.Axis{}, fmt.Errorf("%q is no value or range of values", t.Value)
	}
	bounds := make([]*float64, 2)
	for i, text := range parts[:min(len(parts), 2)] {
		if text = strings.TrimSpace(text); text == "" && len(parts) > 1 {
			continue
		}
		v, err := l.number(text)
		if err != nil {
			return zarr.Axis{}, err
		}
		bounds[i] = &v
	}
	if err := p.look(ctx); err != nil {
		return zarr.Axis{}, err
	}
	show := func(v float64) string { return l.show(v) }
	if len(parts) == 1 {
		return p.single(ctx, *bounds[0], exact, show)
	}
	step, err := stepOf(parts)
	if err != nil {
		return zarr.Axis{}, err
	}
	return p.span(ctx, bounds[0], bounds[1], step, show)
}

// numbers are the coordinates for a search.
func (l *Line) numbers() *points[float64] {
	return &points[float64]{n: l.Len, read: l.Numbers, compare: compareNumbers, distance: func(x, y float64) float64 { return math.Abs(x - y) }}
}

// compareNumbers orders numbers; NaN is not even equal to itself.
func compareNumbers(x, y float64) int {
	if x != x || y != y {
		return 1
	}
	return cmp.Compare(x, y)
}

func (l *Line) number(text string) (float64, error) {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(v) {
		return 0, fmt.Errorf("%q is no number", text)
	}
	if l.Narrow {
		v = float64(float32(v))
	}
	return v, nil
}

func (l *Line) show(v float64) string {
	bits := 64
	if l.Narrow {
		bits = 32
	}
	if size := math.Abs(v); size >= 1e6 && size < 1e15 { // metres on a map, all of them
		return strconv.FormatFloat(v, 'f', -1, bits)
	}
	return strconv.FormatFloat(v, 'g', -1, bits)
}

// stepOf is the third part of a range.
func stepOf(parts []string) (int, error) {
	if len(parts) < 3 || strings.TrimSpace(parts[2]) == "" {
		return 1, nil
	}
	step, err := strconv.Atoi(strings.TrimSpace(parts[2]))
	if err != nil || step == 0 {
		return 0, fmt.Errorf("%q is no step: it counts positions", strings.TrimSpace(parts[2]))
	}
	return step, nil
}

// single selects the position of one value.
func (p *points[T]) single(ctx context.Context, v T, exact bool, show func(T) string) (zarr.Axis, error) {
	i, err := p.nearest(ctx, v, exact)
	if err != nil {
		return zarr.Axis{}, err
	}
	if i >= 0 {
		return zarr.At(i), nil
	}
	there, err := p.extent(ctx, show)
	switch {
	case err != nil:
	case exact:
		err = fmt.Errorf("no coordinate is %s, they are %s", show(v), there)
	default:
		err = fmt.Errorf("%s lies outside of the coordinates, which are %s", show(v), there)
	}
	return zarr.Axis{}, err
}

// span selects what lies between two values, in either order.
func (p *points[T]) span(ctx context.Context, low, high *T, step int, show func(T) string) (zarr.Axis, error) {
	if low != nil && high != nil && p.compare(*low, *high) > 0 {
		low, high = high, low
	}
	start, stop, err := p.between(ctx, low, high)
	if err != nil {
		return zarr.Axis{}, err
	}
	if start < stop {
		if step < 0 {
			return zarr.List(downwards(start, stop, step)...), nil
		}
		return zarr.Step(start, stop, step), nil
	}
	there, err := p.extent(ctx, show)
	if err != nil {
		return zarr.Axis{}, err
	}
	text := func(v *T) string {
		if v == nil {
			return ""
		}
		return show(*v)
	}
	return zarr.Axis{}, fmt.Errorf("no coordinate lies in %s:%s, they are %s", text(low), text(high), there)
}

// downwards are the positions of a range from its end on.
func downwards(start, stop, step int) (out []int) {
	for i := stop - 1; i >= start; i += step {
		out = append(out, i)
	}
	return out
}

// extent says in words which coordinates there are.
func (p *points[T]) extent(ctx context.Context, show func(T) string) (string, error) {
	first, err := p.at(ctx, 0)
	if err != nil || p.n == 1 {
		return show(first) + " alone", err
	}
	last, err := p.at(ctx, p.n-1)
	if p.order == unordered {
		return show(first) + " to " + show(last) + " in no order", err
	}
	return show(first) + " to " + show(last), err
}

// chooseText selects a position by its name, or a range of positions from a name to
// another, or by index where there is no such name.
func (l *Line) chooseText(ctx context.Context, t zarr.Term) (zarr.Axis, error) {
	p := &points[string]{n: l.Len, read: l.Texts, compare: strings.Compare}
	find := func(name string) (int, error) { return p.nearest(ctx, name, true) }
	if i, err := find(t.Value); err != nil || i >= 0 {
		return zarr.At(i), err
	}
	if axis, err := t.Axis(); err == nil {
		return axis, nil
	}
	parts := strings.Split(t.Value, ":")
	if len(parts) == 2 || len(parts) == 3 {
		step, err := stepOf(parts)
		if err != nil {
			return zarr.Axis{}, err
		}
		ends := [2]int{0, l.Len - 1}
		for k, name := range parts[:2] {
			if name = strings.TrimSpace(name); name == "" {
				continue
			}
			i, err := find(name)
			if err == nil && i < 0 {
				err = fmt.Errorf("no position is called %q", name)
			}
			if err != nil {
				return zarr.Axis{}, err
			}
			ends[k] = i
		}
		start, stop := min(ends[0], ends[1]), max(ends[0], ends[1])+1
		if step < 0 {
			return zarr.List(downwards(start, stop, step)...), nil
		}
		return zarr.Step(start, stop, step), nil
	}
	return zarr.Axis{}, l.notCalled(ctx, t.Value)
}

// namesShown is how many names an error lists.
const namesShown = 8

func (l *Line) notCalled(ctx context.Context, name string) error {
	list, err := l.Texts(ctx, 0, min(l.Len, namesShown))
	if err != nil {
		return err
	}
	quoted := make([]string, len(list))
	for i, s := range list {
		quoted[i] = strconv.Quote(s)
	}
	if l.Len > len(list) {
		quoted = append(quoted, "…")
	}
	return fmt.Errorf("no position is called %q: they are %s", name, strings.Join(quoted, ", "))
}
