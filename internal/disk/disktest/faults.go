package disktest

import (
	"sync"
	"syscall"
	"testing"

	"github.com/omnizarr/zarr/internal/disk"
)

// Fault is a disk on which something fails.
type Fault struct {
	// Err is what fails: syscall.ENOSPC where bytes or names come to the disk, syscall.EMFILE
	// where something is opened, all else everywhere.
	Err error
	// At is which one of what may fail so fails, from 0.
	At int
	// Dead makes all that may fail so fail from then on.
	Dead bool

	mu   sync.Mutex
	seen int
	hit  disk.Change
}

// Start makes a fault happen in and below a folder, until stop is called.
func (f *Fault) Start(t testing.TB, folder string) (stop func()) {
	stop = disk.Watch(folder, f)
	t.Cleanup(stop)
	return stop
}

// Hit is what failed first, if anything did.
func (f *Fault) Hit() (disk.Change, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.hit, f.hit.Op != ""
}

// Before makes one fail.
func (f *Fault) Before(c disk.Change) error {
	if !mayFail(f.Err, c.Op) {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	n := f.seen
	f.seen++
	if n != f.At && !(f.Dead && n > f.At) {
		return nil
	}
	if f.hit.Op == "" {
		f.hit = c
	}
	return f.Err
}

// After does nothing.
func (f *Fault) After(disk.Change, error) {}

func mayFail(err error, op disk.Op) bool {
	switch err {
	case syscall.ENOSPC:
		return op == disk.Make || op == disk.Create || op == disk.Write || op == disk.Flush || op == disk.FlushFolder || op == disk.Rename || op == disk.RenameNew
	case syscall.EMFILE:
		return op == disk.Read || op == disk.Create || op == disk.FlushFolder
	}
	return true
}
