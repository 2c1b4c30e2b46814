package hdmf

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/strictjson"
)

// Region is a part of a dataset: along every axis a range or a list of positions,
// or single points. Axes that it does not have are whole.
type Region struct {
	Axes   []RegionAxis
	Points [][]int // an index each; Axes is nil then
}

// RegionAxis is what a region has along an axis.
type RegionAxis struct {
	Start, Stop, Step int   // a step of 0 is one of 1
	Indices           []int // nil for a range
}

// ErrRegion says that a region does not fit the dataset that it is of.
var ErrRegion = errors.New("region does not fit its dataset")

// maxRegion bounds the numbers of a region.
const maxRegion = 16 << 20

// parseRegion reads a list of {"start","stop","step"} or {"indices"}, or
// {"points"}.
func parseRegion(raw json.RawMessage) (*Region, error) {
	r := &Region{}
	if len(raw) > 0 && raw[0] == '{' {
		members, err := strictjson.Split(raw)
		if err != nil {
			return nil, err
		}
		points := member(members, "points")
		if points == nil || len(members) != 1 {
			return nil, errors.New(`must be a list of axes, or have "points"`)
		}
		r.Points = [][]int{}
		err = strictjson.Each(points, func(i int, elem json.RawMessage) error {
			p, err := strictjson.Lengths(elem, 0, 64)
			if err == nil && i == maxRegion {
				err = fmt.Errorf("more than %d points", maxRegion)
			}
			if err == nil && i > 0 && len(p) != len(r.Points[0]) {
				err = fmt.Errorf("%d numbers, others have %d", len(p), len(r.Points[0]))
			}
			r.Points = append(r.Points, p)
			return strictjson.AtIndex(i, err)
		})
		return r, strictjson.At("points", err)
	}
	err := strictjson.Each(raw, func(i int, elem json.RawMessage) error {
		if i == 64 {
			return errors.New("more than 64 axes")
		}
		a, err := parseRegionAxis(elem)
		r.Axes = append(r.Axes, a)
		return strictjson.AtIndex(i, err)
	})
	return r, err
}

func parseRegionAxis(raw json.RawMessage) (RegionAxis, error) {
	a := RegionAxis{Step: 1}
	members, err := strictjson.Split(raw)
	if err != nil {
		return a, err
	}
	if list := member(members, "indices"); list != nil {
		if len(members) != 1 {
			return a, errors.New("has indices and more")
		}
		a.Indices, err = strictjson.Lengths(list, 0, maxRegion)
		return a, strictjson.At("indices", err)
	}
	known := 0
	for name, to := range map[string]*int{"start": &a.Start, "stop": &a.Stop, "step": &a.Step} {
		v := member(members, name)
		if v == nil && name != "step" {
			return a, fmt.Errorf("lacks %q", name)
		}
		if v == nil {
			continue
		}
		known++
		least := 0
		if name == "step" {
			least = 1
		}
		if *to, err = strictjson.Length(v, least); err != nil {
			return a, strictjson.At(name, err)
		}
	}
	if len(members) > known {
		return a, errors.New("has members besides start, stop and step")
	}
	if a.Stop < a.Start {
		return a, fmt.Errorf("stops at %d before it starts at %d", a.Stop, a.Start)
	}
	return a, nil
}

// check tells of what no region of any dataset can have.
func (r *Region) check() error {
	for i, p := range r.Points {
		if slices.ContainsFunc(p, func(n int) bool { return n < 0 }) || len(p) != len(r.Points[0]) || len(r.Axes) > 0 {
			return fmt.Errorf("region: point %d is %v: points have a number from 0 on for each axis, and no region has points and axes", i, p)
		}
	}
	for i, a := range r.Axes {
		switch {
		case a.Indices != nil && slices.ContainsFunc(a.Indices, func(n int) bool { return n < 0 }):
			return fmt.Errorf("region: axis %d has negative positions, which count from nowhere", i)
		case a.Indices == nil && (a.Start < 0 || a.Stop < a.Start || a.Step < 0):
			return fmt.Errorf("region: axis %d from %d to %d in steps of %d: it must start at 0 or behind it, stop where it starts or behind that, and go forward", i, a.Start, a.Stop, a.Step)
		}
	}
	return nil
}

// MarshalJSON gives the region in the form in which it is stored. One that no dataset
// has, such as from -1 on, is an error.
func (r *Region) MarshalJSON() ([]byte, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	if r.Points != nil {
		return json.Marshal(map[string][][]int{"points": r.Points})
	}
	out := []byte{'['}
	for i, a := range r.Axes {
		if i > 0 {
			out = append(out, ',')
		}
		switch {
		case a.Indices != nil:
			out = append(append(append(out, `{"indices":`...), strictjson.AppendInts(nil, a.Indices)...), '}')
		case a.Step > 1:
			out = fmt.Appendf(out, `{"start":%d,"stop":%d,"step":%d}`, a.Start, a.Stop, a.Step)
		default:
			out = fmt.Appendf(out, `{"start":%d,"stop":%d}`, a.Start, a.Stop)
		}
	}
	return append(out, ']'), nil
}

// String is the region as Python would write it.
func (r *Region) String() string {
	if r.Points != nil {
		return fmt.Sprintf("[%d points]", len(r.Points))
	}
	var parts []string
	for _, a := range r.Axes {
		switch {
		case len(a.Indices) > 8:
			parts = append(parts, fmt.Sprintf("[%d positions]", len(a.Indices)))
		case a.Indices != nil:
			parts = append(parts, string(strictjson.AppendInts(nil, a.Indices)))
		case a.Step > 1:
			parts = append(parts, fmt.Sprintf("%d:%d:%d", a.Start, a.Stop, a.Step))
		default:
			parts = append(parts, fmt.Sprintf("%d:%d", a.Start, a.Stop))
		}
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// Selection is the region as the engine selects it in a dataset of a shape.
func (r *Region) Selection(shape []int) (zarr.Selection, error) {
	bad := func(format string, args ...any) (zarr.Selection, error) {
		return nil, fmt.Errorf("%w of shape %v: %s", ErrRegion, shape, fmt.Sprintf(format, args...))
	}
	if r.Points != nil {
		coords := make([][]int, len(shape))
		for i, p := range r.Points {
			if len(p) != len(shape) {
				return bad("point %d has %d numbers", i, len(p))
			}
			for k, n := range p {
				if n < 0 || n >= shape[k] {
					return bad("point %d is %v", i, p)
				}
				coords[k] = append(coords[k], n)
			}
		}
		return zarr.Points(coords...), nil
	}
	if len(r.Axes) > len(shape) {
		return bad("it has %d axes", len(r.Axes))
	}
	var axes []zarr.Axis
	for k, a := range r.Axes {
		if a.Indices == nil {
			if a.Stop > shape[k] || a.Start > a.Stop || a.Start < 0 || a.Step < 0 {
				return bad("axis %d from %d to %d", k, a.Start, a.Stop)
			}
			axes = append(axes, zarr.Step(a.Start, a.Stop, max(a.Step, 1)))
			continue
		}
		for _, n := range a.Indices {
			if n < 0 || n >= shape[k] {
				return bad("axis %d at %d", k, n)
			}
		}
		axes = append(axes, zarr.List(a.Indices...))
	}
	return zarr.Select(append(axes, zarr.Ellipsis())...), nil
}

// Select reads what a region reference which this file holds points at, all of the
// dataset if it has no region.
func (f *File) Select(ctx context.Context, r Reference) (*Values, error) {
	o, err := f.Resolve(ctx, r)
	if err != nil {
		return nil, err
	}
	d, ok := o.(*Dataset)
	if !ok {
		return nil, f.failed("resolve", r.Path, errors.New("a region is part of a dataset, this is a group"))
	}
	sel := zarr.All()
	if r.Region != nil {
		if sel, err = r.Region.Selection(d.array.Shape()); err != nil {
			return nil, f.failed("resolve", r.Path, err)
		}
	}
	return d.Read(ctx, sel)
}
