package locate

import (
	"errors"
	"fmt"

	"github.com/omnizarr/zarr/format"
	"github.com/omnizarr/zarr/store"
)

// Errors by kind, for errors.Is.
var (
	// ErrScheme says that no store is registered for the scheme of a URL.
	ErrScheme = errors.New("no store is registered for scheme")
	// ErrFormat says that something is of no format that is known.
	ErrFormat = format.ErrUnknown
)

// failed is the error of opening a URL: a *store.KeyError, as those of the stores
// themselves, so that who calls can name the place once.
func failed(rawURL, text string, args ...any) error {
	return &store.KeyError{Op: "open", URL: shown(rawURL), Err: fmt.Errorf(text, args...)}
}

// discarding gives up a location because of err, and says so if that fails too.
func discarding(l Location, err error) error {
	if also := l.Discard(); also != nil {
		return fmt.Errorf("%w; closing it: %w", err, also)
	}
	return err
}
