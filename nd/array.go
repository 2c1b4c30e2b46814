package nd

// Array is elements in C order with their shape.
type Array[T any] struct {
	Data  []T
	Shape []int
}

// At returns the element at idx.
func (a Array[T]) At(idx ...int) T {
	k := 0
	for i, n := range a.Shape {
		k = k*n + idx[i]
	}
	return a.Data[k]
}
