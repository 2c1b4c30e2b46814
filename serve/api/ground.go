package api

import (
	"fmt"
	"math"
	"strings"

	"github.com/omnizarr/zarr/format/tiff/geo"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/serve/levels"
)

// Map is where on earth an image lies.
type Map struct {
	CRS  string `json:"crs"` // what people call its coordinates
	EPSG int    `json:"epsg,omitempty"`
	// Affine is x = a*column + b*row + c, y = d*column + e*row + f, of level 0.
	Affine [6]float64 `json:"affine"`
	// North is where it lies, in degrees clockwise from up.
	North float64 `json:"north"`
}

// mapOf tells where an image lies, nil if nobody says, and whether its rows go upwards.
func mapOf(img *levels.Image, axes []Axis) (*Map, bool) {
	m := onGround(img)
	if m == nil {
		m = inDegrees(axes[img.Y], axes[img.X])
	}
	if m == nil {
		return nil, false
	}
	a, b, d, e := m.Affine[0], m.Affine[1], m.Affine[3], m.Affine[4]
	det := a*e - b*d
	if det == 0 || math.IsNaN(det) || math.IsInf(det, 0) {
		return nil, false
	}
	up := b == 0 && d == 0 && e > 0
	// The direction in the image that leads north.
	column, row := -b/det, a/det
	if !up {
		row = -row
	}
	m.North = round(math.Atan2(column, row)*180/math.Pi) + 0
	return m, up
}

// onGround is where an image lies by the tags of GeoTIFF or what is written in their place,
// nil if it says nothing of it.
func onGround(img *levels.Image) *Map {
	for _, attrs := range []*meta.Attributes{img.Node.Attributes(), img.Levels[0].Attributes()} {
		fields, err := geo.FromAttributes(attrs)
		if err != nil {
			continue
		}
		info, _ := geo.Parse(fields)
		if info == nil {
			continue
		}
		t, ok := info.Transform()
		if !ok {
			continue
		}
		m := &Map{Affine: t.Affine(), CRS: info.Name()}
		if code, ok := info.EPSG(); ok {
			if m.EPSG = code; m.CRS == "" {
				m.CRS = fmt.Sprint("EPSG:", code)
			}
		}
		return m
	}
	return nil
}

// inDegrees is where an image lies whose axes are latitudes and longitudes, nil for others.
func inDegrees(y, x Axis) *Map {
	if !strings.HasPrefix(strings.ToLower(y.Name), "lat") || !strings.HasPrefix(strings.ToLower(x.Name), "lon") {
		return nil
	}
	yFirst, yStep := spacing(y)
	xFirst, xStep := spacing(x)
	// Coordinates are those of the middles of pixels.
	return &Map{CRS: "latitude, longitude", EPSG: 4326, Affine: [6]float64{xStep, 0, round(xFirst - xStep/2), 0, yStep, round(yFirst - yStep/2)}}
}

// spacing is the first coordinate and the distance of them, on the whole where it differs.
func spacing(a Axis) (first, step float64) {
	n := len(a.Coordinates)
	if n < 2 {
		return a.Offset, a.Scale
	}
	low, ok := a.Coordinates[0].(Number)
	high, also := a.Coordinates[n-1].(Number)
	if !ok || !also {
		return a.Offset, a.Scale
	}
	return float64(low), float64(high-low) / float64(n-1)
}
