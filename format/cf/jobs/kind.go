// Package jobs holds the rules of CF, the conventions of climate and forecast data, for
// the attributes of arrays and for what they name.
package jobs

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/cf"
	"github.com/omnizarr/zarr/internal/numeric"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/job/check"
	"github.com/omnizarr/zarr/meta"
)

// Kind is what programs can do with what CF says of arrays.
type Kind struct{}

// Name is that of the convention.
func (Kind) Name() string { return "cf" }

// Rules are those for attributes, for what they name, and for coordinates. They are
// warnings: CF binds only files that follow it, and few say whether they do.
func (Kind) Rules() check.Rules {
	return check.Rules{Meaning: func(ctx context.Context, n zarr.Node, found *check.Findings) {
		switch n := n.(type) {
		case *zarr.Array:
			attributes(n.Metadata().Attributes, func(text string) { found.Warn("", rule, text) })
		case *zarr.Group:
			group(ctx, n, found)
		}
	}}
}

const rule = "cf"

// attributes checks those of an array by themselves.
func attributes(attrs *meta.Attributes, tell func(string)) {
	for _, name := range []string{"scale_factor", "add_offset"} {
		if raw := attrs.Raw(name); raw != nil && !strictjson.IsNumber(raw) {
			tell(fmt.Sprintf("attribute %s is %s, must be a number", name, shown(raw)))
		}
	}
	units, err := strictjson.String(attrs.Raw("units"))
	if err != nil {
		if raw := attrs.Raw("units"); raw != nil {
			tell(fmt.Sprintf("attribute units is %s, must be text", shown(raw)))
		}
		return
	}
	if !strings.Contains(strings.ToLower(units), " since ") {
		return
	}
	name, _ := strictjson.String(attrs.Raw("calendar")) // without one it is the usual
	calendar, err := cf.ParseCalendar(name)
	if err != nil {
		tell(fmt.Sprintf("attribute calendar: %v", err))
		return
	}
	if _, err := cf.ParseUnits(units, calendar); err != nil {
		tell(fmt.Sprintf("attribute units: %v", err))
	}
}

func shown(raw []byte) string { return strictjson.Quote(string(raw)) }

// group checks what the arrays of a group say of each other.
func group(ctx context.Context, g *zarr.Group, found *check.Findings) {
	arrays := map[string]*zarr.Array{}
	var names []string
	for n, err := range g.Children(ctx) {
		if a, ok := n.(*zarr.Array); ok && err == nil {
			name := a.Path()[strings.LastIndexByte(a.Path(), '/')+1:]
			arrays[name] = a
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		a := arrays[name]
		m := a.Metadata()
		if len(m.DimensionNames) == 0 {
			continue // CF is about arrays whose axes have names
		}
		tell := func(text string) { found.Warn(name, rule, text) }
		named(ctx, g, arrays, m, tell)
		lengths(arrays, name, m, tell)
		if isCoordinate(name, m) {
			monotonic(ctx, a, tell)
		}
	}
}

// namers are the attributes that name other arrays.
var namers = []string{"coordinates", "bounds", "climatology", "grid_mapping", "ancillary_variables"}

// named checks that what attributes name is there, in the group or in one above it.
func named(ctx context.Context, g *zarr.Group, arrays map[string]*zarr.Array, m *meta.Array, tell func(string)) {
	for _, attr := range namers {
		text, err := strictjson.String(m.Attributes.Raw(attr))
		if err != nil {
			continue
		}
		names := strings.Fields(text)
		if strings.Contains(text, ":") { // grid_mapping in its long form: "crs: x y"
			names = slices.DeleteFunc(names, func(s string) bool { return !strings.HasSuffix(s, ":") })
		}
		for _, name := range names {
			name = strings.TrimSuffix(name, ":")
			other, ok := arrays[name]
			if !ok && !isAbove(ctx, g, name) {
				tell(fmt.Sprintf("attribute %s names %s, which is not there", attr, strictjson.Quote(name)))
				continue
			}
			if attr != "bounds" || other == nil {
				continue
			}
			if shape := other.Shape(); len(shape) != len(m.Shape)+1 || !slices.Equal(shape[:len(m.Shape)], m.Shape) {
				tell(fmt.Sprintf("attribute bounds names %s of shape %v, must be %v and the number of corners", strictjson.Quote(name), shape, m.Shape))
			}
		}
	}
}

// isAbove reports whether there is an array of a name, which may be a path, in a group
// above.
func isAbove(ctx context.Context, g *zarr.Group, name string) bool {
	for {
		if _, err := g.Array(ctx, strings.Trim(name, "/")); err == nil {
			return true
		}
		up, err := g.Parent(ctx)
		if err != nil {
			return false
		}
		g = up
	}
}

func isCoordinate(name string, m *meta.Array) bool {
	return len(m.Shape) == 1 && len(m.DimensionNames) == 1 && m.DimensionNames[0] != nil && *m.DimensionNames[0] == name
}

// lengths checks that axes are as long as their coordinates.
func lengths(arrays map[string]*zarr.Array, name string, m *meta.Array, tell func(string)) {
	for i, dim := range m.DimensionNames {
		if dim == nil || i >= len(m.Shape) || *dim == name {
			continue
		}
		c := arrays[*dim]
		if c == nil || !isCoordinate(*dim, c.Metadata()) || c.Shape()[0] == m.Shape[i] {
			continue
		}
		tell(fmt.Sprintf("axis %s has %d positions, its coordinate %d", strictjson.Quote(*dim), m.Shape[i], c.Shape()[0]))
	}
}

// mostCoordinates is how many coordinates are read.
const mostCoordinates = 1 << 20

// monotonic checks that coordinates only grow, or only shrink.
func monotonic(ctx context.Context, a *zarr.Array, tell func(string)) {
	n := a.Shape()[0]
	if n < 2 || n > mostCoordinates || numeric.Named(a.DataType().Name()) == numeric.None {
		return
	}
	values, err := zarr.ReadAs[float64](ctx, a, zarr.All())
	if err != nil {
		return // verify tells
	}
	grows := values.Data[1] > values.Data[0]
	for i, v := range values.Data[1:] {
		before := values.Data[i]
		if math.IsNaN(v) || math.IsNaN(before) || grows != (v > before) || v == before {
			tell(fmt.Sprintf("the coordinate is not monotonic: %v at %d, %v at %d", before, i, v, i+1))
			return
		}
	}
}
