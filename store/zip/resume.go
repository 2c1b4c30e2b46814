package zip

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"

	"github.com/klauspost/compress/flate"

	"github.com/omnizarr/zarr/internal/partial"
)

// resume reads the entries from the beginning of the file up to the first that is
// not whole, and cuts the rest off. Entries are written by several at once, so that
// behind one that is not whole others may be: these are lost, but never one that
// is not what its checksum says.
func (w *writer) resume() (map[string]*entry, error) {
	entries := map[string]*entry{}
	in := &scanner{r: bufio.NewReaderSize(io.NewSectionReader(w.file, 0, 1<<62), 1<<20)}
	for {
		start := in.at
		name, e, err := in.next()
		if err != nil {
			return nil, err
		}
		if e == nil {
			w.end.Store(start)
			return entries, partial.Cause(w.file.Truncate(start))
		}
		entries[name] = e
	}
}

// scanner reads an archive without its directory.
type scanner struct {
	r  *bufio.Reader
	at int64
}

// read gives the next n bytes, or nil where the file ends before.
func (s *scanner) read(n int) ([]byte, error) {
	b := make([]byte, n)
	k, err := io.ReadFull(s.r, b)
	s.at += int64(k)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return nil, nil
	}
	return b, partial.Cause(err)
}

// next reads an entry and checks its data; it is nil where there is no whole one,
// such as this package writes it.
func (s *scanner) next() (name string, e *entry, err error) {
	le := binary.LittleEndian
	start := s.at
	h, err := s.read(localSize)
	if h == nil || le.Uint32(h) != localSig || le.Uint16(h[6:]) != utf8Flag {
		return "", nil, err
	}
	e = &entry{header: start, fresh: true, method: le.Uint16(h[8:]), crc: le.Uint32(h[14:]), csize: int64(le.Uint32(h[18:])), size: int64(le.Uint32(h[22:]))}
	b, err := s.read(int(le.Uint16(h[26:])))
	if b == nil {
		return "", nil, err
	}
	name = string(b)
	extra, err := s.read(int(le.Uint16(h[28:])))
	if extra == nil {
		return "", nil, err
	}
	if large := field(extra, extra64); len(large) == 16 && e.csize == max32 && e.size == max32 {
		e.size, e.csize = int64(le.Uint64(large)), int64(le.Uint64(large[8:]))
	}
	if !validName(name) || e.size < 0 || e.csize < 0 {
		return "", nil, nil
	}
	e.dataOffset.Store(s.at)
	whole, err := s.check(e)
	if !whole {
		return "", nil, err
	}
	return name, e, nil
}

// check reads the data of an entry and reports whether it is what was put.
func (s *scanner) check(e *entry) (bool, error) {
	data := &io.LimitedReader{R: s.r, N: e.csize}
	var sum crc
	var n int64
	var err error
	switch e.method {
	case stored:
		n, err = io.Copy(&sum, data)
	case deflated:
		f := flate.NewReader(data)
		n, err = io.CopyN(&sum, f, e.size)
		if err == nil {
			_, err = io.CopyN(io.Discard, f, 1) // which is not there
		}
		f.Close()
	default:
		return false, nil
	}
	var damaged flate.CorruptInputError
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF && !errors.As(err, &damaged) {
		return false, partial.Cause(err)
	}
	if n != e.size || uint32(sum) != e.crc || e.method == deflated && err != io.EOF {
		return false, nil
	}
	_, err = io.Copy(io.Discard, data)
	s.at += e.csize - data.N
	return err == nil && data.N == 0, partial.Cause(err)
}
