package gdeflate

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/internal/thorough"
)

// page writes a page by hand.
func page(f func(e *encoder)) []byte {
	e := new(encoder)
	e.w.start(nil)
	f(e)
	return e.w.finish()
}

// header begins a dynamic block whose codes have these lengths, each written by
// itself.
func header(e *encoder, litLens, offsets []uint8) {
	e.begin(dynamic, true)
	b := &block{litLens: len(litLens), offsets: len(offsets), preCount: numPre}
	for i := range 16 {
		b.preLens[i] = 4
	}
	for _, n := range append(append([]uint8{}, litLens...), offsets...) {
		b.items = append(b.items, item{symbol: n})
	}
	e.codes(b)
	e.w.lane = 0
}

// lens gives a number of lengths, all 0 except some.
func lens(n int, some map[int]uint8) []uint8 {
	out := make([]uint8, n)
	for i, v := range some {
		out[i] = v
	}
	return out
}

func TestStreamsThatNobodyWrites(t *testing.T) {
	fix := func(e *encoder) {
		e.begin(fixed, true)
		assign(e.litLen[:], fixedLitLen[:])
		assign(e.offset[:], fixedOffsets[:])
	}
	few := map[int]uint8{'a': 1, endOfBlock: 2, firstLength: 2}
	for name, c := range map[string]struct {
		want string // "": it is fine
		f    func(e *encoder)
	}{
		"block type 3": {"unknown type 3", func(e *encoder) { e.begin(3, true) }},
		"stored block too long": {"stored block of 11 bytes where 10 are left", func(e *encoder) {
			e.stored([]byte("0123456789a"), true)
		}},
		"too many literals": {"more than 10 bytes", func(e *encoder) {
			fix(e)
			for range 11 {
				e.w.symbol(e.litLen['x'])
			}
		}},
		"match too long": {"more than 10 bytes", func(e *encoder) {
			fix(e)
			e.w.symbol(e.litLen['x'])
			e.w.match(e.litLen[firstLength+numLengths-1].with(7, 16), e.offset[0])
			e.w.end(e.litLen[endOfBlock])
		}},
		"match just as long": {"", func(e *encoder) {
			fix(e)
			e.w.symbol(e.litLen['x'])
			e.w.match(e.litLen[firstLength+numLengths-1].with(6, 16), e.offset[0])
			e.w.end(e.litLen[endOfBlock])
		}},
		"distance before the page": {"match at 1 refers to 2 bytes before", func(e *encoder) {
			fix(e)
			e.w.symbol(e.litLen['x'])
			e.w.match(e.litLen[firstLength], e.offset[1])
			e.w.end(e.litLen[endOfBlock])
		}},
		"symbol 286": {"unknown code after 0 bytes", func(e *encoder) {
			fix(e)
			e.w.symbol(e.litLen[286])
		}},
		"no repeated length": {"no length of a code before", func(e *encoder) {
			e.begin(dynamic, true)
			b := &block{litLens: 257, offsets: 1, preCount: numPre, items: []item{{symbol: repeatLast}}}
			b.preLens[repeatLast], b.preLens[0] = 1, 1
			e.codes(b)
		}},
		"too many lengths": {"138 lengths of codes where 120 are left", func(e *encoder) {
			e.begin(dynamic, true)
			b := &block{litLens: 257, offsets: 1, preCount: numPre, items: []item{{repeatZeros, 127}, {repeatZeros, 127}}}
			b.preLens[repeatZeros], b.preLens[0] = 1, 1
			e.codes(b)
		}},
		"codes that are too many":    {"more than there are", func(e *encoder) { header(e, lens(257, map[int]uint8{1: 1, 2: 1, 3: 1}), lens(1, nil)) }},
		"codes that are too few":     {"mean nothing", func(e *encoder) { header(e, lens(257, map[int]uint8{1: 2, 2: 2, 3: 2}), lens(1, nil)) }},
		"a single code that is long": {"mean nothing", func(e *encoder) { header(e, lens(257, map[int]uint8{endOfBlock: 2}), lens(1, nil)) }},
		"no codes":                   {"unknown code after 0 bytes", func(e *encoder) { header(e, lens(257, nil), lens(1, nil)) }},
		"no codes for lengths":       {"itself an unknown code", func(e *encoder) { e.begin(dynamic, true); e.codes(&block{litLens: 257, offsets: 1, preCount: 4}) }},
		"a distance without any code": {"unknown distance at 0", func(e *encoder) {
			header(e, lens(258, few), lens(1, nil))
			assign(e.litLen[:], lens(258, few))
			e.w.match(e.litLen[firstLength], code{})
			e.w.end(e.litLen[endOfBlock])
		}},
		"a single distance": {"", func(e *encoder) {
			header(e, lens(258, few), lens(1, map[int]uint8{0: 1}))
			assign(e.litLen[:], lens(258, few))
			e.w.symbol(e.litLen['a'])
			for range 3 {
				e.w.match(e.litLen[firstLength], code{0, 1})
			}
			e.w.end(e.litLen[endOfBlock])
		}},
		"empty blocks": {"", func(e *encoder) {
			for range 100 {
				e.begin(fixed, false)
				assign(e.litLen[:], fixedLitLen[:])
				e.w.lane = 0
				e.w.end(e.litLen[endOfBlock])
				e.stored(nil, false)
			}
			e.stored([]byte("0123456789"), true)
		}},
	} {
		_, err := Decode(make([]byte, 10), page(c.f))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}

func TestCodesFillAllThereIs(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	var h huffman
	for round := range thorough.Rounds(2000) {
		freq := make([]uint32, 2+r.IntN(maxLitLen-1))
		limit := maxBits
		if round%2 == 0 {
			freq, limit = freq[:min(len(freq), numPre)], maxPre
		}
		a, b := uint32(1), uint32(1)
		for i := range freq {
			switch round % 3 {
			case 0:
				freq[i] = r.Uint32N(1000)
			case 1:
				if a, b = b, a+b; b < 100_000 { // the deepest tree
					freq[i] = a
				}
			case 2:
				freq[i] = 1 << r.IntN(8) >> 3
			}
		}
		freq[0], freq[1] = 1, 1
		r.Shuffle(len(freq), func(i, k int) { freq[i], freq[k] = freq[k], freq[i] })
		lens := make([]uint8, len(freq))
		h.lens(lens, freq, limit)
		space := 0
		for i, n := range lens {
			if int(n) > limit || (n == 0) != (freq[i] == 0) {
				t.Fatalf("frequency %d has a code of %d bits", freq[i], n)
			}
			if n > 0 {
				space += 1 << (limit - int(n))
			}
			for k, m := range lens {
				if freq[i] > freq[k] && freq[k] > 0 && n > m {
					t.Fatalf("frequencies %d and %d have codes of %d and %d bits", freq[i], freq[k], n, m)
				}
			}
		}
		if space != 1<<limit {
			t.Fatalf("%d of %d codes for %v", space, 1<<limit, freq)
		}
	}
}

func TestEveryNumberHasItsSymbol(t *testing.T) {
	check := func(what string, v int, n number) {
		if d := v - int(n.base); d < 0 || d >= 1<<n.extra {
			t.Errorf("%s %d is not %d and %d bits", what, v, n.base, n.extra)
		}
	}
	for v := minMatch; v <= maxMatch; v++ {
		check("length", v, lengths[lengthSymbol(v)])
	}
	for v := 1; v <= PageSize; v++ {
		check("distance", v, offsets[offsetSymbol(v)])
	}
}

func TestRepeatIsACopyByteByByte(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for n := 1; n < 40; n++ {
		for length := 3; length < 90; length++ {
			a := make([]byte, n+length+9)
			for i := range a {
				a[i] = byte(r.Uint32())
			}
			b := append([]byte(nil), a...)
			for i := range length {
				b[n+i] = b[i]
			}
			repeat(a[:n+length], n)
			if string(a) != string(b) {
				t.Fatalf("%d bytes from %d before", length, n)
			}
		}
	}
}
