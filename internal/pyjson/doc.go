// Package pyjson reads and writes JSON as Python's json module does: with the
// bare words NaN, Infinity and -Infinity, with halves of surrogate pairs in
// text, and in the styles that its encoder can be told.
//
// A value moves as a stream of events from a Reader to a Sink; a Writer is the
// Sink that writes JSON, and the packages msgpack and pickle have others, so
// that every format is translated to every other without a tree in between.
package pyjson

import "errors"

// MaxDepth is how deep lists and maps may be nested.
const MaxDepth = 256

// Errors for values that are too much.
var (
	ErrDepth = errors.New("values are nested too deeply")
	ErrLimit = errors.New("values take more room than allowed")
)

// Sink takes a value apart into events: a scalar is one; a list or map is
// opened, its items follow, for a map names and values in turn, and End closes
// it. Text is UTF-8 in which, as in Python, halves of surrogate pairs may stand
// as three bytes each.
type Sink interface {
	Null() error
	Bool(v bool) error
	// Number is a number as JSON spells it, or NaN, Infinity or -Infinity.
	// One without fraction and exponent is an integer.
	Number(text []byte) error
	Float(v float64) error
	Text(text []byte) error
	Bytes(b []byte) error
	List() error
	Map() error
	End() error
}
