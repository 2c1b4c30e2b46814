package zstdenc

import (
	"math/bits"
	"sync"
)

// maxOwnLevel is the last level this package encodes itself.
const maxOwnLevel = 5

// params steers the match finders.
type params struct {
	longLog  uint // log of the size of the 8-byte table, 0 for the single search
	shortLog uint // log of the size of the short table
	minShort uint // bytes hashed into the short table
	skip     uint // log of the miss length after which the step grows
	step     uint // step of the single search
	laneLog  uint // log of the size of the lane parser's table, 0 for no parser
}

func paramsFor(level int) params {
	switch {
	case level < 0:
		return params{shortLog: 13, minShort: 6, skip: 6, step: uint(1 + min(-level, 127))}
	case level == 1:
		return params{shortLog: 14, minShort: 6, skip: 7, step: 1}
	case level == 2:
		return params{shortLog: 16, minShort: 5, skip: 8, step: 1, laneLog: 14}
	case level == 3:
		return params{longLog: 17, shortLog: 16, minShort: 5, skip: 8, laneLog: 16}
	default:
		return params{longLog: 18, shortLog: 17, minShort: 5, skip: 8, laneLog: 17}
	}
}

// fit makes tables no larger than half the bytes of a frame: they are filled no
// further, and small ones stay in the nearer caches.
func (q *params) fit(size int) {
	log := uint(max(bits.Len(uint(size-1))-1, 8))
	q.shortLog = min(q.shortLog, log)
	if q.longLog > 0 {
		q.longLog = min(q.longLog, log)
	}
}

// encoder is the pooled state of one AppendEncode call.
type encoder struct {
	params
	reps   [3]uint32
	blocks int // blocks written to the frame so far

	// The tables hold base plus the position in the segment, so that what an
	// earlier frame left behind is recognized by being below base and need not
	// be cleared.
	base                uint32
	next                uint32 // base of the next segment
	long, short         []uint32
	laneTable, laneLong []uint32

	lanes laneScratch
	seqs  []sequence
	lits  []byte
	out   []byte
	seq   seqCoder
	lit   litCoder
}

var encoders = sync.Pool{New: func() any { return newEncoder() }}

func newEncoder() *encoder {
	e := &encoder{
		next: 1,
		seqs: make([]sequence, 0, maxSequences),
		lits: make([]byte, 0, maxBlock+64),
		// Room for literals of 11 bits per byte and for the longest sequence
		// section, so that the writers need not check for space.
		out: make([]byte, maxBlock*3/2+maxSequences*11+1024),
	}
	e.lit.prev, e.lit.next = &e.lit.buf[0], &e.lit.buf[1]
	e.seq.code = make([]uint32, maxSequences)
	e.seq.ll.init(predefinedLL, 9)
	e.seq.of.init(predefinedOF, 8)
	e.seq.ml.init(predefinedML, 9)
	return e
}

// farOffset stands for a repeated offset of which nothing is known: it is beyond every
// segment, so that nothing is found there and it is never repeated.
const farOffset = 1 << 31

// start sets the state for a segment of a frame that will hold size bytes: for the first
// one that which the format prescribes. The others know nothing of those before them,
// which may be encoded at the same time.
func (e *encoder) start(level, size int, first bool) {
	e.params = paramsFor(level)
	e.params.fit(size)
	e.reps, e.blocks = [3]uint32{1, 4, 8}, 0
	if !first {
		e.reps, e.blocks = [3]uint32{farOffset, farOffset, farOffset}, 1
	}
	e.lanes.long, e.lanes.matches, e.lanes.extended = false, 0, 0
	e.lit.prev.valid = false
	e.seq.ll.prevValid = false
	e.seq.of.prevValid = false
	e.seq.ml.prevValid = false
}

// startSegment makes every table entry older than the segment invalid.
func (e *encoder) startSegment(size int) {
	if e.next+uint32(size) > 1<<segmentBits {
		clear(e.long[:cap(e.long)])
		clear(e.short[:cap(e.short)])
		clear(e.laneTable[:cap(e.laneTable)])
		clear(e.laneLong[:cap(e.laneLong)])
		e.next = 1
	}
	e.base = e.next
	e.next += uint32(size)
}

// table returns t with 1<<log entries; those it adds are 0, which is below any base.
func table(t []uint32, log uint) []uint32 {
	if cap(t) < 1<<log {
		t = make([]uint32, 1<<log)
	}
	return t[:1<<log]
}
