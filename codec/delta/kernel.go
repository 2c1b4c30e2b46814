package delta

import (
	"encoding/binary"
	"math"

	"github.com/omnizarr/zarr/internal/numeric"
)

// kernel works on a run of elements. The third slice is one element: the one
// before the run, and when the kernel is done the last of it.
type kernel func(dst, src, before []byte)

// kernelsFor chooses the kernels for elements of lag numbers of type t. start is
// the element before the first in a sum, one that changes nothing that is added
// to it: for floats negative zero. In differences it is zero.
func kernelsFor(t numeric.Type, lag int, durations bool) (diff, sum kernel, start [16]byte) {
	if t.IsFloat() {
		for i := t.Size(); i <= len(start); i += t.Size() {
			start[i-1] = 0x80
		}
	}
	switch {
	case durations:
		return diffDurations, sumDurations, start
	case t == numeric.Float16:
		return diffHalves, sumHalves, start
	case t == numeric.Float32 && lag == 1:
		return diffNumbers[float32], sumNumbers[float32], start
	case t == numeric.Float32:
		return diffPairs[float32], sumPairs[float32], start
	case t == numeric.Float64 && lag == 1:
		return diffNumbers[float64], sumNumbers[float64], start
	case t == numeric.Float64:
		return diffPairs[float64], sumPairs[float64], start
	}
	// A sign makes no difference to integers that wrap around.
	switch t.Size() {
	case 1:
		return diffNumbers[uint8], sumBytes, start
	case 2:
		return diffNumbers[uint16], sumNumbers[uint16], start
	case 4:
		return diffNumbers[uint32], sumNumbers[uint32], start
	}
	return diffNumbers[uint64], sumNumbers[uint64], start
}

func diffNumbers[T numeric.Unsigned | numeric.Float](dst, src, before []byte) {
	d, s, b := numeric.Slice[T](dst), numeric.Slice[T](src), numeric.Slice[T](before)
	d = d[:len(s)]
	last := b[0]
	for i, x := range s {
		d[i] = x - last
		last = x
	}
	b[0] = last
}

func sumNumbers[T numeric.Unsigned | numeric.Float](dst, src, before []byte) {
	d, s, b := numeric.Slice[T](dst), numeric.Slice[T](src), numeric.Slice[T](before)
	d = d[:len(s)]
	sum := b[0]
	for i, x := range s {
		sum += x
		d[i] = sum
	}
	b[0] = sum
}

// sumBytes adds up eight bytes at a time, in lanes of sixteen bits so that no
// carry reaches a neighbour.
func sumBytes(dst, src, before []byte) {
	const lanes, ones = 0x00ff00ff00ff00ff, 0x0001000100010001
	sum := uint64(before[0])
	dst = dst[:len(src)]
	for len(src) >= 8 {
		w := binary.LittleEndian.Uint64(src)
		odd := w >> 8 & lanes
		// A product with ones is the sums of every lane and all below it.
		sums := (w&lanes+odd)*ones + sum*ones // at odd places
		binary.LittleEndian.PutUint64(dst, (sums-odd)&lanes|sums&lanes<<8)
		sum = sums >> 48 & 0xff
		dst, src = dst[8:], src[8:]
	}
	last := byte(sum)
	for i, x := range src {
		last += x
		dst[i] = last
	}
	before[0] = last
}

// diffPairs and sumPairs are for complex numbers.
func diffPairs[T numeric.Float](dst, src, before []byte) {
	d, s, b := numeric.Slice[T](dst), numeric.Slice[T](src), numeric.Slice[T](before)
	d = d[:len(s)]
	re, im := b[0], b[1]
	for i := 1; i < len(s); i += 2 {
		d[i-1], d[i] = s[i-1]-re, s[i]-im
		re, im = s[i-1], s[i]
	}
	b[0], b[1] = re, im
}

func sumPairs[T numeric.Float](dst, src, before []byte) {
	d, s, b := numeric.Slice[T](dst), numeric.Slice[T](src), numeric.Slice[T](before)
	d = d[:len(s)]
	re, im := b[0], b[1]
	for i := 1; i < len(s); i += 2 {
		re += s[i-1]
		im += s[i]
		d[i-1], d[i] = re, im
	}
	b[0], b[1] = re, im
}

func diffHalves(dst, src, before []byte) {
	d, s, b := numeric.Slice[numeric.Half](dst), numeric.Slice[numeric.Half](src), numeric.Slice[numeric.Half](before)
	d = d[:len(s)]
	last := b[0].Float32()
	for i, h := range s {
		x := h.Float32()
		d[i] = numeric.RoundHalf(x - last)
		last = x
	}
	if len(s) > 0 {
		b[0] = s[len(s)-1]
	}
}

func sumHalves(dst, src, before []byte) {
	d, s, b := numeric.Slice[numeric.Half](dst), numeric.Slice[numeric.Half](src), numeric.Slice[numeric.Half](before)
	d = d[:len(s)]
	sum := b[0]
	for i, h := range s {
		sum = numeric.RoundHalf(sum.Float32() + h.Float32())
		d[i] = sum
	}
	b[0] = sum
}

// notATime is NumPy's NaT: what is computed with it is NaT too.
const notATime = math.MinInt64

func diffDurations(dst, src, before []byte) {
	d, s, b := numeric.Slice[int64](dst), numeric.Slice[int64](src), numeric.Slice[int64](before)
	d = d[:len(s)]
	last := b[0]
	for i, x := range s {
		if x == notATime || last == notATime {
			d[i] = notATime
		} else {
			d[i] = x - last
		}
		last = x
	}
	b[0] = last
}

func sumDurations(dst, src, before []byte) {
	d, s, b := numeric.Slice[int64](dst), numeric.Slice[int64](src), numeric.Slice[int64](before)
	d = d[:len(s)]
	sum := b[0]
	for i, x := range s {
		if x == notATime || sum == notATime {
			sum = notATime
		} else {
			sum += x
		}
		d[i] = sum
	}
	b[0] = sum
}
