package scene

import "math"

// Channels are how many Cells has.
const Channels = 3

// Cells is a dish of cells under a fluorescence microscope at one moment: stacks of planes
// of uint16 for nuclei, for a protein of the cell body, and for another in small spots;
// and to each voxel the number of the nucleus that it lies in. Cells creep from moment to
// moment. A pixel is a third of a micrometre, planes are one apart.
func Cells(moment, depth, height, width int) (channels [Channels][]uint16, nuclei []uint16) {
	size := height * width
	light := make([]float32, Channels*depth*size)
	nuclei = make([]uint16, depth*size)
	each(depth, func(z int) {
		for n := range width * height / 2600 {
			paint(light, nuclei, moment, n, z, depth, height, width)
		}
	})
	gain := [Channels]float64{2600, 1500, 1900}
	for c := range channels {
		channels[c] = make([]uint16, depth*size)
		each(depth, func(z int) {
			for i := range size {
				at := z*size + i
				v := 100 + gain[c]*float64(light[c*depth*size+at])
				// A camera's noise: of the photons, and of reading.
				h := hash(41+uint32(c), i, z, moment)
				bell := float64(h&255+h>>8&255+h>>16&255+h>>24) / 255
				v += (bell - 2) * (4 + 1.1*math.Sqrt(v))
				channels[c][at] = uint16(max(v, 0))
			}
		})
	}
	return channels, nuclei
}

// paint adds a cell to a plane of each channel.
func paint(light []float32, nuclei []uint16, moment, n, z, depth, height, width int) {
	r := func(k uint32) float64 { return chance(50+k, n, 0, 0) }
	// Where it is: somewhere, closer to some places than to others, and on its way.
	cx, cy := r(0)*float64(width), r(1)*float64(height)
	pull := noise(42, cx/170, cy/170)
	cx += 90*pull + float64(moment)*7*(r(2)-0.5)
	cy += 70*noise(43, cx/170, cy/170) + float64(moment)*7*(r(3)-0.5)
	cz := (0.15 + 0.7*r(4)) * float64(depth-1)
	turn, long := 6.28*r(5)+0.08*float64(moment)*(r(6)-0.5), 11+9*r(7)
	short, thick := long*(0.55+0.4*r(8)), 0.9+0.22*long*0.33
	bright, body, spots := 0.45+0.55*r(9), 0.0, 0.0
	if r(10) < 0.42 {
		body = 0.25 + 0.75*r(11)
	}
	if r(12) < 0.3 {
		spots = 0.5 + 0.5*r(13)
	}
	sin, cos := math.Sincos(turn)
	dz := (float64(z) - cz) / thick
	reach := int(3.4 * long)
	size, plane := height*width, z*height*width
	for y := max(int(cy)-reach, 0); y < min(int(cy)+reach, height); y++ {
		for x := max(int(cx)-reach, 0); x < min(int(cx)+reach, width); x++ {
			dx, dy := float64(x)-cx, float64(y)-cy
			u, v := dx*cos+dy*sin, dy*cos-dx*sin
			at := plane + y*width + x
			d := u*u/(long*long) + v*v/(short*short)
			if e := d + dz*dz; e < 3 {
				texture := 0.78 + 0.30*noise3(44+uint32(n), u/3.1, v/3.1, float64(z)*1.3)
				light[at] += float32(bright * texture / (1 + math.Exp(9*(math.Sqrt(e)-0.92))))
				if e < 0.85 {
					nuclei[at] = uint16(n + 1)
				}
			}
			if body > 0 {
				wave := 1 + 0.28*math.Sin(2*math.Atan2(v, u)+6*r(14)) + 0.16*math.Sin(5*math.Atan2(v, u)+6*r(15))
				e := d/(4.4*wave*wave) + dz*dz*0.5
				if e < 4 {
					thread := 1.15 - 0.75*math.Abs(noise(45+uint32(n), u/15, v/3.2))                                       // filaments along the cell
					light[depth*size+at] += float32(body * thread * math.Exp(-1.5*e*e) * mix(0.4, 1, smooth(0.5, 1.3, d))) // less where the nucleus is
				}
			}
			if spots > 0 {
				if e := d/3.2 + dz*dz*0.6; e > 0.3 && e < 1.3 {
					i, j := floor(dx/5), floor(dy/5)
					if chance(46, i, j, n) < 0.3 {
						px, py := dx/5-float64(i)-0.15-0.7*chance(47, i, j, n), dy/5-float64(j)-0.15-0.7*chance(48, i, j, n)
						light[2*depth*size+at] += float32(spots * (0.4 + 0.6*chance(49, i, j, n)) * math.Exp(-24*(px*px+py*py)))
					}
				}
			}
		}
	}
}
