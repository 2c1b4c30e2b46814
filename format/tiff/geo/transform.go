package geo

import "slices"

import "math"

// Transform leads from a column and a row to coordinates, in GDAL's order:
//
//	x = t[0] + column*t[1] + row*t[2]
//	y = t[3] + column*t[4] + row*t[5]
//
// Column 0 and row 0 are the outer corner of the first pixel.
type Transform [6]float64

// Transform is that of the image, as GDAL tells it: a scale and a tie point, or
// a matrix. Where values belong to the middle of pixels, it is moved by half a
// pixel. ok is false without such tags, as in images that have ground control
// points only.
func (i *Info) Transform() (t Transform, ok bool) {
	switch s, m := i.PixelScale, i.Transformation; {
	case len(s) >= 2 && s[0] != 0 && s[1] != 0 && len(i.Tiepoints) >= 6:
		p := i.Tiepoints
		// Rows count downwards whatever the sign of the scale is.
		t = Transform{0, s[0], 0, 0, 0, -math.Abs(s[1])}
		t[0] = p[3] - p[0]*t[1]
		t[3] = p[4] - p[1]*t[5]
	case len(m) == 16 && (m[0] != 0 || m[1] != 0) && (m[4] != 0 || m[5] != 0):
		t = Transform{m[3], m[0], m[1], m[7], m[4], m[5]}
	default:
		return t, false
	}
	if i.code(RasterType) == pixelIsPoint {
		t[0] -= (t[1] + t[2]) / 2
		t[3] -= (t[4] + t[5]) / 2
	}
	return t, infinite(t[:]) < 0
}

// Scaled is the transform of the same image with pixels that are so much
// larger.
func (t Transform) Scaled(x, y float64) Transform {
	return Transform{t[0], t[1] * x, t[2] * y, t[3], t[4] * x, t[5] * y}
}

// Affine is the transform in the order of "spatial:transform" and of Python's
// affine: x = a*column + b*row + c, y = d*column + e*row + f.
func (t Transform) Affine() [6]float64 { return [6]float64{t[1], t[2], t[0], t[4], t[5], t[3]} }

// BBox is what an image of a size covers: smallest x and y, largest x and y.
func (t Transform) BBox(width, height int) [4]float64 {
	box := [4]float64{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
	for _, corner := range [4][2]float64{{0, 0}, {float64(width), 0}, {0, float64(height)}, {float64(width), float64(height)}} {
		x := t[0] + corner[0]*t[1] + corner[1]*t[2]
		y := t[3] + corner[0]*t[4] + corner[1]*t[5]
		box[0], box[1] = min(box[0], x), min(box[1], y)
		box[2], box[3] = max(box[2], x), max(box[3], y)
	}
	return box
}

// place sets the tags for a transform; with point, its origin is the middle of
// the first pixel.
func (i *Info) place(t Transform, point bool) {
	if t[2] == 0 && t[4] == 0 && t[1] > 0 && t[5] < 0 {
		i.PixelScale = []float64{t[1], -t[5], 0}
		i.Tiepoints = []float64{0, 0, 0, t[0], t[3], 0}
	} else {
		i.Transformation = []float64{t[1], t[2], 0, t[0], t[4], t[5], 0, t[3], 0, 0, 0, 0, 0, 0, 0, 1}
	}
	raster := uint16(pixelIsArea)
	if point {
		raster = pixelIsPoint
	}
	i.Keys = slices.DeleteFunc(i.Keys, func(k Key) bool { return k.ID == RasterType })
	i.Keys = append(i.Keys, Key{ID: RasterType, Ints: []uint16{raster}})
}
