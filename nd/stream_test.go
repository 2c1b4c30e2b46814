package nd

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// Copies into large memory and into small memory are what a loop over rows makes.
func TestCopiesPastTheCache(t *testing.T) {
	const large = 65 << 20
	big := make([]byte, large+64)
	r := rand.New(rand.NewPCG(1, 2))
	src := make([]byte, 1<<20)
	for i := range src {
		src[i] = byte(r.Uint32())
	}
	for range 300 {
		size := 1 << r.IntN(4)
		shape := []int{1 + r.IntN(6), 1 + r.IntN(6), (1 + r.IntN(12)) * 32 / size}
		if r.IntN(4) == 0 {
			shape[2]++
		}
		at := r.IntN(64)
		from := Of(src[at:at+8*8*400*size], size, 8, 8, 400).Box(Box{Start: []int{r.IntN(2), r.IntN(2), r.IntN(3)}, Shape: shape})
		strides := []int{4096 * (1 + r.IntN(3)), 512 * (1 + r.IntN(2)), size}
		off := r.IntN(3) * 32
		put := func(mem []byte) {
			clear(mem[:1<<17])
			Copy(View{Data: mem, Offset: off, Size: size, Shape: shape, Strides: strides}, from)
		}
		want, small := make([]byte, 1<<17), make([]byte, 1<<17)
		for i := range shape[0] {
			for j := range shape[1] {
				row := from.Offset + i*from.Strides[0] + j*from.Strides[1]
				copy(want[off+i*strides[0]+j*strides[1]:], from.Data[row:row+shape[2]*size])
			}
		}
		put(small)
		put(big)
		if !bytes.Equal(small, want) || !bytes.Equal(big[:1<<17], want) {
			t.Fatalf("elements of %d bytes, shape %v, strides %v, offset %d", size, shape, strides, off)
		}
	}
}
