package pco

import (
	"errors"
	"fmt"
	"math"
)

var errShort = errors.New("data ends too early")

// decoder holds a chunk that is being decoded, and memory for the next.
type decoder struct {
	r     bitReader
	t     Type
	major uint8 // version of the format

	mode  mode
	base  uint64   // multiplier or number of quantised bits
	words []uint64 // of the dictionary

	delta        delta
	order        int  // of consecutive or conv1; what is stored of lookback
	windowLog    uint // of lookback
	secondDelta  bool
	quantisation uint
	bias         int64
	weights      [32]int64

	backs, primary, secondary variable
	all                       [3]*variable
	bins                      []bin
	next                      []uint32
	offsetBits                [batchLen]uint8
}

// variable is one of the sequences of latents of a chunk.
type variable struct {
	bits     uint // of a latent
	sizeLog  uint
	bins     int
	widest   uint8 // offset
	nodes    []node
	stateLen int // latents that are stored in front of the differences
	states   [states]uint32
	moments  [32]uint64 // of consecutive and conv1
	window   []uint64   // of lookback: what came before
	at       int        // where the window goes on
	out      [batchLen]uint64
}

// keepWords is the number of words of a buffer that is worth keeping.
const keepWords = 1 << 17

func (d *decoder) release() {
	d.r.b = nil
	for _, s := range []*[]uint64{&d.words, &d.primary.window, &d.secondary.window} {
		if cap(*s) > keepWords {
			*s = nil
		}
	}
	decoders.Put(d)
}

// header reads what stands before the first chunk.
func (d *decoder) header() error {
	r := &d.r
	if r.left() < 40 || string(r.b[:4]) != magic {
		return fmt.Errorf("does not begin with %q", magic)
	}
	r.read(32)
	// The first two versions of the standalone form had no number of their
	// own: the byte is the version of the format already.
	version := r.read(8)
	switch {
	case version > 3:
		return fmt.Errorf("is of standalone version %d, want at most 3", version)
	case version < 2:
		d.major = uint8(version)
		return nil
	case version == 3:
		if t := Type(r.read(8)); t != 0 && t != d.t {
			return fmt.Errorf("holds numbers of %v, want %v", t, d.t)
		}
	}
	// How many numbers there are is only a hint, and is not needed.
	r.read(uint(r.read(6)) + 1)
	if !r.align() {
		return errors.New("bits behind the number of numbers are not zero")
	}
	d.major = uint8(r.read(8))
	if d.major > 4 {
		return fmt.Errorf("is of format version %d, want at most 4", d.major)
	}
	if d.major == 4 {
		r.read(8) // a minor version only adds things that are recognised where they are used
	}
	return nil
}

// chunkMeta reads the description of a chunk.
func (d *decoder) chunkMeta() error {
	if err := d.readMode(); err != nil {
		return err
	}
	if err := d.readDelta(); err != nil {
		return err
	}
	d.backs.bits, d.primary.bits, d.secondary.bits = 32, d.t.bits(), d.t.bits()
	if d.mode == dict {
		d.primary.bits = 32
	}
	if err := d.checkConv1(); err != nil {
		return err
	}
	for _, v := range d.variables() {
		if err := d.readBins(v); err != nil {
			return err
		}
	}
	if !d.r.align() {
		return errors.New("bits behind the description of a chunk are not zero")
	}
	if d.r.short {
		return errShort
	}
	d.backs.stateLen, d.primary.stateLen, d.secondary.stateLen = 0, d.order, 0
	if d.secondDelta {
		d.secondary.stateLen = d.order
	}
	return nil
}

// variables are the sequences of latents that the chunk has, as they follow
// each other.
func (d *decoder) variables() []*variable {
	d.all = [...]*variable{&d.backs, &d.primary, &d.secondary}
	from, to := 1, 2
	if d.delta == lookback {
		from = 0
	}
	if d.two() {
		to = 3
	}
	return d.all[from:to]
}

// two reports whether the mode makes each number of two latents.
func (d *decoder) two() bool { return d.mode == intMult || d.mode == floatMult || d.mode == floatQuant }

func (d *decoder) readMode() error {
	r := &d.r
	m := r.read(4)
	if m > uint64(dict) {
		return fmt.Errorf("unknown mode %d", m)
	}
	d.mode = mode(m)
	wrong := d.mode == intMult && d.t.isFloat() || (d.mode == floatMult || d.mode == floatQuant) && !d.t.isFloat()
	if wrong {
		return fmt.Errorf("mode %d does not go with numbers of %v", m, d.t)
	}
	switch d.mode {
	case intMult:
		if d.major == 0 {
			return errors.New("multiples of integers in format version 0 cannot be read")
		}
		if d.base = r.read(d.t.bits()); d.base == 0 {
			return errors.New("the multiplier is zero")
		}
	case floatMult:
		d.base = r.read(d.t.bits())
		if !telling(unordered(d.base, d.t), d.t) {
			return errors.New("the multiplier is zero or not finite")
		}
	case floatQuant:
		d.base = r.read(8)
		if d.base == 0 || uint(d.base) > d.t.mantissa() {
			return fmt.Errorf("%d bits are quantised, but %v has a mantissa of %d", d.base, d.t, d.t.mantissa())
		}
	case dict:
		n := uint(r.read(25))
		if !r.align() {
			return errors.New("bits behind the length of the dictionary are not zero")
		}
		if n > r.left()/d.t.bits() {
			return errShort
		}
		d.words = grow(d.words, int(n))
		for i := range d.words {
			d.words[i] = r.read(d.t.bits())
		}
	}
	return nil
}

func (d *decoder) readDelta() error {
	r := &d.r
	d.order, d.secondDelta = 0, false
	if d.major < 3 {
		d.order = int(r.read(3))
		d.delta = noDelta
		if d.order > 0 {
			d.delta = consecutive
		}
		return nil
	}
	k := r.read(4)
	if k > uint64(conv1) {
		return fmt.Errorf("unknown delta encoding %d", k)
	}
	d.delta = delta(k)
	switch d.delta {
	case consecutive:
		if d.order = int(r.read(3)); d.order == 0 {
			return errors.New("consecutive differences are of order 0")
		}
		d.secondDelta = r.read(1) == 1 && d.two()
	case lookback:
		d.windowLog = uint(r.read(5)) + 1
		log := uint(r.read(4))
		if d.windowLog > 24 || log > d.windowLog {
			return fmt.Errorf("a window of 2^%d numbers, of which 2^%d are stored", d.windowLog, log)
		}
		d.order = 1 << log
		d.secondDelta = r.read(1) == 1 && d.two()
	case conv1:
		d.quantisation = uint(r.read(5))
		d.bias = int64(r.read(64) ^ 1<<63)
		d.order = int(r.read(5)) + 1
		for i := range d.order {
			d.weights[i] = int64(int32(uint32(r.read(32)) ^ 1<<31))
		}
	}
	return nil
}

// checkConv1 refuses weights with which a prediction may overflow: it is
// computed with twice the bits of a latent.
func (d *decoder) checkConv1() error {
	if d.delta != conv1 {
		return nil
	}
	n := int(d.primary.bits)
	if n > 32 {
		return errors.New("predictions of 64-bit numbers are not possible")
	}
	most := math.Abs(float64(d.bias))
	for _, w := range d.weights[:d.order] {
		most += math.Ldexp(math.Abs(float64(w)), n)
	}
	if most >= math.Ldexp(1, 2*n-1) || d.quantisation > uint(2*n-1) {
		return errors.New("predictions may overflow")
	}
	return nil
}

// readBins reads the bins of a variable and makes its table.
func (d *decoder) readBins(v *variable) error {
	r := &d.r
	v.sizeLog = uint(r.read(4))
	v.bins = int(r.read(15))
	wide := offsetLen(v.bits)
	switch {
	case v.sizeLog > maxSizeLog:
		return fmt.Errorf("a table of 2^%d states, at most 2^%d are allowed", v.sizeLog, maxSizeLog)
	case v.bins > 1<<v.sizeLog:
		return fmt.Errorf("%d bins share a table of %d states", v.bins, 1<<v.sizeLog)
	case v.bins == 1 && v.sizeLog > 0:
		return fmt.Errorf("a single bin has a table of %d states", 1<<v.sizeLog)
	case uint(v.bins)*(v.sizeLog+v.bits+wide) > r.left():
		return errShort
	}
	d.bins = grow(d.bins, max(v.bins, 1))
	d.bins[0] = bin{weight: 1} // stands in if there is none
	v.widest = 0
	for i := range v.bins {
		weight := uint32(r.read(v.sizeLog)) + 1
		lower := r.read(v.bits)
		n := r.read(wide)
		if n > uint64(v.bits) {
			return fmt.Errorf("offsets of %d bits in numbers of %d", n, v.bits)
		}
		if v == &d.backs && (lower < 1 || lower > 1<<d.windowLog) {
			return fmt.Errorf("looks back %d numbers in a window of %d", lower, 1<<d.windowLog)
		}
		d.bins[i] = bin{weight, uint8(n), lower}
		v.widest = max(v.widest, uint8(n))
	}
	var err error
	v.nodes, d.next, err = decodeTable(d.bins, v.sizeLog, v.nodes, d.next)
	return err
}

// pageMeta reads what stands before the numbers of a chunk of n.
func (d *decoder) pageMeta(n int) error {
	r := &d.r
	body := max(0, n-d.primary.stateLen)
	for _, v := range d.variables() {
		if uint(v.stateLen)*v.bits > r.left() {
			return errShort
		}
		if v.bins == 0 && body > 0 {
			return fmt.Errorf("%d numbers have no bins", body)
		}
		if v.stateLen > 0 && d.delta == lookback {
			v.startWindow(n, 1<<d.windowLog)
			for i := range v.stateLen {
				v.window[i] = r.read(v.bits)
			}
		} else {
			for i := range v.stateLen {
				v.moments[i] = r.read(v.bits)
			}
		}
		for i := range v.states {
			v.states[i] = uint32(r.read(v.sizeLog))
		}
	}
	if !r.align() {
		return errors.New("bits before the numbers of a chunk are not zero")
	}
	if r.short {
		return errShort
	}
	return nil
}
