package nd

import (
	"fmt"
	"math"
)

// Box is a half-open region of an index space: along axis i it covers
// Start[i] up to, not including, Start[i]+Shape[i].
type Box struct {
	Start, Shape []int
}

// Whole is the box that covers an array of the given shape.
func Whole(shape []int) Box {
	return Box{Start: make([]int, len(shape)), Shape: shape}
}

// Covers reports whether b is all of an array of the given shape.
func (b Box) Covers(shape []int) bool {
	for i, n := range shape {
		if b.Start[i] != 0 || b.Shape[i] != n {
			return false
		}
	}
	return true
}

// Check reports an error unless b lies inside an array of the given shape.
func (b Box) Check(shape []int) error {
	if len(b.Start) != len(shape) || len(b.Shape) != len(shape) {
		return fmt.Errorf("box of rank %d in an array of rank %d", len(b.Start), len(shape))
	}
	for i, n := range shape {
		if b.Start[i] < 0 || b.Shape[i] < 0 || b.Start[i] > n-b.Shape[i] {
			return fmt.Errorf("box %v+%v outside shape %v", b.Start, b.Shape, shape)
		}
	}
	return nil
}

// Len is the number of elements in a shape; ok is false when it does not fit
// an int.
func Len(shape []int) (n int, ok bool) {
	n = 1
	for _, s := range shape {
		if s == 0 {
			return 0, true
		}
	}
	for _, s := range shape {
		if s < 0 || n > math.MaxInt/s {
			return 0, false
		}
		n *= s
	}
	return n, true
}

// Bytes is the number of bytes that an array of this shape and element size
// takes; ok is false when it does not fit an int.
func Bytes(shape []int, size int) (n int, ok bool) {
	n, ok = Len(shape)
	if !ok || size != 0 && n > math.MaxInt/size {
		return 0, false
	}
	return n * size, true
}

// Next advances idx through an array of the given shape in C order and
// reports whether there was a next index.
func Next(idx, shape []int) bool {
	for i := len(shape) - 1; i >= 0; i-- {
		if idx[i]++; idx[i] < shape[i] {
			return true
		}
		idx[i] = 0
	}
	return false
}
