package file

import (
	"errors"
	"fmt"
	"hash/fnv"
	"os"

	"golang.org/x/sys/windows"
)

const hasLocks = true

// lock takes the lock of a file beside the one that has the name, since this system
// replaces no file that somebody has open. It is removed when nobody wants it.
func (d rootFolder) lock(name string) (unlock func() error, err error) {
	if _, err := d.root.Lstat(within(d.dir, name)); err != nil {
		return nil, err
	}
	h := fnv.New64a()
	h.Write([]byte(name))
	path := within(d.dir, fmt.Sprintf("%s%016x%s", tempPrefix, h.Sum64(), tempSuffix))
	f, err := d.root.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, errHeld // it is being removed right now
	}
	err = windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &windows.Overlapped{})
	if err != nil {
		if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
			err = errHeld
		} else {
			err = errNoLock
		}
		return nil, errors.Join(err, f.Close())
	}
	return func() error {
		err := f.Close()
		_ = d.root.Remove(path) // fails if somebody has it open
		return err
	}, nil
}
