package nd

import (
	"fmt"
	"slices"
)

// View is a strided window on memory. The element at index i starts at
// Offset + Σ i[k]·Strides[k]; strides are in bytes and may be zero or negative.
//
// Elements of variable length hold references into Heap, so that the kernels
// move them like any other element of fixed size.
type View struct {
	Data    []byte
	Offset  int
	Size    int // bytes per element
	Shape   []int
	Strides []int
	Heap    *Heap
}

// Strides returns the strides of C-ordered memory for a shape.
func Strides(shape []int, size int) []int {
	return CStrides(make([]int, len(shape)), shape, size)
}

// CStrides fills dst, which must have the rank of shape, with the strides of
// C-ordered memory.
func CStrides(dst, shape []int, size int) []int {
	for i := len(shape) - 1; i >= 0; i-- {
		dst[i] = size
		size *= shape[i]
	}
	return dst
}

// Of returns a C-ordered view of data, which must hold exactly the elements of
// shape.
func Of(data []byte, size int, shape ...int) View {
	if n, ok := Bytes(shape, size); !ok || n != len(data) {
		panic(fmt.Sprintf("nd: %d bytes for shape %v of %d-byte elements", len(data), shape, size))
	}
	return View{Data: data, Size: size, Shape: shape, Strides: Strides(shape, size)}
}

// Make returns a C-ordered view of new memory.
func Make(size int, shape ...int) View {
	n, ok := Bytes(shape, size)
	if !ok {
		panic(fmt.Sprintf("nd: shape %v is too large", shape))
	}
	return Of(make([]byte, n), size, shape...)
}

// Check reports an error when an element of v would lie outside its Data.
func (v View) Check() error {
	if len(v.Shape) != len(v.Strides) {
		return fmt.Errorf("view has %d lengths and %d strides", len(v.Shape), len(v.Strides))
	}
	if len(v.Shape) > MaxRank {
		return fmt.Errorf("view has %d dimensions, at most %d are supported", len(v.Shape), MaxRank)
	}
	if slices.Contains(v.Shape, 0) {
		return nil
	}
	// Bytes of Data before and behind the first element.
	before, behind := v.Offset, len(v.Data)-v.Size-v.Offset
	fits := v.Size >= 0
	for i, n := range v.Shape {
		stride, room := v.Strides[i], &behind
		if stride < 0 {
			stride, room = -stride, &before
		}
		switch {
		case n < 0 || stride < 0:
			fits = false
		case n > 1 && stride > 0 && n-1 > *room/stride:
			fits = false
		default:
			*room -= (n - 1) * stride
		}
	}
	if !fits || before < 0 || behind < 0 {
		return fmt.Errorf("view of shape %v and strides %v from byte %d on reaches outside its %d bytes", v.Shape, v.Strides, v.Offset, len(v.Data))
	}
	return nil
}

// Len is the number of elements in v.
func (v View) Len() int {
	n := 1
	for _, s := range v.Shape {
		n *= s
	}
	return n
}

// At returns the bytes of the element at idx.
func (v View) At(idx ...int) []byte {
	o := v.Offset
	for i, k := range idx {
		o += k * v.Strides[i]
	}
	return v.Data[o : o+v.Size : o+v.Size]
}

// Box returns the part of v inside b, sharing memory.
func (v View) Box(b Box) View {
	v.Offset += v.Dot(b.Start)
	v.Shape = b.Shape
	return v
}

// Dot is the distance in bytes from the first element to the one at idx.
func (v View) Dot(idx []int) int {
	o := 0
	for i, k := range idx {
		o += k * v.Strides[i]
	}
	return o
}

// Permute returns v with axis i of the result being axis order[i] of v.
func (v View) Permute(order []int) View {
	shape, strides := make([]int, len(order)), make([]int, len(order))
	for i, k := range order {
		shape[i], strides[i] = v.Shape[k], v.Strides[k]
	}
	v.Shape, v.Strides = shape, strides
	return v
}

// Contiguous returns the memory of v when its elements lie in it in C order
// without gaps.
func (v View) Contiguous() ([]byte, bool) {
	want := v.Size
	for i := len(v.Shape) - 1; i >= 0; i-- {
		n := v.Shape[i]
		if n == 0 {
			return v.Data[:0], true
		}
		if n != 1 && v.Strides[i] != want {
			return nil, false
		}
		want *= n
	}
	return v.Data[v.Offset : v.Offset+want : v.Offset+want], true
}
