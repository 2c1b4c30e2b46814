package lz4_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
)

// lcg makes numbers that other languages make as easily.
type lcg uint32

func (r *lcg) next() int {
	*r = *r*1664525 + 1013904223
	return int(*r >> 16)
}

// plane is a byte that wanders slowly, as the high bytes of an image do.
func plane(n int) []byte {
	r, v := lcg(1), byte(100)
	out := make([]byte, n)
	for i := range out {
		switch r.next() & 15 {
		case 0:
			v++
		case 1:
			v--
		}
		out[i] = v
	}
	return out
}

// words are text with runs of noise in it.
func words(n int) []byte {
	var out []byte
	for r := lcg(2); len(out) < n; {
		k := r.next() % 97
		out = fmt.Appendf(out, "word%d, ", k)
		if k%7 == 0 {
			for range k {
				out = append(out, byte(r.next()))
			}
		}
	}
	return out[:n]
}

func noise(n int) []byte {
	r := lcg(3)
	out := make([]byte, n)
	for i := range out {
		out[i] = byte(r.next())
	}
	return out
}

// samples are data of all kinds, by name.
func samples() map[string][]byte {
	sparse := make([]byte, 300_000)
	r := lcg(4)
	for range 300 {
		sparse[(r.next()<<16|r.next())%len(sparse)] = byte(r.next())
	}
	far := append(noise(70_000), noise(70_000)...)
	periods := []byte(nil)
	for period := range 80 {
		for i := range 300 {
			periods = append(periods, byte(i%(period+1)*7+period))
		}
	}
	return map[string][]byte{
		"nothing": nil, "one": {7}, "twelve": make([]byte, 12), "thirteen": make([]byte, 13),
		"zeros": make([]byte, 1<<20), "plane": plane(200_000), "words": words(100_000), "noise": noise(100_000),
		"sparse": sparse, "far": far, "periods": periods, "short": words(40),
	}
}

// made is a block of random sequences, and what it holds.
func made(r *rand.Rand, sequences int) (block, want []byte) {
	length := func() int {
		switch r.IntN(10) {
		case 0:
			return r.IntN(3000)
		case 1, 2:
			return r.IntN(300)
		case 3, 4, 5:
			return r.IntN(40)
		}
		return r.IntN(16)
	}
	rest := func(n int) {
		if n -= 15; n < 0 {
			return
		}
		for ; n >= 255; n -= 255 {
			block = append(block, 255)
		}
		block = append(block, byte(n))
	}
	literals := func(n, low int) {
		block = append(block, byte(min(n, 15)<<4|low))
		rest(n)
		for range n {
			b := byte(r.Uint32())
			block, want = append(block, b), append(want, b)
		}
	}
	for range sequences {
		more, n := length(), length()
		if r.IntN(3) == 0 || len(want) == 0 && n == 0 {
			n++
		}
		literals(n, min(more, 15))
		reach := []int{8, 16, 40, 80, 1000, 65535}[r.IntN(6)]
		distance := 1 + r.IntN(min(len(want), reach))
		block = binary.LittleEndian.AppendUint16(block, uint16(distance))
		rest(more)
		for range 4 + more {
			want = append(want, want[len(want)-distance])
		}
	}
	literals(length(), 0)
	return block, want
}
