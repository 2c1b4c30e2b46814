package jpeg

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/omnizarr/zarr/internal/thorough"
)

// plainColour is the conversion as its definition has it.
func plainColour(y, cb, cr byte) (r, g, b byte) {
	clamp := func(v int) byte { return byte(min(max(v, 0), 255)) }
	yy, u, v := int(y), int(cb)-128, int(cr)-128
	return clamp(yy + (91881*v+32768)>>16), clamp(yy + (-22554*u-46802*v+32768)>>16), clamp(yy + (116130*u+32768)>>16)
}

func TestColourOfEveryPixel(t *testing.T) {
	var y, cb, cr, r, g, b [256]byte
	for i := range y {
		y[i] = byte(i)
	}
	for u := 0; u < 256; u += thorough.Step(5) { // which ends at 255
		for v := range 256 {
			for i := range cb {
				cb[i], cr[i] = byte(u), byte(v)
			}
			colourGo(r[:], g[:], b[:], y[:], cb[:], cr[:])
			for i := range y {
				wr, wg, wb := plainColour(y[i], byte(u), byte(v))
				if r[i] != wr || g[i] != wg || b[i] != wb {
					t.Fatalf("%d %d %d: got %d %d %d, want %d %d %d", i, u, v, r[i], g[i], b[i], wr, wg, wb)
				}
			}
		}
	}
}

// Interpolation as the definition has it, with its special cases at the ends.
func TestInterpolation(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for w := 3; w < 80; w++ {
		near, far := make([]byte, marginLeft+w+marginRight), make([]byte, marginLeft+w+marginRight)
		for i := range near {
			near[i], far[i] = byte(r.Uint32()), byte(r.Uint32())
		}
		for _, s := range [][]byte{near, far} {
			s[marginLeft-1], s[marginLeft+w] = s[marginLeft], s[marginLeft+w-1]
		}
		a, b := near[marginLeft:], far[marginLeft:]
		h2v1, h2v2 := make([]byte, 2*w), make([]byte, 2*w)
		sum := func(i int) int { return 3*int(a[i]) + int(b[i]) }
		for i := range w {
			h2v1[2*i] = byte((3*int(a[i]) + int(a[max(i-1, 0)]) + 1) >> 2)
			h2v1[2*i+1] = byte((3*int(a[i]) + int(a[min(i+1, w-1)]) + 2) >> 2)
			h2v2[2*i] = byte((3*sum(i) + sum(max(i-1, 0)) + 8) >> 4)
			h2v2[2*i+1] = byte((3*sum(i) + sum(min(i+1, w-1)) + 7) >> 4)
		}
		h2v1[0], h2v1[2*w-1] = a[0], a[w-1]
		h2v2[0], h2v2[2*w-1] = byte((4*sum(0)+8)>>4), byte((4*sum(w-1)+7)>>4)
		got := make([]byte, 2*w+marginRight)
		for _, n := range []int{2 * w, 2*w - 1} {
			if doubleRowGo(got, near, n); !bytes.Equal(got[:n], h2v1[:n]) {
				t.Fatalf("%d samples: got %v, want %v", n, got[:n], h2v1[:n])
			}
			if doubleRowsGo(got, near, far, n); !bytes.Equal(got[:n], h2v2[:n]) {
				t.Fatalf("%d samples: got %v, want %v", n, got[:n], h2v2[:n])
			}
		}
	}
}

// The transform must be within half a step of the one with real numbers, with a
// little for its own rounding.
func TestInverseIsACosineTransform(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	var q [blockSize]uint16
	for i := range q {
		q[i] = 1
	}
	for range 200 {
		var b [blockSize]int16
		for k := range 1 + r.IntN(64) {
			b[k] = int16(r.IntN(200) - 100)
		}
		var got [blockSize]byte
		inverseWide(got[:], 8, &b, &q)
		for y := range 8 {
			for x := range 8 {
				sum := 0.0
				for v := range 8 {
					for u := range 8 {
						c := float64(b[8*v+u]) / 4
						if u == 0 {
							c /= math.Sqrt2
						}
						if v == 0 {
							c /= math.Sqrt2
						}
						sum += c * math.Cos(float64(2*x+1)*float64(u)*math.Pi/16) * math.Cos(float64(2*y+1)*float64(v)*math.Pi/16)
					}
				}
				want := min(max(sum+128, 0), 255)
				if d := math.Abs(float64(got[8*y+x]) - want); d > 0.6 {
					t.Fatalf("(%d, %d): got %d, want %.2f of %v", x, y, got[8*y+x], want, b)
				}
			}
		}
	}
}

// randomBlock is a block of one of several kinds.
func randomBlock(r *rand.Rand, kind int) (b [blockSize]int16, q [blockSize]uint16) {
	for k := range b {
		q[k] = uint16(1 + r.IntN([]int{1, 30, 255, 65535}[kind%4]))
		if r.IntN(64) < []int{1, 4, 20, 64, 1}[kind%5] {
			b[k] = int16(r.IntN(1<<[]int{3, 8, 11, 16}[kind/4%4]) - 1<<[]int{2, 7, 10, 15}[kind/4%4])
		}
		if kind%7 == 0 && k >= 8 || kind%11 == 0 && k > 0 || kind%3 == 0 && (k%8 > 3 || k > 32) {
			b[k] = 0
		}
	}
	return b, q
}

// Neither pairs nor shortcuts may change the result.
func TestInverseInPairs(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for i := range thorough.Rounds(40000) {
		b, q := randomBlock(r, i)
		var got, want [blockSize]byte
		inverseGo(got[:], 8, &b, &q)
		inverseWide(want[:], 8, &b, &q)
		if got != want {
			t.Fatalf("block %d: %v\ntimes %v: got\n%v, want\n%v", i, b, q, got, want)
		}
		b = [blockSize]int16{b[0]}
		inverseFlat(got[:], 8, b[0], q[0])
		inverseWide(want[:], 8, &b, &q)
		if got != want {
			t.Fatalf("%d times %d: flat %v, want %v", b[0], q[0], got, want)
		}
	}
}
