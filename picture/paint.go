package picture

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"slices"

	"github.com/omnizarr/zarr/dtype"
)

// paint makes the image of values.
func (v *view) paint(p *Picture, in *planes, opt Options) {
	p.Image = image.NewNRGBA(image.Rect(0, 0, in.width, in.height))
	switch {
	case v.Labels:
		v.paintLabels(p, in)
	case v.RGB:
		v.paintColours(p, in, opt)
	case len(in.values) > 1 || v.colour(0) != nil:
		v.blend(p, in, opt)
	default:
		low, high := v.window(in.values[0], 0, opt)
		p.Low, p.High = []float64{low}, []float64{high}
		m := mapNamed(opt.Map)
		for i, value := range in.values[0] {
			if value == value {
				set(p.Image, i, m.at(part(value, low, high)))
			}
		}
	}
}

// set colours the i-th pixel.
func set(img *image.NRGBA, i int, c color.NRGBA) {
	copy(img.Pix[4*i:], []uint8{c.R, c.G, c.B, c.A})
}

// part is where between two values one lies, from 0 to 1.
func part(value, low, high float64) float64 {
	switch {
	case high > low:
		return min(max((value-low)/(high-low), 0), 1)
	case value < low:
		return 0
	case value > low:
		return 1
	}
	return 0.5
}

// window is which values of a channel are shown from black to its full colour.
func (v *view) window(values []float64, k int, opt Options) (low, high float64) {
	kind := v.Levels[0].DataType().Kind()
	if kind == dtype.Bool {
		return 0, 1
	}
	if opt.Low < 0 && v.picked != nil && v.picked[k] < len(v.Channels) {
		if w := v.Channels[v.picked[k]].Window; w != nil && w.Start < w.End {
			return w.Start, w.End
		}
	}
	if opt.Low < 0 {
		opt.Low, opt.High = 1, 99
	}
	return Between(values, opt.Low, opt.High)
}

// Between gives two percentiles of the finite values, for what is shown from black to
// white; the least and the largest where they are the same, 0 and 1 without any.
func Between(values []float64, low, high float64) (from, to float64) {
	sorted := make([]float64, 0, len(values))
	for _, x := range values {
		if x-x == 0 {
			sorted = append(sorted, x)
		}
	}
	if len(sorted) == 0 {
		return 0, 1
	}
	slices.Sort(sorted)
	at := func(q float64) float64 { return sorted[int(q/100*float64(len(sorted)-1)+0.5)] }
	from, to = at(low), at(high)
	if from == to { // a few bright spots on a ground
		from, to = sorted[0], sorted[len(sorted)-1]
	}
	return from, to
}

// colour is what a channel is said to have, nil if nothing is said.
func (v *view) colour(k int) *color.NRGBA {
	if v.picked == nil || v.picked[k] >= len(v.Channels) {
		return nil
	}
	return v.Channels[v.picked[k]].Color
}

// usual are the colours of channels that say none.
var usual = []color.NRGBA{{R: 255, A: 255}, {G: 255, A: 255}, {B: 255, A: 255}, {R: 255, G: 255, A: 255}, {R: 255, B: 255, A: 255}, {G: 255, B: 255, A: 255}, {R: 255, G: 255, B: 255, A: 255}}

// usualTwo are those of two: neither hides the other for most eyes.
var usualTwo = []color.NRGBA{{G: 255, A: 255}, {R: 255, B: 255, A: 255}}

// blend adds the channels up, each in its colour.
func (v *view) blend(p *Picture, in *planes, opt Options) {
	layers := make([]Layer, len(in.values))
	for k, values := range in.values {
		low, high := v.window(values, k, opt)
		p.Low, p.High = append(p.Low, low), append(p.High, high)
		list := usual
		if len(in.values) == 2 {
			list = usualTwo
		}
		c, name := list[k%len(list)], fmt.Sprint(v.picked[k])
		if said := v.colour(k); said != nil {
			c = *said
		}
		if v.picked[k] < len(v.Channels) && v.Channels[v.picked[k]].Label != "" {
			name = v.Channels[v.picked[k]].Label
		}
		p.Channels = append(p.Channels, name)
		layers[k] = Layer{values, low, high, c}
	}
	Blend(p.Image, layers)
}

// Layer is a channel that is blended with others: its values, row by row, which of them
// are black and in full colour, and that colour.
type Layer struct {
	Values    []float64
	Low, High float64
	Color     color.NRGBA
}

// Blend adds channels up, each in its colour. Pixels that have no value in any are left as
// they are.
func Blend(img *image.NRGBA, layers []Layer) {
	sums := make([][3]float64, img.Rect.Dx()*img.Rect.Dy())
	seen := make([]bool, len(sums))
	for _, l := range layers {
		for i, value := range l.Values {
			if value != value {
				continue
			}
			seen[i] = true
			bright := part(value, l.Low, l.High)
			sums[i][0] += bright * float64(l.Color.R)
			sums[i][1] += bright * float64(l.Color.G)
			sums[i][2] += bright * float64(l.Color.B)
		}
	}
	for i, s := range sums {
		if seen[i] {
			set(img, i, color.NRGBA{byteOf(s[0]), byteOf(s[1]), byteOf(s[2]), 255})
		}
	}
}

func byteOf(v float64) uint8 { return uint8(min(max(v+0.5, 0), 255)) }

// paintColours shows red, green and blue as they are: bytes as such, others from the
// same black to the same white in all three.
func (v *view) paintColours(p *Picture, in *planes, opt Options) {
	low, high := 0.0, 255.0
	if v.Levels[0].DataType().Name() != "uint8" || opt.Low >= 0 {
		if opt.Low < 0 {
			opt.Low, opt.High = 0, 99.9
		}
		low, high = Between(slices.Concat(in.values[:3]...), opt.Low, opt.High)
		if opt.Low == 0 && v.Levels[0].DataType().Kind() != dtype.Float {
			low = 0
		}
		p.Low, p.High = []float64{low}, []float64{high}
	}
	for i := range in.values[0] {
		c := color.NRGBA{A: 255}
		for k, to := range []*uint8{&c.R, &c.G, &c.B} {
			if value := in.values[k][i]; value == value {
				*to = byteOf(255 * part(value, low, high))
			} else {
				c.A = 0
			}
		}
		if len(in.values) == 4 && v.Levels[0].DataType().Name() == "uint8" {
			c.A = byteOf(in.values[3][i])
		}
		set(p.Image, i, c)
	}
}

// paintLabels gives every number a colour of its own; 0 is no label.
func (v *view) paintLabels(p *Picture, in *planes) { Labels(p.Image, in.values[0], v.Colors) }

// Labels gives every number a colour of its own, or the one that is said; 0 is no label.
func Labels(img *image.NRGBA, values []float64, said map[float64]color.NRGBA) {
	for i, value := range values {
		switch c, ok := said[value]; {
		case ok:
			set(img, i, c)
		case value == value && value != 0:
			set(img, i, labelColour(value))
		}
	}
}

// labelColour spreads hues by the golden ratio, so that neighbours differ most, and
// varies how light they are.
func labelColour(value float64) color.NRGBA {
	bits := math.Float64bits(value)
	if value == math.Trunc(value) && math.Abs(value) < 1<<53 {
		bits = uint64(int64(value))
	}
	_, hue := math.Modf(float64(bits%(1<<32)) * 0.6180339887498949)
	light := []float64{1, 0.75, 0.88}[bits%3]
	strong := []float64{0.85, 0.6}[bits/3%2]
	channel := func(shift float64) uint8 {
		_, h := math.Modf(hue + shift)
		ramp := min(max(math.Abs(h*6-3)-1, 0), 1)
		return byteOf(255 * light * (1 - strong + strong*ramp))
	}
	return color.NRGBA{channel(0), channel(2.0 / 3), channel(1.0 / 3), 255}
}
