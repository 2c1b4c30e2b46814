package leaktest

import (
	"os"
	"runtime/debug"

	"github.com/omnizarr/zarr/internal/thorough"
)

// memoryFolder is where Linux has files that are in memory alone.
const memoryFolder = "/dev/shm"

// collectAt is how much memory a program of tests has before garbage is collected. With four times as much the system
// spends more on giving memory than is saved of collecting it.
const collectAt = 256 << 20

// quick saves what tests spend on other things than testing: the collector runs only
// where much memory is in use, and files lie in memory where that has room for them,
// since the journal of a disk takes longer than all else that is done to many small
// ones. What the caller set stays, and thorough tests write to the disk.
//
// The collector would also close files that a test forgot, and with them hide the leak.
func quick() {
	if os.Getenv("GOGC") == "" && os.Getenv("GOMEMLIMIT") == "" {
		debug.SetGCPercent(-1)
		debug.SetMemoryLimit(collectAt)
	}
	if thorough.Enabled || os.Getenv("TMPDIR") != "" || freeBytes(memoryFolder) < 2<<30 {
		return
	}
	dir, err := os.MkdirTemp(memoryFolder, "")
	if err != nil || os.Remove(dir) != nil {
		return
	}
	os.Setenv("TMPDIR", memoryFolder)
}
