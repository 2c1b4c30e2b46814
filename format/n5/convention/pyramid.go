package convention

import (
	"math"
	"slices"
	"strconv"

	"github.com/omnizarr/zarr/format/ngff"
	"github.com/omnizarr/zarr/meta"
)

// dataset is one that was found below a group.
type dataset struct {
	path       string
	number     int // as in its name
	attrs      *meta.Attributes
	dimensions []float64
}

// pyramid is the image of the datasets s0, s1, ... below a prefix. factors are
// the attributes that may list the factors of all levels.
func (f *finder) pyramid(prefix string, group, factors *meta.Attributes) (*ngff.Multiscales, error) {
	list, ok := factorList(factors)
	if !ok {
		return nil, nil
	}
	levels, err := f.datasets(prefix, len(list))
	if err != nil || len(levels) == 0 {
		return nil, err
	}
	if m := cosemLevels(levels); m != nil {
		return m, nil
	}
	axes := axesOf(levels[0].attrs, group, len(levels[0].dimensions))
	all, ok := placeOf(group, axes)
	if !ok {
		return nil, nil
	}
	places := make([]place, len(levels))
	for i, l := range levels {
		p, ok := placeOf(l.attrs, axes)
		if p.factors == nil && list != nil {
			p.factors = fit(list[l.number], axes, 1)
			ok = ok && p.factors != nil && positive(p.factors)
		}
		if !ok {
			return nil, nil
		}
		if p.scale == nil {
			p.scale, p.shift = all.scale, all.shift
		}
		places[i] = p
	}
	if !setUnits(axes, all, places) {
		return nil, nil
	}
	base := places[0].resolution
	if base == nil {
		base = all.resolution
	}
	if base == nil {
		base = slices.Repeat([]float64{1}, len(axes))
	}
	m := &ngff.Multiscales{Axes: axes}
	for i, l := range levels {
		m.Levels = append(m.Levels, places[i].level(l, levels[0].dimensions, base, all.offset))
	}
	convert(m)
	if checkAnyOrder(m) != nil {
		return nil, nil
	}
	return m, nil
}

// factorList reads the factors of all levels, nil if there is no list of them; ok
// is false if it makes no sense.
func factorList(attrs *meta.Attributes) (list [][]float64, ok bool) {
	for _, name := range []string{"scales", "downsamplingFactors"} {
		if raw := attrs.Raw(name); isList(raw) {
			list = vectors(raw)
			return list, list != nil
		}
	}
	return nil, true
}

// datasets finds those of one rank that are called s0, s1, ... below a prefix: as
// many as are known to be, some of which may be missing, or all up to the first
// that is missing.
func (f *finder) datasets(prefix string, known int) ([]dataset, error) {
	n := maxLevels
	if known > 0 {
		n = min(n, known)
	}
	var list []dataset
	for i := range n {
		d := dataset{path: prefix + "s" + strconv.Itoa(i), number: i}
		var err error
		if d.attrs, err = f.node(d.path); err != nil {
			return nil, err
		}
		d.dimensions = dimensions(d.attrs)
		switch {
		case d.dimensions != nil && (len(list) == 0 || len(d.dimensions) == len(list[0].dimensions)):
			list = append(list, d)
		case known == 0:
			return list, nil
		}
	}
	return list, nil
}

// dimensions are those of a dataset that can be an image, else nil.
func dimensions(attrs *meta.Attributes) []float64 {
	if v := vector(attrs.Raw("dimensions"), maxAxes); len(v) >= 2 {
		return v
	}
	return nil
}

// setUnits gives axes the units of the finest level or of the group; false if
// another level has others.
func setUnits(axes []ngff.Axis, group place, levels []place) bool {
	units := levels[0].units
	if units == nil {
		units = group.units
	}
	for i, unit := range units {
		if unit == "" {
			continue // an axis may say its own
		}
		for _, p := range levels[1:] {
			if p.units != nil && p.units[i] != "" && p.units[i] != unit {
				return false
			}
		}
		axes[i].Unit = unit
	}
	return true
}

// level is where the elements of a dataset are. base is the resolution of the
// finest level, first what its dimensions are, origin where it begins.
func (p place) level(d dataset, first, base, origin []float64) ngff.Level {
	resolution, factors := p.resolution, p.factors
	if resolution == nil {
		resolution = base
	}
	scale, step := slices.Clone(resolution), base // of this level and before averaging
	switch own := !allNear(resolution, base); {
	case factors == nil && own:
		factors = make([]float64, len(base))
		for i := range base {
			factors[i] = max(1, ratio(resolution[i], base[i]))
		}
	case factors == nil:
		factors = halved(d, first)
		scale = product(base, factors)
	case !own || !allNear(resolution, product(base, factors)):
		scale, step = product(resolution, factors), resolution
	}
	translation := make([]float64, len(scale))
	for i := range translation {
		translation[i] = (factors[i] - 1) / 2 * step[i]
		if origin != nil {
			translation[i] += origin[i]
		}
		if p.offset != nil {
			translation[i] = p.offset[i]
		}
		if p.scale != nil {
			scale[i] *= p.scale[i]
			translation[i] = translation[i]*p.scale[i] + p.shift[i]
		}
	}
	l := ngff.Level{Path: d.path, Scale: scale}
	if nonzero(translation) {
		l.Translation = translation
	}
	return l
}

// halved are the factors of a level that says nothing: 2 to the power of its
// number, but for dimensions that are as long as in the finest level.
func halved(d dataset, first []float64) []float64 {
	factors := slices.Repeat([]float64{1}, len(first))
	for i := range factors {
		if d.dimensions[i] != first[i] {
			factors[i] = math.Ldexp(1, d.number)
		}
	}
	return factors
}

func product(a, b []float64) []float64 {
	out := make([]float64, len(a))
	for i := range out {
		out[i] = a[i] * b[i]
	}
	return out
}
