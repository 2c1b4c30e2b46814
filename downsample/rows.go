package downsample

import (
	"github.com/omnizarr/zarr/internal/numeric"
	"github.com/omnizarr/zarr/nd"
)

// rows makes the means of windows of integers from sums of whole rows, which is several
// times as fast as to gather each window. It reports whether it did: sums must not overflow,
// nothing may be missing, and the elements of rows must lie beside each other.
func (s *Sampler) rows(dst, src nd.View) bool {
	last := len(s.factors) - 1
	if s.how != Average || s.missing != nil || last < 0 || src.Strides[last] != src.Size || dst.Strides[last] != dst.Size {
		return false
	}
	switch s.typ {
	case numeric.Int8:
		meanRows[int8, int64](dst, src, s.factors)
	case numeric.Int16:
		meanRows[int16, int64](dst, src, s.factors)
	case numeric.Int32:
		meanRows[int32, int64](dst, src, s.factors)
	case numeric.Uint8:
		meanRows[uint8, uint64](dst, src, s.factors)
	case numeric.Uint16:
		meanRows[uint16, uint64](dst, src, s.factors)
	case numeric.Uint32:
		meanRows[uint32, uint64](dst, src, s.factors)
	default:
		return false
	}
	return true
}

func meanRows[T numeric.Integer, W int64 | uint64](dst, src nd.View, factors []int) {
	last := len(factors) - 1
	sums := make([]W, dst.Shape[last])
	var at, in, some [nd.MaxRank]int
	for more := true; more; more = nd.Next(at[:last], dst.Shape[:last]) {
		base := src.Offset
		for i, f := range factors[:last] {
			base += at[i] * f * src.Strides[i]
			some[i] = min(f, src.Shape[i]-at[i]*f)
		}
		clear(sums)
		clear(in[:last])
		high := W(0) // rows of a window
		for more := true; more; more = nd.Next(in[:last], some[:last]) {
			from := base
			for i, k := range in[:last] {
				from += k * src.Strides[i]
			}
			addRow(sums, numeric.Slice[T](src.Data[from:from+src.Shape[last]*src.Size]), factors[last])
			high++
		}
		to := dst.Offset
		for i, k := range at[:last] {
			to += k * dst.Strides[i]
		}
		out := numeric.Slice[T](dst.Data[to : to+len(sums)*dst.Size])
		for i, sum := range sums {
			k := high * W(min(factors[last], src.Shape[last]-i*factors[last]))
			whole, part := floored(sum, k)
			out[i] = T(nearest(whole, part, k))
		}
	}
}

// addRow adds to each sum the elements of its window, of which the last may have fewer.
func addRow[T numeric.Integer, W int64 | uint64](sums []W, row []T, window int) {
	if window == 2 {
		for i := range len(row) / 2 {
			pair := row[2*i : 2*i+2 : 2*i+2]
			sums[i] += W(pair[0]) + W(pair[1])
		}
		if len(row)%2 == 1 {
			sums[len(row)/2] += W(row[len(row)-1])
		}
		return
	}
	for i := range sums {
		for _, v := range row[i*window : min((i+1)*window, len(row))] {
			sums[i] += W(v)
		}
	}
}
