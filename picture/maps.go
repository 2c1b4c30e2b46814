package picture

import (
	"image/color"
	"maps"
	"slices"
)

// colourMap is colours at equal distances, between which others are interpolated.
type colourMap []uint32

// The well-known maps by some of their colours.
var colourMaps = map[string]colourMap{
	"gray":     {0x000000, 0xffffff},
	"viridis":  {0x440154, 0x472d7b, 0x3b528b, 0x2c728e, 0x21918c, 0x28ae80, 0x5ec962, 0xaddc30, 0xfde725},
	"magma":    {0x000004, 0x1d1147, 0x51127c, 0x832681, 0xb73779, 0xe75263, 0xfc8961, 0xfec488, 0xfcfdbf},
	"inferno":  {0x000004, 0x1f0c48, 0x550f6d, 0x88226a, 0xba3655, 0xe35933, 0xf98e09, 0xf9cb35, 0xfcffa4},
	"turbo":    {0x30123b, 0x466be3, 0x28bceb, 0x32f298, 0xa4fc3c, 0xeecf3a, 0xfb7e21, 0xd02f05, 0x7a0403},
	"coolwarm": {0x3b4cc0, 0x6788ee, 0x9abbff, 0xc9d7f0, 0xdddddd, 0xf2cab5, 0xf6a283, 0xdd6050, 0xb40426},
}

// Maps lists the names of the colour maps.
func Maps() []string { return slices.Sorted(maps.Keys(colourMaps)) }

func mapNamed(name string) colourMap { return colourMaps[name] }

// at is the colour at a place from 0 to 1.
func (m colourMap) at(v float64) color.NRGBA {
	v *= float64(len(m) - 1)
	k := min(int(v), len(m)-2)
	mix := func(shift int) uint8 {
		from, to := float64(m[k]>>shift&255), float64(m[k+1]>>shift&255)
		return byteOf(from + (v-float64(k))*(to-from))
	}
	return color.NRGBA{mix(16), mix(8), mix(0), 255}
}
