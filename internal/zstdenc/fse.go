package zstdenc

import "math"

const (
	maxFSELog     = 9
	maxFSESymbols = 64 // match length codes, the largest alphabet, need 53
)

// fseSymbol holds what the state machine needs to encode one symbol: the
// number of bits to emit is (state+deltaBits)>>16, and the next state is found
// at (state>>bits)+deltaState.
type fseSymbol struct {
	deltaBits  uint32
	deltaState int32
}

// fseTable is an encoding table together with the distribution it was built from.
type fseTable struct {
	log   uint
	nsym  int // symbols 0..nsym-1 have a (possibly zero) share
	norm  [maxFSESymbols]int16
	sym   [maxFSESymbols]fseSymbol
	state [1 << maxFSELog]uint16
}

// log2x256 holds 256*log2(i); cost estimates use it instead of floating point.
var log2x256 = func() (t [1<<maxFSELog + 1]uint32) {
	for i := 1; i < len(t); i++ {
		t[i] = uint32(math.Round(256 * math.Log2(float64(i))))
	}
	return t
}()

// normalize scales hist, which sums to total, to shares that sum to 1<<log.
// Every symbol that occurs gets at least one share. nsym must not exceed 1<<log.
func normalize(norm []int16, hist []uint32, total uint32, log uint) {
	size := int32(1) << log
	left := size
	best, bestShare := 0, int32(0)
	scale := (uint64(1) << 40 << log) / uint64(total)
	for s, c := range hist {
		if c == 0 {
			norm[s] = 0
			continue
		}
		share := int32((uint64(c)*scale + 1<<39) >> 40)
		if share < 1 {
			share = 1
		}
		norm[s] = int16(share)
		left -= share
		if share > bestShare {
			best, bestShare = s, share
		}
	}
	// Rounding errors are small next to the largest share; when it cannot take
	// them alone (many rare symbols), the shares above 1 give one each in turn.
	if bestShare+left >= bestShare/2+1 {
		norm[best] = int16(bestShare + left)
		return
	}
	for left < 0 {
		for s := range hist {
			if norm[s] > 1 && left < 0 {
				norm[s]--
				left++
			}
		}
	}
}

// build derives the encoding table from t.norm.
func (t *fseTable) build() {
	size := uint(1) << t.log
	var spread [1 << maxFSELog]uint8
	high := size - 1
	for s := 0; s < t.nsym; s++ {
		if t.norm[s] == -1 {
			spread[high] = uint8(s)
			high--
		}
	}
	step := size>>1 + size>>3 + 3
	pos := uint(0)
	var next [maxFSESymbols]uint16
	total := int32(0)
	for s := 0; s < t.nsym; s++ {
		f := int32(t.norm[s])
		next[s] = uint16(total)
		sy := &t.sym[s]
		switch {
		case f == 0:
			continue
		case f == -1 || f == 1:
			sy.deltaBits = uint32(t.log<<16) - uint32(size)
			sy.deltaState = total - 1
			total++
		default:
			maxBits := t.log - highBit(uint32(f-1))
			sy.deltaBits = uint32(maxBits<<16) - uint32(f)<<maxBits
			sy.deltaState = total - f
			total += f
		}
		for ; f > 0; f-- {
			spread[pos] = uint8(s)
			for {
				pos = (pos + step) & (size - 1)
				if pos <= high {
					break
				}
			}
		}
	}
	for u := uint(0); u < size; u++ {
		s := spread[u]
		t.state[next[s]] = uint16(size + u)
		next[s]++
	}
}

// start returns the state from which the decoder's last symbol is s.
func (t *fseTable) start(s uint8) uint32 {
	// The first of the symbol's states: the decoder reads most bits after it,
	// which the weights decoder relies on to notice the end.
	return uint32(t.state[t.sym[s].deltaState+max(int32(t.norm[s]), 1)])
}

// step encodes symbol s: it returns the next state and the n bits v to emit.
func (t *fseTable) step(state, s uint32) (next, v uint32, n uint) {
	sy := &t.sym[s%maxFSESymbols]
	k := (state + sy.deltaBits) >> 16 & 31
	next = uint32(t.state[uint32(int32(state>>k)+sy.deltaState)%(1<<maxFSELog)])
	return next, state & (1<<k - 1), uint(k)
}

// cost estimates, in 1/256 bits, what hist costs with this table; ok is false
// if the table cannot express it.
func (t *fseTable) cost(hist []uint32) (c uint64, ok bool) {
	full := uint64(t.log) << 8
	for s, n := range hist {
		if n == 0 {
			continue
		}
		if s >= t.nsym || t.norm[s] == 0 {
			return 0, false
		}
		f := t.norm[s]
		if f < 0 {
			f = 1
		}
		c += uint64(n) * (full - uint64(log2x256[f]))
	}
	return c, true
}

// writeNorm writes the table description and returns its length.
func writeNorm(dst []byte, norm []int16, log uint) uint {
	w := bitWriter{buf: dst}
	w.add(uint64(log-5), 4)
	remaining := int32(1) << log
	for s := 0; remaining > 0; s++ {
		bits := highBit(uint32(remaining+1)) + 1
		lower := uint32(1)<<(bits-1) - 1
		threshold := uint32(1)<<bits - 1 - uint32(remaining+1)
		p := int32(norm[s])
		v := uint32(p + 1)
		switch {
		case v < threshold:
			w.add(uint64(v), bits-1)
		case v <= lower:
			w.add(uint64(v), bits)
		default:
			w.add(uint64(v+threshold), bits)
		}
		if p < 0 {
			p = 1
		}
		remaining -= p
		if p == 0 {
			run := 0
			for norm[s+1+run] == 0 {
				run++
			}
			s += run
			for ; run >= 3; run -= 3 {
				w.add(3, 2)
				w.flush()
			}
			w.add(uint64(run), 2)
		}
		w.flush()
	}
	return w.pad()
}

// optimalLog picks a table size: large enough to be precise, small enough that
// its description does not outweigh the gain.
func optimalLog(total uint32, nsym int, limit uint) uint {
	log := limit
	if total > 1 {
		log = min(log, highBit(total-1)-min(highBit(total-1), 2))
	}
	// Every symbol needs a share, and a little room to weigh them.
	log = max(log, highBit(uint32(nsym))+2, 5)
	return min(log, limit)
}
