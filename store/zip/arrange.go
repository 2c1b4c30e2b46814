package zip

import (
	"bufio"
	"errors"
	"io"
	"syscall"

	"github.com/omnizarr/zarr/internal/partial"
)

// arrange puts the entries in the order of their keys into another file, unless they lie so
// already: they came as they were made, with what was replaced or left by an interruption
// between them, and the same content is to be the same archive. Where there is no room for
// two, the archive is as whole as it was, only not in order.
func (s *Store) arrange(w *writer, keys []string) error {
	if s.inOrder(w, keys) {
		return nil
	}
	side, err := w.file.Side(partial.Whole)
	if err != nil {
		return noRoom(err)
	}
	placed := make([]*entry, len(keys))
	err = side.Truncate(0)
	out := bufio.NewWriterSize(io.NewOffsetWriter(side, 0), 1<<20)
	end := int64(0)
	for i := 0; i < len(keys) && err == nil; i++ {
		old := s.entries[keys[i]]
		e := &entry{csize: old.csize, size: old.size, crc: old.crc, method: old.method, encrypted: old.encrypted, fresh: true, header: end}
		header := appendLocal(nil, e, keys[i])
		if _, err = out.Write(header); err == nil {
			_, err = io.CopyN(out, io.NewSectionReader(w.file, old.dataOffset.Load(), old.csize), old.csize)
		}
		end += int64(len(header)) + e.csize
		placed[i] = e
	}
	if err == nil {
		err = out.Flush()
	}
	if err != nil {
		return errors.Join(noRoom(err), side.Remove())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, key := range keys {
		s.entries[key] = placed[i]
	}
	w.whole = side
	w.end.Store(end)
	return nil
}

// noRoom passes on what is worse than a full disk.
func noRoom(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return nil
	}
	return err
}

// inOrder reports whether the file holds the entries in the order of their keys, and nothing
// else.
func (s *Store) inOrder(w *writer, keys []string) bool {
	end := int64(0)
	for _, key := range keys {
		e := s.entries[key]
		if e.header != end {
			return false
		}
		end = e.dataOffset.Load() + e.csize
	}
	return end == w.end.Load()
}
