package msgpack

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/omnizarr/zarr/internal/pyjson"
)

// Writer is a Sink that appends MessagePack to B.
type Writer struct {
	B []byte
	// Old does without the types that came with the second version of the
	// format: bytes are written as text.
	Old bool
	// Single writes floats in 32 bits.
	Single bool

	open []frame
}

// frame is a list or map whose head, one byte so far, stands at a place.
type frame struct {
	at, n int
	small byte // head with up to 15 items
	large byte // head with up to 65535
}

var errLarge = errors.New("MessagePack has no integers beyond 64 bits")

func (w *Writer) count() {
	if n := len(w.open); n > 0 {
		w.open[n-1].n++
	}
}

// Null writes nil.
func (w *Writer) Null() error {
	w.count()
	w.B = append(w.B, 0xc0)
	return nil
}

// Bool writes a bool.
func (w *Writer) Bool(v bool) error {
	w.count()
	if v {
		w.B = append(w.B, 0xc3)
	} else {
		w.B = append(w.B, 0xc2)
	}
	return nil
}

// Number writes an integer in as few bytes as it needs, or a float.
func (w *Writer) Number(text []byte) error {
	if !pyjson.IsInteger(text) {
		return w.Float(pyjson.ParseFloat(text))
	}
	if n, err := strconv.ParseUint(string(text), 10, 64); err == nil {
		w.count()
		w.uint(n)
		return nil
	}
	n, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil {
		return errLarge
	}
	w.count()
	switch {
	case n >= 0: // -0
		w.uint(uint64(n))
	case n >= -32:
		w.B = append(w.B, byte(n))
	case n >= math.MinInt8:
		w.B = append(w.B, 0xd0, byte(n))
	case n >= math.MinInt16:
		w.B = binary.BigEndian.AppendUint16(append(w.B, 0xd1), uint16(n))
	case n >= math.MinInt32:
		w.B = binary.BigEndian.AppendUint32(append(w.B, 0xd2), uint32(n))
	default:
		w.B = binary.BigEndian.AppendUint64(append(w.B, 0xd3), uint64(n))
	}
	return nil
}

func (w *Writer) uint(n uint64) {
	switch {
	case n <= 0x7f:
		w.B = append(w.B, byte(n))
	case n <= math.MaxUint8:
		w.B = append(w.B, 0xcc, byte(n))
	case n <= math.MaxUint16:
		w.B = binary.BigEndian.AppendUint16(append(w.B, 0xcd), uint16(n))
	case n <= math.MaxUint32:
		w.B = binary.BigEndian.AppendUint32(append(w.B, 0xce), uint32(n))
	default:
		w.B = binary.BigEndian.AppendUint64(append(w.B, 0xcf), n)
	}
}

// Float writes a float.
func (w *Writer) Float(v float64) error {
	w.count()
	if w.Single {
		w.B = binary.BigEndian.AppendUint32(append(w.B, 0xca), math.Float32bits(float32(v)))
		return nil
	}
	w.B = binary.BigEndian.AppendUint64(append(w.B, 0xcb), math.Float64bits(v))
	return nil
}

// Text writes text.
func (w *Writer) Text(text []byte) error {
	if !utf8.Valid(text) {
		return errors.New("text is not UTF-8")
	}
	return w.text(text)
}

func (w *Writer) text(b []byte) error {
	w.count()
	n := len(b)
	switch {
	case n <= 31:
		w.B = append(w.B, 0xa0|byte(n))
	case n <= math.MaxUint8 && !w.Old:
		w.B = append(w.B, 0xd9, byte(n))
	case n <= math.MaxUint16:
		w.B = binary.BigEndian.AppendUint16(append(w.B, 0xda), uint16(n))
	case n <= math.MaxUint32:
		w.B = binary.BigEndian.AppendUint32(append(w.B, 0xdb), uint32(n))
	default:
		return fmt.Errorf("text of %d bytes", n)
	}
	w.B = append(w.B, b...)
	return nil
}

// Bytes writes bytes.
func (w *Writer) Bytes(b []byte) error {
	if w.Old {
		return w.text(b)
	}
	w.count()
	n := len(b)
	switch {
	case n <= math.MaxUint8:
		w.B = append(w.B, 0xc4, byte(n))
	case n <= math.MaxUint16:
		w.B = binary.BigEndian.AppendUint16(append(w.B, 0xc5), uint16(n))
	case n <= math.MaxUint32:
		w.B = binary.BigEndian.AppendUint32(append(w.B, 0xc6), uint32(n))
	default:
		return fmt.Errorf("%d bytes in one value", n)
	}
	w.B = append(w.B, b...)
	return nil
}

// List opens a list.
func (w *Writer) List() error { return w.begin(0x90, 0xdc) }

// Map opens a map.
func (w *Writer) Map() error { return w.begin(0x80, 0xde) }

func (w *Writer) begin(small, large byte) error {
	w.count()
	w.open = append(w.open, frame{at: len(w.B), small: small, large: large})
	w.B = append(w.B, small)
	return nil
}

// End closes a list or map: now that the number of items is known, its head is
// made as long as it must be.
func (w *Writer) End() error {
	f := w.open[len(w.open)-1]
	w.open = w.open[:len(w.open)-1]
	if f.small == 0x80 {
		f.n /= 2
	}
	if f.n <= 15 {
		w.B[f.at] |= byte(f.n)
		return nil
	}
	room := 2
	if f.n > math.MaxUint16 {
		room = 4
	}
	w.B = append(w.B, 0, 0, 0, 0)[:len(w.B)+room]
	copy(w.B[f.at+1+room:], w.B[f.at+1:])
	if room == 2 {
		w.B[f.at] = f.large
		binary.BigEndian.PutUint16(w.B[f.at+1:], uint16(f.n))
		return nil
	}
	if f.n > math.MaxUint32 {
		return fmt.Errorf("%d items", f.n)
	}
	w.B[f.at] = f.large + 1
	binary.BigEndian.PutUint32(w.B[f.at+1:], uint32(f.n))
	return nil
}
