//go:build amd64 || arm64

package lz4

import (
	"bytes"
	"math/rand/v2"
	"os"
	"syscall"
	"testing"
)

// guarded returns a function that gives n bytes, at most size, behind which and
// before which memory must not be touched.
func guarded(t *testing.T, size int) (ends, begins func(n int) []byte) {
	t.Helper()
	page := os.Getpagesize()
	size = (size + page - 1) / page * page
	mem, err := syscall.Mmap(-1, 0, size+2*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { syscall.Munmap(mem) })
	for _, wall := range [][]byte{mem[:page], mem[page+size:]} {
		if err := syscall.Mprotect(wall, syscall.PROT_NONE); err != nil {
			t.Skip(err)
		}
	}
	inside := mem[page : page+size : page+size]
	return func(n int) []byte { return inside[size-n:] }, func(n int) []byte { return inside[:n:n] }
}

// Nothing is read or written outside of the buffers.
func TestBuffersAtTheEndOfMemory(t *testing.T) {
	srcEnds, srcBegins := guarded(t, 30_000)
	dstEnds, dstBegins := guarded(t, 30_000)
	r := rand.New(rand.NewPCG(7, 8))
	all := blocks(t)
	for i := range 1500 {
		block := damage(r, all[r.IntN(len(all))])
		block = block[:min(len(block), 30_000)]
		src, dst := srcEnds(len(block)), dstEnds(r.IntN(25_000))
		if i%3 == 0 {
			src, dst = srcBegins(len(block)), dstBegins(len(dst))
		}
		copy(src, block)
		compare(t, src, dst)
	}
	for range 1000 {
		data := srcEnds(r.IntN(200))
		period := 1 + r.IntN(40)
		for i := range data {
			data[i] = byte(i % period * 37)
			if r.IntN(30) == 0 {
				data[i] = byte(r.Uint32())
			}
		}
		dst := dstEnds(r.IntN(Bound(len(data)) + 1))
		for _, n := range []int{Encode(dst, data, 1+r.IntN(3)), EncodeHC(dst, data, r.IntN(10))} {
			if n > len(dst) {
				t.Fatalf("%d bytes in %d", n, len(dst))
			}
		}
		compareEncoders(t, mixed(r, srcEnds(r.IntN(2000))), dstEnds(r.IntN(2000)), 1)
		compareEncoders(t, mixed(r, srcBegins(r.IntN(2000))), dstBegins(r.IntN(2000)), 1)
		data = mixed(r, data)
		if n := Encode(dst, data, 1); n > 0 {
			back := make([]byte, len(data))
			if k, err := Decode(back, dst[:n]); err != nil || !bytes.Equal(back[:k], data) {
				t.Fatalf("%d bytes, %v", k, err)
			}
		}
	}
}

// A sequence that both loops of the kernel can begin with ends at every distance from the ends.
func TestSequencesAtTheMargins(t *testing.T) {
	srcEnds, _ := guarded(t, 1000)
	dstEnds, _ := guarded(t, 1000)
	text := make([]byte, 200)
	for i := range text {
		text[i] = byte(i)
	}
	for _, first := range []int{14, 100} { // literals, which decide on the loop
		for _, literals := range []int{0, 14, 31, 32, 33} {
			for _, n := range []int{4, 18, 19, 32, 36, 70} {
				for _, distance := range []int{1, 12, 40} {
					for behind := range 100 {
						block := make([]byte, 400)
						op := sequence(block, 0, text[:first], 3, 0)
						op = sequence(block, op, text[:literals], uint(min(distance, first)), uint(n-minMatch))
						src := srcEnds(last(block, op, text[:behind]))
						copy(src, block)
						for _, room := range []int{0, 20, 50} {
							compare(t, src, dstEnds(first+minMatch+literals+n+behind+room))
						}
					}
				}
			}
		}
	}
}
