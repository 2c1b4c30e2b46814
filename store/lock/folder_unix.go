//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package lock

import (
	"errors"
	"os"

	"github.com/omnizarr/zarr/internal/partial"
)

// lockFolder takes the lock of a folder, which leaves nothing behind.
func lockFolder(dir string) (release func() error, err error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	held, err := f.Stat()
	if err == nil {
		err = partial.Lock(f)
	}
	if err == nil {
		// Who had it before may have given it another name.
		var now os.FileInfo
		if now, err = os.Stat(dir); err == nil && !os.SameFile(held, now) {
			err = ErrBusy
		}
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f.Close, nil
}
