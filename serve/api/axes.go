package api

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/omnizarr/zarr/coordinates"
	"github.com/omnizarr/zarr/format/cf"
	"github.com/omnizarr/zarr/format/ngff"
	"github.com/omnizarr/zarr/serve/levels"
)

// Axis is what the indices along an axis mean.
type Axis struct {
	Name string `json:"name"`
	Size int    `json:"size"`
	Type string `json:"type"`           // space, time, channel or ""
	Unit string `json:"unit,omitempty"` // such as µm
	// Scale and Offset say where an index lies: offset + index * scale.
	Scale  float64 `json:"scale"`
	Offset float64 `json:"offset"`
	// Coordinates are there where indices are not evenly spaced, and are not too many:
	// numbers, names, or dates.
	Coordinates []any  `json:"coordinates,omitempty"`
	Calendar    string `json:"calendar,omitempty"` // of dates
}

// mostCoordinates is how many coordinates are told.
const mostCoordinates = 4096

// axes tells what the axes of an image mean: what its metadata says, and the coordinates
// that there are besides.
func (s *server) axes(ctx context.Context, img *levels.Image) ([]Axis, error) {
	a := img.Levels[0].Array
	shape := a.Shape()
	out := make([]Axis, len(shape))
	for i, x := range img.Axes {
		out[i] = Axis{Name: x.Name, Size: shape[i], Type: x.Type, Unit: symbol(x.Unit), Scale: x.Scale, Offset: x.Offset}
		if out[i].Name == "" {
			out[i].Name = img.AxisName(i)
		}
		if out[i].Scale == 0 {
			out[i].Scale = 1
		}
		if out[i].Type != "space" && out[i].Type != "time" && out[i].Type != "channel" {
			out[i].Type = ""
		}
	}
	known, err := coordinates.Of(ctx, a, coordinates.Also(s.kinds.Coordinates()...))
	if err != nil {
		return nil, err
	}
	done := make([]bool, len(out))
	for _, c := range known {
		// The coordinates that are called as their axis go before others.
		if c.Line == nil || c.Line.Len == 0 || done[c.Dim] && c.Name != img.Axes[c.Dim].Name {
			continue
		}
		if err := out[c.Dim].place(ctx, c); err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			continue // an image can be seen without
		}
		done[c.Dim] = true
	}
	return out, nil
}

// place says where the indices of an axis lie by its coordinates.
func (x *Axis) place(ctx context.Context, c coordinates.Axis) error {
	if unit := symbol(c.Unit); unit != "" && !strings.HasPrefix(c.Unit, "EPSG:") {
		x.Unit = unit
	}
	l := c.Line
	if l.Numbers == nil && l.Len > mostCoordinates {
		return nil
	}
	switch {
	case l.Times != nil:
		list, err := l.Times(ctx, 0, l.Len)
		if err != nil {
			return err
		}
		x.Type, x.Calendar, x.Scale, x.Offset, x.Unit = "time", l.Calendar.String(), 1, 0, ""
		x.Coordinates = make([]any, len(list))
		for i, t := range list {
			if x.Coordinates[i] = nil; !t.IsNaT() {
				x.Coordinates[i] = string(t.Append(nil, cf.Day))
			}
		}
		return nil
	case l.Texts != nil:
		list, err := l.Texts(ctx, 0, l.Len)
		if err != nil {
			return err
		}
		x.Coordinates = make([]any, len(list))
		for i, text := range list {
			x.Coordinates[i] = text
		}
		return nil
	}
	if first, step, ok := even(ctx, c); ok {
		x.Offset, x.Scale = first, step
		return nil
	}
	if l.Len > mostCoordinates {
		return nil
	}
	list, err := l.Numbers(ctx, 0, l.Len)
	if err != nil {
		return err
	}
	x.Scale, x.Offset = 1, 0
	x.Coordinates = make([]any, len(list))
	for i, v := range list {
		x.Coordinates[i] = Number(v)
	}
	return nil
}

// even gives the first and the distance of coordinates that are evenly spaced.
func even(ctx context.Context, c coordinates.Axis) (first, step float64, ok bool) {
	s, err := c.Summary(ctx)
	if err != nil || json.Unmarshal(s.First, &first) != nil {
		return 0, 0, false
	}
	if c.Line.Len == 1 {
		return first, 1, true
	}
	return first, step, json.Unmarshal(s.Step, &step) == nil && step != 0
}

// symbol is how a unit is shown to people.
func symbol(unit string) string {
	switch strings.ToLower(unit) {
	case "degrees_north", "degree_north", "degree_n", "degrees_n", "degrees_east", "degree_east", "degree_e", "degrees_e", "degree", "degrees":
		return "°"
	}
	if _, name, ok := ngff.ToUnit(1, unit); ok {
		if symbol, ok := ngff.Symbol(name); ok && factor(unit) == 1 {
			return symbol
		}
	}
	return unit
}

// factor is how many of the unit that it is shown in a unit is.
func factor(unit string) float64 {
	f, _, _ := ngff.ToUnit(1, unit)
	return f
}
