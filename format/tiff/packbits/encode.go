package packbits

import (
	"encoding/binary"
	"math/bits"
)

// AppendEncode appends the coded form of src to dst. No run and no literal goes
// on from one row of so many bytes into the next, as TIFF demands; if row is not
// positive, src is one row. It gives the bytes that libtiff gives.
func AppendEncode(dst, src []byte, row int) []byte {
	if row <= 0 {
		row = len(src)
	}
	for len(src) > row {
		dst = appendRow(dst, src[:row])
		src = src[row:]
	}
	return appendRow(dst, src)
}

// appendRow codes one row: equal bytes become runs, others literals. But two
// equal bytes between others go into a literal with these, since a run of two
// saves nothing and costs the header of the literal behind it.
func appendRow(dst, row []byte) []byte {
	start, end := 0, 0 // of the literal that is not written yet
	pair := false      // behind it are two equal bytes that are not either
	for at := 0; at < len(row); {
		if n := differing(row[at:]); n > 0 {
			if pair && end-start > most-2 {
				dst = appendRun(appendLiteral(dst, row[start:end]), row[end], 2)
				start = at
			}
			pair = false
			at += n
			for end = at; end-start >= most; start += most {
				dst = appendLiteral(dst, row[start:start+most])
			}
			continue
		}
		n := equal(row[at:])
		if n == 2 && end > start && !pair {
			pair = true
			at += n
			continue
		}
		dst = appendLiteral(dst, row[start:end])
		if pair {
			dst = appendRun(dst, row[end], 2)
			pair = false
		}
		b := row[at]
		at += n
		for ; n > most; n -= most {
			dst = appendRun(dst, b, most)
		}
		start, end = at, at
		if n > 1 {
			dst = appendRun(dst, b, n)
		} else {
			start-- // one more than whole runs take begins a literal
		}
	}
	dst = appendLiteral(dst, row[start:end])
	if pair {
		dst = appendRun(dst, row[end], 2)
	}
	return dst
}

func appendLiteral(dst, b []byte) []byte {
	if len(b) == 0 {
		return dst
	}
	return append(append(dst, byte(len(b)-1)), b...)
}

func appendRun(dst []byte, b byte, n int) []byte { return append(dst, byte(1-n), b) }

// differing counts the bytes in front of the first two that are equal.
func differing(b []byte) int {
	i := 0
	for ; len(b)-i > 8; i += 8 {
		x := binary.LittleEndian.Uint64(b[i:]) ^ binary.LittleEndian.Uint64(b[i+1:])
		if same := (x - every) &^ x & (every << 7); same != 0 {
			return i + bits.TrailingZeros64(same)/8
		}
	}
	for ; i+1 < len(b); i++ {
		if b[i] == b[i+1] {
			return i
		}
	}
	return len(b)
}

// equal counts the bytes that are equal to the first.
func equal(b []byte) int {
	word := uint64(b[0]) * every
	i := 1
	for ; len(b)-i >= 8; i += 8 {
		if x := binary.LittleEndian.Uint64(b[i:]) ^ word; x != 0 {
			return i + bits.TrailingZeros64(x)/8
		}
	}
	for i < len(b) && b[i] == b[0] {
		i++
	}
	return i
}
