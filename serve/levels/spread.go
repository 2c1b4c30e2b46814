package levels

import (
	"bytes"
	"math"
	"unsafe"

	"github.com/omnizarr/zarr/downsample"
	"github.com/omnizarr/zarr/dtype"
)

// spread fills dst with the elements that were found and what lies between them.
func spread(t dtype.Type, missing []byte, how downsample.Method, dst, found []byte, planes int, ys, xs *samples) {
	mix := mixers[t.Name()]
	if how == downsample.Nearest {
		mix = nil
	}
	size := t.Size()
	rows, columns := ys.count(), xs.count()
	for p := range planes {
		in := found[p*rows*columns*size:][:rows*columns*size]
		out := dst[p*len(ys.at)*len(xs.at)*size:][:len(ys.at)*len(xs.at)*size]
		for y := range ys.at {
			for x := range xs.at {
				at := func(row, column int) []byte { return in[(row*columns+column)*size:][:size] }
				to := out[(y*len(xs.at)+x)*size:][:size]
				four := [4][]byte{at(ys.low[y], xs.low[x]), at(ys.low[y], xs.high[x]), at(ys.high[y], xs.low[x]), at(ys.high[y], xs.high[x])}
				if mix == nil || missing != nil && anyEqual(four, missing) || !mix(to, four, ys.part[y], xs.part[x]) {
					copy(to, at(ys.nearest(y), xs.nearest(x)))
				}
			}
		}
	}
}

// count is how many elements were read.
func (s *samples) count() int { return s.high[len(s.high)-1] + 1 }

func anyEqual(four [4][]byte, elem []byte) bool {
	for _, e := range four {
		if bytes.Equal(e, elem) {
			return true
		}
	}
	return false
}

// mixers make an element of four around it; false says that one of them is no number.
var mixers = map[string]func(to []byte, four [4][]byte, y, x float32) bool{
	"int8": mix[int8], "int16": mix[int16], "int32": mix[int32], "int64": mix[int64],
	"uint8": mix[uint8], "uint16": mix[uint16], "uint32": mix[uint32], "uint64": mix[uint64],
	"float32": mix[float32], "float64": mix[float64],
}

func mix[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64](to []byte, four [4][]byte, y, x float32) bool {
	at := func(k int) float64 { return float64(*(*T)(unsafe.Pointer(unsafe.SliceData(four[k])))) }
	upper := at(0) + float64(x)*(at(1)-at(0))
	lower := at(2) + float64(x)*(at(3)-at(2))
	v := upper + float64(y)*(lower-upper)
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return false
	}
	if T(1)/2 == 0 { // an integer
		v = math.Round(v)
		// What lies between integers of 64 bits may round to one more than there is.
		if v >= 1<<63 {
			return false
		}
	}
	*(*T)(unsafe.Pointer(unsafe.SliceData(to))) = T(v)
	return true
}
