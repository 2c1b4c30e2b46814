package scene

import "math"

// Brain is a block of brain as an electron microscope shows it: neurites with membranes
// around them, mitochondria and vesicles inside. It has planes of rows, and to each voxel
// the number of the neurite that it belongs to.
func Brain(depth, height, width int) (grey []uint8, cells []uint32) {
	grey, cells = make([]uint8, depth*height*width), make([]uint32, depth*height*width)
	each(depth*height, func(row int) {
		z, y := row/height, row%height
		for x := range width {
			v, id := neurite(float64(x), float64(y), float64(z)*2) // planes are thicker than pixels
			grey[row*width+x], cells[row*width+x] = byteOf(v+0.03*(chance(31, x, y, z)-0.5)), id
		}
	})
	return grey, cells
}

// neurite is how bright a place is, and whose it is.
func neurite(x, y, z float64) (v float64, id uint32) {
	const size = 46
	wx := (x + 16*noise3(32, x/38, y/38, z/60)) / size
	wy := (y + 16*noise3(33, x/38, y/38, z/60)) / size
	wz := (z + 8*noise3(34, x/38, y/38, z/60)) / (2.6 * size)
	i, j, k := floor(wx), floor(wy), floor(wz)
	first, second := math.Inf(1), math.Inf(1)
	var at [3]float64
	for dk := -1; dk <= 1; dk++ {
		for dj := -1; dj <= 1; dj++ {
			for di := -1; di <= 1; di++ {
				a, b, c := i+di, j+dj, k+dk
				h := hash(35, a, b, c)
				px := float64(a) + float64(h&1023)/1023
				py := float64(b) + float64(h>>10&1023)/1023
				pz := float64(c) + float64(h>>20&1023)/1023
				dx, dy, dz := wx-px, wy-py, wz-pz
				if d := dx*dx + dy*dy + dz*dz; d < first {
					first, second = d, first
					at, id = [3]float64{px, py, pz}, h|1
				} else if d < second {
					second = d
				}
			}
		}
	}
	gap := (math.Sqrt(second) - math.Sqrt(first)) * size // pixels, about twice the way to the membrane
	tone := 0.60 + 0.22*float64(id>>8&255)/255
	v = tone + 0.07*fractal(36, x/4+z, y/4-z, 2)
	// Mitochondria: in every other neurite a dark body with folds.
	if id&2 != 0 && gap > 9 {
		mx, my, mz := (wx-at[0])*size-4, (wy-at[1])*size+3, (wz-at[2])*size*1.6
		turn := float64(id>>4&255) / 40
		u, w := mx*math.Cos(turn)+my*math.Sin(turn), my*math.Cos(turn)-mx*math.Sin(turn)
		d := math.Sqrt(u*u/170 + w*w/60 + mz*mz/420)
		body := 1 - smooth(0.9, 1.02, d)
		folds := 0.5 + 0.5*math.Sin(u*0.95+2*noise3(37, x/9, y/9, z/9))
		v = mix(v, 0.30+0.17*folds, body)
		v = mix(v, 0.16, body*smooth(0.84, 0.95, d))
	}
	// Vesicles: small rings that stand close together at some synapses.
	if id&28 == 8 {
		const apart = 7
		a, b, c := floor(x/apart), floor(y/apart), floor(z/apart)
		dx, dy := x/apart-float64(a)-0.5, y/apart-float64(b)-0.5
		d := apart * math.Sqrt(dx*dx+dy*dy)
		if chance(38, a, b, c) < 0.7 && gap > 7 {
			v -= 0.28 * smooth(0.6, 1.6, d) * (1 - smooth(2.2, 3.2, d))
		}
	}
	dark := 0.13 + 0.05*noise(39, x/5, y/5)
	return mix(dark, v, smooth(1.2, 4.2, gap)), id
}
