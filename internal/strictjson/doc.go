// Package strictjson reads JSON documents that nobody has vouched for, and
// writes them back without changing what it does not understand.
//
// A document is checked once, by Object or Validate: UTF-8, the grammar of RFC
// 8259, member names that differ, a bounded depth and size, and nothing behind
// the value. Values stay raw bytes; helpers such as Int, String, Split and Each
// take them apart where they are needed. Every error names the path of the
// member that it is about.
//
// Bare NaN, Infinity and -Infinity are no JSON, but files in the wild hold
// them. They are read and written only where the caller says so.
package strictjson

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Limits that hold where Options names no other.
const (
	// DefaultDepth is how deep arrays and objects may be nested.
	DefaultDepth = 256
	// DefaultBytes is how long a document may be.
	DefaultBytes = 512 << 20
)

// Options says what a document may hold.
type Options struct {
	MaxBytes int      // length of the document; 0 is DefaultBytes
	MaxDepth int      // nested arrays and objects; 0 is DefaultDepth
	NaN      bool     // allows bare NaN, Infinity and -Infinity everywhere
	NaNIn    []string // allows them inside these members of the outermost object
	// Context, if it is not nil, ends the work when it ends.
	Context context.Context
}

// Member is one member of an object: its name, decoded, and the bytes of its
// value without white space around them.
type Member struct {
	Name string
	Raw  json.RawMessage
}

// Error is what is wrong with the value at a path such as
// "chunk_grid.configuration.chunk_shape[1]".
type Error struct {
	Path string // empty for the document itself
	Err  error
}

// Error gives the path, a colon and the reason.
func (e *Error) Error() string {
	if e.Path == "" {
		return e.Err.Error()
	}
	return e.Path + ": " + e.Err.Error()
}

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Err }

// At says that err happened at or below path: it puts path before the path
// that err already has. A nil err stays nil.
func At(path string, err error) error {
	if err == nil {
		return nil
	}
	var inner *Error
	if errors.As(err, &inner) && error(inner) == err {
		return &Error{Path: join(path, inner.Path), Err: inner.Err}
	}
	return &Error{Path: path, Err: err}
}

// AtIndex is At for element i of an array.
func AtIndex(i int, err error) error {
	return At("["+strconv.Itoa(i)+"]", err)
}

// AtMember is At for a member whose name comes out of a document: names that
// would make the path unreadable are quoted and cut.
func AtMember(name string, err error) error {
	return At(Step(name), err)
}

// Errorf makes an error for the value at path.
func Errorf(path, format string, args ...any) error {
	return &Error{Path: path, Err: fmt.Errorf(format, args...)}
}

// Step is how a member's name looks in a path.
func Step(name string) string {
	for i := 0; i < len(name) && i < longest; i++ {
		if c := name[i]; c <= ' ' || c >= 0x7f || strings.IndexByte(`.:[]"`, c) >= 0 {
			return Quote(name)
		}
	}
	if name == "" || len(name) > longest {
		return Quote(name)
	}
	return name
}

// longest is how much of a name error messages show, in bytes.
const longest = 64

// Quote is how error messages show text out of a document: quoted, on one line
// and not too long.
func Quote(text string) string {
	if len(text) > longest {
		return strconv.Quote(strings.ToValidUTF8(text[:longest], "")) + "..."
	}
	return strconv.Quote(text)
}

func join(outer, inner string) string {
	switch {
	case outer == "":
		return inner
	case inner == "" || inner[0] == '[':
		return outer + inner
	default:
		return outer + "." + inner
	}
}
