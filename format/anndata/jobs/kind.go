// Package jobs tells what tables of AnnData and hierarchies of SpatialData hold.
package jobs

import (
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/convention"
	"github.com/omnizarr/zarr/format/anndata"
	"github.com/omnizarr/zarr/internal/words"
)

// Kind is what programs can do with AnnData and SpatialData.
type Kind struct{}

// Name is that of the convention.
func (Kind) Name() string { return "anndata" }

// About tells of a group that is one of the two.
func (Kind) About(ctx context.Context, n zarr.Node) *convention.About {
	g, ok := n.(*zarr.Group)
	if !ok {
		return nil
	}
	var encoding string
	_, err := g.Attributes().Get("encoding-type", &encoding)
	switch {
	case err == nil && encoding == "anndata":
		return annotated(ctx, g)
	case g.Attributes().Raw("spatialdata_attrs") != nil || g.Attributes().Raw("spatialdata_software_version") != nil:
		return spatial(ctx, g)
	}
	return nil
}

// annotated tells of a table: how many observations and variables, and what is known
// of them.
func annotated(ctx context.Context, g *zarr.Group) *convention.About {
	about := &convention.About{}
	obs, _ := frameRows(ctx, g, "obs")
	vars, _ := frameRows(ctx, g, "var")
	add(about, "AnnData", fmt.Sprintf("%d observations × %d variables", obs, vars))
	if text := matrix(ctx, g, "X"); text != "" {
		add(about, "X", text)
	}
	for _, name := range []string{"obs", "var"} {
		if f, err := g.Group(ctx, name); err == nil {
			var columns []string
			if _, err := f.Attributes().Get("column-order", &columns); err == nil && len(columns) > 0 {
				add(about, name, words.Cut(strings.Join(columns, ", "), 200))
			}
		}
	}
	for _, name := range []string{"layers", "obsm", "varm", "obsp", "varp", "uns"} {
		if held := members(ctx, g, name); len(held) > 0 {
			add(about, name, words.Cut(strings.Join(held, ", "), 200))
		}
	}
	if raw, err := g.Group(ctx, "raw"); err == nil {
		if text := matrix(ctx, raw, "X"); text != "" {
			add(about, "raw", text)
		}
	}
	return about
}

// elements are the groups that a hierarchy of SpatialData has, and what one of the
// nodes in them, and several, are called.
var elements = []struct{ name, one, many string }{
	{"images", "1 image", "%d images"},
	{"labels", "1 image of labels", "%d images of labels"},
	{"points", "1 set of points", "%d sets of points"},
	{"shapes", "1 set of shapes", "%d sets of shapes"},
	{"tables", "1 table", "%d tables"},
}

// spatial tells which elements a hierarchy has. The elements have the same attributes,
// but none of those groups: an image is told of by those who know images.
func spatial(ctx context.Context, g *zarr.Group) *convention.About {
	about := &convention.About{}
	add(about, "SpatialData", "")
	var kinds []string
	for _, e := range elements {
		held := members(ctx, g, e.name)
		switch len(held) {
		case 0:
			continue
		case 1:
			kinds = append(kinds, e.one)
		default:
			kinds = append(kinds, fmt.Sprintf(e.many, len(held)))
		}
		add(about, e.name, words.Cut(strings.Join(held, ", "), 200))
	}
	if kinds == nil {
		return nil
	}
	about.Lines[0].Text = strings.Join(kinds, ", ")
	return about
}

func add(about *convention.About, name, text string) {
	about.Lines = append(about.Lines, convention.Line{Name: name, Text: words.Visible(text)})
}

// mostMembers is how many members of a group are named.
const mostMembers = 100

// members are the names of what lies in a group below.
func members(ctx context.Context, g *zarr.Group, name string) (out []string) {
	sub, err := g.Group(ctx, name)
	if err != nil {
		return nil
	}
	for n, err := range sub.Children(ctx) {
		if err != nil || len(out) == mostMembers {
			break
		}
		out = append(out, path.Base(n.Path()))
	}
	return out
}

// frameRows is the number of rows of a data frame: that of its index.
func frameRows(ctx context.Context, g *zarr.Group, name string) (int, error) {
	f, err := g.Group(ctx, name)
	if err != nil {
		return 0, err
	}
	frame, _ := anndata.Of(f)
	return frame.Len(ctx)
}

// matrix tells of a matrix, which may be stored by its values that are not zero.
func matrix(ctx context.Context, g *zarr.Group, name string) string {
	n, err := g.Open(ctx, name)
	if err != nil {
		return ""
	}
	if a, ok := n.(*zarr.Array); ok {
		return words.Times(a.Shape()) + " " + a.DataType().Name()
	}
	var encoding string
	var shape []int
	if _, err := n.Attributes().Get("encoding-type", &encoding); err != nil {
		return ""
	}
	if _, err := n.Attributes().Get("shape", &shape); err != nil {
		return ""
	}
	text := fmt.Sprintf("%s, %s", words.Times(shape), strings.ReplaceAll(encoding, "_", " "))
	if data, err := n.(*zarr.Group).Array(ctx, "data"); err == nil && len(data.Shape()) == 1 {
		text += fmt.Sprintf(" of %d values, %s", data.Shape()[0], data.DataType().Name())
	}
	return text
}
