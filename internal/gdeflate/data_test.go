package gdeflate_test

import "math/rand/v2"

// samples are kinds of data, each of any length.
var samples = map[string]func(r *rand.Rand, n int) []byte{
	"zeros": func(_ *rand.Rand, n int) []byte { return make([]byte, n) },
	"noise": func(r *rand.Rand, n int) []byte {
		return fill(n, func(int) byte { return byte(r.Uint32()) })
	},
	"ramp": func(r *rand.Rand, n int) []byte { // as the bytes of uint16 that rise slowly
		return fill(n, func(i int) byte { return byte((1000 + i/6 + r.IntN(3)) >> (8 * (i % 2))) })
	},
	"skewed": func(r *rand.Rand, n int) []byte {
		return fill(n, func(int) byte { return byte(min(r.ExpFloat64()*10, 255)) })
	},
	"words": func(r *rand.Rand, n int) []byte {
		var out []byte
		for len(out) < n {
			out = append(out, list[r.IntN(len(list))]...)
		}
		return out[:n]
	},
	"period": func(r *rand.Rand, n int) []byte {
		once := make([]byte, 1+r.IntN(40_000))
		for i := range once {
			once[i] = byte(r.Uint32())
		}
		return fill(n, func(i int) byte { return once[i%len(once)] })
	},
	"mixed": func(r *rand.Rand, n int) []byte {
		kind := 0
		return fill(n, func(i int) byte {
			if r.IntN(5000) == 0 {
				kind = r.IntN(4)
			}
			return byte(r.Uint32()) & []byte{0, 3, 0x70, 0xff}[kind]
		})
	},
	// Frequencies that make the longest codes there can be.
	"steps": func(r *rand.Rand, n int) []byte {
		return fill(n, func(int) byte {
			b := byte(0)
			for r.IntN(3) > 0 && b < 40 {
				b++
			}
			return b * 5
		})
	},
}

var list = []string{"some ", "words ", "that ", "come ", "again ", "and ", "again, ", "in ", "any ", "order. ", "Not ", "a ", "sentence.\n"}

func fill(n int, f func(i int) byte) []byte {
	out := make([]byte, n)
	for i := range out {
		out[i] = f(i)
	}
	return out
}

func source(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }
