package jpeg

import (
	"math"
	"testing"

	"github.com/omnizarr/zarr/internal/thorough"
)

func TestTheQuotientIsExact(t *testing.T) {
	for step := range 256 {
		if step == 0 {
			continue
		}
		var table [64]uint8
		for i := range table {
			table[i] = uint8(step)
		}
		var q quantizer
		q.set(table)
		// All numbers, or those of another quarter for every step.
		for first := -16384 + step%thorough.Step(4)*64; first < 16384; first += 64 * thorough.Step(4) {
			var freq, values [64]int32
			for i := range freq {
				freq[i] = int32(first + i)
			}
			nonzero := q.quantize(&values, &freq)
			for k, i := range zigzag {
				f, want := int(freq[i]), 0
				if f < 0 {
					want = -((-f + 4*step) / (8 * step))
				} else {
					want = (f + 4*step) / (8 * step)
				}
				if int(values[k]) != want || nonzero>>k&1 == 1 != (want != 0) {
					t.Fatalf("%d by %d: got %d, want %d; nonzero %t", f, 8*step, values[k], want, nonzero>>k&1 == 1)
				}
			}
		}
	}
}

// TestEveryValueHasACode looks at the blocks that make each of the frequencies
// as large as it can be: at the finest quantisation they must not need more bits
// than the standard Huffman tables have codes for.
func TestEveryValueHasACode(t *testing.T) {
	var q quantizer
	q.set(scaledQuant(0, 100))
	for k := range 64 {
		for _, high := range []bool{false, true} {
			block := make([]byte, 64)
			for i := range block {
				wave := math.Cos(float64(2*(i%8)+1)*float64(k%8)*math.Pi/16) * math.Cos(float64(2*(i/8)+1)*float64(k/8)*math.Pi/16)
				if wave > 0 == high {
					block[i] = 255
				}
			}
			var freq, values [64]int32
			forwardDCT(&freq, block, 8)
			q.quantize(&values, &freq)
			for i, v := range values {
				if i == 0 && (v < -1024 || v > 1023) || i > 0 && (v < -1023 || v > 1023) {
					t.Errorf("wave %d: value %d is %d", k, i, v)
				}
			}
		}
	}
}

// TestTheTransformIsACosineTransform compares with the definition.
func TestTheTransformIsACosineTransform(t *testing.T) {
	src := encodeImage("noise", 8, 8, 1).Data[0]
	var freq [64]int32
	forwardDCT(&freq, src, 8)
	for v := range 8 {
		for u := range 8 {
			sum := 0.0
			for y := range 8 {
				for x := range 8 {
					sum += (float64(src[8*y+x]) - 128) *
						math.Cos(float64(2*x+1)*float64(u)*math.Pi/16) * math.Cos(float64(2*y+1)*float64(v)*math.Pi/16)
				}
			}
			want := 2 * sum // a quarter, times eight
			if u == 0 {
				want /= math.Sqrt2
			}
			if v == 0 {
				want /= math.Sqrt2
			}
			if d := float64(freq[8*v+u]) - want; math.Abs(d) > 2 {
				t.Errorf("frequency %d, %d: got %d, want %.2f", u, v, freq[8*v+u], want)
			}
		}
	}
}
