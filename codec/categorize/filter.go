package categorize

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/internal/numeric"
	"github.com/omnizarr/zarr/nd"
)

// filter is the bound codec.
type filter struct {
	out   codec.Spec
	width int               // bytes of a number
	fixed bool              // text has a fixed length, and is UTF-32
	codes map[string]uint64 // by text

	// The text of all labels, one behind the other: number k stands for
	// labels[ends[k]:ends[k+1]], and 0 for nothing.
	labels []byte
	ends   []int
}

// prepare takes the labels over. Text of a fixed length has size bytes, without
// the zeros at its end.
func (f *filter) prepare(labels []string, size int) {
	f.codes, f.ends = make(map[string]uint64, len(labels)), []int{0, 0}
	for i, l := range labels {
		at := len(f.labels)
		if !f.fixed {
			f.labels = append(f.labels, l...)
		} else {
			for _, r := range l {
				f.labels = binary.LittleEndian.AppendUint32(f.labels, uint32(r))
			}
		}
		whole := !f.fixed || len(f.labels)-at <= size
		if !whole {
			f.labels = f.labels[:at+size]
		}
		f.ends = append(f.ends, len(f.labels))
		if whole {
			f.codes[string(f.trim(f.labels[at:]))] = uint64(i + 1)
		}
	}
	f.labels = slices.Clip(f.labels)
}

// trim drops the zeros behind text of a fixed length.
func (f *filter) trim(text []byte) []byte {
	for f.fixed && len(text) > 0 && binary.LittleEndian.Uint32(text[len(text)-4:]) == 0 {
		text = text[:len(text)-4]
	}
	return text
}

// Out is the same shape of integers.
func (f *filter) Out() codec.Spec { return f.out }

// Needs is the same box.
func (f *filter) Needs(b nd.Box) nd.Box { return b }

// Encode writes the numbers of text. What would become nothing is an error.
func (f *filter) Encode(_ *codec.Chunk, dst, src nd.View) error {
	blobs := src.Heap.Blobs()
	size := src.Size
	return numeric.Runs(dst, src, func(d, s []byte) error {
		for ; len(d) > 0; d, s = d[f.width:], s[size:] {
			text := f.trim(s[:size])
			if !f.fixed {
				text = blobs.Value(text)
			}
			code, ok := f.codes[string(text)]
			if !ok && len(text) > 0 {
				return fmt.Errorf("%s is none of the %d labels, and would be lost", f.quoted(text), len(f.ends)-2)
			}
			for i := range f.width {
				d[i] = byte(code >> (8 * i))
			}
		}
		return nil
	})
}

// quoted is text for people, cut if it is long.
func (f *filter) quoted(text []byte) string {
	const most = 40
	runes := []rune(string(text))
	if f.fixed {
		runes = runes[:0]
		for at := 0; at < len(text) && len(runes) <= most; at += 4 {
			runes = append(runes, rune(binary.LittleEndian.Uint32(text[at:])))
		}
	}
	if len(runes) > most {
		runes = append(runes[:most], '…')
	}
	return strconv.Quote(string(runes))
}

// Decode writes the labels of a box of numbers.
func (f *filter) Decode(_ *codec.Chunk, dst nd.View, _ nd.Box, src nd.View) error {
	blob := 0
	if !f.fixed && len(f.labels) > 0 {
		blob = dst.Heap.Add(f.labels)
	}
	size := dst.Size
	return numeric.Runs(dst, src, func(d, s []byte) error {
		for ; len(d) > 0; d, s = d[size:], s[f.width:] {
			code := 0
			for i := f.width - 1; i >= 0; i-- {
				code = code<<8 | int(s[i])
			}
			if code <= 0 || code >= len(f.ends)-1 {
				code = 0
			}
			from, to := f.ends[code], f.ends[code+1]
			if f.fixed {
				clear(d[copy(d, f.labels[from:to]):size])
			} else {
				nd.PutRef(d, blob, from, to-from)
			}
		}
		return nil
	})
}
