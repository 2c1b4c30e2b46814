package nd

import "fmt"

// Fill sets every element of dst to elem.
func Fill(dst View, elem []byte) {
	if len(elem) != dst.Size {
		panic(fmt.Sprintf("nd: fill of %d-byte elements with %d bytes", dst.Size, len(elem)))
	}
	if mem, ok := dst.Contiguous(); ok {
		FillBytes(mem, elem)
		return
	}
	// One row is filled by doubling and then copied along the other axes.
	last := len(dst.Shape) - 1
	if last >= 0 && dst.Strides[last] == dst.Size && dst.Shape[last] > 1 {
		row := make([]byte, dst.Shape[last]*dst.Size)
		FillBytes(row, elem)
		strides := make([]int, len(dst.Shape))
		strides[last] = dst.Size
		Copy(dst, View{Data: row, Size: dst.Size, Shape: dst.Shape, Strides: strides})
		return
	}
	Copy(dst, View{Data: elem, Size: dst.Size, Shape: dst.Shape, Strides: make([]int, len(dst.Shape))})
}

// FillBytes repeats elem over mem, whose length must be a multiple of it.
func FillBytes(mem, elem []byte) {
	if len(mem) == 0 || len(elem) == 0 {
		return
	}
	if zero(elem) {
		clear(mem)
		return
	}
	n := copy(mem, elem)
	for n < len(mem) {
		n += copy(mem[n:], mem[:n])
	}
}

// IsFill reports whether every element of v equals elem.
func IsFill(v View, elem []byte) bool {
	if mem, ok := v.Contiguous(); ok {
		return repeats(mem, elem)
	}
	last := len(v.Shape) - 1
	for _, n := range v.Shape {
		if n == 0 {
			return true
		}
	}
	var at [MaxRank]int
	idx := at[:last]
	row := View{Size: v.Size, Data: v.Data, Shape: v.Shape[last:], Strides: v.Strides[last:]}
	for {
		row.Offset = v.Offset + v.Dot(idx)
		if mem, ok := row.Contiguous(); ok {
			if !repeats(mem, elem) {
				return false
			}
		} else {
			for k := range v.Shape[last] {
				if string(row.At(k)) != string(elem) {
					return false
				}
			}
		}
		if !Next(idx, v.Shape[:last]) {
			return true
		}
	}
}

// repeats reports whether mem is elem over and over: its head is elem, and
// what follows equals what stands one element before.
func repeats(mem, elem []byte) bool {
	if len(mem) == 0 {
		return true
	}
	n := len(elem)
	return string(mem[:n]) == string(elem) && string(mem[n:]) == string(mem[:len(mem)-n])
}

func zero(b []byte) bool {
	for _, x := range b {
		if x != 0 {
			return false
		}
	}
	return true
}
