package api

import (
	"context"
	"slices"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/convention"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/format/ngff"
	"github.com/omnizarr/zarr/kind"
	"github.com/omnizarr/zarr/meta"
)

// Kind is what a node is shown as.
type Kind string

// The kinds of nodes.
const (
	ImageKind  Kind = "image"
	SeriesKind Kind = "series"
	SpikesKind Kind = "spikes"
	TableKind  Kind = "table"
	ArrayKind  Kind = "array"
	GroupKind  Kind = "group"
)

// views are what a node can be shown as, the best first, by what its documents say: no
// elements are read.
func (s *server) views(ctx context.Context, sp *spot) []Kind {
	if c, ok := sp.subject.Object.(convention.Classed); ok {
		switch c.Class(ctx) {
		case convention.SeriesClass:
			return []Kind{SeriesKind, TableKind, GroupKind}
		case convention.SpikesClass:
			return []Kind{SpikesKind, TableKind, GroupKind}
		case convention.TableClass:
			return []Kind{TableKind, GroupKind}
		}
	}
	a, ok := sp.node.(*zarr.Array)
	if ok {
		return arrayViews(a, sp.subject.Object != nil)
	}
	if sp.subject.Object == nil {
		if s.multiscales(sp.node) != nil {
			return []Kind{ImageKind, GroupKind}
		}
		if _, ok := s.kinds.Table(sp.subject); ok {
			return []Kind{TableKind, GroupKind}
		}
	}
	return []Kind{GroupKind}
}

// described are the attributes of a node in the words that all programs have.
func (s *server) described(n zarr.Node) *meta.Attributes {
	for _, k := range kind.All[kind.Describer](s.kinds) {
		if d, ok := k.Describe(n); ok {
			return d.Attributes
		}
	}
	return n.Attributes()
}

// multiscales is the image that a group says it is, nil if it does not.
func (s *server) multiscales(n zarr.Node) *ngff.Multiscales {
	list, err := ngff.Images(s.described(n))
	if err != nil || len(list) == 0 || len(list[0].Levels) == 0 {
		return nil
	}
	return &list[0]
}

// arrayViews are those of an array; inFile says that it belongs to an object that tells
// what it is.
func arrayViews(a *zarr.Array, inFile bool) []Kind {
	shape := a.Shape()
	switch a.DataType().Kind() {
	case dtype.Bool, dtype.Int, dtype.Uint, dtype.Float, dtype.Complex:
	case dtype.Struct:
		if len(shape) == 1 {
			return []Kind{TableKind, ArrayKind}
		}
		return []Kind{ArrayKind}
	default:
		return []Kind{ArrayKind}
	}
	switch {
	case len(shape) == 0 || slices.Contains(shape, 0):
		return []Kind{ArrayKind}
	case len(shape) == 1:
		return []Kind{ArrayKind, SeriesKind}
	case inFile && len(shape) == 2: // samples and channels
		return []Kind{ArrayKind, SeriesKind, ImageKind}
	case looksLikeImage(a):
		if len(shape) == 2 {
			return []Kind{ImageKind, ArrayKind, SeriesKind}
		}
		return []Kind{ImageKind, ArrayKind}
	case len(shape) == 2:
		return []Kind{ArrayKind, SeriesKind, ImageKind}
	}
	return []Kind{ArrayKind, ImageKind}
}

// spaces are names of axes that are looked along.
var spaces = []string{"x", "y", "z", "lat", "lon", "latitude", "longitude", "row", "col", "column", "height", "width", "easting", "northing"}

// leastSide is how many elements the sides of an image have at least that does not name
// its axes, and mostOblong how many times one may be the other: else it is a list of
// vectors, or samples of channels.
const (
	leastSide  = 16
	mostOblong = 256
)

// looksLikeImage reports whether an array of numbers is one of pixels, by the names of
// its axes, or by their lengths if they have none.
func looksLikeImage(a *zarr.Array) bool {
	names, shape := a.DimensionNames(), a.Shape()
	found := 0
	for i, name := range names {
		if slices.Contains(spaces, strings.ToLower(name)) && shape[i] > 1 {
			found++
		}
	}
	if found >= 2 {
		return true
	}
	if slices.ContainsFunc(names, func(name string) bool { return name != "" }) && found == 0 {
		return len(shape) > 2 && fits(shape)
	}
	return fits(shape)
}

// fits reports whether two axes of a shape may be the sides of an image.
func fits(shape []int) bool {
	h, w := shape[len(shape)-2], shape[len(shape)-1]
	if len(shape) > 2 && (w == 3 || w == 4) { // samples of colours
		h, w = shape[len(shape)-3], h
	}
	return min(h, w) >= leastSide && max(h, w) <= mostOblong*min(h, w)
}
