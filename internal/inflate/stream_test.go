package inflate

import (
	"bytes"
	"compress/flate"
	"io"
	"math/bits"
	"math/rand/v2"
	"testing"
)

// stream writes DEFLATE bit by bit.
type stream struct {
	b  []byte
	bn uint // in the last byte
}

func (s *stream) bits(v uint64, n uint) {
	for ; n > 0; n-- {
		if s.bn%8 == 0 {
			s.b, s.bn = append(s.b, 0), 0
		}
		s.b[len(s.b)-1] |= byte(v&1) << s.bn
		v >>= 1
		s.bn++
	}
}

func (s *stream) block(final bool, kind uint64) {
	var f uint64
	if final {
		f = 1
	}
	s.bits(f|kind<<1, 3)
}

func (s *stream) stored(final bool, data []byte) {
	s.block(final, 0)
	s.bn = 8
	s.b = append(s.b, byte(len(data)), byte(len(data)>>8), ^byte(len(data)), ^byte(len(data)>>8))
	s.b = append(s.b, data...)
}

// codes are those of one alphabet.
type codes struct {
	lens  []uint8
	words []uint16 // first bit lowest
}

func canonical(lens []uint8) codes {
	c := codes{lens, make([]uint16, len(lens))}
	word := 0
	for n := 1; n <= maxBits; n++ {
		for s, l := range lens {
			if int(l) == n {
				c.words[s] = bits.Reverse16(uint16(word)) >> (16 - n)
				word++
			}
		}
		word <<= 1
	}
	return c
}

func (s *stream) symbol(c codes, v int) {
	if c.lens[v] == 0 {
		panic("a symbol without a code")
	}
	s.bits(uint64(c.words[v]), uint(c.lens[v]))
}

func fixedCodes() (lit, off codes) {
	f := fixed()
	return canonical(f.lens[:numFixedLits]), canonical(f.lens[numFixedLits:])
}

// match writes a length and a distance.
func (s *stream) match(lit, off codes, length, distance int) {
	for i := numLits - endOfBlock - 2; i >= 0; i-- {
		if least, extra := lengthOf(i); length >= least {
			s.symbol(lit, endOfBlock+1+i)
			s.bits(uint64(length-least), uint(extra))
			break
		}
	}
	for i := numOffs - 1; i >= 0; i-- {
		if least, extra := distanceOf(i); distance >= least {
			s.symbol(off, i)
			s.bits(uint64(distance-least), uint(extra))
			break
		}
	}
}

// header writes the header of a block with codes of its own. The lengths are
// written one by one.
func (s *stream) header(final bool, lit, off []uint8) {
	s.block(final, 2)
	s.bits(uint64(len(lit)-257), 5)
	s.bits(uint64(len(off)-1), 5)
	s.bits(15, 4)
	pre := make([]uint8, numPre)
	for _, p := range preOrder {
		if p < repeatLast {
			pre[p] = 4
		}
		s.bits(uint64(pre[p]), 3)
	}
	c := canonical(pre)
	for _, lens := range [][]uint8{lit, off} {
		for _, n := range lens {
			s.symbol(c, int(n))
		}
	}
}

// randomLens are lengths of a code for n symbols, of which the used ones must
// have a code and others may.
func randomLens(r *rand.Rand, n int, used map[int]bool) []uint8 {
	var list []int
	for i := range n {
		if used[i] || r.IntN(3) == 0 {
			list = append(list, i)
		}
	}
	for len(list) < 2 {
		list = append(list, (append(list, n-1)[0]+1)%n)
	}
	r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	// Leaves are split until there are enough: the deep ones, or any.
	leaves := []uint8{0}
	deep := r.IntN(4)
	for len(leaves) < len(list) {
		i := r.IntN(len(leaves))
		if deep > 0 && r.IntN(deep+1) > 0 {
			i = len(leaves) - 1
		}
		// Those that would become too deep leave room elsewhere.
		for tries := 0; leaves[i] >= maxBits; tries++ {
			i = (i + 1) % len(leaves)
		}
		leaves[i]++
		leaves = append(leaves, leaves[i])
	}
	lens := make([]uint8, n)
	for i, s := range list {
		lens[s] = leaves[i]
	}
	return lens
}

// randomStream is a stream of blocks of all kinds, with codes that an encoder
// would not choose.
func randomStream(r *rand.Rand, size int) []byte {
	s := new(stream)
	written := 0
	for written < size {
		final := false
		kind := r.IntN(4)
		n := 1 + r.IntN(min(size-written, 20000))
		final = written+n >= size && r.IntN(2) == 0
		if kind == 0 {
			data := make([]byte, n)
			for i := range data {
				data[i] = byte(r.Uint32())
			}
			s.stored(final, data)
			written += n
			if final {
				return s.b
			}
			continue
		}
		// Which symbols there will be is not known: all have codes, or a few.
		few := r.IntN(2) == 0
		usedLit, usedOff := map[int]bool{endOfBlock: true}, map[int]bool{}
		for i := range numLits {
			if !few || r.IntN(20) == 0 {
				usedLit[i] = true
			}
		}
		for i := range numOffs {
			usedOff[i] = !few || r.IntN(4) == 0
		}
		lit, off := fixedCodes()
		if kind > 1 {
			lit, off = canonical(randomLens(r, numLits, usedLit)), canonical(randomLens(r, numOffs, usedOff))
			s.header(final, lit.lens, off.lens)
		} else {
			s.block(final, 1)
		}
		have := func(c codes, n int) (list []int) {
			for i, l := range c.lens[:n] {
				if l != 0 && !(n > 256 && i == endOfBlock) {
					list = append(list, i)
				}
			}
			return list
		}
		lits, offs := have(lit, numLits), have(off, numOffs)
		for end := written + n; written < end; {
			v := lits[r.IntN(len(lits))]
			if r.IntN(3) > 0 {
				// Short codes are frequent, as they should be.
				for range 3 {
					if w := lits[r.IntN(len(lits))]; lit.lens[w] < lit.lens[v] {
						v = w
					}
				}
			}
			if v > endOfBlock {
				o := offs[r.IntN(len(offs))]
				least, extra := distanceOf(o)
				if least > written {
					if len(lits) > 0 && lits[0] >= endOfBlock {
						return append(s.b, 0) // has no literals: it ends here
					}
					continue
				}
				more := r.IntN(min(1<<extra, written-least+1))
				length, lextra := lengthOf(v - endOfBlock - 1)
				lmore := r.IntN(1 << lextra)
				s.symbol(lit, v)
				s.bits(uint64(lmore), uint(lextra))
				s.symbol(off, o)
				s.bits(uint64(more), uint(extra))
				written += length + lmore
				continue
			}
			s.symbol(lit, v)
			written++
		}
		s.symbol(lit, endOfBlock)
		if final {
			return s.b
		}
	}
	s.stored(true, nil)
	return s.b
}

// deflated is what the standard library makes of data.
func deflated(t testing.TB, data []byte, level int) []byte {
	t.Helper()
	var buf bytes.Buffer
	w, err := flate.NewWriter(&buf, level)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// peer is used again and again: it is large.
var peer = flate.NewReader(bytes.NewReader(nil))

// standard is what the standard library makes of a stream, at most limit bytes
// and one more.
func standard(src []byte, limit int) (out []byte, used int, err error) {
	in := bytes.NewReader(src)
	if err := peer.(flate.Resetter).Reset(in, nil); err != nil {
		return nil, 0, err
	}
	out, err = io.ReadAll(io.LimitReader(peer, int64(limit)+1))
	return out, len(src) - in.Len(), err
}

// sample is data of one of several kinds.
func sample(r *rand.Rand, size int) []byte {
	data := make([]byte, size)
	kind, many := r.IntN(5), 1+r.IntN(255)
	for i := 0; i < size; i++ {
		switch kind {
		case 0: // noise of a few values
			data[i] = byte(r.IntN(many))
		case 1: // skewed
			data[i] = byte(bits.TrailingZeros32(r.Uint32()|1<<20)) * byte(many)
		case 2: // repetitions from near and far
			data[i] = byte(r.Uint32())
			if d := 1 + r.IntN(1+r.IntN(33000)); i >= d && r.IntN(4) > 0 {
				n := copy(data[i:min(i+1+r.IntN(300), size)], data[i-d:])
				i += n - 1
			}
		case 3: // runs
			data[i] = byte(r.Uint32())
			if d := 1 + many%9; i >= d && r.IntN(50) > 0 {
				data[i] = data[i-d]
			}
		case 4: // words
			data[i] = byte(i>>1) * byte(i&1) * byte(many)
		}
	}
	return data
}
