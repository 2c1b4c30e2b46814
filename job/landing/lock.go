package landing

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/omnizarr/zarr/internal/disk"
	"github.com/omnizarr/zarr/internal/partial"
	"github.com/omnizarr/zarr/store/lock"
)

// errBusy says that another process is at work on the same place.
var errBusy = partial.ErrBusy

// localPath is the path of a folder of the base on this machine, "" if it is
// elsewhere, or inside of an archive.
func (l *Landing) localPath(at string) string {
	if l.base == nil {
		return ""
	}
	return lock.Folder(l.base, at)
}

// lock keeps other processes out of a folder, if it is one on this machine and is
// there.
func (l *Landing) lock(at string) error {
	take := partial.Lock
	if l.team != nil {
		take = partial.Share
	}
	path := l.localPath(at)
	if path == "" {
		return nil
	}
	fi, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !fi.IsDir() { // to open a pipe would wait for its other end
		return nil
	}
	if err != nil {
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	if fi, err = f.Stat(); err == nil {
		err = take(f)
	}
	if err == nil {
		// Who had it before may have given it another name.
		var now fs.FileInfo
		if now, err = os.Stat(path); err == nil && !os.SameFile(fi, now) {
			err = errBusy
		}
	}
	if err != nil {
		f.Close()
		return err
	}
	l.locked = append(l.locked, func() { f.Close() })
	return nil
}

// makeFolder makes the folder of a copy on this machine, and locks it.
func (l *Landing) makeFolder(at string) error {
	path := l.localPath(at)
	if path == "" || at == "" {
		return nil
	}
	if _, err := os.Stat(path); err == nil {
		return nil // it was locked when the copy started
	}
	if err := disk.MakeFolder(path, false); err != nil {
		return err
	}
	return l.lock(at)
}

// splitFolder gives the folder that a place lies in and its name there: the hierarchy
// that it leads into, or the folder above it.
func splitFolder(folder, top string) (base, at string) {
	if folder == top {
		return filepath.Dir(folder), filepath.Base(folder)
	}
	rel, err := filepath.Rel(top, folder)
	if err != nil {
		return filepath.Dir(folder), filepath.Base(folder)
	}
	return top, filepath.ToSlash(rel)
}
