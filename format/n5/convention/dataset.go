package convention

import (
	"slices"

	"github.com/omnizarr/zarr/format/ngff"
	"github.com/omnizarr/zarr/meta"
)

// Dataset is what the attributes of a dataset alone say of where its elements are: an
// image of one level without a path, in N5's order, whose axes may be any. nil if they
// say nothing of it, or what makes no sense.
func Dataset(attrs *meta.Attributes, rank int) *ngff.Multiscales {
	if t := parseTransform(attrs.Raw("transform")); t != nil && len(t.axes) == rank {
		m := &ngff.Multiscales{}
		if !t.add(m, "") {
			return nil
		}
		convert(m)
		return m
	}
	if rank < 1 || rank > maxAxes || !slices.ContainsFunc(PlaceNames, func(name string) bool { return attrs.Raw(name) != nil }) {
		return nil
	}
	axes := axesOf(attrs, nil, rank)
	p, ok := placeOf(attrs, axes)
	if !ok || p.resolution == nil && p.offset == nil && p.scale == nil && p.factors == nil {
		return nil
	}
	for i, unit := range p.units {
		if unit != "" {
			axes[i].Unit = unit
		}
	}
	ones := slices.Repeat([]float64{1}, rank)
	if p.factors == nil {
		p.factors = ones
	}
	base := p.resolution
	if base == nil {
		base = ones
	}
	m := &ngff.Multiscales{Axes: axes, Levels: []ngff.Level{p.level(dataset{}, nil, base, nil)}}
	convert(m)
	return m
}

// PlaceNames are the attributes that say where elements are and how dimensions are
// called, of datasets and of groups.
var PlaceNames = []string{"axes", "units", "unit", "resolution", "pixelResolution", "downsamplingFactors", "offset", "affineTransform", "transform", "scales"}
