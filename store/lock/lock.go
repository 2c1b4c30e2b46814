// Package lock lets one process at a time write a place: the folder of a hierarchy
// that is changed in place. A lock ends with its process, however that ends.
//
// A folder on this machine has a lock of the system, which copies that replace the
// folder respect too. What lies elsewhere has none: there, it is for the caller to see
// to it that one process writes.
package lock

import (
	"errors"
	"net/url"
	"os"
	"path/filepath"

	"github.com/omnizarr/zarr/internal/partial"
	"github.com/omnizarr/zarr/store"
)

// ErrBusy says that somebody else has the lock.
var ErrBusy = partial.ErrBusy

// Take takes the lock of a folder of a store, "" for the whole, and gives what gives it
// back. If somebody has it, the error is ErrBusy and says who, as far as that can be
// known.
func Take(s store.Store, at string) (release func() error, err error) {
	dir := Folder(s, at)
	if dir == "" {
		return func() error { return nil }, nil
	}
	release, err = lockFolder(dir)
	if err != nil {
		return nil, store.WrapError("lock", s.URL(), at, err)
	}
	return release, nil
}

// Folder is the path of a folder of a store on this machine, "" if it is elsewhere, or
// inside of an archive.
func Folder(s store.Store, at string) string {
	if _, ok := store.As[store.Mover](s); !ok {
		return ""
	}
	return local(s, at)
}

// Busy reports whether somebody has the lock of a folder of a store, which may be open
// for reading alone, as far as that can be known.
func Busy(s store.Store, at string) bool {
	dir := local(s, at)
	if info, err := os.Stat(dir); dir == "" || err != nil || !info.IsDir() {
		return false
	}
	release, err := lockFolder(dir)
	if err == nil {
		err = release()
	}
	return errors.Is(err, ErrBusy)
}

// local is the path of what a store has on this machine, "" if it is elsewhere.
func local(s store.Store, at string) string {
	u, err := url.Parse(store.Identity(s, at))
	if err != nil || u.Scheme != "file" || u.Path == "" {
		return ""
	}
	path := filepath.FromSlash(u.Path)
	if drive := path[1:]; filepath.VolumeName(drive) != "" {
		return drive
	}
	return path
}
