package coordinates

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/meta"
)

// Cut changes attributes of an array, which has names of dimensions or none, into those
// of a part of it: where its elements lie is told by scale and translation, and on the
// ground by "spatial:transform". It names those that cannot tell it of this part, and
// are gone.
func Cut(attrs *meta.Attributes, names []string, part []zarr.Positions) (lost []string, err error) {
	c := cutter{attrs: attrs, part: part}
	c.scale()
	c.ground(names)
	c.tags()
	return c.lost, c.err
}

type cutter struct {
	attrs *meta.Attributes
	part  []zarr.Positions
	lost  []string
	err   error
}

func (c *cutter) set(name string, v any) {
	if err := c.attrs.Set(name, v); c.err == nil {
		c.err = err
	}
}

// lose removes attributes that tell of the whole.
func (c *cutter) lose(names ...string) {
	for _, name := range names {
		if c.attrs.Delete(name) {
			c.lost = append(c.lost, fmt.Sprintf("attribute %q, which tells of the whole array", name))
		}
	}
}

// list is an attribute with something for every axis, nil if there is none.
func list[T any](c *cutter, name string) []T {
	var all []T
	if found, err := c.attrs.Get(name, &all); !found || err != nil || len(all) != len(c.part) || len(all) == 0 {
		return nil
	}
	return all
}

// scale cuts the lists with something for every axis.
func (c *cutter) scale() {
	for _, name := range []string{"axes", "units"} {
		if all := list[any](c, name); all != nil {
			c.set(name, Kept(c.part, all))
		}
	}
	scale, first := list[float64](c, "scale"), list[float64](c, "translation")
	if scale == nil {
		return
	}
	moved := first != nil
	if first == nil {
		first = make([]float64, len(scale))
	}
	for i, p := range c.part {
		start, step, even := p.Even()
		if !even && p.Along >= 0 {
			c.lose("scale", "translation")
			return
		}
		moved = moved || start != 0 && p.Along >= 0
		first[i] += scale[i] * float64(start)
		scale[i] *= float64(step)
	}
	c.set("scale", Kept(c.part, scale))
	if moved {
		c.set("translation", Kept(c.part, first))
	}
}

// Kept are those of a list with something for every axis that are for the axes which
// stay in a part; nil if it is no such list.
func Kept[T any](part []zarr.Positions, list []T) []T {
	if list == nil || len(list) != len(part) {
		return nil
	}
	out := []T{}
	for i, p := range part {
		if p.Along >= 0 {
			out = append(out, list[i])
		}
	}
	return out
}

// ground moves and stretches the transform of an image that lies on the ground.
func (c *cutter) ground(names []string) {
	const transform, shape, box = "spatial:transform", "spatial:shape", "spatial:bbox"
	var t []float64
	found, err := c.attrs.Get(transform, &t)
	if !found {
		// GDAL's own form has the same numbers in another order.
		if t = geoTransform(c.attrs); t == nil {
			return
		}
		c.attrs.Delete(gdalTransform)
	}
	dims, middle := onGround(c.attrs)
	if !found {
		for _, pair := range [][]string{{"lat", "lon"}, {"latitude", "longitude"}} {
			if slices.Contains(names, pair[0]) && slices.Contains(names, pair[1]) {
				dims = pair
			}
		}
	}
	var at, step, size [2]float64 // of rows and columns
	for k, name := range dims {
		axis := slices.Index(names, name)
		if axis < 0 || axis >= len(c.part) || c.part[axis].Along < 0 || err != nil || len(t) != 6 {
			c.lose(transform, shape, box)
			return
		}
		start, by, even := c.part[axis].Even()
		if !even {
			c.lose(transform, shape, box)
			return
		}
		// The middle of the first pixel stays where it is.
		at[k], step[k], size[k] = float64(start)+middle*(1-float64(by)), float64(by), float64(c.part[axis].Count)
	}
	t = []float64{t[0] * step[1], t[1] * step[0], t[2] + t[0]*at[1] + t[1]*at[0], t[3] * step[1], t[4] * step[0], t[5] + t[3]*at[1] + t[4]*at[0]}
	for i := range t {
		t[i] += 0 // zero has no sign
	}
	c.set(transform, t)
	if c.attrs.Raw(shape) != nil {
		c.set(shape, size[:])
	}
	if c.attrs.Raw(box) != nil {
		if middle == 0 { // of the outermost points
			size[0], size[1] = size[0]-1, size[1]-1
		}
		x, y := []float64{}, []float64{}
		for _, corner := range [][2]float64{{0, 0}, {size[0], 0}, {0, size[1]}, size} {
			x = append(x, t[2]+t[0]*corner[1]+t[1]*corner[0])
			y = append(y, t[5]+t[3]*corner[1]+t[4]*corner[0])
		}
		c.set(box, []float64{slices.Min(x), slices.Min(y), slices.Max(x), slices.Max(y)})
	}
}

// gdalTransform is where GDAL in netCDF, and rioxarray, write a transform.
const gdalTransform = "GeoTransform"

// geoTransform reads it, nil if there is none.
func geoTransform(attrs *meta.Attributes) []float64 {
	var text string
	_, _ = attrs.Get(gdalTransform, &text)
	numbers := strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' })
	if len(numbers) != 6 {
		return nil
	}
	t := make([]float64, 6)
	for i, k := range []int{2, 0, 1, 5, 3, 4} {
		v, err := strconv.ParseFloat(numbers[i], 64)
		if err != nil || v-v != 0 {
			return nil
		}
		t[k] = v
	}
	return t
}

// tags takes out of those of a GeoTIFF where the whole lies: the transform tells it of
// the part.
func (c *cutter) tags() {
	const name = "geotiff"
	var members map[string]json.RawMessage
	if found, err := c.attrs.Get(name, &members); !found || err != nil {
		return
	}
	before := len(members)
	for _, tag := range []string{"ModelPixelScale", "ModelTiepoint", "ModelTransformation"} {
		delete(members, tag)
	}
	if len(members) == before {
		return
	}
	if c.attrs.Raw("spatial:transform") == nil {
		c.lost = append(c.lost, "where on the ground it lies, which is told of the whole image")
	}
	c.set(name, members)
}

// onGround are the names of rows and columns of an image on the ground, and how far the
// middle of a pixel is from where the transform begins.
func onGround(attrs *meta.Attributes) (dims []string, middle float64) {
	var registration string
	if _, err := attrs.Get("spatial:dimensions", &dims); err != nil || len(dims) != 2 {
		dims = []string{"y", "x"}
	}
	if _, err := attrs.Get("spatial:registration", &registration); err == nil && registration == "node" {
		return dims, 0
	}
	return dims, 0.5
}
