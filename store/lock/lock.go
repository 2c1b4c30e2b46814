// Package lock lets one process at a time write a place: the folder of a hierarchy
// that is changed in place. A lock ends with its process, however that ends.
//
// A folder on this machine has a lock of the system, which copies that replace the
// folder respect too. Elsewhere a lock is a value that is put where there is none and
// renewed, in stores whose conditions hold among processes: it ends some time after its
// process. Other stores have none: there, it is for the caller to see to it that one
// process writes.
package lock

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"time"

	"github.com/omnizarr/zarr/internal/partial"
	"github.com/omnizarr/zarr/store"
)

// Name is the name of a value in a folder that somebody has the lock of, where that is
// kept as one.
const Name = ".omnizarr-lock"

// ErrBusy says that somebody else has the lock.
var ErrBusy = partial.ErrBusy

// Take takes the lock of a folder of a store, "" for the whole, and gives what gives it
// back. If somebody has it, the error is ErrBusy and says who, as far as that can be
// known.
func Take(ctx context.Context, s store.Store, at string) (release func() error, err error) {
	return take(ctx, s, at, false)
}

// Wait is Take that waits for others, who have it for as long as a change of some values
// takes; if that is not enough, the error is ErrBusy too.
func Wait(ctx context.Context, s store.Store, at string) (release func() error, err error) {
	return take(ctx, s, at, true)
}

// patience is how often Wait looks again.
const patience = 1000

func take(ctx context.Context, s store.Store, at string, wait bool) (release func() error, err error) {
	dir := Folder(s, at)
	switch {
	case dir == "" && isShared(s):
		release, err = takeLease(ctx, s, path.Join(at, Name), wait)
	case dir == "":
		return func() error { return nil }, nil
	default:
		for try := 0; ; try++ {
			release, err = lockFolder(dir)
			if !wait || try == patience || !errors.Is(err, ErrBusy) {
				break
			}
			if err = pause(ctx, min(time.Millisecond<<min(try, 5), 32*time.Millisecond)); err != nil {
				break
			}
		}
	}
	if err != nil {
		return nil, store.WrapError("lock", s.URL(), at, err)
	}
	return release, nil
}

// pause waits for about some time.
func pause(ctx context.Context, about time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(about/2 + rand.N(about)):
		return nil
	}
}

// isShared reports whether other processes may use a store, and conditions hold among
// them.
func isShared(s store.Store) bool {
	c, ok := store.As[store.Conditional](s)
	return ok && c.Conditional() && store.IsFar(s)
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
