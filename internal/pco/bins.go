package pco

import (
	"math"
	"math/bits"
	"slices"
)

// trainer finds the bins for a sequence of latents.
type trainer struct {
	sorted, spare []uint64
	parts         []part
	best          []float32 // cost of the first parts, at its best
	from          []int32   // where the last bin of these begins
	bins          []bin
	counts        []int
	sizeLog       uint
}

// part is a range of latents that stays together.
type part struct {
	lower, upper uint64
	until        int // latents in this and all parts before
}

// train fills t.bins and t.sizeLog for latents of so many bits, starting from
// about 2^binsLog parts of equal numbers of latents. It returns how many bits
// the bins take to describe, and about how many the latents take.
func (t *trainer) train(latents []uint64, width, binsLog uint) (meta, body float64) {
	t.bins, t.counts, t.sizeLog = t.bins[:0], t.counts[:0], 0
	n := len(latents)
	if n == 0 {
		return 0, 0
	}
	t.sorted = append(t.sorted[:0], latents...)
	t.spare = grow(t.spare, n)
	t.sorted, t.spare = radixSort(t.sorted, t.spare)
	t.split(binsLog)
	sizeLog := min(binsLog+2, 12, uint(bits.Len(uint(n-1))))
	t.merge(width, sizeLog)
	t.weigh(max(sizeLog, uint(bits.Len(uint(len(t.bins)-1)))))
	meta = float64(len(t.bins)) * binCost(width, t.sizeLog)
	for i, b := range t.bins {
		each := float64(t.sizeLog) - math.Log2(float64(b.weight)) + float64(b.offsetBits)
		body += float64(t.counts[i]) * each
	}
	return meta, body
}

// binCost is the number of bits that describe a bin.
func binCost(width, sizeLog uint) float64 { return float64(sizeLog + width + offsetLen(width)) }

// offsetLen is the number of bits in which a number of bits is written.
func offsetLen(width uint) uint { return uint(bits.Len(width)) }

// split cuts the sorted latents at quantiles, but not between equal ones.
func (t *trainer) split(binsLog uint) {
	s, n := t.sorted, len(t.sorted)
	t.parts = t.parts[:0]
	add := func(from, until int) {
		t.parts = append(t.parts, part{s[from], s[until-1], until})
	}
	share := max(1, n>>binsLog)
	for i := 0; i < n; {
		// The quantile behind i: i is in the k-th of 2^binsLog equal shares.
		k := uint64(i) << binsLog / uint64(n)
		end := int(((k+1)*uint64(n) + 1<<binsLog - 1) >> binsLog)
		v := s[end-1]
		lo, hi := end-1, end
		for lo > i && s[lo-1] == v {
			lo--
		}
		for hi < n && s[hi] == v {
			hi++
		}
		// A value that fills a share by itself gets a part of its own.
		if lo > i && (hi-lo >= share || end-lo < hi-end) {
			add(i, lo)
			i = lo
			continue
		}
		add(i, hi)
		i = hi
	}
}

// merge joins neighbouring parts to bins so that description and latents
// together take the fewest bits.
func (t *trainer) merge(width, sizeLog uint) {
	n := len(t.parts)
	t.best, t.from = grow(t.best, n+1), grow(t.from, n)
	total := log2(t.parts[n-1].until)
	describe := float32(binCost(width, sizeLog))
	t.best[0] = 0
	for i := range n {
		best, from := float32(math.MaxFloat32), 0
		p := t.parts[i]
		for j := i; j >= 0; j-- {
			before := 0
			if j > 0 {
				before = t.parts[j-1].until
			}
			count := p.until - before
			offset := bits.Len64(p.upper - t.parts[j].lower)
			cost := t.best[j] + describe + float32(count)*(total-log2(count)+float32(offset))
			if cost < best {
				best, from = cost, j
			}
		}
		t.best[i+1], t.from[i] = best, int32(from)
	}
	for i := n - 1; i >= 0; {
		j := int(t.from[i])
		lower, until := t.parts[j].lower, t.parts[i].until
		if j > 0 {
			until -= t.parts[j-1].until
		}
		t.bins = append(t.bins, bin{lower: lower, offsetBits: uint8(bits.Len64(t.parts[i].upper - lower))})
		t.counts = append(t.counts, until)
		i = j - 1
	}
	slices.Reverse(t.bins)
	slices.Reverse(t.counts)
}

// weigh shares a table of 2^sizeLog states out: one to each bin, and the rest
// by how many more it deserves.
func (t *trainer) weigh(sizeLog uint) {
	size, n := float64(int(1)<<sizeLog), 0
	for _, c := range t.counts {
		n += c
	}
	deserves := func(c int) float64 { return max(0, float64(c)*size/float64(n)-1) }
	var sum float64
	for _, c := range t.counts {
		sum += deserves(c)
	}
	rest := 1<<sizeLog - len(t.bins)
	scale := 0.0
	if sum > 0 {
		scale = float64(rest) / sum
	}
	var claimed float64
	given := 0
	for i, c := range t.counts {
		claimed += deserves(c) * scale
		more := min(int(claimed+0.5), rest) - given
		if i == len(t.counts)-1 {
			more = rest - given
		}
		given += more
		t.bins[i].weight = uint32(1 + more)
	}
	// Weights that are all even do as well in a smaller table.
	common := uint32(0)
	for i := range t.bins {
		common |= t.bins[i].weight
	}
	shift := min(uint(bits.TrailingZeros32(common)), sizeLog)
	for i := range t.bins {
		t.bins[i].weight >>= shift
	}
	t.sizeLog = sizeLog - shift
}

// log2 is good to three digits, which is plenty to compare costs.
func log2(n int) float32 {
	b := math.Float32bits(float32(n))
	return float32(int(b>>23)-127) + logs[b>>13&1023]
}

var logs = func() (t [1024]float32) {
	for i := range t {
		t[i] = float32(math.Log2(1 + (float64(i)+0.5)/1024))
	}
	return t
}()

// radixSort sorts a with the help of b, which is as long. It returns the sorted
// slice and the other one.
func radixSort(a, b []uint64) ([]uint64, []uint64) {
	if len(a) < 512 {
		slices.Sort(a)
		return a, b
	}
	any, all := uint64(0), ^uint64(0)
	for _, x := range a {
		any |= x
		all &= x
	}
	differ := any &^ all
	for shift := uint(0); shift < 64; shift += 8 {
		if differ>>shift&255 == 0 {
			continue
		}
		var at [256]int
		for _, x := range a {
			at[byte(x>>shift)]++
		}
		sum := 0
		for i, n := range at {
			at[i] = sum
			sum += n
		}
		for _, x := range a {
			k := byte(x >> shift)
			b[at[k]] = x
			at[k]++
		}
		a, b = b, a
	}
	return a, b
}
