package zstddec

import (
	"math/bits"
	"unsafe"
)

// huffmanLog is how many bits a code has at most.
const huffmanLog = 11

// huffmanTable says what the next bits of a stream are: in the low byte how many of
// them are a code, in the high byte what it stands for.
type huffmanTable [1 << huffmanLog]uint16

// huffmanReader reads descriptions of tables.
type huffmanReader struct {
	weights [256]uint8
	counts  counts
	states  [64]uint8
}

// read makes a table of the description at the beginning of src, and returns how long
// that is.
func (r *huffmanReader) read(t *huffmanTable, src []byte) (int, error) {
	if len(src) == 0 {
		return 0, errTruncated
	}
	n, used := int(src[0]), 0
	if n >= 128 {
		n -= 127
		used = 1 + (n+1)/2
		if len(src) < used {
			return 0, errTruncated
		}
		for i := range n {
			r.weights[i] = src[1+i/2] >> (4 - i%2*4) & 15
		}
	} else {
		used = 1 + n
		if len(src) < used {
			return 0, errTruncated
		}
		var err error
		if n, err = r.unpack(src[1:used]); err != nil {
			return 0, err
		}
	}
	return used, r.build(t, n)
}

// unpack decodes weights, and returns how many there are.
func (r *huffmanReader) unpack(src []byte) (int, error) {
	used, err := r.counts.read(src, 16, 6)
	if err != nil {
		return 0, err
	}
	src = src[used:]
	left, ok := streamBits(src)
	if !ok {
		return 0, corrupt("the weights of a Huffman code have no end")
	}
	type state struct {
		symbol, bits uint8
		next         uint8
	}
	var table [64]state
	r.counts.spread(r.states[:])
	var next [16]uint8
	for s, n := range r.counts.n[:r.counts.len] {
		next[s] = uint8(max(n, -n))
	}
	log := r.counts.log
	for i := range 1 << log {
		s := r.states[i]
		k := next[s]
		next[s]++
		n := log + 1 - bits.Len8(k)
		table[i] = state{s, uint8(n), uint8(int(k)<<n - 1<<log)}
	}
	take := func(n int) int {
		left -= n
		return int(mask(window(src, left), uint(n)))
	}
	if left < 2*log {
		return 0, corrupt("the weights of a Huffman code have too few bits")
	}
	a, b := take(log), take(log)
	for n := 0; n < 254; n++ {
		now := table[a]
		r.weights[n] = now.symbol
		if int(now.bits) > left {
			r.weights[n+1] = table[b].symbol
			return n + 2, nil
		}
		a, b = b, int(now.next)+take(int(now.bits))
	}
	return 0, corrupt("a Huffman code has too many weights")
}

// build makes the table of a code from n weights; the one that follows is what is
// missing.
func (r *huffmanReader) build(t *huffmanTable, n int) error {
	var rank [huffmanLog + 2]int
	sum := 0
	for _, w := range r.weights[:n] {
		if w > huffmanLog {
			return corrupt("a Huffman code is too long")
		}
		rank[w]++
		sum += 1 << w >> 1
	}
	log := bits.Len(uint(sum))
	if sum == 0 || log > huffmanLog {
		return corrupt("a Huffman code has no symbols, or too many")
	}
	rest := 1<<log - sum
	if rest&(rest-1) != 0 {
		return corrupt("a Huffman code is not complete")
	}
	last := bits.Len(uint(rest))
	r.weights[n] = uint8(last)
	rank[last]++
	if rank[1] < 2 || rank[1]&1 != 0 {
		return corrupt("a Huffman code is not complete")
	}
	// Codes of fewer bits than the table stand in it more than once.
	var start [huffmanLog + 2]int
	at := 0
	for w := 1; w <= log; w++ {
		start[w] = at
		at += rank[w] << (w - 1) << (huffmanLog - log)
	}
	for s, w := range r.weights[:n+1] {
		if w == 0 {
			continue
		}
		e := uint16(log+1-int(w)) | uint16(s)<<8
		at := start[w]
		run := 1 << (int(w) - 1 + huffmanLog - log)
		start[w] += run
		switch run {
		case 1:
			t[at] = e
		case 2:
			t[at], t[at+1] = e, e
		default:
			e4 := uint64(e) * 0x0001000100010001
			to := (*[len(t) / 4]uint64)(unsafe.Pointer(t))[at/4:][:run/4]
			for i := range to {
				to[i] = e4
			}
		}
	}
	return nil
}

// decode fills dst with the symbols of the left bits that begin src, and returns how
// many bits are left.
func (t *huffmanTable) decode(dst, src []byte, left int) int {
	for len(dst) >= 5 && left >= 64 {
		// The highest 57 bits of what is left.
		end := (left + 7) >> 3
		w := le.Uint64(src[end-8:]) << (end*8 - left)
		for i := range 5 {
			e := t[w>>(64-huffmanLog)]
			dst[i] = byte(e >> 8)
			w <<= e & 63
			left -= int(e & 0xff)
		}
		dst = dst[5:]
	}
	for i := range dst {
		var w uint64
		if left >= huffmanLog {
			w = window(src, left-huffmanLog)
		} else if left >= 0 {
			w = window(src, 0) << (huffmanLog - left)
		} else {
			return left
		}
		e := t[w&(1<<huffmanLog-1)]
		dst[i] = byte(e >> 8)
		left -= int(e & 0xff)
	}
	return left
}
