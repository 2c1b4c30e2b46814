//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package file

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

const hasLocks = true

// lockable are the flags to open a file for its lock: on some file systems only who may
// write a file has it alone.
const lockable = syscall.O_RDWR | syscall.O_NONBLOCK | syscall.O_NOFOLLOW | syscall.O_CLOEXEC

// lockError is what an error of opening a file for its lock means.
func lockError(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
		return err
	}
	return errNoLock
}

// lock takes the lock of a file.
func (d rootFolder) lock(name string) (unlock func() error, err error) {
	path := within(d.dir, name)
	fi, err := d.root.Lstat(path)
	if err != nil {
		return nil, lockError(err)
	}
	if !fi.Mode().IsRegular() {
		return nil, errNoLock
	}
	f, err := d.root.OpenFile(path, lockable, 0)
	if errors.Is(err, fs.ErrPermission) {
		f, err = d.root.OpenFile(path, lockable&^syscall.O_RDWR, 0)
	}
	if err != nil {
		return nil, lockError(err)
	}
	if err := flock(int(f.Fd())); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	held, err := f.Stat()
	if err == nil {
		fi, err = d.root.Lstat(path)
	}
	if err == nil && !os.SameFile(held, fi) || errors.Is(err, fs.ErrNotExist) {
		err = errGone
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f.Close, nil
}

// flock takes the lock of an open file, which ends when the file is closed.
func flock(fd int) error {
	for {
		switch err := syscall.Flock(fd, syscall.LOCK_EX|syscall.LOCK_NB); err {
		case nil:
			return nil
		case syscall.EINTR:
		case syscall.EWOULDBLOCK:
			return errHeld
		default: // a file system that has none
			return errNoLock
		}
	}
}
