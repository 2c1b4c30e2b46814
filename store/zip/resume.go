package zip

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"

	"github.com/klauspost/compress/flate"

	"github.com/omnizarr/zarr/internal/partial"
)

// resume finds the entries that are whole, and cuts off what lies behind the last.
// Entries are written by several at once, so that before whole ones others may be that
// are not: these stay in the file as bytes that no directory names. What is taken is
// what its checksum says.
func (w *writer) resume() (map[string]*entry, error) {
	entries := map[string]*entry{}
	in := &scanner{file: w.file}
	in.seek(0)
	end := int64(0)
	for {
		start := in.at
		name, e, err := in.next()
		if err == nil && e == nil {
			var more bool
			if more, err = in.skip(start); err == nil && !more {
				w.end.Store(end)
				return entries, partial.Cause(w.file.Truncate(end))
			}
		}
		if err != nil {
			return nil, err
		}
		if e != nil {
			entries[name], end = e, in.at
		}
	}
}

// scanner reads an archive without its directory.
type scanner struct {
	file io.ReaderAt
	r    *bufio.Reader
	at   int64
	end  int64 // of the entry that was read last, 0 if its header does not tell
}

func (s *scanner) seek(at int64) {
	s.at = at
	s.r = bufio.NewReaderSize(io.NewSectionReader(s.file, at, 1<<62-at), 1<<20)
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
	s.end = 0
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
	s.end = s.at + e.csize
	whole, err := s.check(e)
	if !whole {
		return "", nil, err
	}
	return name, e, nil
}

// skip goes behind an entry that is not whole: its header comes before its data, so
// that either it says where the entry ends, or nothing was written up to the next one.
// Anything else is no more of this archive.
func (s *scanner) skip(start int64) (more bool, err error) {
	if s.end > start {
		s.seek(s.end)
		_, err := s.r.Peek(1)
		return err == nil, ignoreEOF(err)
	}
	s.seek(start)
	for {
		b, err := s.r.Peek(1)
		if err != nil || b[0] != 0 {
			return err == nil && s.at > start, ignoreEOF(err)
		}
		b, err = s.r.Peek(max(s.r.Buffered(), 1))
		if err != nil {
			return false, partial.Cause(err)
		}
		n := len(b) - len(bytes.TrimLeft(b, "\x00"))
		if _, err := s.r.Discard(n); err != nil {
			return false, partial.Cause(err)
		}
		s.at += int64(n)
	}
}

func ignoreEOF(err error) error {
	if err == io.EOF {
		return nil
	}
	return partial.Cause(err)
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
