//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package partial

import (
	"errors"
	"os"
	"syscall"
)

// noFollow keeps links from leading elsewhere, and an open from waiting for a pipe.
const noFollow = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// Lock takes the lock of an open file or folder, which ends when it is closed, or
// with the process. ErrBusy says that somebody has it, and who, as far as that can be
// known. A file system that knows no
// locks has none.
func Lock(f *os.File) error { return lock(f, syscall.LOCK_EX) }

// Share takes the lock together with others that share it: it keeps out who wants it
// alone.
func Share(f *os.File) error { return lock(f, syscall.LOCK_SH) }

func lock(f *os.File, how int) error {
	err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB)
	switch {
	case errors.Is(err, syscall.EWOULDBLOCK):
		fi, err := f.Stat()
		if err != nil {
			return ErrBusy
		}
		return BusyBy(holder(fi))
	case errors.Is(err, syscall.ENOTSUP), errors.Is(err, syscall.EOPNOTSUPP), errors.Is(err, syscall.ENOLCK), errors.Is(err, syscall.ENOSYS):
		return nil
	}
	return err
}

// hasOtherNames reports whether a file has hard links.
func hasOtherNames(info os.FileInfo) bool {
	t, ok := info.Sys().(*syscall.Stat_t)
	return ok && t.Nlink > 1
}
