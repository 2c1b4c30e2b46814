package grid

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"sort"
	"strconv"

	"github.com/omnizarr/zarr/internal/strictjson"
)

// Run is a number of neighbouring chunks of one length. A Count of 0 means one
// chunk that metadata spells as a plain number: 5 instead of [5, 1].
type Run struct {
	Length, Count int
}

// Axis says how long the chunks along one axis are: as many of length Step as
// the array needs or, if Step is 0, those of Runs.
type Axis struct {
	Step int
	Runs []Run
}

// Rectilinear is the grid whose chunk lengths are listed for each axis. Runs
// stay as they are, however many chunks they stand for.
type Rectilinear struct {
	axes    []axis
	count   []int
	uniform []int
}

// axis is an Axis with the running sums that Find and Span search.
type axis struct {
	Axis
	ends   []int // behind each run: its position, the largest int if that is too small
	chunks []int // behind each run: the number of chunks so far, likewise
}

// NewRectilinear makes a grid for an array. Lengths are at least 1; the chunks
// of an axis must cover the array and may go on behind its end.
func NewRectilinear(shape []int, axes []Axis) (*Rectilinear, error) {
	if len(axes) != len(shape) {
		return nil, strictjson.Errorf("chunk_shapes", "has %d dimensions, the array %d", len(axes), len(shape))
	}
	g := &Rectilinear{axes: make([]axis, len(axes)), count: make([]int, len(axes))}
	for i, a := range axes {
		g.axes[i].Axis = a
		var err error
		if g.count[i], err = g.axes[i].bind(shape[i]); err != nil {
			return nil, strictjson.At("chunk_shapes", strictjson.AtIndex(i, err))
		}
	}
	g.uniform = g.findUniform()
	return g, nil
}

// bind sums up the runs of an axis of n elements and returns how many chunks
// hold them.
func (a *axis) bind(n int) (count int, err error) {
	if a.Step != 0 {
		if len(a.Runs) > 0 {
			return 0, errors.New("has both a step and runs")
		}
		return steps(n, a.Step)
	}
	if n < 0 {
		return 0, fmt.Errorf("array length %d is negative", n)
	}
	a.ends, a.chunks = make([]int, len(a.Runs)), make([]int, len(a.Runs))
	end, chunks := 0, 0
	for i, r := range a.Runs {
		if r.Length < 1 || r.Count < 0 {
			return 0, strictjson.AtIndex(i, fmt.Errorf("%d chunks of length %d: both must be at least 1", max(r.Count, 1), r.Length))
		}
		times := max(r.Count, 1)
		if times > (math.MaxInt-end)/r.Length {
			end = math.MaxInt
		} else {
			end += times * r.Length
		}
		chunks += min(times, math.MaxInt-chunks)
		a.ends[i], a.chunks[i] = end, chunks
	}
	if end < n {
		return 0, fmt.Errorf("the chunks end at %d, the array at %d", end, n)
	}
	if n == 0 {
		return 0, nil
	}
	last := a.find(n - 1)
	if start, length := a.span(last); start > math.MaxInt-length {
		return 0, errPastEnd
	}
	return last + 1, nil
}

// find is the chunk that holds the element at pos, which lies in the array.
func (a *axis) find(pos int) int {
	if a.Step != 0 {
		return pos / a.Step
	}
	r := sort.Search(len(a.ends), func(i int) bool { return a.ends[i] > pos })
	start, first := a.before(r)
	return first + (pos-start)/a.Runs[r].Length
}

// span is where chunk i starts and how long it is: 0 behind all runs, as is the first of
// an axis that is empty and has none.
func (a *axis) span(i int) (start, length int) {
	if a.Step != 0 {
		return i * a.Step, a.Step
	}
	r := sort.Search(len(a.chunks), func(k int) bool { return a.chunks[k] > i })
	start, first := a.before(r)
	if r == len(a.Runs) {
		return start, 0
	}
	length = a.Runs[r].Length
	return start + (i-first)*length, length
}

// longest is the length of the longest of the first chunks.
func (a *axis) longest(chunks int) int {
	most := a.Step
	for r, run := range a.Runs {
		if _, first := a.before(r); first >= chunks {
			break
		}
		most = max(most, run.Length)
	}
	return most
}

// before is the position and the number of the first chunk of run r.
func (a *axis) before(r int) (pos, chunk int) {
	if r == 0 {
		return 0, 0
	}
	return a.ends[r-1], a.chunks[r-1]
}

// findUniform returns the shape that all chunks with elements have, or nil.
func (g *Rectilinear) findUniform() []int {
	shape := make([]int, len(g.axes))
	for i := range g.axes {
		a := &g.axes[i]
		if a.Step != 0 {
			shape[i] = a.Step
			continue
		}
		if len(a.Runs) == 0 {
			return nil
		}
		shape[i] = a.Runs[0].Length
		for r, run := range a.Runs {
			if _, first := a.before(r); first >= g.count[i] {
				break
			}
			if run.Length != shape[i] {
				return nil
			}
		}
	}
	return shape
}

// Name is "rectilinear".
func (g *Rectilinear) Name() string { return "rectilinear" }

// Axes returns the chunk lengths as they were given, which must not be changed.
func (g *Rectilinear) Axes() []Axis {
	axes := make([]Axis, len(g.axes))
	for i := range g.axes {
		axes[i] = g.axes[i].Axis
	}
	return axes
}

// MarshalJSON gives the chunk_grid member of Zarr v3 metadata, runs spelled as
// they were given.
func (g *Rectilinear) MarshalJSON() ([]byte, error) {
	dst := []byte(`{"name":"rectilinear","configuration":{"kind":"inline","chunk_shapes":[`)
	for i := range g.axes {
		if i > 0 {
			dst = append(dst, ',')
		}
		a := &g.axes[i]
		if a.Step != 0 {
			dst = strconv.AppendInt(dst, int64(a.Step), 10)
			continue
		}
		dst = append(dst, '[')
		for k, r := range a.Runs {
			if k > 0 {
				dst = append(dst, ',')
			}
			if r.Count == 0 {
				dst = strconv.AppendInt(dst, int64(r.Length), 10)
			} else {
				dst = strictjson.AppendInts(dst, []int{r.Length, r.Count})
			}
		}
		dst = append(dst, ']')
	}
	return append(dst, "]}}"...), nil
}

// Count is the number of chunks along each axis that hold elements. The slice
// is the grid's own: it must not be changed.
func (g *Rectilinear) Count() []int { return g.count }

// Span is where chunk i of an axis starts and how long it is.
func (g *Rectilinear) Span(axis, i int) (start, length int) { return g.axes[axis].span(i) }

// Find is the chunk of an axis that holds the element at pos.
func (g *Rectilinear) Find(axis, pos int) int { return g.axes[axis].find(pos) }

// Uniform returns the shape of the chunks that hold elements if it is one, or
// nil. The slice is the grid's own: it must not be changed.
func (g *Rectilinear) Uniform() []int { return g.uniform }

// Resize returns the grid for another array shape. Chunks that exist keep
// their place and length: those behind the end of a smaller array stay in the
// description, and a larger array first takes those. Where it goes on behind
// the listed chunks, the last length is repeated as often as needed; an axis
// that lists no chunk cannot grow.
func (g *Rectilinear) Resize(shape []int) (Grid, error) {
	axes := g.Axes()
	for i := 0; i < len(shape) && i < len(axes); i++ {
		var err error
		if axes[i], err = g.axes[i].extend(shape[i]); err != nil {
			return nil, strictjson.At("chunk_shapes", strictjson.AtIndex(i, err))
		}
	}
	r, err := NewRectilinear(shape, axes)
	if err != nil {
		return nil, err
	}
	return r, nil
}

// extend returns an axis whose chunks cover n elements.
func (a *axis) extend(n int) (Axis, error) {
	if a.Step != 0 {
		return a.Axis, nil
	}
	last := len(a.Runs) - 1
	if last < 0 {
		if n > 0 {
			return Axis{}, errors.New("lists no chunk that could be repeated")
		}
		return a.Axis, nil
	}
	if a.ends[last] >= n {
		return a.Axis, nil
	}
	length := a.Runs[last].Length
	more, err := steps(n-a.ends[last], length)
	if err != nil {
		return Axis{}, err
	}
	runs := append([]Run{}, a.Runs...)
	switch {
	case runs[last].Count > 0:
		runs[last].Count += more
	case more == 1:
		runs = append(runs, Run{Length: length})
	default:
		runs = append(runs, Run{Length: length, Count: more})
	}
	return Axis{Runs: runs}, nil
}

// parseRectilinear reads the configuration of "rectilinear".
func parseRectilinear(config json.RawMessage, shape []int) (Grid, error) {
	members, err := members(config)
	if err != nil {
		return nil, err
	}
	var kind string
	var axes []Axis
	for _, m := range members {
		switch m.Name {
		case "kind":
			if kind, err = strictjson.String(m.Raw); err == nil && kind != "inline" {
				err = fmt.Errorf("%s, only \"inline\" is known", strictjson.Excerpt(m.Raw))
			}
		case "chunk_shapes":
			axes, err = parseAxes(m.Raw, len(shape))
		default:
			err = errUnknownMember
		}
		if err != nil {
			return nil, strictjson.AtMember(m.Name, err)
		}
	}
	if kind == "" {
		return nil, errors.New(`missing member "kind"`)
	}
	if axes == nil {
		return nil, errors.New(`missing member "chunk_shapes"`)
	}
	return NewRectilinear(shape, axes)
}

func parseAxes(raw json.RawMessage, rank int) ([]Axis, error) {
	axes := []Axis{}
	err := strictjson.Each(raw, func(i int, elem json.RawMessage) error {
		if i >= rank {
			return fmt.Errorf("one more than the %d of the array's shape", rank)
		}
		var a Axis
		var err error
		if elem[0] == '[' {
			a.Runs, err = parseRuns(elem)
		} else {
			a.Step, err = strictjson.Length(elem, 1)
		}
		axes = append(axes, a)
		return err
	})
	return axes, err
}

func parseRuns(raw json.RawMessage) ([]Run, error) {
	runs := []Run{}
	err := strictjson.Each(raw, func(_ int, elem json.RawMessage) error {
		if elem[0] != '[' {
			length, err := strictjson.Length(elem, 1)
			runs = append(runs, Run{Length: length})
			return err
		}
		pair, err := strictjson.Lengths(elem, 1, 2)
		if err != nil {
			return err
		}
		if len(pair) != 2 {
			return errors.New("a run has a length and a count")
		}
		runs = append(runs, Run{pair[0], pair[1]})
		return nil
	})
	return runs, err
}
