package zarr

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/omnizarr/zarr/grid"
	"github.com/omnizarr/zarr/nd"
)

// Selection says which elements of an array are meant. Its result has a shape
// of its own: an axis selected by At is dropped, one selected by a list is as
// long as the list, points and masks give one axis.
type Selection interface {
	plan(shape []int, g grid.Grid) (*plan, error)
}

// planOf makes the plan of a selection on an array.
func planOf(sel Selection, shape []int, g grid.Grid) (*plan, error) {
	if sel == nil {
		return nil, mark(ErrSelection, errors.New("no selection: use All"))
	}
	p, err := sel.plan(shape, g)
	return p, mark(ErrSelection, err)
}

func (s *state) plan(sel Selection) (*plan, error) { return planOf(sel, s.meta.Shape, s.meta.Grid) }

// Axis selects along one axis.
type Axis struct {
	kind        axisKind
	start, stop int
	step        int
	open        bool // no stop: as far as the axis goes
	fromEnd     bool // no start, for a negative step
	list        []int
	mask        []bool
}

type axisKind uint8

const (
	axisSlice axisKind = iota
	axisAt
	axisList
	axisMask
	axisEllipsis
)

// Full selects a whole axis.
func Full() Axis { return Axis{step: 1, open: true} }

// At selects one position and drops the axis; negative ones count from the end.
func At(i int) Axis { return Axis{kind: axisAt, start: i} }

// Span selects start up to, not including, stop. As in Python, negative numbers
// count from the end and what lies outside is left out.
func Span(start, stop int) Axis { return Axis{start: start, stop: stop, step: 1} }

// Step selects every step-th position from start up to, not including, stop; a
// negative step goes downwards.
func Step(start, stop, step int) Axis { return Axis{start: start, stop: stop, step: step} }

// List selects positions in any order, also several times.
func List(positions ...int) Axis { return Axis{kind: axisList, list: positions} }

// Where selects the positions at which mask, as long as the axis, is true.
func Where(mask []bool) Axis { return Axis{kind: axisMask, mask: mask} }

// Ellipsis selects all of as many axes as are not named.
func Ellipsis() Axis { return Axis{kind: axisEllipsis} }

type axes []Axis

// All selects the whole array.
func All() Selection { return axes{Ellipsis()} }

// Select selects along every axis by itself: basic selections with steps, and
// orthogonal ones with lists. Axes that are not named are selected whole.
func Select(a ...Axis) Selection { return axes(a) }

// Slice reads a selection as Python writes it: "0:64, :, ::2, -1, ...". A
// mistake in the text is reported when the selection is used.
func Slice(text string) Selection {
	var out axes
	if strings.TrimSpace(text) == "" {
		return All()
	}
	for part := range strings.SplitSeq(text, ",") {
		a, err := parseAxis(strings.TrimSpace(part))
		if err != nil {
			return badSelection{fmt.Errorf("selection %q: %w", text, err)}
		}
		out = append(out, a)
	}
	return out
}

type badSelection struct{ err error }

func (b badSelection) plan([]int, grid.Grid) (*plan, error) { return nil, b.err }

func parseAxis(s string) (Axis, error) {
	if s == "..." {
		return Ellipsis(), nil
	}
	parts := strings.Split(s, ":")
	var n [3]int
	var given [3]bool
	for i, p := range parts {
		if p = strings.TrimSpace(p); p == "" && len(parts) > 1 {
			continue
		}
		v, err := strconv.Atoi(p)
		if err != nil || i > 2 {
			return Axis{}, fmt.Errorf("%q is no index or slice", s)
		}
		n[i], given[i] = v, true
	}
	if len(parts) == 1 {
		return At(n[0]), nil
	}
	if len(parts) > 3 {
		return Axis{}, fmt.Errorf("%q is no index or slice", s)
	}
	if !given[2] {
		n[2] = 1
	}
	return Axis{start: n[0], stop: n[1], step: n[2], open: !given[1], fromEnd: !given[0]}, nil
}

// resolved is an axis selection on an axis of known length.
type resolved struct {
	start, step, count int
	list               []int // positions, if they are not evenly spaced
	drop               bool
}

func (a Axis) resolve(n int) (resolved, error) {
	switch a.kind {
	case axisAt:
		i, err := wrapIndex(a.start, n)
		return resolved{start: i, step: 1, count: 1, drop: true}, err
	case axisList:
		list := make([]int, len(a.list))
		for k, p := range a.list {
			i, err := wrapIndex(p, n)
			if err != nil {
				return resolved{}, err
			}
			list[k] = i
		}
		return evenly(list), nil
	case axisMask:
		if len(a.mask) != n {
			return resolved{}, fmt.Errorf("mask of %d for an axis of %d", len(a.mask), n)
		}
		var list []int
		for i, on := range a.mask {
			if on {
				list = append(list, i)
			}
		}
		return evenly(list), nil
	}
	return a.slice(n)
}

// slice follows Python's rules for slices.
func (a Axis) slice(n int) (resolved, error) {
	if a.step == 0 {
		return resolved{}, errors.New("step must not be zero")
	}
	lo, hi := 0, n
	if a.step < 0 {
		lo, hi = -1, n-1
	}
	clip := func(i int) int {
		if i < 0 {
			i += n
		}
		return min(max(i, lo), hi)
	}
	start, stop := clip(a.start), clip(a.stop)
	if a.fromEnd {
		start = lo
		if a.step < 0 {
			start = hi
		}
	}
	if a.open {
		stop = hi
		if a.step < 0 {
			stop = lo
		}
	}
	count := 0
	if a.step > 0 && stop > start {
		count = (stop-start-1)/a.step + 1
	} else if a.step < 0 && stop < start {
		count = (start-stop-1)/-a.step + 1
	}
	return resolved{start: start, step: a.step, count: count}, nil
}

// evenly recognises lists that are slices.
func evenly(list []int) resolved {
	if len(list) == 0 {
		return resolved{step: 1}
	}
	r := resolved{start: list[0], step: 1, count: len(list)}
	if len(list) > 1 {
		r.step = list[1] - list[0]
	}
	for k := 1; k < len(list); k++ {
		if list[k]-list[k-1] != r.step || r.step == 0 {
			r.list = list
			break
		}
	}
	return r
}

func wrapIndex(i, n int) (int, error) {
	k := i
	if k < 0 {
		k += n
	}
	if k < 0 || k >= n {
		return 0, mark(ErrRange, fmt.Errorf("index %d is outside an axis of %d", i, n))
	}
	return k, nil
}

// expand replaces the ellipsis and appends the axes that were not named.
func (s axes) expand(rank int) (axes, error) {
	at := slices.IndexFunc(s, func(a Axis) bool { return a.kind == axisEllipsis })
	named := len(s)
	if at >= 0 {
		named--
		if slices.ContainsFunc(s[at+1:], func(a Axis) bool { return a.kind == axisEllipsis }) {
			return nil, errors.New("selection has more than one ellipsis")
		}
	} else {
		at = len(s)
	}
	if named > rank {
		return nil, fmt.Errorf("selection of %d axes in an array of %d", named, rank)
	}
	out := slices.Clone(s[:at])
	for range rank - named {
		out = append(out, Full())
	}
	if at < len(s) {
		out = append(out, s[at+1:]...)
	}
	return out, nil
}

func (s axes) plan(shape []int, g grid.Grid) (*plan, error) {
	all, err := s.expand(len(shape))
	if err != nil {
		return nil, err
	}
	res := make([]resolved, len(shape))
	for i, a := range all {
		if res[i], err = a.resolve(shape[i]); err != nil {
			return nil, fmt.Errorf("axis %d: %w", i, err)
		}
	}
	return planAxes(res), nil
}

type blocks []Axis

// Blocks selects whole chunks by their index along each axis; a chunk at the
// edge gives only what lies inside the array.
func Blocks(a ...Axis) Selection { return blocks(a) }

func (s blocks) plan(shape []int, g grid.Grid) (*plan, error) {
	all, err := axes(s).expand(len(shape))
	if err != nil {
		return nil, err
	}
	count := g.Count()
	res := make([]resolved, len(shape))
	for i, a := range all {
		if a.kind != axisSlice && a.kind != axisAt || a.kind == axisSlice && a.step != 1 {
			return nil, fmt.Errorf("axis %d: blocks are selected by index or by a slice of step 1", i)
		}
		r, err := a.resolve(count[i])
		if err != nil {
			return nil, fmt.Errorf("axis %d, in chunks: %w", i, err)
		}
		res[i] = resolved{step: 1}
		if r.count > 0 {
			lo, _ := g.Span(i, r.start)
			last, n := g.Span(i, r.start+r.count-1)
			res[i] = resolved{start: lo, step: 1, count: min(last+n, shape[i]) - lo}
		}
	}
	return planAxes(res), nil
}

type box nd.Box

// Box selects shape elements from start on, all of which must be in the array.
func Box(start, shape []int) Selection { return box{Start: start, Shape: shape} }

func (s box) plan(shape []int, _ grid.Grid) (*plan, error) {
	if err := nd.Box(s).Check(shape); err != nil {
		return nil, mark(ErrRange, err)
	}
	res := make([]resolved, len(shape))
	for i := range res {
		res[i] = resolved{start: s.Start[i], step: 1, count: s.Shape[i]}
	}
	return planAxes(res), nil
}

type points [][]int

// Points selects single elements: the k-th is at coords[0][k], coords[1][k], …
func Points(coords ...[]int) Selection { return points(coords) }

func (s points) plan(shape []int, g grid.Grid) (*plan, error) {
	if len(s) != len(shape) {
		return nil, fmt.Errorf("points of %d coordinates in an array of %d axes", len(s), len(shape))
	}
	if len(s) == 0 {
		return nil, errors.New("an array without axes has no points: use All")
	}
	n := len(s[0])
	pts := make([][]int, len(s))
	for i, c := range s {
		if len(c) != n {
			return nil, fmt.Errorf("%d points along axis 0, %d along axis %d", n, len(c), i)
		}
		pts[i] = make([]int, n)
		for k, p := range c {
			var err error
			if pts[i][k], err = wrapIndex(p, shape[i]); err != nil {
				return nil, fmt.Errorf("axis %d, point %d: %w", i, k, err)
			}
		}
	}
	return planPoints(pts), nil
}

type maskSelection []bool

// Mask selects the elements at which mask, as large as the array and in C
// order, is true.
func Mask(mask []bool) Selection { return maskSelection(mask) }

func (s maskSelection) plan(shape []int, g grid.Grid) (*plan, error) {
	n := 1
	for _, l := range shape {
		n *= l
	}
	if len(s) != n {
		return nil, fmt.Errorf("mask of %d for an array of %d elements", len(s), n)
	}
	pts := make([][]int, len(shape))
	for k, on := range s {
		if !on {
			continue
		}
		for i := len(shape) - 1; i >= 0; i-- {
			pts[i] = append(pts[i], k%shape[i])
			k /= shape[i]
		}
	}
	if len(shape) == 0 {
		return nil, errors.New("an array without axes has no mask: use All")
	}
	return planPoints(pts), nil
}
