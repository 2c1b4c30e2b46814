//go:build !unix

package file

import (
	"io/fs"
	"os"
	"path/filepath"
)

const (
	openFlags   = 0
	syncFolders = false
	// syncFlags open a file to be flushed, which takes the right to write it.
	syncFlags = os.O_RDWR
)

// systemKey reports whether this system can have a file of that name, and takes it for no
// other.
func systemKey(key string) bool { return filepath.IsLocal(key) && windowsKey(key) }

func inode(fs.FileInfo) uint64 { return 0 }

// notDir reports whether a file lies where a folder was expected: this system
// says that the path does not exist.
func notDir(error) bool { return false }
