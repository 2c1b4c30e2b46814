package jobs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/omnizarr/zarr/format/ngff"
)

// axis is a dimension of an image: one of the source, or several that become one, the
// slowest first.
type axis struct {
	ngff.Axis
	of                 []int
	scale, translation float64
	known              bool // the source says the scale
}

// order is that of the axes of an image, by name.
const order = "tczyx"

// letters are the names of axes that programs which show images know, by the names
// that others have for the same.
var letters = map[string]byte{
	"x": 'x', "lon": 'x', "longitude": 'x', "col": 'x', "cols": 'x', "column": 'x', "columns": 'x', "width": 'x', "easting": 'x',
	"y": 'y', "lat": 'y', "latitude": 'y', "row": 'y', "rows": 'y', "height": 'y', "northing": 'y',
	"z": 'z', "depth": 'z', "plane": 'z', "planes": 'z', "slice": 'z', "slices": 'z', "lev": 'z', "i": 'z',
	"t": 't', "time": 't', "frame": 't', "frames": 't',
	"c": 'c', "s": 'c', "channel": 'c', "channels": 'c', "band": 'c', "bands": 'c', "sample": 'c', "samples": 'c',
}

// letter is what an axis of the source becomes: one that is not known is taken for
// channels.
func letter(a ngff.Axis) byte {
	name := strings.ToLower(a.Name)
	if l, ok := letters[name]; ok {
		return l
	}
	// Letters that are there more than once are counted.
	if l, ok := letters[strings.TrimRight(name, "0123456789")]; ok {
		return l
	}
	if a.Type == "time" {
		return 't'
	}
	return 'c'
}

// axesOf are the axes of an array that says nothing but their names, nil if it has
// none.
func axesOf(names []string, rank int) []ngff.Axis {
	if names == nil && rank <= len(order) {
		names = strings.Split(order[len(order)-rank:], "")
	}
	axes := make([]ngff.Axis, 0, rank)
	for _, name := range names {
		axes = append(axes, ngff.Axis{Name: name})
	}
	return axes
}

// arrange puts the axes of a source in the order that programs expect, time first and
// columns last, and joins those that stand for the same.
func arrange(from []ngff.Axis, l ngff.Level, known bool) ([]axis, error) {
	var out []axis
	for _, name := range []byte(order) {
		a := axis{Axis: ngff.Axis{Name: string(name), Type: ngff.AxisType(string(name))}, scale: 1}
		for i, f := range from {
			if letter(f) != name {
				continue
			}
			a.of = append(a.of, i)
			if name == 'c' || l.Scale == nil {
				continue
			}
			// That of neighbours is the one of the fastest.
			a.scale, a.Unit, a.known = l.Scale[i], f.Unit, known
			if l.Translation != nil {
				a.translation = l.Translation[i]
			}
		}
		if a.of != nil {
			out = append(out, a)
		}
	}
	for _, name := range []string{"y", "x"} {
		i := slices.IndexFunc(out, func(a axis) bool { return a.Name == name })
		if i < 0 || len(out[i].of) != 1 {
			names := make([]string, len(from))
			for k, f := range from {
				names[k] = f.Name
			}
			return nil, fmt.Errorf("its axes %s are not those of an image, with one y and one x: --axes says what they are, such as --axes t,z,y,x", strings.Join(names, ", "))
		}
	}
	return out, nil
}
