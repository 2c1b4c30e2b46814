package convention

import (
	"fmt"
	"math"
	"slices"

	"github.com/omnizarr/zarr/format/ngff"
	"github.com/omnizarr/zarr/meta"
)

// Attributes gives what programs look for on the dataset of one level of an
// image, whose axes are in the order of the dataset's dimensions:
//
//	axes, units, resolution                names, units and scale of this level (tensorstore)
//	pixelResolution, downsamplingFactors   scale of the finest level and how much coarser this one is (n5-viewer, Neuroglancer)
//	offset                                 the translation, if it is another than that of averaging (Paintera)
//
// A level that is not where averaging puts it is its own finest level for
// n5-viewer, which would move it otherwise. There is no pixelResolution, which
// has one unit only, if the axes of space have several. What has no unit has "",
// since Neuroglancer does not know the "pixel" of n5-viewer. An affineTransform
// is not written, since programs in Java without a reader for it pass over all
// the rest. The names that n5-viewer finds levels by are s0, s1, and so on.
func Attributes(m *ngff.Multiscales, level int) (*meta.Attributes, error) {
	if err := checkAnyOrder(m); err != nil {
		return nil, err
	}
	if level < 0 || level >= len(m.Levels) {
		return nil, fmt.Errorf("level %d of an image that has %d", level, len(m.Levels))
	}
	names, units := make([]string, len(m.Axes)), make([]string, len(m.Axes))
	for i, a := range m.Axes {
		names[i], units[i] = a.Name, symbol(a.Unit)
	}
	l := &m.Levels[level]
	resolution, factors, moved := averaged(&m.Levels[0], l)
	space := spatial(m.Axes)
	unit := units[space[0]]
	several := slices.ContainsFunc(space, func(i int) bool { return units[i] != unit })
	if several {
		resolution, factors, moved = alone(l)
	}
	type pixels struct {
		Unit       string    `json:"unit"`
		Dimensions []float64 `json:"dimensions"`
	}
	attrs := &meta.Attributes{}
	for _, a := range []struct {
		name  string
		value any
		leave bool
	}{
		{"axes", names, false},
		{"units", units, false},
		{"resolution", l.Scale, false},
		{"pixelResolution", pixels{unit, resolution}, several},
		{"downsamplingFactors", factors, false},
		{"offset", translation(l), !moved},
	} {
		if a.leave {
			continue
		}
		if err := attrs.Set(a.name, a.value); err != nil {
			return nil, err
		}
	}
	return attrs, nil
}

// averaged takes the place of a level apart: the resolution of the finest and the
// factors of averaging, and whether there is more to say.
func averaged(finest, l *ngff.Level) (resolution, factors []float64, moved bool) {
	origin, at := translation(finest), translation(l)
	factors = make([]float64, len(l.Scale))
	for i, s := range l.Scale {
		f := ratio(s, finest.Scale[i])
		factors[i] = f
		// A thousandth of an element is nothing anybody sees.
		if want := origin[i] + (f-1)/2*finest.Scale[i]; f <= 0 || math.Abs(want-at[i]) > math.Abs(s)/1000 {
			return alone(l)
		}
	}
	return finest.Scale, factors, nonzero(finest.Translation)
}

// alone is the place of a level that has nothing to do with the finest.
func alone(l *ngff.Level) (resolution, factors []float64, moved bool) {
	return l.Scale, slices.Repeat([]float64{1}, len(l.Scale)), nonzero(l.Translation)
}

func translation(l *ngff.Level) []float64 {
	if l.Translation == nil {
		return make([]float64, len(l.Scale))
	}
	return l.Translation
}

// symbol is how programs for N5 spell a unit, in ASCII where that is usual; one
// that is not known stays as it is.
func symbol(unit string) string {
	switch unit {
	case "micrometer":
		return "um"
	case "microsecond":
		return "us"
	}
	if s, ok := ngff.Symbol(unit); ok {
		return s
	}
	return unit
}
