package zarr

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/format"
	"github.com/omnizarr/zarr/locate"
	"github.com/omnizarr/zarr/store"
)

// Error says what was being done to which node, and to which chunk of it. Every
// error of this package is one; errors.Is tells its kind.
type Error struct {
	Op  string // "open", "read", "write", …
	URL string // of the node
	Key string // of the chunk or document, "" if it is the whole node
	Err error
}

// Error is one line: operation, URL, key, reason.
func (e *Error) Error() string {
	if e.Key == "" {
		return fmt.Sprintf("%s %s: %v", e.Op, e.URL, e.Err)
	}
	return fmt.Sprintf("%s %s: %s: %v", e.Op, e.URL, e.Key, e.Err)
}

// Unwrap gives the reason.
func (e *Error) Unwrap() error { return e.Err }

// The kinds of errors, for errors.Is.
var (
	// ErrNoNode says that there is no node at a path. It is fs.ErrNotExist too.
	ErrNoNode error = marked{errors.New("no Zarr node here"), fs.ErrNotExist}
	// ErrExist says that there is a node already. It is fs.ErrExist too.
	ErrExist error = marked{errors.New("there is a node already"), fs.ErrExist}
	// ErrNotArray says that a node is a group where an array is wanted.
	ErrNotArray = errors.New("is a group, not an array")
	// ErrNotGroup says that a node is an array where a group is wanted.
	ErrNotGroup = errors.New("is an array, not a group")
	// ErrType says that the elements of an array are not of the type that was
	// asked for, and cannot become it.
	ErrType = dtype.ErrGoType
	// ErrSelection says that a selection does not fit the array, or the memory
	// that was given for it.
	ErrSelection = errors.New("bad selection")
	// ErrRange says that an index lies outside an axis, or that a value does not
	// fit the type that it is converted to.
	ErrRange = errors.New("out of range")
	// ErrReadOnly says that a store takes no values.
	ErrReadOnly = store.ErrReadOnly
	// ErrPath says that a path or key is none that a node can have.
	ErrPath = store.ErrBadKey
	// ErrFormat says that a file is of no format that is known.
	ErrFormat = locate.ErrFormat
	// ErrScheme says that no store is registered for the scheme of a URL.
	ErrScheme = locate.ErrScheme
	// ErrCodec says that an array has a codec that is not registered.
	ErrCodec = codec.ErrUnknown
	// ErrDataType says that an array has a data type that is not registered.
	ErrDataType = dtype.ErrUnknown
	// ErrData says that the bytes of a chunk are not what its codecs expect, or that a
	// file or an archive is damaged.
	ErrData = codec.ErrData
	// ErrTooLarge says that something needs more memory than MaxRead, MaxChunk or
	// another limit allows.
	ErrTooLarge = codec.ErrTooLarge
	// ErrMissing says that a chunk is not there, where FailMissing asks for all.
	ErrMissing = errors.New("chunk is missing")
	// ErrUnfinished says that a folder holds what is left of a copy that was
	// interrupted, or that such a file lies beside.
	ErrUnfinished = store.ErrUnfinished
)

// noNode is ErrNoNode that tells which documents there could have been, of the formats
// that are wanted.
type noNode struct {
	formats *format.Registry
	only    string // the name of one, or ""
}

func (e noNode) Error() string {
	names := e.formats.Documents()
	if f := e.formats.Find(e.only); f != nil {
		names = nil // files have none
		if f.Folder != nil {
			names = f.Folder.Documents.Nodes
		}
	}
	if len(names) == 0 {
		return ErrNoNode.Error()
	}
	return fmt.Sprintf("%v (no %s)", ErrNoNode, oneOf(names))
}

func (e noNode) Unwrap() error { return ErrNoNode }

// oneOf lists names: a, b or c.
func oneOf(names []string) string {
	if n := len(names) - 1; n > 0 {
		return strings.Join(names[:n], ", ") + " or " + names[n]
	}
	return strings.Join(names, "")
}

// marked is an error that is of a kind without saying so.
type marked struct {
	error
	kind error
}

func (m marked) Unwrap() []error { return []error{m.error, m.kind} }

// mark makes err one of a kind; its text stays, and so does nil.
func mark(kind, err error) error {
	if err == nil || errors.Is(err, kind) {
		return err
	}
	return marked{err, kind}
}

// fail makes err an *Error, unless it is one or nil. A store's error says no more
// than the key, since the URL is that of the node.
func (n *node) fail(op string, err error) error {
	if err == nil {
		return nil
	}
	return fail(op, n.URL(), err)
}

func fail(op, url string, err error) error {
	if err == nil || isError(err) {
		return err
	}
	e := &Error{Op: op, URL: url, Err: err}
	if k, ok := err.(*store.KeyError); ok {
		if below, ok := strings.CutPrefix(store.JoinURL(k.URL, k.Key), url); ok {
			e.Key, e.Err = strings.Trim(below, "/"), k.Err
		} else if k.URL == url || k.Key == "" {
			e.Err = k.Err
		}
	}
	return e
}

func isError(err error) bool {
	_, ok := err.(*Error)
	return ok
}

// failedOpen is the error of finding what a URL names, which says itself what it
// could not open.
func failedOpen(url string, err error) error {
	if isError(err) {
		return err
	}
	e := &Error{Op: "open", URL: url, Err: err}
	var k *store.KeyError
	if errors.As(err, &k) {
		e.URL, e.Err = store.JoinURL(k.URL, k.Key), k.Err
		if k.Op == "create" {
			e.Op = k.Op
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		e.Err = mark(ErrNoNode, e.Err)
	}
	return e
}
