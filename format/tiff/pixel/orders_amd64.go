package pixel

// What the kernels are told about the order of bytes.

// period says where 32 bytes find the sums that they continue, if a pixel has so
// many bytes. All are indices within sixteen bytes.
type period struct {
	// last is, for each of the bytes, that of the last pixel of the sixteen before.
	last [32]byte
	// turn brings the sums before 32 bytes into the order of those behind them.
	turn [32]byte
}

var periods = makePeriods()

func makePeriods() (p [13]period) {
	for s := 1; s < len(p); s++ {
		for i := range 32 {
			p[s].last[i] = byte(16 - s + i%s)
			p[s].turn[i] = byte((32 + i%16) % s)
		}
	}
	return p
}

// order is how the bytes of both halves of a register are to be taken.
type order [16]byte

// inverse is the order that undoes o.
func (o order) inverse() (r order) {
	for i, from := range o {
		r[from] = byte(i)
	}
	return r
}

// threes is how three registers with pixels of three samples become three with one
// sample each. Of the three at one place of the registers, each is another sample
// of its pixel: an output takes one at every place, and then orders them.
type threes struct {
	// The first output takes its samples from the second and the third register
	// where these have all bits. The others do likewise, with the registers rotated
	// by one and by two.
	second, third order
	order         [3]order // of each output
}

// sampleOrders has what the kernels need for samples of one size.
type sampleOrders struct {
	two, twoBack     order // of pixels of two samples
	four, fourBack   order // of pixels of four samples
	three, threeBack threes
	swapped          order // the bytes of each sample reversed
	size             int
}

// turns is which planes the second and the third output of threes are.
func (m *sampleOrders) turns() (a, b int) {
	a = 16 / m.size % 3
	return a, 3 - a
}

// orders is by size of a sample.
var orders = makeOrders()

func makeOrders() (o [9]sampleOrders) {
	for size := 1; size <= 8; size *= 2 {
		m := &o[size]
		m.size = size
		for i := range 16 {
			sample, part := i/size, i%size
			m.swapped[i] = byte(sample*size + size - 1 - part)
			half, quarter := 8/size, 4/size // samples of one plane
			m.two[i] = byte((sample%half*2+sample/half)*size + part)
			if quarter > 0 {
				m.four[i] = byte((sample%quarter*4+sample/quarter)*size + part)
			}
		}
		m.twoBack, m.fourBack = m.two.inverse(), m.four.inverse()
		m.fillThrees()
	}
	return o
}

func (m *sampleOrders) fillThrees() {
	size := m.size
	width := 16 / size // samples in a register
	for register := range 3 {
		for place := range width {
			sample := register*width + place
			// Output k has sample k*width%3 of the pixels.
			output := sample * width % 3
			for part := range size {
				at := place*size + part
				m.three.order[output][sample/3*size+part] = byte(at)
				switch {
				case output == 0 && register == 1:
					m.three.second[at] = 0xff
				case output == 0 && register == 2:
					m.three.third[at] = 0xff
				}
			}
		}
	}
	// On the way back the registers are rotated the other way round.
	m.threeBack.second, m.threeBack.third = m.three.third, m.three.second
	for k, o := range m.three.order {
		m.threeBack.order[k] = o.inverse()
	}
}

// maxWindow is the most bits that stand in four bytes wherever they begin.
const maxWindow = 25

// windows is how eight values of some bits come out of packed bytes, four out of
// each half of a register, the first of which begin in its first byte.
type windows struct {
	bytes [32]byte  // the four bytes with each value, the last one first
	left  [8]uint32 // how many bits of them stand before it
}

// unpacking is by number of bits.
var unpacking = makeUnpacking()

func makeUnpacking() (u [maxWindow + 1]windows) {
	for bits := 1; bits <= maxWindow; bits++ {
		for i := range 8 {
			at := i * bits
			if i >= 4 {
				at -= bits / 2 * 8 // where the second half begins
			}
			u[bits].left[i] = uint32(at % 8)
			for j := range 4 {
				u[bits].bytes[4*i+j] = byte(at/8 + 3 - j)
			}
		}
	}
	return u
}
