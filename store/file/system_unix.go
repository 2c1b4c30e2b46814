//go:build unix

package file

import (
	"errors"
	"io/fs"
	"syscall"
)

const (
	// openFlags keep an open from waiting where a pipe lies at the key.
	openFlags   = syscall.O_NONBLOCK
	syncFolders = true
	// syncFlags open a file to be flushed.
	syncFlags = syscall.O_RDONLY | syscall.O_NONBLOCK
)

// systemKey reports whether this system can have a file of that name.
func systemKey(string) bool { return true }

func inode(fi fs.FileInfo) uint64 {
	if t, ok := fi.Sys().(*syscall.Stat_t); ok {
		return uint64(t.Ino)
	}
	return 0
}

// notDir reports whether a file lies where a folder was expected.
func notDir(err error) bool { return errors.Is(err, syscall.ENOTDIR) }
