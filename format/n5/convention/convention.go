// Package convention reads what imaging programs say about images in the
// attributes of N5, where there is no standard, as names of dimensions and as
// multiscales of OME-NGFF, and writes it for them.
//
// What the attributes of a dataset become:
//
//	axes                     names, and types and units if they are objects {"name" or "label", "type", "unit"}
//	units, unit              units, one per dimension or one for all of space
//	pixelResolution          scale of the finest level and unit: {"unit", "dimensions"} or numbers only
//	resolution               the same without unit, if there is no pixelResolution
//	downsamplingFactors      multiply the scale; a level averaged by f is moved by (f-1)/2 elements of the finest
//	offset                   translation
//	affineTransform          another scale and translation behind these, if it is no more than that
//	transform                names, units, scale and translation at once (COSEM), z first or as its axes and ordering say
//
// And those of a group, in the order in which they are tried:
//
//	ome                      is OME-NGFF already, nothing is added
//	multiscales              levels: OME-NGFF before 0.5, x first or last as its axes say, or COSEM's with a transform each
//	painteraData             levels data/s0, data/s1, ... (Paintera), with the attributes of data
//	scales or a list of downsamplingFactors   levels s0, s1, ... and their factors (n5-viewer, Neuroglancer)
//	of a group timepointN, those of the group above   the same (BigDataViewer)
//	nothing, but s0 is a dataset   levels s0, s1, ... as far as there are datasets (n5-viewer)
//	axes, units, pixelResolution, resolution, offset, affineTransform   for levels that do not say it; offset is that of the finest
//
// Levels of 2 to 5 dimensions without names have x, y, z, then t or c and t, as
// n5-universe has it. A level with a resolution of its own, which some programs
// write beside factors or in place of them, keeps it; one that says nothing is
// taken to be halved as often as its number says along every dimension that is
// shorter than in the finest.
//
// Everything is in N5's order of dimensions, x first. Attributes are hostile:
// what makes no sense is passed over, and there is no image then; nothing but an
// error of reading is an error.
package convention

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/omnizarr/zarr/format/ngff"
	"github.com/omnizarr/zarr/meta"
)

// maxLevels is how many levels of an image are looked for.
const maxLevels = 64

// Names are the names of a dataset's dimensions that its attributes give, nil if
// none. One that is empty has no name. Datasets of two and three dimensions that
// have what only images of space have are x, y and z.
func Names(attrs *meta.Attributes, rank int) []string {
	axes := parseAxes(attrs.Raw("axes"), rank)
	t := parseTransform(attrs.Raw("transform"))
	switch image := attrs.Raw("pixelResolution") != nil || attrs.Raw("downsamplingFactors") != nil; {
	case axes != nil:
	case t != nil && len(t.axes) == rank:
		axes = t.axes
	case image && (rank == 2 || rank == 3):
		axes = axesOf(nil, nil, rank)
	}
	named := false
	names := make([]string, len(axes))
	for i, a := range axes {
		names[i] = a.Name
		named = named || a.Name != ""
	}
	if !named {
		return nil
	}
	return names
}

// Multiscales finds the image that a group is, nil if it is none. group is its
// path and attrs its attributes; read gives the attributes.json of a node by its
// path relative to the group ("s0", ".." for the group above), nil if there is
// none. If nothing hints at an image and there is no "s0", nothing else is read;
// at most 64 levels are looked for, and 130 nodes read.
//
// The image is in N5's order, x first. It passes Check but for the order of axes,
// which OME-NGFF wants by type, time first and space last: an image of x, y and z
// passes as it is, one with c or t behind them only after Reverse, and one with c
// between y and z never. Who writes it must call Check.
func Multiscales(group string, attrs *meta.Attributes, read func(rel string) (*meta.Attributes, error)) (*ngff.Multiscales, error) {
	if attrs.Raw("ome") != nil || attrs.Raw("dimensions") != nil {
		return nil, nil
	}
	f := &finder{nodes: map[string]*meta.Attributes{}, read: read}
	if m, err := f.listed(attrs.Raw("multiscales")); m != nil || err != nil {
		return m, err
	}
	prefix, factors := "", attrs
	switch {
	case attrs.Raw("painteraData") != nil:
		data, err := f.node("data")
		if err != nil {
			return nil, err
		}
		prefix, attrs, factors = "data/", data, data
	case attrs.Raw("dataType") != nil:
		return nil, nil // BigDataViewer's setup, whose images are below it
	case isTimepoint(group) && attrs.Raw("scales") == nil && attrs.Raw("downsamplingFactors") == nil:
		var err error
		if factors, err = f.node(".."); err != nil {
			return nil, err
		}
	}
	return f.pyramid(prefix, attrs, factors)
}

// isTimepoint reports whether a group has a name that BigDataViewer gives.
func isTimepoint(group string) bool {
	number, ok := strings.CutPrefix(path.Base(group), "timepoint")
	_, err := strconv.ParseUint(number, 10, 32)
	return ok && err == nil
}

// Reverse puts the dimensions of an image in the opposite order: from that of N5,
// x first, to that of OME-NGFF, x last, or back.
func Reverse(m *ngff.Multiscales) {
	order := make([]int, len(m.Axes))
	for i := range order {
		order[i] = len(order) - 1 - i
	}
	*m = permuted(m, order)
}

// permuted is a copy of an image whose axis i is axis order[i] of m.
func permuted(m *ngff.Multiscales, order []int) ngff.Multiscales {
	out := ngff.Multiscales{Name: m.Name, Axes: pick(m.Axes, order)}
	for _, l := range m.Levels {
		out.Levels = append(out.Levels, ngff.Level{Path: l.Path, Scale: pick(l.Scale, order), Translation: pick(l.Translation, order)})
	}
	return out
}

// pick permutes a list that has an element for every axis; others, which Check
// refuses, stay as they are.
func pick[T any](list []T, order []int) []T {
	if len(list) != len(order) {
		return slices.Clone(list)
	}
	out := make([]T, len(order))
	for i, k := range order {
		out[i] = list[k]
	}
	return out
}

// checkAnyOrder is Check with the axes in the order that OME-NGFF wants.
func checkAnyOrder(m *ngff.Multiscales) error {
	place := func(i int) int {
		switch m.Axes[i].Type {
		case "time":
			return 0
		case "space":
			return 2
		}
		return 1
	}
	order := make([]int, len(m.Axes))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return place(a) - place(b) })
	sorted := permuted(m, order)
	return sorted.Check()
}

// finder reads nodes below a group, each once.
type finder struct {
	nodes map[string]*meta.Attributes
	read  func(rel string) (*meta.Attributes, error)
}

func (f *finder) node(rel string) (*meta.Attributes, error) {
	if attrs, ok := f.nodes[rel]; ok {
		return attrs, nil
	}
	attrs, err := f.read(rel)
	if err == nil {
		f.nodes[rel] = attrs
	}
	return attrs, err
}
