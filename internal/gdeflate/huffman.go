package gdeflate

import (
	"math/bits"
	"slices"
)

// huffman computes lengths of codes; it is memory that is used again.
type huffman struct {
	leaves []uint32 // frequency<<symbolBits | symbol, in order
	weight [maxLitLen]uint32
	parent [2 * maxLitLen]uint16 // of leaves, then of inner nodes
	depth  [maxLitLen]uint8      // of inner nodes
}

const symbolBits = 9

// lens sets the lengths of the shortest codes of at most limit bits for symbols
// of these frequencies, whose sum is below 1<<22. If there is one symbol, another
// gets a code too, since some decoders want all codes to be used.
func (h *huffman) lens(lens []uint8, freq []uint32, limit int) {
	clear(lens)
	h.leaves = h.leaves[:0]
	for s, f := range freq {
		if f > 0 {
			h.leaves = append(h.leaves, f<<symbolBits|uint32(s))
		}
	}
	switch len(h.leaves) {
	case 0:
		return
	case 1:
		s := h.leaves[0] % (1 << symbolBits)
		lens[s], lens[max(1-int(s), 0)] = 1, 1
		return
	}
	slices.Sort(h.leaves)
	count := h.tree()
	shorten(count[:], limit)
	// The rarest symbols get the longest codes.
	i := 0
	for n := limit; n > 0; n-- {
		for range count[n] {
			lens[h.leaves[i]%(1<<symbolBits)] = uint8(n)
			i++
		}
	}
}

// tree builds Huffman's tree, and returns how many leaves there are at each depth.
func (h *huffman) tree() (count [64]int) {
	n := len(h.leaves)
	leaf, inner, made := 0, 0, 0
	lightest := func(parent int) uint32 {
		if inner < made && (leaf == n || h.weight[inner] < h.leaves[leaf]>>symbolBits) {
			h.parent[n+inner] = uint16(parent)
			inner++
			return h.weight[inner-1]
		}
		h.parent[leaf] = uint16(parent)
		leaf++
		return h.leaves[leaf-1] >> symbolBits
	}
	for ; made < n-1; made++ {
		h.weight[made] = lightest(made) + lightest(made)
	}
	h.depth[n-2] = 0
	for i := n - 3; i >= 0; i-- {
		h.depth[i] = h.depth[h.parent[n+i]] + 1
	}
	for i := range n {
		count[h.depth[h.parent[i]]+1]++
	}
	return count
}

// shorten changes how many codes there are of each length so that none is longer
// than limit.
func shorten(count []int, limit int) {
	over := 0 // codes of limit bits that are too many
	for n := len(count) - 1; n > limit; n-- {
		count[limit] += count[n]
		count[n] = 0
	}
	for n := 1; n <= limit; n++ {
		over += count[n] << (limit - n)
	}
	// A shorter code made one bit longer leaves room for one of limit bits.
	for over -= 1 << limit; over > 0; over-- {
		n := limit - 1
		for count[n] == 0 {
			n--
		}
		count[n]--
		count[n+1] += 2
		count[limit]--
	}
}

// assign gives symbols the codes that follow from the lengths.
func assign(codes []code, lens []uint8) {
	var next [maxBits + 2]uint32
	for _, n := range lens {
		if n > 0 {
			next[n+1]++
		}
	}
	for n := 1; n < len(next); n++ {
		next[n] = (next[n] + next[n-1]) << 1
	}
	for s, n := range lens {
		codes[s] = code{}
		if n > 0 {
			codes[s] = code{uint32(bits.Reverse16(uint16(next[n])) >> (16 - n)), n}
			next[n]++
		}
	}
}
