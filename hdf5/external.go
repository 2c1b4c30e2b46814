package hdf5

import (
	"fmt"
	"io"
)

// ExternalFile is a part of a contiguous dataset that lies in another file.
type ExternalFile struct {
	Name   string
	Offset uint64
	Size   uint64 // Unlimited if it has what is left
}

// externals reads a list of external files.
func (f *File) externals(m message) ([]ExternalFile, error) {
	c := f.body(m, "external file list")
	c.version(1, 1)
	c.skip(5)
	n := c.u16()
	at := c.addr()
	if c.err == nil && n*3*c.l > c.left() {
		c.fail("%d files in %d bytes", n, c.left())
	}
	if c.err != nil {
		return nil, c.err
	}
	h, err := f.localHeap(at)
	if err != nil {
		return nil, err
	}
	out := make([]ExternalFile, n)
	for i := range out {
		name := c.length()
		out[i] = ExternalFile{Offset: c.length(), Size: c.wide(c.l)}
		if out[i].Name, err = h.text(name); err != nil {
			return nil, err
		}
	}
	return out, c.err
}

// readExternal reads bytes of the elements from an offset on. What lies behind
// the end of a file is zero.
func (d *Dataset) readExternal(dst []byte, off uint64) error {
	for _, x := range d.Externals {
		if len(dst) == 0 {
			return nil
		}
		if off >= x.Size {
			off -= x.Size
			continue
		}
		n := min(uint64(len(dst)), x.Size-off)
		s, _, err := d.file.outside(x.Name)
		if err != nil {
			return fmt.Errorf("external file %q: %w", x.Name, err)
		}
		clear(dst[:n])
		if at := x.Offset + off; at >= off && at < 1<<62 {
			if _, err := s.ReadAt(dst[:n], int64(at)); err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
				return fmt.Errorf("external file %q: %w", x.Name, err)
			}
		}
		dst, off = dst[n:], 0
	}
	if len(dst) > 0 {
		return wrong("external file list", d.Address(), "the files are too short for the elements, by %d bytes", len(dst))
	}
	return nil
}
