package disk

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
)

// MakeFolder makes a folder and those above it where they are missing, with sync so that
// they survive a loss of power.
func MakeFolder(path string, sync bool) error {
	var missing []string
	for at := filepath.Clean(path); ; at = filepath.Dir(at) {
		info, err := os.Stat(at)
		if err == nil && info.IsDir() || at == filepath.Dir(at) {
			break
		}
		missing = append(missing, at)
	}
	for i := len(missing) - 1; i >= 0; i-- {
		at := missing[i]
		err := Do(At(at), Change{Op: Make, Path: at}, func() error { return os.Mkdir(at, 0o777) })
		if err != nil && !errors.Is(err, os.ErrExist) {
			return err
		}
		if info, statErr := os.Stat(at); statErr == nil && !info.IsDir() {
			return err // a file
		}
		if sync {
			if err := SyncFolder(filepath.Dir(at)); err != nil {
				return err
			}
		}
	}
	return nil
}

// SyncFolder flushes the names in a folder, where the system can.
func SyncFolder(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	return Do(At(path), Change{Op: FlushFolder, Path: path}, func() error {
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		return errors.Join(f.Sync(), f.Close())
	})
}
