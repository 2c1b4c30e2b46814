package writer

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
)

// temporary is a file that is not in its place yet.
type temporary struct{ *os.File }

// newTemporary makes a file in the folder of path, so that it can be renamed.
func newTemporary(path string) (*temporary, error) {
	for {
		name := filepath.Join(filepath.Dir(path), fmt.Sprintf(".omnizarr-%016x.tmp", rand.Uint64()))
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("folder %s: %w", filepath.Dir(path), cause(err))
		}
		return &temporary{f}, nil
	}
}

// cause is an error without the name of a file that nobody knows.
func cause(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}

// WriteAt writes to the file.
func (t *temporary) WriteAt(p []byte, off int64) (int, error) {
	n, err := t.File.WriteAt(p, off)
	return n, cause(err)
}

// remove gives the file up.
func (t *temporary) remove() error {
	return errors.Join(t.Close(), os.Remove(t.Name()))
}

// commit makes the file the one at path.
func (t *temporary) commit(path string, sync bool) error {
	var err error
	if sync {
		err = t.Sync()
	}
	if err = errors.Join(err, t.Close()); err == nil {
		err = os.Rename(t.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(t.Name()))
	}
	if !sync || runtime.GOOS == "windows" { // which cannot flush a folder
		return nil
	}
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}
