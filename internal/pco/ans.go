package pco

import (
	"fmt"
	"math/bits"
)

// bin is a range of latents: lower and the numbers of offsetBits bits above it.
type bin struct {
	weight     uint32 // in the tANS table
	offsetBits uint8
	lower      uint64
}

// node is a state of a tANS decoder: the bin it stands for, and where the bits
// that it reads lead.
type node struct {
	lower      uint64
	next       uint16
	bits       uint8
	offsetBits uint8
}

// spread calls visit with every state of a table in the order in which bins get
// them, which the format fixes: steps of about 3/5 of the table.
func spread(bins []bin, sizeLog uint, visit func(state, bin int)) {
	size := 1 << sizeLog
	stride := 3 * size / 5
	if stride%2 == 0 {
		stride++
	}
	step := 0
	for i := range bins {
		for range bins[i].weight {
			visit(stride*step&(size-1), i)
			step++
		}
	}
}

// decodeTable makes the table of a decoder in nodes. next is scratch.
func decodeTable(bins []bin, sizeLog uint, nodes []node, next []uint32) ([]node, []uint32, error) {
	total := uint64(0)
	for i := range bins {
		total += uint64(bins[i].weight)
	}
	if total != 1<<sizeLog {
		return nodes, next, fmt.Errorf("bins weigh %d together, want %d", total, 1<<sizeLog)
	}
	nodes = grow(nodes, 1<<sizeLog)
	next = grow(next, len(bins))
	for i := range bins {
		next[i] = bins[i].weight
	}
	spread(bins, sizeLog, func(state, b int) { nodes[state].lower = uint64(b) })
	for i := range nodes {
		b := nodes[i].lower
		x := next[b]
		next[b]++
		read := sizeLog + 1 - uint(bits.Len32(x))
		nodes[i] = node{
			lower:      bins[b].lower,
			next:       uint16(x<<read - 1<<sizeLog),
			bits:       uint8(read),
			offsetBits: bins[b].offsetBits,
		}
	}
	return nodes, next, nil
}

// grow gives a slice of n elements, the old one if it has room.
func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// symbol is a bin as the tANS encoder sees it.
type symbol struct {
	cutoff uint32 // states from here on give one bit more
	bits   uint8  // that the states below give
	first  uint16 // of its states in encodeTable.states, less its weight
}

// encodeTable is a tANS encoder.
type encodeTable struct {
	sizeLog uint
	symbols []symbol
	states  []uint16 // by symbol, in increasing order; less the table size
	spread  []uint16 // the symbol of each state
	given   []uint16 // where the next state of each symbol goes
}

func (e *encodeTable) build(bins []bin, sizeLog uint) {
	e.sizeLog = sizeLog
	e.symbols = grow(e.symbols, len(bins))
	e.states = grow(e.states, 1<<sizeLog)
	e.spread = grow(e.spread, 1<<sizeLog)
	e.given = grow(e.given, len(bins))
	spread(bins, sizeLog, func(state, b int) { e.spread[state] = uint16(b) })
	first := uint32(0)
	for i := range bins {
		w := bins[i].weight
		less := sizeLog + 1 - uint(bits.Len32(2*w-1))
		// first wraps around below zero; adding a number that is at least
		// the weight wraps it back.
		e.symbols[i] = symbol{cutoff: 2 * w << less, bits: uint8(less), first: uint16(first - w)}
		e.given[i] = uint16(first)
		first += w
	}
	for state, b := range e.spread {
		e.states[e.given[b]] = uint16(state)
		e.given[b]++
	}
}

// encode puts symbol b on top of a state, and gives the new state and how many
// of the lowest bits of the old one have to be written. States are counted from
// the table size on.
func (e *encodeTable) encode(state uint32, b uint16) (uint32, uint) {
	s := &e.symbols[b]
	n := uint(s.bits)
	if state >= s.cutoff {
		n++
	}
	return 1<<e.sizeLog + uint32(e.states[s.first+uint16(state>>n)]), n
}
