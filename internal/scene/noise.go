// Package scene paints what the samples of the demo show: stained tissue, cells under a
// fluorescence microscope, a block of brain under an electron microscope, the weather of
// a planet. All of it is made up by arithmetic, and is the same every time.
package scene

import (
	"math"
	"runtime"
	"sync"
)

// hash mixes whole numbers into one that looks random.
func hash(seed uint32, x, y, z int) uint32 {
	h := seed ^ uint32(x)*0x9e3779b1 ^ uint32(y)*0x85ebca77 ^ uint32(z)*0xc2b2ae3d
	h ^= h >> 15
	h *= 0x2c1b3c6d
	h ^= h >> 12
	h *= 0x297a2d39
	return h ^ h>>15
}

// chance is a number from 0 to 1 for a place.
func chance(seed uint32, x, y, z int) float64 { return float64(hash(seed, x, y, z)) / (1 << 32) }

// floor is the whole number below.
func floor(v float64) int {
	i := int(v)
	if v < float64(i) {
		i--
	}
	return i
}

// smooth goes from 0 at a to 1 at b.
func smooth(a, b, v float64) float64 {
	t := min(max((v-a)/(b-a), 0), 1)
	return t * t * (3 - 2*t)
}

func mix(a, b, t float64) float64 { return a + (b-a)*t }

// noise is smooth, from -1 to 1, with hills one unit apart.
func noise(seed uint32, x, y float64) float64 {
	i, j := floor(x), floor(y)
	u, v := x-float64(i), y-float64(j)
	u, v = u*u*(3-2*u), v*v*(3-2*v)
	top := mix(chance(seed, i, j, 0), chance(seed, i+1, j, 0), u)
	low := mix(chance(seed, i, j+1, 0), chance(seed, i+1, j+1, 0), u)
	return 2*mix(top, low, v) - 1
}

// noise3 is the same in three dimensions.
func noise3(seed uint32, x, y, z float64) float64 {
	i, j, k := floor(x), floor(y), floor(z)
	u, v, w := x-float64(i), y-float64(j), z-float64(k)
	u, v, w = u*u*(3-2*u), v*v*(3-2*v), w*w*(3-2*w)
	plane := func(k int) float64 {
		top := mix(chance(seed, i, j, k), chance(seed, i+1, j, k), u)
		low := mix(chance(seed, i, j+1, k), chance(seed, i+1, j+1, k), u)
		return mix(top, low, v)
	}
	return 2*mix(plane(k), plane(k+1), w) - 1
}

// fractal adds noise of ever smaller hills, from -1 to 1.
func fractal(seed uint32, x, y float64, octaves int) float64 {
	sum, size, whole := 0.0, 1.0, 0.0
	for o := range octaves {
		sum += size * noise(seed+uint32(o)*101, x, y)
		whole += size
		size, x, y = size/2, x*2+17.3, y*2-9.7
	}
	return sum / whole
}

// each calls a function for the numbers below n, on all processors.
func each(n int, f func(i int)) {
	var wg sync.WaitGroup
	workers := min(runtime.GOMAXPROCS(0), n)
	for w := range workers {
		wg.Go(func() {
			for i := w; i < n; i += workers {
				f(i)
			}
		})
	}
	wg.Wait()
}

// byteOf is a brightness from 0 to 1 as a byte.
func byteOf(v float64) uint8 { return uint8(math.Round(255 * min(max(v, 0), 1))) }
