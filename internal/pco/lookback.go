package pco

import "math/bits"

// The window of a lookback, as the logarithm of its length.
const (
	minWindowLog = 4
	maxWindowLog = 15
)

// lookbackCost is how many bits a number must become smaller for lookbacks to
// be worth the slower decoding.
const lookbackCost = 2

// searcher finds for each latent an earlier one that is close.
type searcher struct {
	backs  []uint64
	used   []uint32 // how often each distance was taken
	seen   []int32  // where a value, or a group of values, came last, plus one
	recent [4]int   // distances
}

func windowLog(n int) uint {
	return max(minWindowLog, min(maxWindowLog, uint(bits.Len(uint(n-1)))))
}

// search fills s.backs with a distance for each but the first latent.
func (s *searcher) search(l []uint64, width uint) []uint64 {
	log := windowLog(len(l))
	window := 1 << log
	s.backs = grow(s.backs, len(l)-1)
	s.used = grow(s.used, window+1)
	clear(s.used)
	s.seen = grow(s.seen, 4*window)
	clear(s.seen)
	s.recent = [4]int{1, 2, 3, 4}
	exact, near := s.seen[:2*window], s.seen[2*window:]
	next := 0
	for i, x := range l {
		h, g := hash(x, log+1), hash(x>>8, log+1)
		if i == 0 {
			exact[h], near[g] = 1, 1
			continue
		}
		tries := [...]int{
			1, s.recent[0], s.recent[1], s.recent[2], s.recent[3],
			i + 1 - int(exact[h]), i + 1 - int(near[g]),
		}
		best, most := 1, -1
		for _, b := range tries {
			if b > i || b > window {
				continue
			}
			d := (x - l[i-b]) << (64 - width)
			good := bits.LeadingZeros64(min(d, -d)) + bits.Len32(s.used[b])
			if good > most {
				best, most = b, good
			}
		}
		exact[h], near[g] = int32(i+1), int32(i+1)
		s.used[best]++
		s.backs[i-1] = uint64(best)
		if r := &s.recent; best != r[0] && best != r[1] && best != r[2] && best != r[3] {
			r[next] = best
			next = (next + 1) % len(r)
		}
	}
	return s.backs
}

// hash gives a number of so many bits.
func hash(x uint64, n uint) uint64 { return x * 0x9e3779b97f4a7c15 >> (64 - n) }

// lookBack replaces latents by how much they are more than the earlier ones,
// and keeps the first.
func (q *sequence) lookBack(backs []uint64) {
	l := q.latents
	for i := len(l) - 1; i > 0; i-- {
		l[i] -= l[i-int(backs[i-1])]
	}
	q.moments = append(q.moments[:0], l[0])
	q.latents = l[1:]
	q.center()
}
