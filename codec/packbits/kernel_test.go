package packbits

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/omnizarr/zarr/internal/thorough"
)

// oneByOne packs with the functions for single scalars.
func (f *field) oneByOne(n, at int, src []byte) []byte {
	out := make([]byte, (at+n*f.bits+7)/8)
	for i := range n {
		f.put(out, at+i*f.bits, f.load(src[i*f.width:]))
	}
	return out
}

// everyField calls check with every field there is.
func everyField(check func(f *field)) {
	for _, width := range []int{1, 2, 4, 8} {
		for first := range 8 * width {
			for bits := 1; first+bits <= 8*width; bits += thorough.Least(5, 1, 1) {
				for _, signed := range []bool{false, true} {
					check(newField(width, first, bits, signed, false))
				}
			}
		}
	}
	check(newField(1, 0, 1, false, true))
	older := newField(1, 0, 1, false, true)
	older.order = MSB
	check(older)
}

func (f *field) String() string {
	return fmt.Sprintf("bits %d to %d of %d bytes, signed %v, order %d", f.first, f.first+f.bits-1, f.width, f.signed, f.order)
}

// Whole words are done like single scalars, wherever they begin, and nothing
// around them is touched.
func TestWordsAreDoneLikeScalars(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 4))
	mem := make([]byte, 64*8)
	for i := range mem {
		mem[i] = byte(r.Uint32())
	}
	everyField(func(f *field) {
		for range 2 {
			n, from := 1+r.IntN(44), r.IntN(20)
			at := from * f.bits
			src := mem[:n*f.width]
			want := f.oneByOne(n, at, src)
			got := bytes.Repeat([]byte{0xa5}, len(want)+9)
			for i := range from { // what stands before
				f.put(got, i*f.bits, 0)
			}
			f.pack(got[:len(want)], at, src)
			if !bytes.Equal(got[:len(want)], want) || !bytes.Equal(got[len(want):], bytes.Repeat([]byte{0xa5}, 9)) {
				t.Fatalf("%v: packed %d from bit %d as %x, want %x", f, n, at, got, want)
			}
			back := bytes.Repeat([]byte{0xa5}, len(src)+9)
			f.unpack(back[:len(src)], want, at)
			for i := range n {
				alone := make([]byte, f.width)
				f.store(alone, f.get(want, at+i*f.bits))
				if !bytes.Equal(alone, back[i*f.width:][:f.width]) {
					t.Fatalf("%v: element %d of %d from bit %d unpacked as %x, want %x", f, i, n, at, back[i*f.width:][:f.width], alone)
				}
			}
			if !bytes.Equal(back[len(src):], bytes.Repeat([]byte{0xa5}, 9)) {
				t.Fatalf("%v: wrote behind the end", f)
			}
		}
	})
}

// Work that is cut into blocks comes out as if it were not.
func TestBlocksJoin(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 4))
	mem := make([]byte, 8*block*2+8*77)
	for i := range mem {
		mem[i] = byte(r.Uint32())
	}
	for _, f := range []*field{
		newField(1, 1, 3, true, false), newField(2, 0, 11, false, false), newField(4, 3, 29, true, false),
		newField(8, 0, 63, false, false), newField(8, 1, 61, true, false), newField(1, 0, 1, false, true),
	} {
		n := len(mem) / f.width
		want := f.oneByOne(n, 0, mem)
		got := make([]byte, len(want))
		f.pack(got, 0, mem)
		if !bytes.Equal(got, want) {
			t.Errorf("%v: packed differently", f)
		}
		back := make([]byte, len(mem))
		f.unpack(back, got, 0)
		again := make([]byte, len(want))
		f.pack(again, 0, back)
		if !bytes.Equal(again, want) {
			t.Errorf("%v: unpacked differently", f)
		}
	}
}

func TestTruthValuesFillBytesInBothOrders(t *testing.T) {
	src := []byte{1, 0, 0, 7, 0, 0, 0, 255, 0, 1}
	for order, want := range map[Order][]byte{LSB: {0x89, 0x02}, MSB: {0x91, 0x40}} {
		got := make([]byte, 2)
		PackBools(got, src, order)
		if !bytes.Equal(got, want) {
			t.Errorf("order %d: %x, want %x", order, got, want)
		}
		back := make([]byte, len(src))
		UnpackBools(back, got, order)
		if !bytes.Equal(back, []byte{1, 0, 0, 1, 0, 0, 0, 1, 0, 1}) {
			t.Errorf("order %d: %v", order, back)
		}
	}
}

// Fields of bits, of all widths of memory.
var benchFields = []struct {
	name string
	f    *field
}{
	{"bool", newField(1, 0, 1, false, true)},
	{"uint2", newField(1, 0, 2, false, false)},
	{"int2", newField(1, 0, 2, true, false)},
	{"uint4", newField(1, 0, 4, false, false)},
	{"int4", newField(1, 0, 4, true, false)},
	{"float6", newField(1, 0, 6, false, false)},
	{"int8-3of6", newField(1, 3, 3, true, false)},
	{"uint16-12", newField(2, 0, 12, false, false)},
	{"int16-12", newField(2, 0, 12, true, false)},
	{"uint16-11", newField(2, 2, 11, false, false)},
	{"int32-12", newField(4, 4, 12, true, false)},
	{"uint32-31", newField(4, 0, 31, false, false)},
	{"int64-33", newField(8, 0, 33, true, false)},
	{"uint64-63", newField(8, 0, 63, false, false)},
}

// bench runs each kernel over 256 MiB, or what fits the second-level cache.
func bench(b *testing.B, run func(f *field, packed, mem []byte)) {
	for _, size := range []struct {
		name string
		n    int
	}{{"256K", 256 << 10}, {"256M", 256 << 20}} {
		mem := make([]byte, size.n)
		for i := range mem { // untouched memory is one page of zeros
			mem[i] = byte(i & (i >> 7) & 1)
		}
		for _, c := range benchFields {
			packed := make([]byte, size.n/c.f.width*c.f.bits/8)
			run(c.f, packed, mem)
			b.Run(c.name+"/"+size.name, func(b *testing.B) {
				b.SetBytes(int64(size.n))
				for b.Loop() {
					run(c.f, packed, mem)
				}
			})
		}
	}
}

func BenchmarkPack(b *testing.B) {
	bench(b, func(f *field, packed, mem []byte) { f.pack(packed, 0, mem) })
}

func BenchmarkUnpack(b *testing.B) {
	bench(b, func(f *field, packed, mem []byte) { f.unpack(mem, packed, 0) })
}
