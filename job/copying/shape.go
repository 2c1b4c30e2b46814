package copying

import (
	"math"
	"slices"
)

// axis is one axis of a copy, as its blocks are chosen.
type axis struct {
	n    int // elements
	dst  int // length of the chunks of the copy
	src  int // length of the parts of the source that are decoded by themselves
	skew bool
}

// touches is how often parts of the source are decoded along the axis if blocks are
// k chunks of the copy long: once each, and once more for every end of a block that
// lies inside of one.
func (a axis) touches(k int) float64 {
	parts := (a.n + a.src - 1) / a.src
	length := min(k, (a.n+a.dst-1)/a.dst) * a.dst
	ends := (a.n+length-1)/length - 1
	if !a.skew {
		ends -= ends / (a.src / gcd(a.src, length))
	}
	return float64(parts + ends)
}

// choice is how many chunks of the copy a block has along an axis, and what that
// costs.
type choice struct {
	k     int
	size  float64 // elements
	reads float64 // how often each element is decoded
}

// choices are the lengths of blocks along the axis that are worth a look: none is
// longer than another that reads as little.
func (a axis) choices() []choice {
	count := (a.n + a.dst - 1) / a.dst
	whole := a.src / gcd(a.src, a.dst) // chunks of the copy that are whole parts of the source
	lengths := []int{1, count}
	for k := 1; k < count && k > 0; k *= 2 {
		lengths = append(lengths, k)
	}
	for k := min(whole, count); k < count && k > 0; k *= 2 {
		lengths = append(lengths, k)
	}
	for k := a.src / a.dst; k > 0 && k < count; k *= 2 {
		lengths = append(lengths, k, k+1)
	}
	slices.Sort(lengths)
	least := a.touches(count)
	var out []choice
	for _, k := range slices.Compact(lengths) {
		k = min(max(k, 1), count)
		c := choice{k: k, size: float64(min(k*a.dst, a.n)), reads: a.touches(k)}
		if len(out) == 0 || c.reads < out[len(out)-1].reads {
			out = append(out, c)
		}
		if c.reads <= least {
			break
		}
	}
	parts := float64((a.n + a.src - 1) / a.src)
	for i := range out {
		out[i].reads /= parts
	}
	return out
}

// bestBlock chooses how many chunks of the copy a block has along each axis, such
// that it has at most so many elements, and that as little of the source as can be is
// decoded more than once: reads is how often that is on average. One chunk of the
// copy is always allowed.
func bestBlock(axes []axis, most float64) (group []int, reads float64) {
	if slices.ContainsFunc(axes, func(a axis) bool { return a.n == 0 }) {
		return slices.Repeat([]int{1}, len(axes)), 1
	}
	lists := make([][]choice, len(axes))
	rest := 1.0 // the least that all axes from here on hold
	for i := range axes {
		lists[i] = axes[i].choices()
		rest *= lists[i][0].size
	}
	best := math.Inf(1)
	least := math.Inf(1)
	group = make([]int, len(axes))
	now := make([]int, len(axes))
	steps := 0
	var try func(i int, size, rest, reads float64)
	try = func(i int, size, rest, reads float64) {
		if steps++; steps > 1<<16 || reads > best {
			return // of an array with so many axes, something good is enough
		}
		if i == len(axes) {
			if reads < best || size < least {
				best, least = reads, size
				copy(group, now)
			}
			return
		}
		rest /= lists[i][0].size
		for k, c := range lists[i] {
			if k > 0 && size*c.size*rest > most {
				break
			}
			now[i] = c.k
			try(i+1, size*c.size, rest, reads*c.reads)
		}
	}
	try(0, 1, rest, 1)
	return group, best
}
