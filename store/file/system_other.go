//go:build !unix

package file

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

const (
	openFlags   = 0
	syncFolders = false
	// syncFlags open a file to be flushed, which takes the right to write it.
	syncFlags = os.O_RDWR
)

// systemKey reports whether this system can have a file of that name: not a
// device, no character that Windows refuses or takes for something else.
func systemKey(key string) bool {
	if !filepath.IsLocal(key) {
		return false
	}
	for name := range strings.SplitSeq(key, "/") {
		if strings.ContainsAny(name, `<>:"|?*`) || strings.HasSuffix(name, ".") || strings.HasSuffix(name, " ") {
			return false
		}
		for _, c := range []byte(name) {
			if c < ' ' {
				return false
			}
		}
	}
	return true
}

func inode(fs.FileInfo) uint64 { return 0 }

// notDir reports whether a file lies where a folder was expected: this system
// says that the path does not exist.
func notDir(error) bool { return false }
