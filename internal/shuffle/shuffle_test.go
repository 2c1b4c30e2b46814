package shuffle

import (
	"bytes"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/omnizarr/zarr/internal/race"
	"github.com/omnizarr/zarr/internal/thorough"
)

// plainShuffle is the definition, byte by byte.
func plainShuffle(src []byte, size int) []byte {
	dst := bytes.Clone(src)
	n := len(src) / size
	for i := range n {
		for j := range size {
			dst[j*n+i] = src[i*size+j]
		}
	}
	return dst
}

// plainBitshuffle is the definition, bit by bit.
func plainBitshuffle(src []byte, size int) []byte {
	dst := bytes.Clone(src)
	n := len(src) / size
	if n%8 != 0 {
		return dst
	}
	clear(dst[:n*size])
	for i := range n {
		for j, b := range src[i*size : (i+1)*size] {
			for ; b != 0; b &= b - 1 {
				bit := 8*j + bits.TrailingZeros8(b)
				dst[bit*(n/8)+i/8] |= 1 << (i % 8)
			}
		}
	}
	return dst
}

// lengths are numbers of elements around the steps of all kernels.
func lengths(r *rand.Rand, size int) []int {
	out := []int{0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 24, 31, 32, 33, 40, 63, 64, 65, 72, 96, 127, 128, 255, 256, 257, 264, 320, 512, 520}
	if size <= 4 || size == 8 || size == 16 || size <= 17 && thorough.Enabled {
		out = append(out, 2040, 2048, 2049, 2056, 2304, 4096, 4099, 4104, 8*r.IntN(1000), r.IntN(8000))
	}
	return out
}

func sizes() []int {
	if race.Enabled {
		return []int{1, 2, 3, 16} // nothing here is concurrent
	}
	if !thorough.Enabled { // those with code of their own, and some around them
		return []int{1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 32, 33, 255}
	}
	var out []int
	for size := 1; size <= 17; size++ {
		out = append(out, size)
	}
	return append(out, 24, 31, 32, 33, 64, 100, 255)
}

// guarded gives n bytes at an odd place, and a check that nothing around them was
// written.
func guarded(t *testing.T, r *rand.Rand, n int) (mem []byte, check func(what string)) {
	t.Helper()
	const guard = 40
	before := r.IntN(guard)
	all := bytes.Repeat([]byte{0xa5}, before+n+guard)
	return all[before : before+n : before+n], func(what string) {
		t.Helper()
		for i, b := range all[:before] {
			if b != 0xa5 {
				t.Fatalf("%s wrote byte %d of %d", what, i-before, n)
			}
		}
		for i, b := range all[before+n:] {
			if b != 0xa5 {
				t.Fatalf("%s wrote byte %d of %d", what, n+i, n)
			}
		}
	}
}

func planesOf(b []byte, size int) [][]byte {
	n := len(b) / size
	var out [][]byte
	for j := range size {
		out = append(out, bytes.Clone(b[j*n:(j+1)*n]))
	}
	return out
}

func TestBlocksAreShuffledByDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, size := range sizes() {
		for _, n := range lengths(r, size) {
			for _, rest := range thorough.Of([]int{0, r.IntN(size)}, []int{0, size - 1, r.IntN(size)}) {
				src, _ := guarded(t, r, n*size+rest)
				for i := range src {
					src[i] = byte(r.Uint32())
				}
				what := fmt.Sprintf("%d elements of %d bytes and %d bytes", n, size, rest)
				run := func(name string, want []byte, do func(dst []byte)) {
					t.Helper()
					dst, check := guarded(t, r, len(src))
					do(dst)
					check(name + " of " + what)
					if !bytes.Equal(dst, want) {
						t.Fatalf("%s of %s differs", name, what)
					}
				}
				byByte, byBit := plainShuffle(src, size), plainBitshuffle(src, size)
				run("shuffle", byByte, func(dst []byte) { Shuffle(dst, src, size) })
				run("unshuffle", src, func(dst []byte) { Unshuffle(dst, byByte, size) })
				run("bitshuffle", byBit, func(dst []byte) { Bitshuffle(dst, src, size) })
				run("bitunshuffle", src, func(dst []byte) { Bitunshuffle(dst, byBit, size) })
				if rest == 0 && n > 0 {
					run("unshuffle of planes", src, func(dst []byte) { UnshufflePlanes(dst, planesOf(byByte, size)) })
					run("bitunshuffle of planes", src, func(dst []byte) { BitunshufflePlanes(dst, planesOf(byBit, size)) })
				}
			}
		}
	}
}

func ExampleShuffle() {
	src := []byte{0x01, 0xf0, 0x02, 0xf0, 0x03, 0xf0, 0x04, 0xf0, 0x99}
	dst := make([]byte, len(src))
	Shuffle(dst, src, 2)
	fmt.Printf("% x\n", dst)
	// Output: 01 02 03 04 f0 f0 f0 f0 99
}

func ExampleBitshuffle() {
	src := []byte{1, 0, 1, 0, 1, 0, 1, 128}
	dst := make([]byte, len(src))
	Bitshuffle(dst, src, 1)
	fmt.Printf("%08b\n", dst)
	// Output: [01010101 00000000 00000000 00000000 00000000 00000000 00000000 10000000]
}

func BenchmarkKernels(b *testing.B) {
	for _, size := range []int{1, 2, 3, 4, 8, 12, 16} {
		src := make([]byte, 256<<10/size/8*8*size)
		r := rand.New(rand.NewPCG(1, 2))
		for i := range src {
			src[i] = byte(r.Uint32())
		}
		dst := make([]byte, len(src))
		for _, k := range []struct {
			name string
			do   func(dst, src []byte, size int)
		}{{"shuffle", Shuffle}, {"unshuffle", Unshuffle}, {"bitshuffle", Bitshuffle}, {"bitunshuffle", Bitunshuffle}} {
			b.Run(fmt.Sprint(k.name, size), func(b *testing.B) {
				b.SetBytes(int64(len(src)))
				for b.Loop() {
					k.do(dst, src, size)
				}
			})
		}
	}
}
