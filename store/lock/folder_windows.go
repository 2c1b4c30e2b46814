package lock

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/windows"

	"github.com/omnizarr/zarr/internal/partial"
)

// lockFolder takes the lock of a file in the folder that says who has it: of a byte far
// behind its end, so that others can read it. This system locks no folders.
func lockFolder(dir string) (release func() error, err error) {
	path := filepath.Join(dir, Name)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	far := &windows.Overlapped{OffsetHigh: 1 << 30}
	err = windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, far)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		who, _ := os.ReadFile(path) // only words
		err = partial.BusyBy(strings.TrimSpace(string(who)))
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if err = f.Truncate(0); err == nil {
		_, err = fmt.Fprintf(f, "process %d\n", os.Getpid())
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() error {
		err := f.Close()
		_ = os.Remove(path) // fails if somebody has it already
		return err
	}, nil
}
