package writer

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync/atomic"

	"github.com/omnizarr/zarr/internal/buf"
	"github.com/omnizarr/zarr/internal/partial"
)

// file is what a TIFF is written to.
type file interface {
	io.ReaderAt
	io.WriterAt
	// Commit puts it in its place, or else the file is to be removed.
	Commit(sync bool) error
	// Remove gives it up.
	Remove() error
	// Leave lets it lie for the next one, where that can use it.
	Leave() error
}

// scratch is a file in the folder of another that nobody else sees, where the
// system can hide it.
type scratch struct {
	*os.File
	named bool
}

func newScratch(path string) (file, error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".omnizarr-*.tmp")
	if err != nil {
		return nil, partial.Cause(err)
	}
	return &scratch{f, os.Remove(f.Name()) != nil}, nil
}

func (s *scratch) WriteAt(p []byte, off int64) (int, error) {
	n, err := s.File.WriteAt(p, off)
	return n, partial.Cause(err)
}

func (s *scratch) Commit(bool) error { return errors.ErrUnsupported }

func (s *scratch) Leave() error { return s.Remove() }

func (s *scratch) Remove() error {
	err := s.Close()
	if s.named {
		err = errors.Join(err, os.Remove(s.Name()))
	}
	return err
}

// ErrDiffers says that the file at the path is not the one that would be made.
var ErrDiffers = errors.New("the file that is there is another one")

// compared is a file that is there, and which what is written must agree with.
type compared struct {
	*os.File
	size int64
	end  atomic.Int64 // of what was written
}

func newCompared(path string) (file, error) {
	// What was left by one that was to replace the file, or was about to tidy up.
	if err := partial.Discard(path); err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, partial.Cause(err)
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &compared{File: f, size: info.Size()}, nil
}

func (c *compared) WriteAt(p []byte, off int64) (int, error) {
	end := off + int64(len(p))
	if end > c.size {
		return 0, ErrDiffers
	}
	for old := c.end.Load(); old < end && !c.end.CompareAndSwap(old, end); old = c.end.Load() {
	}
	b := buf.Get(len(p))
	defer b.Free()
	have := b.B[:len(p)]
	if _, err := c.ReadAt(have, off); err != nil {
		return 0, partial.Cause(err)
	}
	if !bytes.Equal(have, p) {
		return 0, ErrDiffers
	}
	return len(p), nil
}

// Commit finds out whether there is more than was written.
func (c *compared) Commit(bool) error {
	if c.end.Load() != c.size {
		return ErrDiffers
	}
	return c.Close()
}

func (c *compared) Remove() error { return c.Close() }

func (c *compared) Leave() error { return c.Close() }
