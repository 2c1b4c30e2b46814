// Package store says what a place that keeps Zarr hierarchies must be able to
// do: give and take whole values by key, give parts of them, and list keys.
//
// A key is a relative path with "/" between its parts, such as
// "volume/c/0/1/2". Stores know nothing of Zarr: every value is bytes. The
// places themselves are sub-packages (file, mem, zip, web); ReadOnly and Sub
// wrap any of them. Package storetest holds the tests that each one passes.
package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"strings"
)

// Errors that stores return, wrapped with the key; test with errors.Is.
var (
	// ErrNotExist says that no value has this key.
	ErrNotExist = fs.ErrNotExist
	// ErrReadOnly says that the store takes no values.
	ErrReadOnly = errors.New("store is read-only")
	// ErrBadKey says that the key is no plain relative path.
	ErrBadKey = errors.New("not a valid key")
	// ErrTooLarge says that a value, or what was to be made of it, is larger than
	// the reader allows.
	ErrTooLarge = errors.New("too large")
	// ErrRange says that a range starts behind the end of the value.
	ErrRange = errors.New("range is outside the value")
	// ErrPrecondition says that a conditional Put found another value than it
	// was told to expect.
	ErrPrecondition = errors.New("value was changed meanwhile")
	// ErrChanged says that a value was replaced between two ranges of the same
	// object.
	ErrChanged = errors.New("value was replaced while it was read")
	// ErrUnfinished says that something was begun here, and not ended.
	ErrUnfinished = errors.New("an unfinished copy: the same copy run again goes on, with --overwrite one begins anew")
	// ErrDamaged says that bytes are not what they should be: those of a file that is
	// shown as a store, or of a chunk.
	ErrDamaged = errors.New("bad data")
	// ErrUnavailable says that a store did not answer, or could not, although it may later:
	// nothing is known of what it holds. Unavailable tells it of errors of systems too.
	ErrUnavailable = errors.New("store does not answer")
	// ErrNoList says that the store cannot list its keys.
	ErrNoList = errors.New("store cannot list keys")
)

// Reader gives values. Its methods may be called by several goroutines.
type Reader interface {
	// Get appends the bytes in r of the value at key to dst, without
	// allocating when dst has the room, and says how large the whole value is
	// (-1 when the store cannot know). It returns everything that r asks for
	// or an error, never a part. A missing key is ErrNotExist.
	Get(ctx context.Context, key string, r Range, dst []byte) ([]byte, Info, error)
	// List yields what lies below prefix, which is "" or ends in "/", sorted by
	// the bytes of Entry.Key: with delimiter "/" the direct children, those that
	// are prefixes of further keys once and with IsPrefix set; with delimiter ""
	// all keys. It never yields an error after an entry of a missing prefix:
	// an empty listing is not an error.
	List(ctx context.Context, prefix, delimiter string) iter.Seq2[Entry, error]
	// URL names the store for people.
	URL() string
}

// Writer takes values. Its methods may be called by several goroutines.
type Writer interface {
	// Put stores data at key, wholly or not at all: a reader sees the old
	// value or the new one. It does not keep data.
	Put(ctx context.Context, key string, data []byte, opt PutOptions) (Info, error)
	// Delete removes a key; a missing one is no error. A key that ends in "/"
	// removes everything below it.
	Delete(ctx context.Context, key string) error
}

// Store reads and writes. A store that cannot write returns ErrReadOnly.
type Store interface {
	Reader
	Writer
}

// Object is one value held open, so that many ranges of it cost one look-up.
type Object interface {
	// Get is Reader.Get with the key settled.
	Get(ctx context.Context, r Range, dst []byte) ([]byte, Info, error)
	// Close gives up what the object holds.
	Close() error
}

// Opener is a store that can hold a value open; use Open.
type Opener interface {
	Open(ctx context.Context, key string) (Object, error)
}

// Parallel is a store that says how many requests it likes to have under way
// at once: many where each waits for a network, as many as processors where it
// does not.
type Parallel interface {
	Concurrency() int
}

// Conditional is a store whose Put obeys IfMatch among all processes that use
// it.
type Conditional interface {
	Conditional() bool
}

// MatchDeleter is a store that removes a value only if it has an ETag, else the error is
// ErrPrecondition.
type MatchDeleter interface {
	DeleteMatch(ctx context.Context, key, etag string) error
}

// Mover is a store that gives a folder another name at once, with all that is below
// it. Names are prefixes without the slash at the end.
type Mover interface {
	// Move gives the folder from the name to. If there is something at to, it is
	// ErrPrecondition.
	Move(ctx context.Context, from, to string) error
	// Exchange gives each of two folders the name of the other, so that at every
	// moment there is one at both; errors.ErrUnsupported where that cannot be.
	Exchange(ctx context.Context, a, b string) error
}

// Unwrapper is a wrapper that can show the store inside it, so that As finds
// what it can do besides.
type Unwrapper interface {
	Unwrap() Store
}

// Info is what a store knows of a value.
type Info struct {
	Size int64  // of the whole value, -1 if unknown
	ETag string // changes when the value changes, "" if unknown
	// Format is what the value was translated from, such as "zarr2", by a store
	// that shows another format as Zarr v3; "" if it is kept as it is.
	Format string
}

// Entry is one result of a listing. Key is whole, from the root of the store;
// that of a prefix ends in "/".
type Entry struct {
	Key      string
	Size     int64 // -1 if unknown
	IsPrefix bool
	// ETag is as in Info where a listing knows it for nothing, else "".
	ETag string
}

// PutOptions are conditions on a Put; the zero value has none.
type PutOptions struct {
	IfAbsent bool   // only when the key has no value
	IfMatch  string // only when the value has this ETag
	// Flush is for stores that are Syncers: a loss of power leaves the old value or the
	// new one, and nothing else. Without it the new one may be there by half.
	Flush bool
}

// Range says which bytes of a value are wanted.
type Range struct {
	kind        rangeKind
	bytesOnly   bool
	off, length int64
}

type rangeKind uint8

const (
	all rangeKind = iota
	part
	suffix
	upTo
)

// All asks for the whole value.
func All() Range { return Range{} }

// Part asks for length bytes from off; a value that ends before is ErrRange.
func Part(off, length int64) Range { return Range{kind: part, off: off, length: length} }

// Suffix asks for the last length bytes, or the whole value if it is shorter.
func Suffix(length int64) Range { return Range{kind: suffix, length: length} }

// UpTo asks for the whole value if it has at most limit bytes; a larger one is
// ErrTooLarge, and is not read.
func UpTo(limit int64) Range { return Range{kind: upTo, length: limit} }

// BytesOnly is r for who wants to know nothing of the value besides its bytes: a
// store may spare itself the Info, of which the size is -1 then.
func (r Range) BytesOnly() Range {
	r.bytesOnly = true
	return r
}

// IsBytesOnly reports whether nobody wants to know more of the value than its bytes.
func (r Range) IsBytesOnly() bool { return r.bytesOnly }

// Resolve gives the first byte and the number of bytes that r means in a value
// of the given size.
func (r Range) Resolve(size int64) (off, length int64, err error) {
	switch r.kind {
	case part:
		if r.off < 0 || r.length < 0 || r.off > size || r.length > size-r.off {
			return 0, 0, fmt.Errorf("bytes %d to %d of %d: %w", r.off, r.off+r.length, size, ErrRange)
		}
		return r.off, r.length, nil
	case suffix:
		n := min(max(r.length, 0), size)
		return size - n, n, nil
	case upTo:
		if size > r.length {
			return 0, 0, fmt.Errorf("%w: %d bytes, at most %d", ErrTooLarge, size, r.length)
		}
	}
	return 0, size, nil
}

// Append appends the range of a value that is in memory.
func (r Range) Append(dst, value []byte) ([]byte, error) {
	off, length, err := r.Resolve(int64(len(value)))
	if err != nil {
		return dst, err
	}
	return append(dst, value[off:off+length]...), nil
}

// IsAll reports whether r asks for a whole value, and the largest size that it
// accepts (-1: any).
func (r Range) IsAll() (limit int64, ok bool) {
	switch r.kind {
	case all:
		return -1, true
	case upTo:
		return r.length, true
	}
	return 0, false
}

// IsSuffix reports whether r asks for the end of a value, and for how much.
func (r Range) IsSuffix() (length int64, ok bool) { return r.length, r.kind == suffix }

// IsPart reports whether r asks for a given part.
func (r Range) IsPart() (off, length int64, ok bool) { return r.off, r.length, r.kind == part }

// CheckKey returns ErrBadKey unless key is a relative path without empty, "."
// or ".." parts and without NUL or backslash: such a key cannot leave the root
// of any store.
func CheckKey(key string) error {
	if key == "" {
		return fmt.Errorf("empty key: %w", ErrBadKey)
	}
	for rest := key; ; {
		name, tail, more := strings.Cut(rest, "/")
		if name == "" || name == "." || name == ".." || strings.ContainsAny(name, "\x00\\") {
			return fmt.Errorf("key %q: %w", key, ErrBadKey)
		}
		if !more {
			return nil
		}
		rest = tail
	}
}

// As finds the first store, from s inwards through wrappers, that also is a T.
func As[T any](s any) (T, bool) {
	for {
		if t, ok := s.(T); ok {
			return t, true
		}
		u, ok := s.(Unwrapper)
		if !ok {
			var none T
			return none, false
		}
		s = u.Unwrap()
	}
}

// Behind is As that also looks through ReadOnly: for who wants to know what a store
// is, and does not write.
func Behind[T any](s any) (T, bool) {
	for {
		if t, ok := As[T](s); ok {
			return t, true
		}
		for {
			if r, ok := s.(readOnly); ok {
				s = r.s
				break
			}
			u, ok := s.(Unwrapper)
			if !ok {
				var none T
				return none, false
			}
			s = u.Unwrap()
		}
	}
}
