package landing

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/omnizarr/zarr/format"
)

// FileFree checks that a copy which is one file may replace the file at a path: one
// that begins as such files do, or is empty. Whatever else has that name is somebody's.
func FileFree(path, what string, starts ...string) error {
	info, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil || info.IsDir() {
		return err // who writes the file tells
	}
	if !info.Mode().IsRegular() { // and to open a pipe would wait for its other end
		return fmt.Errorf("%w: a pipe, a device, or what else is no file", ErrNotEmpty)
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	head := make([]byte, 512)
	n, err := io.ReadFull(f, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return err
	}
	return Free(head[:n], what, starts...)
}

// Free is FileFree for how a value begins.
func Free(head []byte, what string, starts ...string) error {
	for _, start := range starts {
		if bytes.HasPrefix(head, []byte(start)) {
			return nil
		}
	}
	if len(head) == 0 {
		return nil
	}
	is, _ := format.Stranger(head)
	return fmt.Errorf("%w: %s, and no %s, which --overwrite would replace; remove it, or choose another name", ErrNotEmpty, is, what)
}
