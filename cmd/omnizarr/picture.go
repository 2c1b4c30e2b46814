package main

import (
	"bufio"
	"fmt"
	"io"
)

// picture is an image of brightness from 0 to 1.
type picture struct {
	width, height int
	at            func(x, y int) float64
}

// draw draws the picture with some columns of characters. In colour a character
// is two pixels, one above the other: the upper half block in one colour on the
// other. Otherwise it is one of a scale of characters, twice as high as wide.
func (p picture) draw(w io.Writer, cols int, colour bool) error {
	out := bufio.NewWriter(w)
	rows := max(1, cols*p.height/p.width/2)
	for r := range rows {
		out.WriteString("  ")
		for c := range cols {
			if colour {
				upper := palette(p.mean(c, 2*r, cols, 2*rows))
				lower := palette(p.mean(c, 2*r+1, cols, 2*rows))
				fmt.Fprintf(out, "\x1b[38;2;%d;%d;%dm\x1b[48;2;%d;%d;%dm▀", upper[0], upper[1], upper[2], lower[0], lower[1], lower[2])
				continue
			}
			out.WriteByte(shade(p.mean(c, r, cols, rows)))
		}
		if colour {
			out.WriteString("\x1b[0m")
		}
		out.WriteByte('\n')
	}
	return out.Flush()
}

// mean is the brightness of the part of the picture that lies under place (c, r)
// of a grid.
func (p picture) mean(c, r, cols, rows int) float64 {
	x0, y0 := c*p.width/cols, r*p.height/rows
	x1, y1 := max(x0+1, (c+1)*p.width/cols), max(y0+1, (r+1)*p.height/rows)
	sum := 0.0
	for y := y0; y < y1; y++ {
		for x := x0; x < x1; x++ {
			sum += p.at(x, y)
		}
	}
	return sum / float64((x1-x0)*(y1-y0))
}

const shades = " .:-=+*#%@"

func shade(v float64) byte {
	return shades[min(max(int(v*float64(len(shades))), 0), len(shades)-1)]
}

// stops are the colours of the palette, from dark to bright: night blue over
// violet and orange to pale yellow.
var stops = [][3]float64{{6, 8, 30}, {44, 18, 92}, {129, 37, 129}, {214, 69, 93}, {252, 149, 66}, {252, 253, 191}}

func palette(v float64) (rgb [3]uint8) {
	v = min(max(v, 0), 1) * float64(len(stops)-1)
	i := min(int(v), len(stops)-2)
	for k := range rgb {
		rgb[k] = uint8(stops[i][k] + (v-float64(i))*(stops[i+1][k]-stops[i][k]))
	}
	return rgb
}
