package zip

import (
	"bufio"
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"slices"

	"github.com/omnizarr/zarr/store"
)

// finish brings over the entries of the old archive that are still wanted and
// writes the directory.
func (s *Store) finish(ctx context.Context, w *writer) error {
	keys := s.keys()
	old := slices.DeleteFunc(slices.Clone(keys), func(k string) bool { return s.entries[k].fresh })
	slices.SortFunc(old, func(a, b string) int { return cmp.Compare(s.entries[a].header, s.entries[b].header) })
	var buf []byte
	for _, key := range old {
		if err := s.bring(ctx, w, key, &buf); err != nil {
			return fmt.Errorf("entry %q: %w", key, err)
		}
	}
	if w.opt.Resume {
		if err := s.arrange(w, keys); err != nil {
			return err
		}
	}
	if w.whole == nil {
		if err := s.blank(w); err != nil {
			return err
		}
	}
	start := w.end.Load()
	out := &counter{w: bufio.NewWriterSize(io.NewOffsetWriter(w.result(), start), 1<<20)}
	var record []byte
	for _, key := range keys {
		record = appendCentral(record[:0], s.entries[key], key)
		out.Write(record)
	}
	out.Write(appendEnd(record[:0], uint64(len(keys)), uint64(out.n), uint64(start)))
	return out.w.Flush() // and says what went wrong before
}

// dead is an entry of the new file that the directory does not name.
type dead struct {
	key string
	*entry
}

// maxBlank is the size up to which values that were replaced or deleted do not stay
// in the archive: they may say what is nobody else's business, such as where a copy
// came from.
const maxBlank = 1 << 20

// buries remembers an entry that is replaced or deleted, under the lock.
func (s *Store) buries(key string, e *entry) {
	if e.fresh && e.csize <= maxBlank {
		s.dead = append(s.dead, dead{key, e})
	}
}

// blank writes zeros over dead entries, which stay whole.
func (s *Store) blank(w *writer) error {
	for _, d := range s.dead {
		data := make([]byte, d.csize)
		e := &entry{csize: d.csize, size: d.csize, crc: crc32.ChecksumIEEE(data), method: stored}
		if _, err := w.file.WriteAt(append(appendLocal(nil, e, d.key), data...), d.header); err != nil {
			return err
		}
	}
	return nil
}

type counter struct {
	w *bufio.Writer
	n int64
}

func (c *counter) Write(p []byte) {
	c.n += int64(len(p))
	c.w.Write(p)
}

// bring copies an entry as it is, compressed or not.
func (s *Store) bring(ctx context.Context, w *writer, key string, buf *[]byte) error {
	old := s.entries[key]
	from, err := value{ctx, s.obj, key, old, s.limit}.data()
	if err != nil {
		return err
	}
	e := &entry{csize: old.csize, size: old.size, crc: old.crc, method: old.method, encrypted: old.encrypted, fresh: true}
	s.mu.Lock()
	s.entries[key] = e
	s.mu.Unlock()
	header, at := w.place(e, key)
	if _, err := w.file.WriteAt(header, e.header); err != nil {
		return err
	}
	for done := int64(0); done < e.csize; {
		n := min(pieceSize, e.csize-done)
		b, _, err := s.obj.Get(ctx, store.Part(from+done, n), (*buf)[:0])
		if err != nil {
			return err
		}
		*buf = b
		if _, err := w.file.WriteAt(b, at+done); err != nil {
			return err
		}
		done += n
	}
	return nil
}

// The fields that all headers share.
const (
	version   = 20        // that it takes to read the archive
	version64 = 45        // the same with zip64
	creator   = 3<<8 | 45 // Unix
	mode      = 0o100644  // a plain file
	dosDate   = 1<<5 | 1  // 1980-01-01: the same content gives the same archive
	utf8Flag  = 1 << 11   // the name is UTF-8
	max32     = math.MaxUint32
	max16     = math.MaxUint16
)

// appendShared adds what local headers and directory records have in common:
// from the version needed to the length of the extra field.
func appendShared(b []byte, e *entry, csize, size int64, key string, extra int) []byte {
	le := binary.LittleEndian
	need, flags := uint16(version), uint16(utf8Flag)
	if extra > 0 {
		need = version64
	}
	if e.encrypted {
		flags |= 1
	}
	b = le.AppendUint16(b, need)
	b = le.AppendUint16(b, flags)
	b = le.AppendUint16(b, e.method)
	b = le.AppendUint16(b, 0) // time of day
	b = le.AppendUint16(b, dosDate)
	b = le.AppendUint32(b, e.crc)
	b = le.AppendUint32(b, uint32(min(csize, max32)))
	b = le.AppendUint32(b, uint32(min(size, max32)))
	b = le.AppendUint16(b, uint16(len(key)))
	return le.AppendUint16(b, uint16(extra))
}

// appendLocal adds the header that stands before the data. A large entry has
// both sizes in the extra field, even if one is small.
func appendLocal(b []byte, e *entry, key string) []byte {
	le := binary.LittleEndian
	large := e.csize >= max32 || e.size >= max32
	extra, csize, size := 0, e.csize, e.size
	if large {
		extra, csize, size = 20, max32, max32
	}
	b = le.AppendUint32(b, localSig)
	b = appendShared(b, e, csize, size, key, extra)
	b = append(b, key...)
	if large {
		b = le.AppendUint16(b, extra64)
		b = le.AppendUint16(b, 16)
		b = le.AppendUint64(b, uint64(e.size))
		b = le.AppendUint64(b, uint64(e.csize))
	}
	return b
}

// appendCentral adds a record of the directory.
func appendCentral(b []byte, e *entry, key string) []byte {
	le := binary.LittleEndian
	var big []uint64
	for _, v := range []int64{e.size, e.csize, e.header} {
		if v >= max32 {
			big = append(big, uint64(v))
		}
	}
	extra := 0
	if len(big) > 0 {
		extra = 4 + 8*len(big)
	}
	b = le.AppendUint32(b, centralSig)
	b = le.AppendUint16(b, creator)
	b = appendShared(b, e, e.csize, e.size, key, extra)
	b = le.AppendUint16(b, 0) // comment
	b = le.AppendUint16(b, 0) // disk
	b = le.AppendUint16(b, 0) // internal attributes
	b = le.AppendUint32(b, mode<<16)
	b = le.AppendUint32(b, uint32(min(e.header, max32)))
	b = append(b, key...)
	if extra > 0 {
		b = le.AppendUint16(b, extra64)
		b = le.AppendUint16(b, uint16(extra-4))
		for _, v := range big {
			b = le.AppendUint64(b, v)
		}
	}
	return b
}

// appendEnd adds what follows the directory of that size and offset.
func appendEnd(b []byte, count, size, offset uint64) []byte {
	le := binary.LittleEndian
	if count >= max16 || size >= max32 || offset >= max32 {
		b = le.AppendUint32(b, end64Sig)
		b = le.AppendUint64(b, end64Size-12) // what follows here
		b = le.AppendUint16(b, creator)
		b = le.AppendUint16(b, version64)
		b = le.AppendUint32(b, 0) // disks
		b = le.AppendUint32(b, 0)
		b = le.AppendUint64(b, count)
		b = le.AppendUint64(b, count)
		b = le.AppendUint64(b, size)
		b = le.AppendUint64(b, offset)
		b = le.AppendUint32(b, locator64Sig)
		b = le.AppendUint32(b, 0)
		b = le.AppendUint64(b, offset+size)
		b = le.AppendUint32(b, 1)
	}
	b = le.AppendUint32(b, endSig)
	b = le.AppendUint32(b, 0) // disks
	b = le.AppendUint16(b, uint16(min(count, max16)))
	b = le.AppendUint16(b, uint16(min(count, max16)))
	b = le.AppendUint32(b, uint32(min(size, max32)))
	b = le.AppendUint32(b, uint32(min(offset, max32)))
	return le.AppendUint16(b, 0) // comment
}
