package file

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"time"
)

var (
	// errGone says that the file that was to be locked is not the one of its name any
	// more.
	errGone = errors.New("the file was replaced meanwhile")
	// errMissing says that no file has the name.
	errMissing = fmt.Errorf("no file to lock: %w", fs.ErrNotExist)
	// errHeld says that somebody has the lock.
	errHeld = errors.New("the file is locked")
	// errNoLock says that what has the name has no lock: a link, a folder, a file that
	// may not be opened, or one of a file system without locks.
	errNoLock = errors.New("the file has no lock")
)

// locked does something while it has the lock of a file, which ends with the process
// at the latest. A file that is missing is errMissing, one that is not the same any more
// once the lock is there errGone. It waits for others until ctx ends: they have the lock for as long
// as a rename takes.
func (s *Store) locked(ctx context.Context, d folder, name string, do func() error) error {
	for wait := 20 * time.Microsecond; ; wait = min(2*wait, time.Millisecond) {
		unlock, err := d.lock(name)
		switch {
		case err == nil:
			return errors.Join(do(), unlock())
		case errors.Is(err, errNoLock):
			return do()
		case errors.Is(err, fs.ErrNotExist):
			return errMissing
		case !errors.Is(err, errHeld):
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait/2 + rand.N(wait)):
		}
	}
}
