package nd

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/omnizarr/zarr/internal/thorough"
)

// plane is memory of which every column is contiguous, seen row by row.
func plane(mem []byte, size, rows, cols, gap int) View {
	return View{Data: mem, Size: size, Shape: []int{cols, rows}, Strides: []int{size, cols*size + gap}}
}

func TestPlanesAreTurned(t *testing.T) {
	mem := noise(1 << 17)
	all := []int{2, 7, 8, 9, 15, 17, 31, 32, 33, 64, 66, 75}
	lengths := thorough.Least([]int{2, 9, 32, 75}, []int{2, 8, 9, 17, 32, 33, 75}, all)
	for _, size := range []int{1, 2, 4, 8} {
		for _, rows := range lengths {
			for _, cols := range lengths {
				src := plane(mem, size, rows, cols, rows%3)
				for i, stride := range []int{rows * size, rows*size + 5, 640, farTurn} {
					dst := View{Offset: rows % 5, Size: size, Shape: src.Shape, Strides: []int{stride, size}}
					check(t, nil, dst, src, 1+(size-1)*(i%2))
				}
			}
		}
	}
}

// Any order and direction of axes, to small and to large memory.
func TestVolumesAreTurned(t *testing.T) {
	large := make([]byte, largeMemory)
	mem := noise(1 << 20)
	r := rand.New(rand.NewPCG(3, 4))
	for range thorough.Least(15, 60, 300) {
		size := 1 << r.IntN(4)
		rank := 2 + r.IntN(3)
		shape, to, from := make([]int, rank), make([]int, rank), make([]int, rank)
		for i := range shape {
			shape[i] = 1 + r.IntN(40)
			if rank > 3 {
				shape[i] = 1 + r.IntN(18)
			}
		}
		dst := View{Offset: 64 + r.IntN(80), Size: size, Shape: shape, Strides: to}
		src := View{Data: mem, Offset: r.IntN(9), Size: size, Shape: shape, Strides: from}
		step := size
		for _, i := range r.Perm(rank) {
			to[i] = step
			step *= shape[i]
			if r.IntN(3) == 0 {
				step = (step + line - 1) / line * line
			}
			if r.IntN(8) == 0 {
				dst.Offset += (shape[i] - 1) * to[i]
				to[i] = -to[i]
			}
		}
		step = size
		for _, i := range r.Perm(rank) {
			from[i] = step
			step *= shape[i]
			if r.IntN(8) == 0 {
				src.Offset += (shape[i] - 1) * from[i]
				from[i] = -from[i]
			}
		}
		width := max(1, size>>(2*r.IntN(2)))
		check(t, nil, dst, src, width)
		check(t, large, dst, src, width)
	}
}

// Pixels of several samples are turned as a whole, and each sample swapped.
func TestPixelsAreTurned(t *testing.T) {
	mem := noise(1 << 16)
	for _, c := range []struct{ size, width, samples int }{{1, 1, 4}, {1, 1, 3}, {2, 2, 4}, {2, 2, 2}, {4, 4, 2}, {4, 2, 2}, {0, 1, 2}} {
		shape := []int{33, 40, c.samples}
		src := View{Data: mem, Size: c.size, Shape: shape, Strides: []int{c.samples * c.size, 33 * c.samples * c.size, c.size}}
		check(t, nil, View{Size: c.size, Shape: shape, Strides: Strides(shape, c.size)}, src, c.width)
	}
	none := View{Data: make([]byte, 64), Shape: []int{40, 40}, Strides: []int{1, 0}}
	Copy(none, View{Data: mem, Shape: none.Shape, Strides: []int{0, 1}})
}

// Tiles of every size, from rows that run either way, are what they should be, by
// the kernels and by Go.
func TestTilesAreTurnedByDefinition(t *testing.T) {
	mem := noise(1 << 16)
	for _, size := range []int{1, 2, 4, 8} {
		for _, rows := range []int{1, 5, 32/size - 1, 32 / size, 32/size + 1, 50 / size, line / size} {
			for cols := 1; cols <= tile; cols++ {
				for _, ss := range []int{cols*size + cols%3, -cols*size - 1, 0} {
					var got, want turned
					s := 1<<15 + cols
					turnTile(&got, mem, s, ss, rows, cols, size)
					for i := range rows {
						for k := range cols {
							copy(want[k*line+i*size:], mem[s+i*ss+k*size:][:size])
						}
					}
					if got != want {
						t.Fatalf("%d rows of %d columns of %d bytes, %d apart", rows, cols, size, ss)
					}
				}
			}
		}
	}
}

func BenchmarkTurn(b *testing.B) {
	for _, size := range []int{1, 2, 4, 8} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			src, dst := Make(size, 64, 64, 64), Make(size, 64, 64, 64).Permute([]int{2, 1, 0})
			b.SetBytes(int64(len(src.Data)))
			for b.Loop() {
				CopySwapped(dst, src, size)
			}
		})
	}
}
