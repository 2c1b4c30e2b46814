package raster

import (
	"errors"
	"fmt"
	"image/color"
	"slices"
	"strings"

	"github.com/omnizarr/zarr"
)

// ErrLine says that an array has one dimension, or none.
var ErrLine = errors.New("a picture needs two dimensions")

// Shown is which axes of an image are shown.
type Shown struct {
	Y, X    int
	Channel int // the axis of channels, -1 if there is none
	// RGB says that channels are red, green, blue, and perhaps how opaque.
	RGB bool
}

// Show chooses the axes that are shown, of those that are not reduced to a position; nil
// is the whole image.
func (img *Image) Show(at []zarr.Positions) (Shown, error) {
	v := Shown{Y: -1, X: -1, Channel: -1}
	if at == nil {
		var err error
		if at, err = zarr.Resolve(zarr.All(), img.Levels[0].Shape()); err != nil {
			return v, err
		}
	}
	var free []int
	for i, p := range at {
		switch {
		case p.Count == 0:
			return v, fmt.Errorf("nothing is selected of %s", img.AxisName(i))
		case p.Along >= 0:
			free = append(free, i)
		}
	}
	for _, i := range free {
		switch strings.ToLower(img.Axes[i].Name) {
		case "y", "lat", "latitude":
			v.Y = i
		case "x", "lon", "longitude", "long":
			v.X = i
		}
	}
	if v.Y < 0 || v.X < 0 {
		rest := slices.Clone(free)
		// Colours stand behind the pixels in arrays of Python, and have no name there.
		if k := len(rest); k > 2 {
			last := rest[k-1]
			if n := at[last].Count; img.Axes[last].Type == "channel" || img.Axes[last].Name == "" && (n == 3 || n == 4) && img.isColour() {
				v.Channel, rest = last, rest[:k-1]
			}
		}
		// What has several positions is rather shown than what has one.
		wide := slices.DeleteFunc(slices.Clone(rest), func(i int) bool {
			return at[i].Count == 1 || len(free) > 2 && img.Axes[i].Type == "channel"
		})
		if len(wide) >= 2 {
			rest = wide
		}
		if len(rest) < 2 {
			return v, fmt.Errorf("%w, shape %v has fewer here: omnizarr plot draws one", ErrLine, img.Levels[0].Shape())
		}
		v.Y, v.X = rest[len(rest)-2], rest[len(rest)-1]
	}
	for _, i := range free {
		if v.Channel < 0 && img.Axes[i].Type == "channel" && i != v.Y && i != v.X {
			v.Channel = i
		}
	}
	if img.Labels {
		v.Channel = -1
	}
	if v.Channel >= 0 {
		n := at[v.Channel].Count
		name := img.Axes[v.Channel].Name
		v.RGB = (n == 3 || n == 4) && img.isColour() && (len(img.Channels) != n && (strings.EqualFold(name, "s") || name == "" || v.Channel > v.X) || img.primary(n))
	}
	return v, nil
}

// primary reports whether three channels of bytes are said to be shown red, green and
// blue, as they are: a photograph.
func (img *Image) primary(n int) bool {
	if n != 3 || len(img.Channels) != 3 || img.Levels[0].DataType().Name() != "uint8" {
		return false
	}
	for i, want := range []color.NRGBA{{R: 255, A: 255}, {G: 255, A: 255}, {B: 255, A: 255}} {
		c := img.Channels[i]
		if c.Color == nil || *c.Color != want || c.Window != nil && (c.Window.Start != 0 || c.Window.End != 255) {
			return false
		}
	}
	return true
}

// isColour reports whether elements may be those of colours.
func (img *Image) isColour() bool {
	name := img.Levels[0].DataType().Name()
	return name == "uint8" || name == "uint16" || name == "float32"
}
