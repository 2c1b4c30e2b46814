package pixel

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"iter"
	"math/rand/v2"
	"testing"

	"github.com/omnizarr/zarr/internal/race"
	"github.com/omnizarr/zarr/internal/thorough"
)

// room is memory with guards around the slices that are made in it.
type room struct {
	slices, all [][]byte
}

const guard = 0xa5

// slice returns memory of n bytes that begins off bytes behind a word's beginning.
func (r *room) slice(n, off int) []byte {
	b := bytes.Repeat([]byte{guard}, 64+off+n+64)
	s := b[64+off:][:n] // its capacity includes the guard
	r.slices, r.all = append(r.slices, s), append(r.all, b)
	return s
}

// check fails if anything outside the slices was touched.
func (r *room) check(t *testing.T) {
	t.Helper()
	for i, b := range r.all {
		n := len(r.slices[i])
		from := len(b) - 64 - n
		for j, x := range b[:from] {
			if x != guard {
				t.Fatalf("byte %d of slice %d of %d bytes was touched", j-from, i, n)
			}
		}
		for j, x := range b[from+n:] {
			if x != guard {
				t.Fatalf("byte %d of slice %d of %d bytes was touched", n+j, i, n)
			}
		}
	}
}

func random(rnd *rand.Rand, b []byte) {
	for len(b) > 0 {
		b = b[copy(b, binary.LittleEndian.AppendUint64(nil, rnd.Uint64())):]
	}
}

// lengths are all below n, or with the slow race detector some of them.
func lengths(n int) iter.Seq[int] {
	step := thorough.Least(37, 7, 1)
	return func(yield func(int) bool) {
		for i := 0; i < n && yield(i); i += step {
		}
	}
}

func newRand() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

// samplesUnderTest are the numbers of samples with code of their own, and others.
var samplesUnderTest = []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 13, 16, 17, 31, 32, 33, 40, 300}

func TestRowsAreAddedUpByDefinition(t *testing.T) {
	for _, size := range []int{1, 2, 4, 8} {
		for _, samples := range samplesUnderTest {
			t.Run(fmt.Sprintf("%dx%d", samples, size), func(t *testing.T) {
				rnd := newRand()
				for n := range lengths(340) {
					var r room
					got, want := r.slice(n, n%11), make([]byte, n)
					random(rnd, got)
					before := bytes.Clone(got)
					copy(want, got)
					Undelta(got, samples, size)
					modelUndelta(want, samples, size)
					if !bytes.Equal(got, want) {
						t.Fatalf("Undelta of %d bytes: at byte %d", n, difference(got, want))
					}
					Delta(got, samples, size)
					if !bytes.Equal(got, before) {
						t.Fatalf("Delta of %d bytes: at byte %d", n, difference(got, before))
					}
					Delta(got, samples, size)
					modelDelta(before, samples, size)
					if !bytes.Equal(got, before) {
						t.Fatalf("Delta of %d bytes again: at byte %d", n, difference(got, before))
					}
					r.check(t)
				}
			})
		}
	}
}

func TestFloatsAreAddedUpByDefinition(t *testing.T) {
	for _, size := range []int{2, 3, 4, 8} {
		for _, samples := range samplesUnderTest {
			t.Run(fmt.Sprintf("%dx%d", samples, size), func(t *testing.T) {
				rnd := newRand()
				for n := range lengths(300) {
					var r room
					src, dst, back := r.slice(n*size, n%9), r.slice(n*size, n%5), r.slice(n*size, n%7)
					random(rnd, src)
					stored, want := bytes.Clone(src), make([]byte, n*size)
					modelUnfloat(want, bytes.Clone(src), samples, size)
					Unfloat(dst, src, samples, size)
					if !bytes.Equal(dst, want) {
						t.Fatalf("Unfloat of %d numbers: at byte %d", n, difference(dst, want))
					}
					Float(back, dst, samples, size)
					if !bytes.Equal(back, stored) {
						t.Fatalf("Float of %d numbers: at byte %d", n, difference(back, stored))
					}
					if !bytes.Equal(dst, want) {
						t.Fatalf("Float of %d numbers changed its source", n)
					}
					modelFloat(want, dst, samples, size)
					if !bytes.Equal(back, want) {
						t.Fatalf("Float of %d numbers is not what is defined", n)
					}
					r.check(t)
				}
			})
		}
	}
}

func TestPlanesAreSplitByDefinition(t *testing.T) {
	for _, size := range []int{1, 2, 4, 8, 16} {
		for _, planes := range append(samplesUnderTest, 3000) {
			t.Run(fmt.Sprintf("%dx%d", planes, size), func(t *testing.T) {
				rnd := newRand()
				most := max(300/planes, 40)
				if planes >= 300 { // which have no code of their own
					most = thorough.Least(40, 21, 40)
				}
				for n := range lengths(most) {
					var r room
					src, back := r.slice(planes*n*size, n%11), r.slice(planes*n*size, n%13)
					random(rnd, src)
					before := bytes.Clone(src)
					got, want := make([][]byte, planes), make([][]byte, planes)
					for c := range got {
						got[c], want[c] = r.slice(n*size, (n+c)%7), make([]byte, n*size)
					}
					Split(got, src, size)
					modelSplit(want, src, size)
					for c := range got {
						if !bytes.Equal(got[c], want[c]) {
							t.Fatalf("Split of %d pixels: plane %d at byte %d", n, c, difference(got[c], want[c]))
						}
					}
					Join(back, got, size)
					if !bytes.Equal(back, src) {
						t.Fatalf("Join of %d pixels: at byte %d", n, difference(back, src))
					}
					modelJoin(back, want, size)
					if !bytes.Equal(back, src) || !bytes.Equal(src, before) {
						t.Fatalf("%d pixels changed", n)
					}
					r.check(t)
				}
			})
		}
	}
}

func TestBytesAreSwappedByDefinition(t *testing.T) {
	rnd := newRand()
	for _, size := range []int{1, 2, 4, 8} {
		for n := range lengths(300) {
			var r room
			got := r.slice(n, n%11)
			random(rnd, got)
			want := bytes.Clone(got)
			Swap(got, size)
			modelSwap(want, size)
			if !bytes.Equal(got, want) {
				t.Fatalf("%d bytes of numbers of %d: at byte %d", n, size, difference(got, want))
			}
			r.check(t)
		}
	}
}

func TestBitsAreUnpackedByDefinition(t *testing.T) {
	rnd := newRand()
	for _, size := range []int{1, 2, 4} {
		for bits := 1; bits <= min(31, 8*size); bits++ {
			for n := range lengths(150) {
				var r room
				need := (n*bits + 7) / 8
				more := n % 3 // src may be longer
				dst, src, back := r.slice(n*size, n%11), r.slice(need+more, n%13), r.slice(need+more, n%7)
				random(rnd, src)
				random(rnd, back)
				tail := bytes.Clone(back[need:])
				want := make([]byte, n*size)
				Unpack(dst, src, bits, size)
				modelUnpack(want, src, bits, size)
				if !bytes.Equal(dst, want) {
					t.Fatalf("Unpack of %d values of %d bits to %d bytes: at byte %d", n, bits, size, difference(dst, want))
				}
				random(rnd, dst) // bits above those of the value must not matter
				packed := make([]byte, need)
				modelPack(packed, dst, bits, size)
				Pack(back, dst, bits, size)
				if !bytes.Equal(back[:need], packed) || !bytes.Equal(back[need:], tail) {
					t.Fatalf("Pack of %d values of %d bits from %d bytes", n, bits, size)
				}
				r.check(t)
			}
		}
	}
}

func difference(a, b []byte) int {
	for i := range a {
		if a[i] != b[i] {
			return i
		}
	}
	return -1
}

func TestMistakesPanicBeforeAnythingIsWritten(t *testing.T) {
	b := func(n int) []byte { return make([]byte, n) }
	for name, f := range map[string]func(){
		"pixel: predictor 2 with 0 samples":                                       func() { Undelta(b(8), 0, 1) },
		"pixel: predictor 2 of samples of 3 bytes":                                func() { Delta(b(9), 1, 3) },
		"pixel: predictor 3 with -1 samples":                                      func() { Float(b(8), b(8), -1, 4) },
		"pixel: predictor 3 of samples of 1 bytes":                                func() { Unfloat(b(8), b(8), 1, 1) },
		"pixel: predictor 3 from 9 bytes to 9, of samples of 4 bytes":             func() { Unfloat(b(9), b(9), 1, 4) },
		"pixel: predictor 3 from 8 bytes to 12, of samples of 4 bytes":            func() { Unfloat(b(12), b(8), 1, 4) },
		"pixel: planes of samples of 3 bytes":                                     func() { Split([][]byte{b(3)}, b(3), 3) },
		"pixel: 4 bytes as 0 planes of samples of 1 bytes":                        func() { Split(nil, b(4), 1) },
		"pixel: 10 bytes as 3 planes of samples of 2 bytes":                       func() { Join(b(10), [][]byte{b(4), b(2), b(4)}, 2) },
		"pixel: plane 1 of 2 with 2 bytes, 8 bytes in all":                        func() { Join(b(8), [][]byte{b(4), b(2)}, 2) },
		"pixel: byte order of numbers of 16 bytes":                                func() { Swap(b(16), 16) },
		"pixel: 9 bits in integers of 1 bytes":                                    func() { Unpack(b(8), b(9), 9, 1) },
		"pixel: 32 bits in integers of 4 bytes":                                   func() { Pack(b(8), b(8), 32, 4) },
		"pixel: 4 bits in integers of 3 bytes":                                    func() { Pack(b(8), b(8), 4, 3) },
		"pixel: 2 bytes for values of 12 bits, 4 bytes for them in integers of 2": func() { Unpack(b(4), b(2), 12, 2) },
		"pixel: 8 bytes for values of 12 bits, 3 bytes for them in integers of 2": func() { Pack(b(8), b(3), 12, 2) },
	} {
		func() {
			defer func() {
				if got := recover(); got != name {
					t.Errorf("panic %v, not %q", got, name)
				}
			}()
			f()
		}()
	}
}

func TestNothingIsAllocated(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector allocates")
	}
	chunky, row := make([]byte, 3*1024), make([]byte, 3*1024)
	planes := [][]byte{make([]byte, 1024), make([]byte, 1024), make([]byte, 1024)}
	if n := testing.AllocsPerRun(20, func() {
		Delta(row, 3, 2)
		Undelta(row, 3, 1)
		Float(chunky, row, 1, 8)
		Unfloat(row, chunky, 3, 4)
		Split(planes, chunky, 2)
		Join(chunky, planes, 1)
		Swap(chunky, 4)
		Pack(row, chunky, 12, 2)
		Unpack(chunky, row, 12, 2)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
