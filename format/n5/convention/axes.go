package convention

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/omnizarr/zarr/format/ngff"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/meta"
)

// maxAxes is how many dimensions an image of OME-NGFF has at most.
const maxAxes = 5

// parseAxes reads a list of as many axes as there are dimensions, names or
// objects; nil if it is something else. Units are as they are written.
func parseAxes(raw json.RawMessage, rank int) []ngff.Axis {
	if raw == nil || rank <= 0 {
		return nil
	}
	var axes []ngff.Axis
	err := strictjson.Each(raw, func(i int, elem json.RawMessage) error {
		a, ok := parseAxis(elem)
		if i == rank || !ok {
			return errMalformed
		}
		axes = append(axes, a)
		return nil
	})
	if err != nil || len(axes) != rank {
		return nil
	}
	return axes
}

func parseAxis(raw json.RawMessage) (a ngff.Axis, ok bool) {
	if name, err := strictjson.String(raw); err == nil {
		return ngff.Axis{Name: name, Type: ngff.AxisType(name)}, true
	}
	members, err := strictjson.Split(raw)
	if err != nil {
		return a, false
	}
	said := map[string]string{}
	for _, m := range members {
		said[m.Name] = text(m.Raw)
	}
	a = ngff.Axis{Name: said["name"], Type: said["type"], Unit: said["unit"]}
	if a.Name == "" {
		a.Name = said["label"]
	}
	if a.Type == "" || a.Type == "unknown" {
		a.Type = ngff.AxisType(a.Name)
	}
	return a, a.Name != ""
}

// axesOf are the axes of the levels of a group: what the finest says, what the
// group says, or the usual ones.
func axesOf(level, group *meta.Attributes, rank int) []ngff.Axis {
	for _, attrs := range []*meta.Attributes{level, group} {
		axes := parseAxes(attrs.Raw("axes"), rank)
		if axes != nil && !slices.ContainsFunc(axes, func(a ngff.Axis) bool { return a.Name == "" }) {
			return axes
		}
	}
	names := "xyzct"[:min(rank, maxAxes)]
	if rank == 4 {
		names = "xyzt"
	}
	var axes []ngff.Axis
	for _, name := range strings.Split(names, "") {
		axes = append(axes, ngff.Axis{Name: name, Type: ngff.AxisType(name)})
	}
	return axes
}

// xPlace says where x is among the names of axes: 1 if it is before y or z, as in
// N5, -1 if it is behind them, 0 if they do not tell.
func xPlace(axes []ngff.Axis) int {
	at := func(name string) int {
		return slices.IndexFunc(axes, func(a ngff.Axis) bool { return strings.EqualFold(a.Name, name) })
	}
	x, other := at("x"), at("y")
	if other < 0 {
		other = at("z")
	}
	switch {
	case x < 0 || other < 0:
		return 0
	case x < other:
		return 1
	}
	return -1
}

// fit gives every axis its value: there is one for each, or three for x, y and z,
// as programs that know nothing else write them. Others have rest. nil if the
// values do not fit.
func fit[T any](v []T, axes []ngff.Axis, rest T) []T {
	if len(v) == len(axes) {
		return v
	}
	if len(v) != 3 {
		return nil
	}
	out := slices.Repeat([]T{rest}, len(axes))
	for k, i := range spatial(axes) {
		if k < 3 {
			out[i] = v[k]
		}
	}
	return out
}

// spatial lists which of the axes are space.
func spatial(axes []ngff.Axis) []int {
	var list []int
	for i, a := range axes {
		if a.Type == "space" {
			list = append(list, i)
		}
	}
	return list
}

// unitsOf are the units of axes, as attributes spell them; nil if they have none.
// One unit is that of space.
func unitsOf(attrs *meta.Attributes, axes []ngff.Axis) []string {
	if units := fit(texts(attrs.Raw("units")), axes, ""); units != nil {
		return units
	}
	for _, raw := range []json.RawMessage{member(attrs.Raw("pixelResolution"), "unit"), attrs.Raw("units"), attrs.Raw("unit")} {
		if unit := text(raw); unit != "" {
			return ofSpace(unit, axes)
		}
	}
	return nil
}

// ofSpace are the units of axes if there is one for space.
func ofSpace(unit string, axes []ngff.Axis) []string {
	units := make([]string, len(axes))
	for _, i := range spatial(axes) {
		units[i] = unit
	}
	return units
}

// convert turns the units of an image's axes, as they were written, into those of
// OME-NGFF, and its levels with them. What is no length or time, such as pixels,
// becomes none.
func convert(m *ngff.Multiscales) {
	for i := range m.Axes {
		factor, unit, ok := ngff.ToUnit(1, m.Axes[i].Unit)
		if m.Axes[i].Unit = unit; !ok || factor == 1 {
			continue
		}
		for _, l := range m.Levels {
			l.Scale[i] *= factor
			if l.Translation != nil {
				l.Translation[i] *= factor
			}
		}
	}
}
