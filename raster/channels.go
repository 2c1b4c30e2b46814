package raster

import (
	"fmt"
	"image/color"

	"github.com/omnizarr/zarr/format/ngff"
)

// palette are the colours of channels that say none: they differ for most eyes, and two
// that overlap are told apart.
var palette = []color.NRGBA{
	{0x4a, 0xa8, 0xff, 255}, {0x54, 0xe3, 0x9b, 255}, {0xff, 0x6d, 0x8a, 255}, {0xff, 0xd1, 0x66, 255},
	{0xb7, 0x8c, 0xff, 255}, {0x4d, 0xe3, 0xe3, 255}, {0xff, 0x9f, 0x5a, 255}, {0xe8, 0x7b, 0xd8, 255},
}

// primaries are red, green, blue, and what says how opaque a pixel is.
var primaries = []struct {
	name  string
	color color.NRGBA
}{{"red", color.NRGBA{255, 0, 0, 255}}, {"green", color.NRGBA{0, 255, 0, 255}}, {"blue", color.NRGBA{0, 0, 255, 255}}, {"alpha", color.NRGBA{255, 255, 255, 255}}}

// mostActive is how many channels are shown at first where nothing is said of it.
const mostActive = 4

// Complete gives every channel, one if there is no axis of them, with a label, a colour
// and whether it is shown at first. Windows are those that the image says, and that of
// bytes which are colours.
func (img *Image) Complete(shown Shown) []ngff.Channel {
	n := 1
	if shown.Channel >= 0 {
		n = img.Levels[0].Shape()[shown.Channel]
	}
	out := make([]ngff.Channel, min(n, mostChannels))
	for k := range out {
		c := &out[k]
		if k < len(img.Channels) && (shown.Channel >= 0 || len(img.Channels) == 1) {
			*c = img.Channels[k]
		}
		label, paint, active := fmt.Sprint("channel ", k), palette[k%len(palette)], k < mostActive
		switch {
		case shown.RGB && k < len(primaries):
			label, paint, active = primaries[k].name, primaries[k].color, true
			if img.Levels[0].DataType().Name() == "uint8" {
				c.Window = &ngff.Window{Start: 0, End: 255, Min: 0, Max: 255}
			}
		case n == 1:
			label, paint = "", color.NRGBA{255, 255, 255, 255}
		}
		if c.Label == "" {
			c.Label = label
		}
		if c.Color == nil {
			c.Color = &paint
		}
		if c.Active == nil {
			c.Active = &active
		}
		if w := c.Window; w != nil && !(w.Start < w.End) { // NaN is what is not said
			c.Window = nil
		}
	}
	return out
}

// mostChannels is how many channels are described: nobody looks at more.
const mostChannels = 4096
