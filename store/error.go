package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"
)

// KeyError says what was being done to which value of which store when Err
// happened. Stores return it from every method that takes a key.
type KeyError struct {
	Op  string // "get", "put", "delete", "list" or "open"
	URL string // of the store
	Key string
	Err error
}

// Error is one line that names operation, key and store.
func (e *KeyError) Error() string {
	if e.Key == "" { // a listing of all, or a value that others were made into
		return fmt.Sprintf("%s %s: %v", e.Op, e.URL, e.Err)
	}
	return fmt.Sprintf("%s %q in %s: %v", e.Op, e.Key, e.URL, e.Err)
}

// Unwrap gives the cause.
func (e *KeyError) Unwrap() error { return e.Err }

// WrapError makes err a KeyError; nil stays nil. Names that err itself carries,
// of a file or of a key in a store below, give way to url and key, so that the
// message names one place.
func WrapError(op, url, key string, err error) error {
	switch e := err.(type) {
	case nil:
		return nil
	case *KeyError:
		err = e.Err
	case *fs.PathError:
		err = e.Err
	case *os.LinkError:
		err = e.Err
	}
	return &KeyError{op, url, key, err}
}

// Unavailable reports whether err leaves open what a store holds, since it could not be
// asked: it did not answer, its disk could not be read, there were too many open files.
// Whoever decides by what is not there must not take such an error for an answer.
func Unavailable(err error) bool {
	var system syscall.Errno
	return errors.Is(err, ErrUnavailable) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) ||
		errors.As(err, &system) && (system == syscall.EIO || system.Temporary())
}

// Damaged makes err, which a store that is made of one file has found while it read
// that, one of kind ErrDamaged; its text stays. What is of another kind stays as it is,
// and so does what the store around the file, the system or a context says.
func Damaged(err error) error {
	var key *KeyError
	var path *fs.PathError
	var system syscall.Errno
	var missing gone
	if err == nil || Unavailable(err) || errors.As(err, &missing) || errors.As(err, &key) || errors.As(err, &path) || errors.As(err, &system) {
		return err
	}
	for _, kind := range []error{ErrDamaged, ErrNotExist, ErrReadOnly, ErrBadKey, ErrTooLarge, ErrRange, ErrPrecondition, ErrChanged, ErrUnfinished, ErrNoList, ErrNoPlace, ErrBudget} {
		if errors.Is(err, kind) {
			return err
		}
	}
	return damaged{err}
}

// damaged is an error of kind ErrDamaged that does not say so again.
type damaged struct{ error }

func (d damaged) Is(target error) bool { return target == ErrDamaged }
func (d damaged) Unwrap() error        { return d.error }

// Gone says of a file that is shown as a store that it is not there any more: that a
// value in it is missing it does not say, nor that the file is damaged.
func Gone(what string, err error) error { return gone{fmt.Errorf("%s is gone: %v", what, err)} }

type gone struct{ error }

// CheckPrefix returns ErrBadKey unless prefix is "" or a valid key followed by
// "/", which is what List takes.
func CheckPrefix(prefix string) error {
	if prefix == "" {
		return nil
	}
	key, ok := strings.CutSuffix(prefix, "/")
	if !ok || CheckKey(key) != nil {
		return fmt.Errorf("prefix %q: %w", prefix, ErrBadKey)
	}
	return nil
}

// CheckList returns an error unless prefix and delimiter are such as List
// takes.
func CheckList(prefix, delimiter string) error {
	if delimiter != "" && delimiter != "/" {
		return fmt.Errorf("delimiter %q is neither empty nor a slash", delimiter)
	}
	return CheckPrefix(prefix)
}
