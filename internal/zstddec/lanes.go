package zstddec

import "unsafe"

// quad is the literals of a block while its four streams are decoded.
type quad struct {
	section
	dst  []byte
	step int    // distance of the streams in dst
	left [4]int // bits of the streams
	done int    // literals of every stream that are decoded
}

func (q *quad) start(dst []byte) error {
	q.dst, q.step, q.done = dst, (len(dst)+3)/4, 0
	if 3*q.step > len(dst) {
		return corrupt("literals are too short for four streams")
	}
	for i, b := range q.streams {
		left, ok := streamBits(b)
		if !ok {
			return errStream
		}
		q.left[i] = left
	}
	return nil
}

// finish decodes what is left.
func (q *quad) finish(l *lanes) error {
	l.four(q)
	for i, b := range q.streams {
		to := q.dst[i*q.step+q.done : min((i+1)*q.step, len(q.dst))]
		if q.table.decode(to, b, q.left[i]) != 0 {
			return errStream
		}
	}
	return nil
}

// rounds is how many times five literals can be decoded of every stream without
// looking where it ends: they take 55 bits at most, and 57 must be there.
func (q *quad) rounds() int {
	left := min(q.left[0], q.left[1], q.left[2], q.left[3])
	return min((left-57)/roundBits, (len(q.dst)-3*q.step-q.done)/roundLen)
}

const (
	roundLen  = 5
	roundBits = roundLen * huffmanLog
)

// lanes are streams that are decoded at the same time, those of one block or of two.
type lanes struct {
	tables [2]*huffmanTable
	base   [8]unsafe.Pointer
	left   [8]int
	out    [2]unsafe.Pointer // where the first stream of a block is written
	step   [2]int            // from stream to stream
	rounds int
}

func (l *lanes) release() { *l = lanes{} }
