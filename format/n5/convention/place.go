package convention

import (
	"encoding/json"
	"math"
	"slices"

	"github.com/omnizarr/zarr/format/ngff"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/meta"
)

// place is what attributes say about where elements are, nil for what they do
// not say, else a number per axis.
type place struct {
	resolution, factors, offset []float64
	scale, shift                []float64 // of affineTransform
	units                       []string
}

// placeOf reads it; ok is false if it makes no sense.
func placeOf(attrs *meta.Attributes, axes []ngff.Axis) (p place, ok bool) {
	p.units = unitsOf(attrs, axes)
	resolution := attrs.Raw("pixelResolution")
	if len(resolution) > 0 && resolution[0] == '{' {
		resolution = member(resolution, "dimensions") // the unit may be all there is
	}
	if resolution == nil || strictjson.IsNull(resolution) {
		resolution = attrs.Raw("resolution")
	}
	factors := attrs.Raw("downsamplingFactors")
	if isList(factors) {
		factors = nil // those of levels below a group
	}
	ok = true
	for _, v := range []struct {
		raw      json.RawMessage
		dst      *[]float64
		rest     float64
		positive bool
	}{{resolution, &p.resolution, 1, true}, {factors, &p.factors, 1, true}, {attrs.Raw("offset"), &p.offset, 0, false}} {
		if v.raw == nil || strictjson.IsNull(v.raw) {
			continue
		}
		*v.dst = fit(vector(v.raw, maxAxes), axes, v.rest)
		if *v.dst == nil || v.positive && !positive(*v.dst) {
			ok = false
		}
	}
	if raw := attrs.Raw("affineTransform"); raw != nil && !strictjson.IsNull(raw) {
		matrix := affine(raw)
		if matrix == nil {
			return p, false
		}
		p.scale, p.shift = diagonal(matrix, axes)
	}
	return p, ok
}

// affine reads the rows of a 3 x 4 matrix, nested or not.
func affine(raw json.RawMessage) []float64 {
	if !isList(raw) {
		if v := vector(raw, 12); len(v) == 12 {
			return v
		}
		return nil
	}
	rows := vectors(raw)
	if len(rows) != 3 {
		return nil
	}
	for _, row := range rows {
		if len(row) != 4 {
			return nil
		}
	}
	return slices.Concat(rows...)
}

// diagonal takes a matrix apart that scales and moves x, y and z. One that does
// something else, which OME-NGFF cannot say, is left out.
func diagonal(matrix []float64, axes []ngff.Axis) (scale, shift []float64) {
	factors, moves := make([]float64, 3), make([]float64, 3)
	for i := range 3 {
		for k := range 3 {
			if i != k && matrix[4*i+k] != 0 {
				return nil, nil
			}
		}
		factors[i], moves[i] = matrix[5*i], matrix[4*i+3]
	}
	if !positive(factors) {
		return nil, nil
	}
	at := spatial(axes)
	scale, shift = slices.Repeat([]float64{1}, len(axes)), make([]float64, len(axes))
	for k, i := range at[:min(3, len(at))] {
		scale[i], shift[i] = factors[k], moves[k]
	}
	return scale, shift
}

// near reports whether two numbers are the same but for rounding.
func near(a, b float64) bool {
	return a == b || math.Abs(a-b) < 1e-6*max(math.Abs(a), math.Abs(b))
}

// ratio is a / b, a whole number if it is one but for rounding.
func ratio(a, b float64) float64 {
	if whole := math.Round(a / b); near(a/b, whole) {
		return whole
	}
	return a / b
}

func allNear(a, b []float64) bool {
	return slices.EqualFunc(a, b, near)
}
