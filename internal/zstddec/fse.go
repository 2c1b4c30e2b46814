package zstddec

import "math/bits"

const maxSymbols = 64 // a power of two above those of any table of sequences

// counts are how often symbols occur in a table of 1<<log states; -1 is less than
// once.
type counts struct {
	n   [256]int16
	len int // symbols
	log int
}

// read reads counts of at most symbols symbols from the beginning of src, and returns
// how many bytes they take.
func (c *counts) read(src []byte, symbols, maxLog int) (int, error) {
	if len(src) == 0 {
		return 0, errTruncated
	}
	c.log = int(src[0]&15) + 5
	if c.log > maxLog {
		return 0, corrupt("a table is too large")
	}
	at, end := 4, 8*len(src)
	left, width := 1<<c.log+1, c.log+1 // what is left to be shared, and the bits of it
	c.len = 0
	for zero := false; left > 1; {
		if zero {
			for {
				if at > end {
					return 0, errTruncated
				}
				k := int(window(src, at) & 3)
				at += 2
				if c.len+k > symbols {
					return 0, corrupt("a table has too many symbols")
				}
				clear(c.n[c.len : c.len+k])
				c.len += k
				if k < 3 {
					break
				}
			}
		}
		if c.len >= symbols {
			return 0, corrupt("a table has too many symbols")
		}
		if at > end {
			return 0, errTruncated
		}
		// The lowest values take one bit less.
		half := 1 << (width - 1)
		short := 2*half - 1 - left
		v := int(window(src, at)) & (2*half - 1)
		at += width
		if low := v & (half - 1); low < short {
			v = low
			at--
		} else if v >= half {
			v -= short
		}
		v--
		c.n[c.len] = int16(v)
		c.len++
		zero = v == 0
		if v < 0 {
			v = 1
		}
		left -= v
		if left < 1 {
			return 0, corrupt("a table does not add up")
		}
		width = bits.Len(uint(left))
	}
	used := (at + 7) / 8
	if used > len(src) {
		return 0, errTruncated
	}
	return used, nil
}

// spread gives every state of a table its symbol.
func (c *counts) spread(symbols []uint8) {
	size := 1 << c.log
	high := size - 1
	for s, n := range c.n[:c.len] {
		if n < 0 {
			symbols[high] = uint8(s)
			high--
		}
	}
	step, at := size>>1+size>>3+3, 0
	symbols = symbols[:size]
	if high == size-1 {
		for s, n := range c.n[:c.len] {
			for ; n > 0; n-- {
				symbols[at&(len(symbols)-1)] = uint8(s)
				at += step
			}
		}
		return
	}
	for s, n := range c.n[:c.len] {
		for ; n > 0; n-- {
			symbols[at] = uint8(s)
			for at = (at + step) & (size - 1); at > high; {
				at = (at + step) & (size - 1)
			}
		}
	}
}

// entry is what a state of a table means. From the lowest bits on:
//
//	8 bits  how many bits it takes in all, negative
//	8 bits  its symbol; for offsets, 63 less the bits that add to its value
//	32 bits how many bits add to the next state, where the place of its field says
//	16 bits the next state
//
// So the sum of three entries, one of each field, has what the next states wait for: how many
// bits are taken, and where those of each state begin and how many they are.
type entry = uint64

// build makes a table of a field.
func (c *counts) build(table []entry, f *field) {
	var state [1 << 9]uint8
	c.spread(state[:])
	var next [256]uint16
	for s, n := range c.n[:c.len] {
		next[s] = uint16(max(n, -n))
	}
	size := 1 << c.log
	table = table[:size]
	entries, place := &f.entries, f.place
	for i := range table {
		s := state[i&511]
		k := next[s]
		next[s] = k + 1
		n := uint(c.log+1) - uint(bits.Len16(k))
		e := entries[s%maxSymbols]
		table[i] = e&^0xff | uint64(uint8(e)-uint8(n)) | uint64(n)*place | uint64(int(k)<<n-size)<<48
	}
}
