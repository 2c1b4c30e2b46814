package hdf5

import (
	"errors"
	"fmt"
)

// Error says what is wrong in a file, and where.
type Error struct {
	What string // the structure
	At   uint64 // its address, counted from the superblock
	Err  error
}

// Error is one line.
func (e *Error) Error() string { return fmt.Sprintf("%s at address %d: %v", e.What, e.At, e.Err) }

// Unwrap gives what is wrong.
func (e *Error) Unwrap() error { return e.Err }

// ErrNotFound is the error of a path that leads nowhere.
var ErrNotFound = errors.New("there is no such object")

// ErrSignature is the error of a file of another format.
var ErrSignature = errors.New("it is no HDF5 file: there is no signature of one")

// errLinks is the error of a path through too many links.
var errLinks = errors.New("too many soft links, which may lead in a circle")

// wrong makes the error of a structure.
func wrong(what string, at uint64, format string, args ...any) error {
	return &Error{What: what, At: at, Err: fmt.Errorf(format, args...)}
}

// walk is what is known of the way through a structure: where it was, and how
// many bytes may still be looked at. A file has none of them twice, unless it is
// made to keep us busy.
type walk struct {
	seen map[uint64]struct{}
	left int64
}

// walk begins a way through the file.
func (f *File) walk() *walk {
	return &walk{seen: map[uint64]struct{}{}, left: 16<<20 + 4*f.size}
}

// visit is called once for every part of a structure.
func (w *walk) visit(what string, at uint64, size int) error {
	if _, ok := w.seen[at]; ok {
		return wrong(what, at, "the structure leads to it twice, in a loop")
	}
	w.seen[at] = struct{}{}
	return w.spend(what, at, size)
}

// spend is called for bytes that are looked at.
func (w *walk) spend(what string, at uint64, size int) error {
	if w.left -= int64(size); w.left < 0 {
		return wrong(what, at, "parts overlap: there are more of them than the file has room for")
	}
	return nil
}

// errStop ends a way through a structure early.
var errStop = errors.New("enough")
