package pixel

import (
	"fmt"
	"testing"
)

// BenchmarkKernels is by decoded bytes, in rows of a tile of 256 pixels, and whole
// tiles in the cache where there are no rows.
func BenchmarkKernels(b *testing.B) {
	run := func(name string, n int, f func()) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(n))
			for b.Loop() {
				f()
			}
		})
	}
	const rows, width = 16, 256
	for _, k := range [][2]int{{1, 1}, {2, 1}, {3, 1}, {4, 1}, {8, 1}, {40, 1}, {1, 2}, {2, 2}, {3, 2}, {4, 2}, {1, 4}, {3, 4}, {1, 8}} {
		samples, size := k[0], k[1]
		n := width * samples * size
		row := make([]byte, n)
		run(fmt.Sprintf("undelta/%dx%d", samples, size), rows*n, func() {
			for range rows {
				Undelta(row, samples, size)
			}
		})
		run(fmt.Sprintf("delta/%dx%d", samples, size), rows*n, func() {
			for range rows {
				Delta(row, samples, size)
			}
		})
	}
	for _, k := range [][2]int{{1, 2}, {1, 3}, {1, 4}, {3, 4}, {1, 8}} {
		samples, size := k[0], k[1]
		n := width * samples * size
		row, dst := make([]byte, n), make([]byte, n)
		run(fmt.Sprintf("unfloat/%dx%d", samples, size), rows*n, func() {
			for range rows {
				Unfloat(dst, row, samples, size)
			}
		})
		run(fmt.Sprintf("float/%dx%d", samples, size), rows*n, func() {
			for range rows {
				Float(dst, row, samples, size)
			}
		})
	}
	for _, k := range [][2]int{{2, 1}, {3, 1}, {4, 1}, {8, 1}, {2, 2}, {3, 2}, {4, 2}, {3, 4}, {3, 8}, {4, 8}, {200, 2}} {
		samples, size := k[0], k[1]
		n := 4096 / samples * samples * size
		chunky, planes := make([]byte, n), make([][]byte, samples)
		for c := range planes {
			planes[c] = make([]byte, n/samples)
		}
		run(fmt.Sprintf("split/%dx%d", samples, size), n, func() { Split(planes, chunky, size) })
		run(fmt.Sprintf("join/%dx%d", samples, size), n, func() { Join(chunky, planes, size) })
	}
	for _, size := range []int{2, 4, 8} {
		row := make([]byte, 16384)
		run(fmt.Sprintf("swap/%d", size), len(row), func() { Swap(row, size) })
	}
	for _, k := range [][2]int{{1, 1}, {2, 1}, {4, 1}, {6, 1}, {10, 2}, {12, 2}, {14, 2}, {24, 4}} {
		bits, size := k[0], k[1]
		values, packed := make([]byte, 4096*size), make([]byte, 4096*bits/8)
		run(fmt.Sprintf("unpack/%dto%d", bits, size), len(values), func() { Unpack(values, packed, bits, size) })
		run(fmt.Sprintf("pack/%dto%d", bits, size), len(values), func() { Pack(packed, values, bits, size) })
	}
}
