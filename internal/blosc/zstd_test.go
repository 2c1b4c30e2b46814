package blosc

import (
	"bytes"
	"github.com/omnizarr/zarr/internal/thorough"
	"math/rand/v2"
	"testing"
)

// rows is data of which the first rows are noise.
func rows(r *rand.Rand, row, noisy, all int) []byte {
	out := make([]byte, row*all)
	for i := range out {
		if i < row*noisy {
			out[i] = byte(r.Uint32())
		} else {
			out[i] = byte(r.Uint32()) & 3
		}
	}
	return out
}

func TestRowsOfNoiseAreStored(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, row := range thorough.Least([]int{2048, 4000}, []int{2048, 4000, 40000}, []int{2048, 4000, 8192, 100000}) {
		for noisy := 0; noisy < 9; noisy += thorough.Step(2) {
			src := rows(r, row, noisy, 8)
			if got := noise(src, row); got != noisy*row {
				t.Errorf("%d rows of %d bytes: found %d bytes of noise", noisy, row, got)
			}
			for _, level := range []int{1, 5, 9} {
				frame := appendZstd([]byte("begin"), src, level, row)[5:]
				if most := noisy*row + (8-noisy)*row*2/5 + 100; len(frame) > most {
					t.Errorf("%d rows of %d bytes, level %d: %d bytes", noisy, row, level, len(frame))
				}
				got := make([]byte, len(src))
				if n, err := decodeZstd(got, frame); err != nil || n != len(src) || !bytes.Equal(got, src) {
					t.Errorf("%d rows of %d bytes, level %d: differs, %v", noisy, row, level, err)
				}
			}
		}
	}
}

// Noise that repeats is not noise, whether within a row or from one to the next.
func TestNoiseThatRepeatsIsCompressed(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, period := range []int{1500, 4096, 5003, 16384} {
		src := rows(r, period, 1, 1)
		src = bytes.Repeat(src, 8<<13/period+1)[:8<<13]
		if n := len(appendZstd(nil, src, 5, 1<<13)); n > period+1000 {
			t.Errorf("noise of %d bytes over and over took %d bytes", period, n)
		}
	}
}
