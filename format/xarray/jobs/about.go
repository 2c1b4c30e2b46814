package jobs

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/convention"
	"github.com/omnizarr/zarr/coordinates"
	"github.com/omnizarr/zarr/internal/words"
)

// mostTold is how many arrays of a group are looked at.
const mostTold = 200

// About tells of a dataset: its coordinates with their ranges, and its variables. A
// group is one if it holds an array that is called as its only axis.
func (Kind) About(ctx context.Context, node zarr.Node) *convention.About {
	g, ok := node.(*zarr.Group)
	if !ok {
		return nil
	}
	coords, vars := convention.List{Title: "coordinates"}, convention.List{Title: "variables"}
	n := 0
	for child, err := range g.Children(ctx) {
		if n++; err != nil || n > mostTold {
			break
		}
		a, ok := child.(*zarr.Array)
		if !ok {
			continue
		}
		name := a.Path()[strings.LastIndexByte(a.Path(), '/')+1:]
		dims := a.DimensionNames()
		if len(dims) == 1 && dims[0] == name {
			row := [3]string{name, fmt.Sprint(a.Shape()[0]), ""}
			told, err := coordinates.Describe(ctx, a)
			if i := slices.IndexFunc(told, func(s coordinates.Summary) bool { return s.Name == name }); err == nil && i >= 0 {
				row[2] = words.Visible(told[i].String())
			}
			coords.Rows = append(coords.Rows, row)
			continue
		}
		if slices.Contains(dims, "") {
			continue
		}
		vars.Rows = append(vars.Rows, [3]string{name, variableShape(a, dims), a.DataType().Name() + longName(a)})
	}
	if coords.Rows == nil {
		return nil
	}
	about := &convention.About{Lists: []convention.List{coords}}
	if vars.Rows != nil {
		about.Lists = append(about.Lists, vars)
	}
	return about
}

// variableShape is a shape with names.
func variableShape(a *zarr.Array, dims []string) string {
	parts := make([]string, len(dims))
	for i, n := range a.Shape()[:len(dims)] {
		parts[i] = fmt.Sprintf("%s %d", words.Visible(dims[i]), n)
	}
	return strings.Join(parts, " × ")
}

// longName is what a variable says it is, in which unit.
func longName(a *zarr.Array) (text string) {
	for _, name := range []string{"long_name", "units"} {
		var value string
		if _, err := a.Attributes().Get(name, &value); err == nil && value != "" {
			text += ", " + words.Cut(words.Visible(value), 60)
		}
	}
	return text
}
