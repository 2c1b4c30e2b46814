package store_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"testing"

	"github.com/omnizarr/zarr/store"
)

// Only what is found in the bytes of a file is damage.
func TestDamageIsOfBytesAlone(t *testing.T) {
	plain := errors.New("no directory")
	if err := store.Damaged(plain); !errors.Is(err, store.ErrDamaged) || !errors.Is(err, plain) || err.Error() != "no directory" {
		t.Errorf("%v", err)
	}
	if store.Damaged(nil) != nil {
		t.Error("nothing is an error")
	}
	for _, err := range []error{
		store.ErrNotExist, store.ErrTooLarge, store.ErrReadOnly, store.ErrUnavailable, context.Canceled, store.ErrBudget,
		&store.KeyError{Op: "get", URL: "x", Err: plain}, &fs.PathError{Op: "open", Path: "x", Err: plain}, syscall.EACCES,
		store.Gone("the file", store.ErrNotExist),
	} {
		if got := store.Damaged(fmt.Errorf("read: %w", err)); errors.Is(got, store.ErrDamaged) {
			t.Errorf("%v is damage", err)
		}
	}
	if errors.Is(store.Gone("the file", store.ErrNotExist), store.ErrNotExist) {
		t.Error("a file that is gone is a value that is not there")
	}
}
