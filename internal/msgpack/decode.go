// Package msgpack reads and writes MessagePack: the numbers, text, bytes, lists
// and maps of it, without extension types.
//
// Values move as events of package pyjson, so nothing is built in between.
package msgpack

import (
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/omnizarr/zarr/internal/pyjson"
)

// Reader reads values out of encoded bytes.
type Reader struct {
	Src []byte
	// Raw allows text that is not UTF-8, and takes it for bytes: before they had
	// a type of their own, bytes were written as text.
	Raw bool

	depth   int
	scratch [24]byte // a number as text
}

// bad is an error with the place where it was found.
func bad(at int, format string, args ...any) error {
	return fmt.Errorf("at byte %d: %w", at, fmt.Errorf(format, args...))
}

// form is what a first byte says.
type form uint8

const (
	formInt form = iota
	formUint
	formFloat32
	formFloat64
	formNil
	formBool
	formText
	formBytes
	formList
	formMap
)

// head reads the first byte and the number behind it: the value itself, or a
// length, which is checked against what is left.
func (r *Reader) head(pos int) (f form, n uint64, next int, err error) {
	if pos >= len(r.Src) {
		return 0, 0, pos, bad(pos, "the data ends where a value should stand")
	}
	c := r.Src[pos]
	width := 0
	switch {
	case c <= 0x7f:
		return formUint, uint64(c), pos + 1, nil
	case c >= 0xe0:
		return formInt, uint64(int64(int8(c))), pos + 1, nil
	case c <= 0x8f:
		f, n = formMap, uint64(c&15)
	case c <= 0x9f:
		f, n = formList, uint64(c&15)
	case c <= 0xbf:
		f, n = formText, uint64(c&31)
	case c == 0xc0:
		return formNil, 0, pos + 1, nil
	case c == 0xc2 || c == 0xc3:
		return formBool, uint64(c & 1), pos + 1, nil
	case c >= 0xc4 && c <= 0xc6:
		f, width = formBytes, 1<<(c-0xc4)
	case c == 0xca:
		f, width = formFloat32, 4
	case c == 0xcb:
		f, width = formFloat64, 8
	case c >= 0xcc && c <= 0xcf:
		f, width = formUint, 1<<(c-0xcc)
	case c >= 0xd0 && c <= 0xd3:
		f, width = formInt, 1<<(c-0xd0)
	case c >= 0xd9 && c <= 0xdb:
		f, width = formText, 1<<(c-0xd9)
	case c == 0xdc || c == 0xdd:
		f, width = formList, 2<<(c-0xdc)
	case c == 0xde || c == 0xdf:
		f, width = formMap, 2<<(c-0xde)
	case c == 0xc1:
		return 0, 0, pos, bad(pos, "0xc1, which MessagePack does not use")
	default:
		return 0, 0, pos, bad(pos, "an extension type (0x%02x), which is not supported", c)
	}
	next = pos + 1
	if width > 0 {
		if len(r.Src)-next < width {
			return 0, 0, pos, bad(pos, "the data ends inside a value")
		}
		n = bigEndian(r.Src[next : next+width])
		next += width
		if f == formInt {
			n = uint64(int64(n<<(64-8*width)) >> (64 - 8*width))
		}
	}
	left := uint64(len(r.Src) - next)
	switch f {
	case formText, formBytes, formList:
		if n > left {
			return 0, 0, pos, bad(pos, "a length of %d, %d bytes are left", n, left)
		}
	case formMap:
		if n > left/2 {
			return 0, 0, pos, bad(pos, "a map of %d, %d bytes are left", n, left)
		}
	}
	return f, n, next, nil
}

func bigEndian(b []byte) (n uint64) {
	for _, c := range b {
		n = n<<8 | uint64(c)
	}
	return n
}

// Value reads the value at pos into s and returns where it ends.
func (r *Reader) Value(pos int, s pyjson.Sink) (int, error) {
	f, n, next, err := r.head(pos)
	if err != nil {
		return next, err
	}
	switch f {
	case formNil:
		return next, s.Null()
	case formBool:
		return next, s.Bool(n != 0)
	case formInt:
		return next, s.Number(strconv.AppendInt(r.scratch[:0], int64(n), 10))
	case formUint:
		return next, s.Number(strconv.AppendUint(r.scratch[:0], n, 10))
	case formFloat32:
		return next, s.Float(float64(math.Float32frombits(uint32(n))))
	case formFloat64:
		return next, s.Float(math.Float64frombits(n))
	case formText, formBytes:
		end := next + int(n)
		b := r.Src[next:end]
		valid := utf8.Valid(b)
		if f == formBytes || r.Raw && !valid {
			return end, s.Bytes(b)
		}
		if !valid {
			return pos, bad(pos, "text is not UTF-8")
		}
		return end, s.Text(b)
	}
	if r.depth++; r.depth > pyjson.MaxDepth {
		return pos, bad(pos, "%w", pyjson.ErrDepth)
	}
	next, err = r.items(next, n, f == formMap, s)
	if err != nil {
		return next, err
	}
	r.depth--
	return next, s.End()
}

func (r *Reader) items(pos int, n uint64, isMap bool, s pyjson.Sink) (int, error) {
	var err error
	if isMap {
		err = s.Map()
	} else {
		err = s.List()
	}
	if err != nil {
		return pos, err
	}
	for range n {
		if isMap {
			if pos, err = r.Value(pos, s); err != nil {
				return pos, err
			}
		}
		if pos, err = r.Value(pos, s); err != nil {
			return pos, err
		}
	}
	return pos, nil
}

// Skip returns where the value at pos ends. It takes time, but no memory.
func (r *Reader) Skip(pos int) (int, error) {
	for left := uint64(1); left > 0; left-- {
		f, n, next, err := r.head(pos)
		if err != nil {
			return pos, err
		}
		switch pos = next; f {
		case formText, formBytes:
			pos += int(n)
		case formList:
			left += n
		case formMap:
			left += 2 * n
		}
		if left > uint64(len(r.Src)-pos)+1 {
			return pos, bad(pos, "%d values should follow, %d bytes are left", left-1, len(r.Src)-pos)
		}
	}
	return pos, nil
}

// List reads the head of a list and returns its length and where its items
// start.
func (r *Reader) List(pos int) (n, next int, err error) {
	f, count, next, err := r.head(pos)
	if err == nil && f != formList {
		err = bad(pos, "no list where one should stand")
	}
	return int(count), next, err
}

// Text reads text, or bytes that stand for it.
func (r *Reader) Text(pos int) (text []byte, next int, err error) {
	f, n, next, err := r.head(pos)
	if err != nil {
		return nil, next, err
	}
	if f != formText && f != formBytes {
		return nil, next, bad(pos, "no text where it should stand")
	}
	return r.Src[next : next+int(n)], next + int(n), nil
}

// Int reads an integer that is not negative.
func (r *Reader) Int(pos int) (n, next int, err error) {
	f, v, next, err := r.head(pos)
	if err == nil && (f != formInt && f != formUint || v > math.MaxInt) {
		err = bad(pos, "no length where one should stand")
	}
	return int(v), next, err
}
