package pyjson

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
)

// Writer is a Sink that appends JSON to B. The zero Writer writes no white space
// and escapes nothing that need not be.
type Writer struct {
	B     []byte
	Limit int // the most that B may hold; 0: no limit
	Style Style

	open    []frame
	members []member // of the maps that are open and are to be sorted
	names   []byte
	scratch []byte
}

// Style is how JSON looks. Separators that are empty are "," and ":".
type Style struct {
	Item, Name string  // what stands between items, and behind names
	Indent     *string // one level of indentation; nil: everything on one line
	ASCII      bool    // escapes for all but printable ASCII
	Sort       bool    // members of maps in the order of their names
	Finite     bool    // NaN and infinities are errors
}

// frame is a list or map that is not closed.
type frame struct {
	close   byte
	n       int // events so far
	members int // where its members start
	names   int // where their names start
}

// member is a part of B, and its name a part of names.
type member struct{ start, end, from, to int }

var (
	errName   = errors.New("a name in a map is not text")
	errOdd    = errors.New("a map ends behind a name")
	errFinite = errors.New("NaN and infinities are not allowed")
)

// before writes what stands before an event.
func (w *Writer) before(name bool) error {
	if w.Limit > 0 && len(w.B) > w.Limit {
		return ErrLimit
	}
	if len(w.open) == 0 {
		return nil
	}
	f := &w.open[len(w.open)-1]
	isMap := f.close == '}'
	f.n++
	if isMap && f.n%2 == 0 {
		w.B = append(w.B, or(w.Style.Name, ":")...)
		return nil
	}
	if isMap && !name {
		return errName
	}
	w.endMember(f)
	if f.n > 1 {
		w.B = append(w.B, or(w.Style.Item, ",")...)
	}
	w.newline(len(w.open))
	if isMap && w.Style.Sort {
		w.members = append(w.members, member{start: len(w.B)})
	}
	return nil
}

func or(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

func (w *Writer) newline(depth int) {
	if w.Style.Indent == nil {
		return
	}
	w.B = append(w.B, '\n')
	for range depth {
		w.B = append(w.B, *w.Style.Indent...)
	}
}

// endMember notes where the last member of a map ends.
func (w *Writer) endMember(f *frame) {
	if len(w.members) > f.members {
		w.members[len(w.members)-1].end = len(w.B)
	}
}

func (w *Writer) word(s string) error {
	if err := w.before(false); err != nil {
		return err
	}
	w.B = append(w.B, s...)
	return nil
}

// Null writes null.
func (w *Writer) Null() error { return w.word("null") }

// Bool writes true or false.
func (w *Writer) Bool(v bool) error {
	if v {
		return w.word("true")
	}
	return w.word("false")
}

// Number writes the number as it is.
func (w *Writer) Number(text []byte) error {
	if w.Style.Finite && NotFinite(text) {
		return errFinite
	}
	if err := w.before(false); err != nil {
		return err
	}
	w.B = append(w.B, text...)
	return nil
}

// Float writes a number as Python spells it.
func (w *Writer) Float(v float64) error {
	var mem [32]byte
	return w.Number(AppendFloat(mem[:0], v))
}

// Text writes a string, which may be a name.
func (w *Writer) Text(text []byte) error {
	if err := w.before(true); err != nil {
		return err
	}
	limit := w.Limit
	if limit == 0 {
		limit = int(^uint(0) >> 1)
	}
	if len(text) > limit-len(w.B) {
		return ErrLimit
	}
	if n := len(w.open); n > 0 && w.Style.Sort && w.open[n-1].close == '}' && w.open[n-1].n%2 == 1 {
		m := &w.members[len(w.members)-1]
		m.from = len(w.names)
		w.names = append(w.names, text...)
		m.to = len(w.names)
	}
	var err error
	w.B, err = AppendText(w.B, text, w.Style.ASCII, limit)
	return err
}

// Bytes writes base64.
func (w *Writer) Bytes(b []byte) error {
	if err := w.before(false); err != nil {
		return err
	}
	if n := base64.StdEncoding.EncodedLen(len(b)); w.Limit > 0 && n > w.Limit-len(w.B) {
		return ErrLimit
	}
	w.B = base64.StdEncoding.AppendEncode(append(w.B, '"'), b)
	w.B = append(w.B, '"')
	return nil
}

// List opens a list.
func (w *Writer) List() error { return w.begin('[', ']') }

// Map opens a map.
func (w *Writer) Map() error { return w.begin('{', '}') }

func (w *Writer) begin(open, closing byte) error {
	if len(w.open) >= MaxDepth {
		return ErrDepth
	}
	if err := w.before(false); err != nil {
		return err
	}
	w.B = append(w.B, open)
	w.open = append(w.open, frame{close: closing, members: len(w.members), names: len(w.names)})
	return nil
}

// End closes the list or map that was opened last.
func (w *Writer) End() error {
	f := &w.open[len(w.open)-1]
	if f.close == '}' && f.n%2 == 1 {
		return errOdd
	}
	w.endMember(f)
	w.sort(f)
	if f.n > 0 {
		w.newline(len(w.open) - 1)
	}
	w.B = append(w.B, f.close)
	w.members, w.names = w.members[:f.members], w.names[:f.names]
	w.open = w.open[:len(w.open)-1]
	return nil
}

// sort puts the members of a map into the order of their names. Names in UTF-8
// are in the order of their code points, which is Python's.
func (w *Writer) sort(f *frame) {
	list := w.members[f.members:]
	if len(list) < 2 {
		return
	}
	byName := func(a, b member) int { return bytes.Compare(w.names[a.from:a.to], w.names[b.from:b.to]) }
	if slices.IsSortedFunc(list, byName) {
		return
	}
	start := list[0].start
	separator := w.B[list[0].end:list[1].start]
	slices.SortStableFunc(list, byName)
	w.scratch = w.scratch[:0]
	for i, m := range list {
		if i > 0 {
			w.scratch = append(w.scratch, separator...)
		}
		w.scratch = append(w.scratch, w.B[m.start:m.end]...)
	}
	copy(w.B[start:], w.scratch)
}

// Reset makes a Writer that failed fit for another value.
func (w *Writer) Reset() {
	w.open, w.members, w.names = w.open[:0], w.members[:0], w.names[:0]
}

// Compact appends a JSON value, or one with Python's bare words, without white
// space and without needless escapes: values that differ only in these have one
// form.
func Compact(dst, value []byte) ([]byte, error) {
	w := Writer{B: dst}
	var r Reader
	if err := r.All(value, &w); err != nil {
		return dst, fmt.Errorf("not a JSON value: %w", err)
	}
	return w.B, nil
}
