package zstddec

import (
	"bytes"
	"math/rand/v2"
	"os"
	"slices"
	"syscall"
	"testing"

	"github.com/omnizarr/zarr/internal/thorough"
)

// guarded returns functions that give n bytes, at most size, behind which and before
// which memory must not be touched.
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

// Nothing is read or written outside of the buffers, whole frames or damaged ones,
// with all the room that they need or less.
func TestBuffersAtTheEndOfMemory(t *testing.T) {
	const most = 700_000
	srcEnds, srcBegins := guarded(t, most)
	dstEnds, dstBegins := guarded(t, most)
	r := rand.New(rand.NewPCG(7, 8))
	type frame struct {
		data []byte
		size int
	}
	var frames []frame
	for _, g := range goldens(t) {
		frames = append(frames, frame{g.frame, g.size})
	}
	for range 5 { // more often than the others, which are many
		frames = append(frames, frame{encoded()["noisy3"], len(contents()["noisy"])}, frame{encoded()["periods3"], len(contents()["periods"])},
			frame{encoded()["bell3"], len(contents()["bell"])})
	}
	for i := range thorough.Rounds(1500) {
		f := frames[r.IntN(len(frames))]
		if f.size > 100_000 && r.IntN(8) > 0 {
			continue
		}
		data, size := f.data, f.size
		if i%4 > 0 {
			data = damage(r, data)
		}
		if i%3 == 0 {
			size = r.IntN(size + 1)
		}
		src, dst := srcEnds(len(data)), dstEnds(size)
		if i%5 == 0 {
			src, dst = srcBegins(len(data)), dstBegins(size)
		}
		copy(src, data)
		n, err := Decode(dst, src)
		if n > size || i%4 == 0 && i%3 > 0 && (err != nil || n != size) {
			t.Fatalf("%d of %d bytes, %v", n, size, err)
		}
		decodePlain(dst, src)
		if k, _ := decodeSecond(t, dst, src, src); k != n {
			t.Fatalf("%d bytes alone, %d behind others", n, k)
		}
	}
}

// Literals that are decoded in place end where the memory does.
func TestLiteralsInPlaceAtTheEndOfMemory(t *testing.T) {
	f, want := encoded()["bell3"], contents()["bell"]
	srcEnds, _ := guarded(t, len(f))
	dstEnds, dstBegins := guarded(t, len(want))
	copy(srcEnds(len(f)), f)
	for _, less := range []int{0, 1, len(want) % maxBlock, maxBlock, len(want) - 100} {
		for _, memory := range []func(int) []byte{dstEnds, dstBegins} {
			dst := memory(len(want) - less)
			if n, err := Decode(dst, srcEnds(len(f))); n != len(dst) || (err == nil) != (less == 0) || !bytes.Equal(dst, want[:n]) {
				t.Errorf("%d bytes of %d, or others, %v", n, len(dst), err)
			}
		}
	}
}

// Streams that hold more than the literals which their block claims end where the memory does, too, those of a block alone
// and of the second of two.
func TestStreamsThatAreTooLongAtTheEndOfMemory(t *testing.T) {
	_, k, _ := parseHeader(short().frame)
	b := bytes.Clone(short().frame[k:])
	if h := parseBlockHeader(b); !h.last || b[3]&15 != literalsCoded|2<<2 || b[len(b)-1] != 0 {
		t.Fatalf("a block that is %+v, %x", h, b[:8])
	}
	first := bytes.Clone(b)
	first[0] &^= 1 // not the last one
	ends, _ := guarded(t, 2*shortLen)
	for n := shortLen % 47; n <= shortLen; n += 47 {
		b[3], b[4], b[5] = b[3]&15|byte(n<<4), byte(n>>4), b[5]&^3|byte(n>>12)
		for before, f := range map[int][]byte{0: frame(0, append([]byte{0x38}, b...)...), shortLen: frame(0, slices.Concat([]byte{0x38}, first, b)...)} {
			k, err := Decode(ends(before+n), f)
			if k != before && n < shortLen || (err == nil) != (n == shortLen) {
				t.Errorf("%d literals behind %d: %d bytes, %v", n, before, k, err)
			}
		}
	}
}
