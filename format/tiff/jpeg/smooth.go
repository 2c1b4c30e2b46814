package jpeg

// When scans are missing of a progressive image, libjpeg estimates the first
// coefficients of a block from the DC coefficients of the blocks around it. This
// is how version 2.1 of libjpeg-turbo does it.

// smoothed is how many coefficients have to do with estimates, with the DC
// coefficient.
const smoothed = 10

// window is the DC coefficients of a block and those around it, row by row, or
// what each of them counts, in parts of 256.
type window [5][5]int

// smoothByDC is what counts where DC coefficients are all there is, which are
// estimated too, smoothByAC where there is more. They are in the stream's order.
var (
	smoothByDC = [smoothed]window{
		{{-2, -6, -8, -6, -2}, {-6, 6, 42, 6, -6}, {-8, 42, 152, 42, -8}, {-6, 6, 42, 6, -6}, {-2, -6, -8, -6, -2}},
		{{-1, -1, 0, 1, 1}, {-3, 13, 0, -13, 3}, {-3, 38, 0, -38, 3}, {-3, 13, 0, -13, 3}, {-1, -1, 0, 1, 1}},
		{{-1, -3, -3, -3, -1}, {-1, 13, 38, 13, -1}, {}, {1, -13, -38, -13, 1}, {1, 3, 3, 3, 1}},
		{{0, 0, 1, 0, 0}, {0, 2, 7, 2, 0}, {0, -5, -14, -5, 0}, {0, 2, 7, 2, 0}, {0, 0, 1, 0, 0}},
		{{-1, 0, 0, 0, 1}, {0, 9, 0, -9, 0}, {}, {0, -9, 0, 9, 0}, {1, 0, 0, 0, -1}},
		{{}, {0, 2, -5, 2, 0}, {1, 7, -14, 7, 1}, {0, 2, -5, 2, 0}, {}},
		{{}, {0, 1, 0, -1, 0}, {0, 2, 0, -2, 0}, {0, 1, 0, -1, 0}, {}},
		{{}, {0, 1, -3, 1, 0}, {}, {0, -1, 3, -1, 0}, {}},
		{{}, {0, 1, 0, -1, 0}, {0, -3, 0, 3, 0}, {0, 1, 0, -1, 0}, {}},
		{{}, {0, 1, 2, 1, 0}, {}, {0, -1, -2, -1, 0}, {}},
	}
	smoothByAC = [6]window{
		1: {2: {-7, 50, 0, -50, 7}},
		2: {{0, 0, -7, 0, 0}, {0, 0, 50, 0, 0}, {}, {0, 0, -50, 0, 0}, {0, 0, 7, 0, 0}},
		3: {{0, 0, -1, 0, 0}, {0, 0, 13, 0, 0}, {0, 0, -24, 0, 0}, {0, 0, 13, 0, 0}, {0, 0, -1, 0, 0}},
		4: {{0, -1, 0, 1, 0}, {-1, 10, 0, -10, 1}, {}, {1, -10, 0, 10, -1}, {0, 1, 0, -1, 0}},
		5: {2: {-1, 13, -24, 13, -1}},
	}
)

// advance notes what coefficients of the component a scan brings.
func (c *channel) advance(s *scan) {
	for k := min(s.ss, 1); k < smoothed; k++ {
		c.before[k] = 0
		if s.number > 1 {
			c.before[k] = c.bits[k]
		}
	}
	for k := s.ss; k <= s.se; k++ {
		c.bits[k] = int8(s.al)
	}
}

// smooths reports whether libjpeg estimates coefficients of the image.
func (f *frame) smooths() bool {
	useful := false
	for i := range f.n {
		c := &f.comp[i]
		if !f.progressive || !c.hasQ || c.bits[0] < 0 {
			return false
		}
		for k := range smoothed {
			if c.quant[zigzag[k]] == 0 {
				return false
			}
			useful = useful || k > 0 && c.bits[k] != 0
		}
	}
	return useful
}

// smoothRow is transformRow with estimates.
func (d *Decoder) smoothRow(c *channel, m int) {
	known := [smoothed]int8(c.bits[:smoothed])
	if m > d.scan.good { // the last scan does not count
		known = c.before
		if d.scan.number == 1 {
			fill(known[:], -1)
		}
	}
	for v := range c.v {
		y := m*c.v + v
		if y >= c.bh {
			return
		}
		rows := c.around(y, m, d.frame.mcusY-1)
		var dc window
		for i, r := range rows {
			v := int(c.coefficients(0, r)[0])
			dc[i] = [5]int{v, v, v, v, v}
		}
		for x := range c.bw {
			for i, r := range rows {
				if x == 0 && c.bw > 1 {
					dc[i][3] = int(c.coefficients(1, r)[0])
				}
				if x+2 < c.bw {
					dc[i][4] = int(c.coefficients(x+2, r)[0])
				}
			}
			b := *c.coefficients(x, y)
			c.estimate(&b, &dc, &known)
			c.transform(m, v, x, &b, blockSize-1)
			for i := range dc {
				copy(dc[i][:4], dc[i][1:])
			}
		}
	}
}

// around is the rows of blocks that row y is estimated with, which is in that row
// of units. At the ends of the image a row stands for the one beyond, and for some
// next to those as well: libjpeg looks no further.
func (c *channel) around(y, unit, last int) [5]int {
	in, n := y-unit*c.v, min(c.v, c.bh-unit*c.v)
	rows := [5]int{1: y, 2: y, 3: y}
	if in > 0 || unit > 0 {
		rows[1] = y - 1
	}
	if in < n-1 || unit < last {
		rows[3] = y + 1
	}
	rows[0], rows[4] = rows[1], rows[3]
	if in > 1 || unit > 1 {
		rows[0] = y - 2
	}
	if in < n-2 || unit+1 < last {
		rows[4] = y + 2
	}
	return rows
}

// estimate sets coefficients of a block that are zero and not known to be that.
func (c *channel) estimate(b *[blockSize]int16, dc *window, known *[smoothed]int8) {
	weights := smoothByAC[:]
	if *known == [smoothed]int8{known[0], -1, -1, -1, -1, -1, -1, -1, -1, -1} {
		weights = smoothByDC[:]
		b[0] = c.guess(&weights[0], dc, 0, -1)
	}
	for k := 1; k < len(weights); k++ {
		if at := zigzag[k]; known[k] != 0 && b[at] == 0 {
			b[at] = c.guess(&weights[k], dc, at, known[k])
		}
	}
}

// guess is a coefficient by its weights: below what the bits that are known would
// show.
func (c *channel) guess(weights, dc *window, at uint8, bits int8) int16 {
	sum := 0
	for i := range dc {
		for j, v := range dc[i] {
			sum += weights[i][j] * v
		}
	}
	sum *= int(c.quant[0])
	q := int(c.quant[at])
	v := (q<<7 + max(sum, -sum)) / (q << 8)
	if bits > 0 {
		v = min(v, 1<<bits-1)
	}
	if sum < 0 {
		v = -v
	}
	return int16(v)
}
