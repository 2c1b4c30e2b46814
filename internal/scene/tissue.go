package scene

import "math"

// Tissue paints a slice of tissue in the stains of pathologists, haematoxylin and eosin:
// glands with a lumen, nuclei around them, fibres between. It has planes of red, green and
// blue; a pixel is half a micrometre.
func Tissue(width, height int) []byte {
	out := make([]byte, width*height*3)
	each(height, func(y int) {
		for x := range width {
			blue, pink := stains(float64(x), float64(y), float64(width), float64(height))
			for c := range 3 {
				// Stains absorb: their densities add, and brightness falls with powers of ten.
				out[(c*height+y)*width+x] = byteOf(0.955 * math.Pow(10, -(blue*haematoxylin[c]+pink*eosin[c])))
			}
		}
	})
	return out
}

// What the stains absorb of red, green and blue.
var (
	haematoxylin = [3]float64{0.65, 0.70, 0.29}
	eosin        = [3]float64{0.07, 0.80, 0.32}
)

// stains are how much of each is at a place.
func stains(x, y, width, height float64) (blue, pink float64) {
	// The piece of tissue ends in a wavy line; behind it is glass.
	cx, cy := (x-width/2)/(0.47*width), (y-height/2)/(0.45*height)
	edge := 1 - math.Sqrt(cx*cx+cy*cy) + 0.16*fractal(1, x/700, y/700, 4)
	inside := smooth(0, 0.012, edge)
	if inside == 0 {
		return 0.012, 0.01 + 0.006*noise(2, x/90, y/90)
	}
	// Glands: hills of warped noise. Their middle is empty, around it stands a row of cells.
	wx, wy := x+60*fractal(3, x/240, y/240, 3), y+60*fractal(4, x/240, y/240, 3)
	gland := fractal(5, wx/270, wy/270, 2)
	lumen := smooth(0.36, 0.40, gland)
	wall := smooth(0.10, 0.15, gland) * (1 - lumen)
	stroma := 1 - smooth(0.08, 0.13, gland)
	// Fibres run along the contours of something slow.
	angle := 3 * fractal(6, x/500, y/500, 2)
	along, across := x*math.Cos(angle)+y*math.Sin(angle), y*math.Cos(angle)-x*math.Sin(angle)
	fibre := 0.5 + 0.5*noise(7, along/90, across/7)
	fine := 0.5 + 0.5*noise(8, x/3, y/3)
	torn := smooth(0.47, 0.62, fractal(9, x/120, y/120, 3)) * stroma
	pink = wall*(0.42+0.16*fine) + stroma*(0.24+0.22*fibre+0.07*fine)
	pink *= 1 - 0.85*torn
	pink = mix(pink, 0.03, lumen)
	blue = wall*(0.13+0.05*fine) + stroma*0.04*fibre
	// Lymphocytes gather here and there.
	crowd := smooth(0.30, 0.55, fractal(10, x/520, y/520, 3)) * stroma * (1 - torn)
	n, rim := nuclei(wx*0.25+x*0.75, wy*0.25+y*0.75, wall*0.95, stroma*0.22*(1-torn)+crowd*0.8, angle)
	chromatin := 0.72 + 0.45*fractal(11, x/5, y/5, 2)
	blue += n * (0.78*chromatin + 0.25*rim)
	pink *= 1 - 0.5*n
	blood := smooth(0.62, 0.68, fractal(12, x/210, y/210, 2)) * stroma
	pink = mix(pink, 0.95+0.15*fine, blood*(1-n))
	return mix(0.012, blue, inside), mix(0.012, pink, inside)
}

// nuclei tells whether a place is in a nucleus, and how near to its edge. Places of the
// wall of a gland and others have a chance of each.
func nuclei(x, y, wall, other, angle float64) (in, rim float64) {
	const apart = 19
	i, j := floor(x/apart), floor(y/apart)
	for dj := -1; dj <= 1; dj++ {
		for di := -1; di <= 1; di++ {
			a, b := i+di, j+dj
			if chance(21, a, b, 0) > wall+other {
				continue
			}
			cx, cy := (float64(a)+0.2+0.6*chance(22, a, b, 0))*apart, (float64(b)+0.2+0.6*chance(23, a, b, 0))*apart
			turn, long := 6.28*chance(24, a, b, 0), 7.2+2.5*chance(25, a, b, 0)
			short := long * (0.62 + 0.3*chance(26, a, b, 0))
			if wall < 0.3 { // between glands they are small and round, or long and lie along the fibres
				turn = angle
				if chance(27, a, b, 0) < 0.55 {
					long, short = 10.5, 3.2
				} else {
					long, short = 5.6, 5.2
				}
			}
			dx, dy := x-cx, y-cy
			u, v := (dx*math.Cos(turn)+dy*math.Sin(turn))/long, (dy*math.Cos(turn)-dx*math.Sin(turn))/short
			if d := math.Sqrt(u*u + v*v); d < 1.15 {
				inside := 1 - smooth(0.86, 1.12, d)
				if inside > in {
					in, rim = inside, smooth(0.6, 0.95, d)
				}
			}
		}
	}
	return in, rim
}
