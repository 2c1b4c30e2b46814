// Package partial makes single files, such as archives and images, beside the place
// that they are meant for: they appear there whole or not at all, and what a process
// leaves that ended in the middle is found again by the next one.
package partial

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/omnizarr/zarr/internal/disk"
)

// ErrBusy says that another process, or another part of this one, is at work on the
// same file or folder.
var ErrBusy = errors.New("it is being written by somebody else right now")

// BusyBy is ErrBusy with a name for who is at work, "" if that is not known.
func BusyBy(who string) error {
	if who == "" {
		return ErrBusy
	}
	return fmt.Errorf("%w: by %s", ErrBusy, who)
}

// Name is the name that the file for a path has until it is whole.
func Name(path string) string { return name(path, "unfinished") }

func name(path, what string) string {
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".omnizarr-"+what)
}

// Exists reports whether a file for a path was begun.
func Exists(path string) bool {
	info, err := os.Lstat(Name(path))
	return err == nil && info.Mode().IsRegular()
}

// Discard removes what somebody left beside the file at a path, with what lies beside that,
// unless it is being written.
func Discard(path string) error {
	left := Exists(path)
	for _, what := range []string{Tiles, Whole} {
		_, err := os.Lstat(name(path, what))
		left = left || err == nil
	}
	if !left {
		return nil
	}
	f, err := Open(path)
	if err != nil {
		return err
	}
	for _, what := range []string{Tiles, Whole} {
		err = errors.Join(err, f.RemoveSide(what))
	}
	return errors.Join(err, f.Remove())
}

// The files that there may be beside one that is made: what is known of it, and what it
// becomes where its parts did not come in the order that they are to lie in.
const (
	Tiles = "tiles"
	Whole = "whole"
)

// File is a file that is not in its place yet. One of Commit, Leave and Remove ends
// it.
type File struct {
	*os.File
	path string
	disk disk.Watcher
}

// Open makes the file for a path, or opens the one that was left there, as it is.
// While it is open nobody else gets it, but ErrBusy.
func Open(path string) (*File, error) {
	for {
		f, w, err := open(Name(path))
		if err != nil {
			return nil, fmt.Errorf("folder %s: %w", filepath.Dir(path), Cause(err))
		}
		mine, err := own(f)
		if err == nil && mine {
			return &File{f, path, w}, nil
		}
		f.Close()
		if err != nil {
			return nil, err
		}
	}
}

// Side makes another file for the same path, or opens the one that was left: who has
// the file has those beside it.
func (f *File) Side(what string) (*File, error) {
	side, w, err := open(name(f.path, what))
	if err != nil {
		return nil, Cause(err)
	}
	info, err := side.Stat()
	if err == nil {
		err = plain(side.Name(), info)
	}
	if err != nil {
		return nil, errors.Join(Cause(err), side.Close())
	}
	return &File{side, f.path, w}, nil
}

// RemoveSide removes a file that Side made and nobody has open.
func (f *File) RemoveSide(what string) error {
	path := name(f.path, what)
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return disk.Do(f.disk, disk.Change{Op: disk.Remove, Path: path}, func() error { return os.Remove(path) })
}

func open(path string) (f *os.File, w disk.Watcher, err error) {
	w = disk.At(path)
	err = disk.Do(w, disk.Change{Op: disk.Create, Path: path}, func() error {
		f, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE|noFollow, 0o666)
		return err
	})
	return f, w, err
}

// own locks a file, and reports whether it is still the one of its name: who had it
// before may have put it in its place, or removed it.
func own(f *os.File) (bool, error) {
	if err := Lock(f); err != nil {
		return false, err
	}
	held, err := f.Stat()
	if err != nil {
		return false, Cause(err)
	}
	if err := plain(f.Name(), held); err != nil {
		return false, err
	}
	now, err := os.Lstat(f.Name())
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && os.SameFile(held, now), Cause(err)
}

// plain is an error unless a file is one that was made here: what has another name too is
// somebody's, elsewhere.
func plain(name string, info os.FileInfo) error {
	switch {
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is no file", name)
	case hasOtherNames(info):
		return fmt.Errorf("%s is a file that has another name too, and is left alone: remove it", name)
	}
	return nil
}

// Cause is an error without the name of a file that people need not know.
func Cause(err error) error {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return at.Err
	}
	return err
}

// WriteAt writes to the file.
func (f *File) WriteAt(p []byte, off int64) (n int, err error) {
	if f.disk == nil {
		n, err = f.File.WriteAt(p, off)
		return n, Cause(err)
	}
	err = f.do(disk.Change{Op: disk.Write, Data: p, Offset: off}, func() error {
		n, err = f.File.WriteAt(p, off)
		return err
	})
	return n, Cause(err)
}

// Truncate gives the file another size.
func (f *File) Truncate(size int64) error {
	return f.do(disk.Change{Op: disk.Truncate, Offset: size}, func() error { return f.File.Truncate(size) })
}

// do does a change of the file.
func (f *File) do(c disk.Change, do func() error) error {
	c.Path = f.Name()
	return disk.Do(f.disk, c, do)
}

// Remove gives the file up.
func (f *File) Remove() error {
	if runtime.GOOS == "windows" { // where a file that is open stays
		return errors.Join(f.Leave(), f.unlink())
	}
	return errors.Join(f.unlink(), f.Leave())
}

func (f *File) unlink() error {
	err := f.do(disk.Change{Op: disk.Remove}, func() error { return os.Remove(f.Name()) })
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Leave closes the file and lets it lie for the next one.
func (f *File) Leave() error {
	if err := f.Close(); !errors.Is(err, os.ErrClosed) {
		return err
	}
	return nil
}

// Commit makes the file the one at its path, with sync so that it survives a loss of
// power. If that goes wrong, what was there is there still, and so is the file, which
// is for Leave or Remove then.
func (f *File) Commit(sync bool) error {
	if sync {
		if err := f.do(disk.Change{Op: disk.Flush}, f.Sync); err != nil {
			return Cause(err)
		}
	}
	if runtime.GOOS == "windows" { // which renames no open file
		if err := f.Close(); err != nil {
			return err
		}
	}
	err := f.do(disk.Change{Op: disk.Rename, To: f.path}, func() error { return os.Rename(f.Name(), f.path) })
	if err != nil { // still locked, so that nobody takes it up
		return err
	}
	if err := f.Leave(); err != nil || !sync {
		return err
	}
	return disk.SyncFolder(filepath.Dir(f.path))
}
