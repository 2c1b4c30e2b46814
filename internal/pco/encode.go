package pco

import (
	"encoding/binary"
	"math/bits"
)

// Options say how to encode.
type Options struct {
	Level   int  // from 0 to 12: 2^Level is the number of bins to begin with
	Classic bool // the latents are the numbers themselves
	// Order of consecutive differences, at most 7; a negative one stands for
	// that which looks best.
	Order int
	// Lookback takes differences to earlier numbers at any distance. Without
	// it, and with a negative order, they are taken if that looks much better.
	Lookback bool
	// Chunk is the largest number of numbers of a chunk; 0 stands for 2^18.
	Chunk int
}

// Default is what the reference implementation calls level 8.
var Default = Options{Level: 8, Order: -1, Chunk: 1 << 18}

// MaxSize is more bytes than n numbers of type t can take.
func MaxSize(n int, t Type, o Options) int {
	return 64 + n*t.Size() + 48*(n/o.chunk()+1)
}

func (o Options) chunk() int {
	if o.Chunk <= 0 {
		return Default.Chunk
	}
	return min(o.Chunk, maxChunk)
}

// encoder holds a chunk that is being encoded, and memory for the next.
type encoder struct {
	w              bitWriter
	t              Type
	nums, sample   []uint64
	schemes        []scheme
	back           sequence // distances of lookbacks
	first, second  sequence
	trial, scratch []uint64
	trainer        trainer
	searcher       searcher
}

// plan is how to encode a chunk.
type plan struct {
	scheme
	order    int // of consecutive differences
	lookback bool
}

// sequence is a variable of a chunk to encode.
type sequence struct {
	width   uint
	all     []uint64 // memory of latents
	latents []uint64 // then differences
	moments []uint64
	bins    []bin
	sizeLog uint
	lowers  []uint64 // of bins, filled up to a power of two
	table   encodeTable
	symbols []uint16
	codes   []uint32 // bits of tANS, and above 16 how many
	states  [states]uint32
}

// Encode appends a file with the numbers of src, little-endian and of type t.
// Bytes of src that are not a whole number are left out.
func Encode(dst, src []byte, t Type, o Options) []byte {
	e := encoders.Get().(*encoder)
	defer encoders.Put(e)
	n := len(src) / t.Size()
	e.t = t
	e.w = bitWriter{b: append(dst, magic...)}
	w := &e.w
	// The oldest version that has what is needed, so that most readers
	// understand it. Only the newest has numbers of eight bits, and says what
	// type a file without numbers is of.
	newest := n == 0 || t.bits() == 8
	if newest {
		w.b = append(w.b, 3, byte(t))
	} else {
		w.b = append(w.b, 2)
	}
	size := max(1, uint(bits.Len(uint(n))))
	w.put(uint64(size-1), 6)
	w.put(uint64(n), size)
	w.align()
	if newest {
		w.b = append(w.b, 4, 1)
	} else {
		w.b = append(w.b, 3)
	}
	chunks := (n + o.chunk() - 1) / o.chunk()
	for i := range chunks {
		from, to := n/chunks*i+min(i, n%chunks), n/chunks*(i+1)+min(i+1, n%chunks)
		e.chunk(src[from*t.Size():to*t.Size()], to-from, o)
	}
	out := append(w.b, 0)
	e.w.b = nil
	return out
}

// chunk writes n numbers.
func (e *encoder) chunk(src []byte, n int, o Options) {
	e.w.b = binary.LittleEndian.AppendUint32(e.w.b, uint32(e.t)|uint32(n-1)<<8)
	e.nums = grow(e.nums, n)
	load(e.nums, src, e.t)
	p := e.choose(o)
	start := len(e.w.b)
	log := binsLog(o.Level, n)
	e.prepare(&e.first, n)
	e.prepare(&e.second, n)
	p.split(e.first.latents, e.second.latents, e.nums, e.t)
	if p.lookback {
		e.back.width, e.back.moments = 32, nil
		e.back.latents = e.searcher.search(e.first.latents, e.first.width)
		e.back.fit(&e.trainer, log)
		e.first.lookBack(e.back.latents)
	} else {
		e.first.difference(p.order)
	}
	e.first.fit(&e.trainer, log)
	if p.mode != classic {
		e.second.difference(0)
		e.second.fit(&e.trainer, min(log, 6))
	}
	e.write(p)
	// What does not become smaller is stored as it is.
	if len(e.w.b)-start > n*e.t.Size()+20 {
		e.w = bitWriter{b: e.w.b[:start]}
		e.prepare(&e.first, n)
		copy(e.first.latents, e.nums)
		e.first.difference(0)
		e.first.use([]bin{{weight: 1, offsetBits: uint8(e.t.bits())}}, 0)
		e.write(plan{})
	}
}

func (e *encoder) prepare(s *sequence, n int) {
	s.width = e.t.bits()
	s.all = grow(s.all, n)
	s.latents = s.all
}

// binsLog is how many parts the search for bins begins with: few for few
// numbers, since bins have to be described.
func binsLog(level, n int) uint {
	most := max(0, bits.Len(uint(n))-5)
	if level <= most {
		return uint(level)
	}
	return uint(most + (level-most)/2)
}

// write writes the description of a chunk and its latents.
func (e *encoder) write(p plan) {
	w := &e.w
	w.put(uint64(p.mode), 4)
	switch p.mode {
	case intMult, floatMult:
		w.put(p.base, e.t.bits())
	case floatQuant:
		w.put(p.base, 8)
	}
	// Behind the parameters of differences stands a bit that says that second
	// latents are as they are.
	all := []*sequence{&e.back, &e.first, &e.second}
	if p.mode == classic {
		all = all[:2]
	}
	switch {
	case p.lookback:
		w.put(uint64(lookback), 4)
		w.put(uint64(windowLog(len(e.nums))-1), 5)
		w.put(0, 4+1) // one latent is stored
	case p.order > 0:
		w.put(uint64(consecutive), 4)
		w.put(uint64(p.order), 3+1)
	default:
		w.put(uint64(noDelta), 4)
	}
	if !p.lookback {
		all = all[1:]
	}
	for _, q := range all {
		q.describe(w)
	}
	w.align()
	for _, q := range all {
		q.encode()
		for _, m := range q.moments {
			w.put(m, q.width)
		}
		for _, state := range q.states {
			w.put(uint64(state)&masks[q.sizeLog], q.sizeLog)
		}
	}
	w.align()
	for at := 0; at < len(e.nums); at += batchLen {
		for _, q := range all {
			q.batch(w, at)
		}
	}
	w.align()
}

// difference takes differences order times, and keeps what each began with.
func (q *sequence) difference(order int) {
	q.moments = q.moments[:0]
	l := q.latents
	for range order {
		q.moments = append(q.moments, l[0])
		differences(l, 1)
		l = l[1:]
	}
	q.latents = l
	if order > 0 {
		q.center()
	}
}

// center puts zero into the middle of the range of differences.
func (q *sequence) center() {
	mid, mask := uint64(1)<<(q.width-1), masks[q.width]
	for i, x := range q.latents {
		q.latents[i] = (x + mid) & mask
	}
	for i, m := range q.moments {
		q.moments[i] = m & mask
	}
}

// differences replaces all but the first numbers by what they are more than the
// one before.
func differences(l []uint64, from int) {
	for i := len(l) - 1; i >= from; i-- {
		l[i] -= l[i-1]
	}
}

// fit finds bins for the latents.
func (q *sequence) fit(t *trainer, binsLog uint) {
	t.train(q.latents, q.width, binsLog)
	q.use(t.bins, t.sizeLog)
}

// use makes the tables for bins.
func (q *sequence) use(bins []bin, sizeLog uint) {
	q.bins = append(q.bins[:0], bins...)
	q.sizeLog = sizeLog
	if len(bins) < 2 {
		return
	}
	q.table.build(bins, sizeLog)
	q.lowers = grow(q.lowers, 1<<bits.Len(uint(len(bins)-1)))
	for i := range q.lowers {
		q.lowers[i] = ^uint64(0)
		if i < len(bins) {
			q.lowers[i] = bins[i].lower
		}
	}
}

func (q *sequence) describe(w *bitWriter) {
	w.put(uint64(q.sizeLog), 4)
	w.put(uint64(len(q.bins)), 15)
	for _, b := range q.bins {
		w.put(uint64(b.weight-1), q.sizeLog)
		w.put(b.lower, q.width)
		w.put(uint64(b.offsetBits), offsetLen(q.width))
	}
}

// encode finds the bin of each latent and runs tANS over them, backwards.
func (q *sequence) encode() {
	q.states = [states]uint32{}
	if len(q.bins) < 2 {
		return
	}
	q.symbols = grow(q.symbols, len(q.latents))
	q.codes = grow(q.codes, len(q.latents))
	lowers, half := q.lowers, len(q.lowers)/2
	for i, x := range q.latents {
		k := 0
		for step := half; step > 0; step >>= 1 {
			if x >= lowers[k+step] {
				k += step
			}
		}
		q.symbols[i] = uint16(min(k, len(q.bins)-1))
	}
	for i := range q.states {
		q.states[i] = 1 << q.sizeLog
	}
	for i := len(q.latents) - 1; i >= 0; i-- {
		state := q.states[i%states]
		next, n := q.table.encode(state, q.symbols[i])
		q.codes[i] = state&(1<<n-1) | uint32(n)<<16
		q.states[i%states] = next
	}
}

// batch writes the latents from one on.
func (q *sequence) batch(w *bitWriter, at int) {
	to := min(at+batchLen, len(q.latents))
	if at >= to {
		return
	}
	if len(q.bins) == 1 {
		b := q.bins[0]
		for _, x := range q.latents[at:to] {
			w.put(x-b.lower, uint(b.offsetBits))
		}
		return
	}
	for _, c := range q.codes[at:to] {
		w.put(uint64(c&0xffff), uint(c>>16))
	}
	for i, x := range q.latents[at:to] {
		b := &q.bins[q.symbols[at+i]]
		w.put(x-b.lower, uint(b.offsetBits))
	}
}
