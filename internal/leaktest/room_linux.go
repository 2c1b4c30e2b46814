package leaktest

import "golang.org/x/sys/unix"

// freeBytes is how much can be written below a folder; 0 if there is none.
func freeBytes(dir string) uint64 {
	var s unix.Statfs_t
	if unix.Statfs(dir, &s) != nil || s.Bsize <= 0 {
		return 0
	}
	return s.Bavail * uint64(s.Bsize)
}
