package nd

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/omnizarr/zarr/internal/thorough"
)

// largeMemory is enough to be written past the cache.
const largeMemory = 65 << 20

// noise is n bytes that are unlike their neighbours.
func noise(n int) []byte {
	r := rand.New(rand.NewPCG(uint64(n), 1))
	out := make([]byte, n)
	for i := range out {
		out[i] = byte(r.Uint32())
	}
	return out
}

// reversed is mem with its scalars reversed, by definition.
func reversed(mem []byte, width int) []byte {
	out := make([]byte, len(mem))
	for i := range mem {
		out[i] = mem[i/width*width+width-1-i%width]
	}
	return out
}

func TestSwapBytesOfAllLengths(t *testing.T) {
	mem := noise(1024)
	for _, width := range []int{1, 2, 3, 4, 5, 8, 16} {
		for n := 0; n <= 300; n += width {
			for at := range 3 {
				src := mem[at : at+n]
				want := reversed(src, width)
				dst := bytes.Repeat([]byte{77}, n+8)
				SwapBytes(dst[4:4+n], src, width)
				if !bytes.Equal(dst[4:4+n], want) || string(dst[:4]) != "MMMM" || string(dst[4+n:]) != "MMMM" {
					t.Fatalf("%d bytes from %d on, scalars of %d: got %v, want %v", n, at, width, dst, want)
				}
				place := append(append([]byte("MMMM"), src...), "MMMM"...)
				SwapBytes(place[4:4+n], place[4:4+n], width)
				if !bytes.Equal(place, dst) {
					t.Fatalf("%d bytes in place, scalars of %d: got %v, want %v", n, width, place, want)
				}
			}
		}
	}
}

// model copies element by element.
func model(dst, src View, width int) {
	idx := make([]int, len(dst.Shape))
	for {
		d, s := dst.Offset+dst.Dot(idx), src.Offset+src.Dot(idx)
		for i := range dst.Size {
			dst.Data[d+i] = src.Data[s+i/width*width+width-1-i%width]
		}
		if !Next(idx, dst.Shape) {
			return
		}
	}
}

// rooms is memory that is used again: to get it anew takes longer than to check a copy.
var rooms [2][]byte

// room is n bytes of 77.
func room(mem *[]byte, n int) []byte {
	if cap(*mem) < n {
		*mem = make([]byte, n)
	}
	out := (*mem)[:n:n]
	out[0] = 77
	for k := 1; k < n; k *= 2 {
		copy(out[k:], out[:k])
	}
	return out
}

// check compares a copy to memory that may be large with the model; nothing beside
// the elements may change. dst is where in memory the elements go.
func check(t *testing.T, mem []byte, dst, src View, width int) {
	t.Helper()
	n := dst.Offset + dst.Size + 64
	for i, k := range dst.Shape {
		n += max(0, (k-1)*dst.Strides[i])
	}
	dst.Data = room(&rooms[0], n)
	want := dst
	want.Data = room(&rooms[1], n)
	model(want, src, width)
	if mem != nil {
		copy(mem, dst.Data)
		dst.Data = mem
	}
	CopySwapped(dst, src, width)
	if !bytes.Equal(dst.Data[:n], want.Data) {
		t.Fatalf("elements of %d bytes, scalars of %d, shape %v, strides %v from %v, offset %d",
			dst.Size, width, dst.Shape, dst.Strides, src.Strides, dst.Offset)
	}
}

func TestRowsAreSwapped(t *testing.T) {
	large := make([]byte, largeMemory)
	mem := noise(1 << 16)
	for _, c := range []struct{ size, width int }{{2, 2}, {4, 4}, {8, 8}, {8, 4}, {16, 8}, {3, 3}, {6, 2}, {6, 1}} {
		for n := 1; n <= 150; n += thorough.Step(5) {
			if n >= 70 && n < 127 {
				n = 127
			}
			shape := []int{2, 3, n}
			for at := range 3 {
				src := View{Data: mem, Offset: at, Size: c.size, Shape: shape, Strides: []int{4 * n * c.size, n*c.size + at, c.size}}
				dst := View{Offset: at, Size: c.size, Shape: shape, Strides: []int{8192, 2560, c.size}}
				check(t, nil, dst, src, c.width)
				dst.Offset = 64 * at
				check(t, large, dst, src, c.width)
				// Backwards, and with gaps.
				src.Offset, src.Strides[1] = 2*(n*c.size+at), -n*c.size-at
				check(t, nil, dst, src, c.width)
				dst.Strides = []int{5000, 24 * 160, 24}
				check(t, nil, dst, src, c.width)
			}
		}
	}
}

func TestSwapsThatCannotBe(t *testing.T) {
	for name, f := range map[string]func(){
		"width":   func() { CopySwapped(Make(4, 2), Make(4, 2), 3) },
		"none":    func() { CopySwapped(Make(4, 2), Make(4, 2), 0) },
		"shape":   func() { CopySwapped(Make(4, 2), Make(4, 3), 4) },
		"lengths": func() { SwapBytes(make([]byte, 4), make([]byte, 8), 2) },
		"rest":    func() { SwapBytes(make([]byte, 5), make([]byte, 5), 2) },
		"no byte": func() { SwapBytes(nil, nil, 0) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}

func BenchmarkSwapBytes(b *testing.B) {
	dst, src := make([]byte, 1<<16), noise(1<<16)
	b.SetBytes(1 << 16)
	for b.Loop() {
		SwapBytes(dst, src, 2)
	}
}
