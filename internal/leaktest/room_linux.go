package leaktest

import "syscall" // not x/sys/unix, whose many names every program of tests would load to be linked

// freeBytes is how much can be written below a folder; 0 if there is none.
func freeBytes(dir string) uint64 {
	var s syscall.Statfs_t
	if syscall.Statfs(dir, &s) != nil || s.Bsize <= 0 {
		return 0
	}
	return s.Bavail * uint64(s.Bsize)
}
