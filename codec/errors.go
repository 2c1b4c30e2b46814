package codec

import (
	"errors"
	"fmt"

	"github.com/omnizarr/zarr/store"
)

// ErrEmpty says that a chunk holds nothing but fill values and need not be
// stored.
var ErrEmpty = errors.New("chunk holds only the fill value")

// ErrUnknown says that no codec of this name is registered.
var ErrUnknown = errors.New("unknown codec")

// ErrData says that encoded bytes are not what the codec expects.
// It is store.ErrDamaged, as damage in a file is.
var ErrData = store.ErrDamaged

// ErrTooLarge says that a size which metadata or data tell is above the limit of
// what may be allocated for it. It is store.ErrTooLarge, so that one question is
// enough.
var ErrTooLarge = store.ErrTooLarge

// Error names the codec in which coding a chunk failed.
type Error struct {
	Codec string
	Err   error
}

// Error says "codec gzip: …".
func (e *Error) Error() string { return fmt.Sprintf("codec %s: %v", e.Codec, e.Err) }

// Unwrap gives the reason.
func (e *Error) Unwrap() error { return e.Err }

// wrap names the codec once: an error of an inner chain already names the inner
// codec, and is put behind the outer one's name.
func wrap(name string, err error) error {
	if err == nil || err == ErrEmpty {
		return err
	}
	return &Error{Codec: name, Err: err}
}

// isNamed reports whether an error names a codec.
func isNamed(err error) bool {
	var e *Error
	return errors.As(err, &e)
}

// Bad makes an error for bytes that are not what they should be. It is ErrData,
// but does not say so again.
func Bad(format string, args ...any) error {
	return &badData{fmt.Sprintf(format, args...)}
}

type badData struct{ text string }

func (e *badData) Error() string { return e.text }

func (e *badData) Is(target error) bool { return target == ErrData }
