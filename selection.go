package zarr

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/omnizarr/zarr/grid"
	"github.com/omnizarr/zarr/nd"
)

// Selection says which elements of an array are meant. Its result has a shape
// of its own: an axis selected by At is dropped, one selected by a list is as
// long as the list, points and masks give one axis.
//
// What reaches outside the array: ranges of every kind (Span, From, Until, Step,
// Slice, Box) are cut to the array, and may be empty; a single position (At, List,
// Points) outside it is an error, ErrRange.
type Selection interface {
	plan(on space) (*plan, error)
}

// space is what a selection is made on: an array's axes and chunks.
type space struct {
	shape []int
	names []*string // of the axes, or nil
	grid  grid.Grid // nil where chunks do not matter
}

// plan makes the plan of a selection.
func (on space) plan(sel Selection) (*plan, error) {
	if sel == nil {
		return nil, mark(ErrSelection, errors.New("no selection: use All"))
	}
	p, err := sel.plan(on)
	return p, mark(ErrSelection, err)
}

func (s *state) plan(sel Selection) (*plan, error) {
	return space{s.meta.Shape, s.meta.DimensionNames, s.meta.Grid}.plan(sel)
}

// Axis selects along one axis.
type Axis struct {
	kind        axisKind
	start, stop int
	step        int
	open        bool // no stop: as far as the axis goes
	first       bool // no start: from the first position on, or the last for a negative step
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
	axisStepped // what is no span, with a step
)

// Full selects a whole axis.
func Full() Axis { return Axis{step: 1, open: true, first: true} }

// At selects one position and drops the axis; negative ones count from the end.
func At(i int) Axis { return Axis{kind: axisAt, start: i} }

// Span selects start up to, not including, stop. As in Python, negative numbers
// count from the end and what lies outside is left out.
func Span(start, stop int) Axis { return Axis{start: start, stop: stop, step: 1} }

// From selects start and all behind it; a negative start counts from the end.
func From(start int) Axis { return Axis{start: start, step: 1, open: true} }

// Until selects all before stop; a negative stop counts from the end.
func Until(stop int) Axis { return Axis{stop: stop, step: 1, first: true} }

// By is the same span with a step: From(10).By(2), Full().By(-1), which turns an
// axis around. Only spans have steps.
func (a Axis) By(step int) Axis {
	if a.kind != axisSlice {
		a.kind = axisStepped
	}
	a.step = step
	return a
}

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
	case axisStepped:
		return resolved{}, errors.New("only spans have steps")
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
	if a.first {
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

func (s axes) plan(on space) (*plan, error) {
	all, err := s.expand(len(on.shape))
	if err != nil {
		return nil, err
	}
	res := make([]resolved, len(on.shape))
	for i, a := range all {
		if res[i], err = a.resolve(on.shape[i]); err != nil {
			return nil, fmt.Errorf("axis %d: %w", i, err)
		}
	}
	return planAxes(res), nil
}

// Named selects along axes by their dimension names; axes that are not named are
// selected whole.
type Named map[string]Axis

func (s Named) plan(on space) (*plan, error) {
	all := make(axes, len(on.shape))
	for i := range all {
		all[i] = Full()
	}
	for _, name := range slices.Sorted(maps.Keys(s)) {
		i, err := on.axis(name)
		if err != nil {
			return nil, err
		}
		if s[name].kind == axisEllipsis {
			return nil, fmt.Errorf("axis %q: an ellipsis stands for axes without a name", name)
		}
		all[i] = s[name]
	}
	return all.plan(on)
}

// axis finds an axis by its name.
func (on space) axis(name string) (int, error) {
	found := -1
	var known []string
	for i, n := range on.names {
		if n == nil {
			continue
		}
		known = append(known, *n)
		if *n != name {
			continue
		}
		if found >= 0 {
			return 0, fmt.Errorf("axes %d and %d are both named %q", found, i, name)
		}
		found = i
	}
	switch {
	case found >= 0:
		return found, nil
	case known == nil:
		return 0, fmt.Errorf("no axis is named %q: axes have no names", name)
	}
	return 0, fmt.Errorf("no axis is named %q, only %s", name, strings.Join(known, ", "))
}

type wholeChunks []Axis

// WholeChunks selects whole chunks by their index along each axis; a chunk at the
// edge gives only what lies inside the array. In an array of shards they are the
// shards.
func WholeChunks(a ...Axis) Selection { return wholeChunks(a) }

func (s wholeChunks) plan(on space) (*plan, error) {
	shape, g := on.shape, on.grid
	if g == nil {
		return nil, errors.New("chunks are no positions")
	}
	all, err := axes(s).expand(len(shape))
	if err != nil {
		return nil, err
	}
	count := g.Count()
	res := make([]resolved, len(shape))
	for i, a := range all {
		if a.kind != axisSlice && a.kind != axisAt || a.kind == axisSlice && a.step != 1 {
			return nil, fmt.Errorf("axis %d: chunks are selected by index or by a slice of step 1", i)
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

// Box selects shape elements from start on, or those of them that lie in the array.
func Box(start, shape []int) Selection { return box{Start: start, Shape: shape} }

func (s box) plan(on space) (*plan, error) {
	if len(s.Start) != len(on.shape) || len(s.Shape) != len(on.shape) {
		return nil, fmt.Errorf("box of %d and %d axes in an array of %d", len(s.Start), len(s.Shape), len(on.shape))
	}
	res := make([]resolved, len(on.shape))
	for i, n := range on.shape {
		start, length := s.Start[i], s.Shape[i]
		if length < 0 {
			return nil, fmt.Errorf("axis %d: no box is %d long from %d on", i, length, start)
		}
		stop := n
		if start <= math.MaxInt-length {
			stop = min(start+length, n)
		}
		start = min(max(start, 0), n)
		res[i] = resolved{start: start, step: 1, count: max(stop-start, 0)}
	}
	return planAxes(res), nil
}

type points [][]int

// Points selects single elements: the k-th is at coords[0][k], coords[1][k], …
func Points(coords ...[]int) Selection { return points(coords) }

func (s points) plan(on space) (*plan, error) {
	shape := on.shape
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

func (s maskSelection) plan(on space) (*plan, error) {
	shape := on.shape
	if n, ok := nd.Len(shape); !ok || len(s) != n {
		return nil, fmt.Errorf("mask of %d for an array of shape %v", len(s), shape)
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

// Slice reads a selection as Python writes it: "0:64, :, ::2, -1, ...". Axes may be
// named instead, as far as the array does: "time=0:10, x=5"; those that are not are
// selected whole. A mistake in the text is reported when the selection is used.
func Slice(text string) Selection {
	sel, err := ParseSlice(text)
	if err != nil {
		return badSelection{err}
	}
	return sel
}

// ParseSlice is Slice for those who want to know of mistakes at once.
func ParseSlice(text string) (Selection, error) {
	terms, err := ParseTerms(text)
	if err != nil {
		return nil, err
	}
	var all axes
	named := Named{}
	for _, t := range terms {
		a, err := t.axis()
		if err != nil {
			return nil, badText(text, err)
		}
		if t.Name == "" {
			all = append(all, a)
		} else {
			named[t.Name] = a
		}
	}
	switch {
	case len(terms) == 0:
		return All(), nil
	case len(named) == 0:
		return all, nil
	}
	return named, nil
}

func badText(text string, err error) error {
	return fail("parse", "selection", mark(ErrSelection, fmt.Errorf("selection %q: %w", text, err)))
}

// badSelection is a selection whose text has a mistake.
type badSelection struct{ err error }

func (b badSelection) plan(space) (*plan, error) {
	if known, ok := b.err.(*Error); ok {
		return nil, known.Err
	}
	return nil, b.err
}

// Term is one part of the text of a selection, between commas. It is for those who
// give values a meaning of their own, such as that of coordinates.
type Term struct {
	Name  string // of the axis, "" if it goes by its place
	Value string // a number, a slice, or "..."
	// Index says that an @ stood before the value: that it is an index, whatever
	// coordinates there are.
	Index bool
}

// ParseTerms cuts the text of a selection into its parts. Either all axes are named
// or none, and none twice.
func ParseTerms(text string) ([]Term, error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	var out []Term
	seen := map[string]bool{}
	for part := range strings.SplitSeq(text, ",") {
		var t Term
		name, value, isNamed := strings.Cut(part, "=")
		if t.Name = strings.TrimSpace(name); !isNamed {
			t.Name, value = "", part
		} else if t.Name == "" {
			return nil, badText(text, fmt.Errorf("%q names no axis", strings.TrimSpace(part)))
		}
		t.Value, t.Index = strings.CutPrefix(strings.TrimSpace(value), "@")
		t.Value = strings.TrimSpace(t.Value)
		switch {
		case isNamed && seen[t.Name]:
			return nil, badText(text, fmt.Errorf("axis %q is named twice", t.Name))
		case len(out) > 0 && (out[0].Name == "") != (t.Name == ""):
			return nil, badText(text, fmt.Errorf("some axes are named and some are not"))
		}
		seen[t.Name] = true
		out = append(out, t)
	}
	return out, nil
}

// Axis takes the value for an index, or a slice of indices.
func (t Term) Axis() (Axis, error) {
	a, err := t.axis()
	return a, fail("parse", "selection", mark(ErrSelection, err))
}

func (t Term) axis() (Axis, error) {
	if t.Value == "..." && t.Name == "" {
		return Ellipsis(), nil
	}
	bad := fmt.Errorf("%q is no index or slice", t.Value)
	parts := strings.Split(t.Value, ":")
	if len(parts) > 3 {
		return Axis{}, bad
	}
	var n [3]int
	var given [3]bool
	for i, p := range parts {
		if p = strings.TrimSpace(p); p == "" && len(parts) > 1 {
			continue
		}
		v, err := strconv.Atoi(p)
		if errors.Is(err, strconv.ErrRange) { // v is as far as numbers go, and cut as all ranges are
			if len(parts) == 1 {
				return Axis{}, mark(ErrRange, fmt.Errorf("index %s is outside of every axis", p))
			}
		} else if err != nil {
			return Axis{}, bad
		}
		n[i], given[i] = v, true
	}
	if len(parts) == 1 {
		return At(n[0]), nil
	}
	if !given[2] {
		n[2] = 1
	}
	return Axis{start: n[0], stop: n[1], step: n[2], open: !given[1], first: !given[0]}, nil
}
