package writer

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"hash/crc32"
	"io"
	"slices"

	"github.com/omnizarr/zarr/internal/buf"
	"github.com/omnizarr/zarr/internal/partial"
)

// tileLog remembers which tiles are in the file, so that a run which ended in the
// middle need not make them again. It begins with a line that says which file it is
// about; a record follows for each tile, in the order in which they were written, and
// for what was kept of one, which comes behind it.
type tileLog struct {
	file *partial.File
	at   int64
	kept map[tileName]keptPart
}

// tileName names a tile.
type tileName struct{ directory, index int }

// keptPart is where in the log something lies.
type keptPart struct {
	at   int64
	size uint32
}

// isKept is set in the directory of a record of what was kept.
const isKept = 1 << 31

// recordSize is that of a record: directory, index, place, size, checksum of the tile,
// checksum of the record.
const recordSize = 4 + 4 + 8 + 4 + 4 + 4

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// heading is the first line of a log.
func heading(identity string) ([]byte, error) {
	text, err := json.Marshal(struct {
		Version int    `json:"omnizarr"`
		Copy    string `json:"copy"`
	}{1, identity})
	return append(text, '\n'), err
}

// add appends the record of a tile.
func (l *tileLog) add(directory, index int, at uint64, tile []byte) error {
	return l.write(appendRecord(make([]byte, 0, recordSize), uint32(directory), index, at, tile))
}

// keep appends what is kept of a tile, behind its record.
func (l *tileLog) keep(t tileName, data []byte) error {
	b := buf.Get(recordSize + len(data))
	defer b.Free()
	at := l.at + recordSize
	b.B = append(appendRecord(b.B, uint32(t.directory)|isKept, t.index, uint64(at), data), data...)
	err := l.write(b.B)
	if err == nil {
		l.found(t, at, len(data))
	}
	return err
}

func (l *tileLog) found(t tileName, at int64, size int) {
	if l.kept == nil {
		l.kept = map[tileName]keptPart{}
	}
	l.kept[t] = keptPart{at, uint32(size)}
}

func (l *tileLog) write(b []byte) error {
	n, err := l.file.WriteAt(b, l.at)
	l.at += int64(n)
	return err
}

func appendRecord(b []byte, directory uint32, index int, at uint64, data []byte) []byte {
	from := len(b)
	b = le.AppendUint32(b, directory)
	b = le.AppendUint32(b, uint32(index))
	b = le.AppendUint64(b, at)
	b = le.AppendUint32(b, uint32(len(data)))
	b = le.AppendUint32(b, crc32.Checksum(data, castagnoli))
	return le.AppendUint32(b, crc32.Checksum(b[from:], castagnoli))
}

// Keep stores something with a tile that is still to be written, for who takes up the file
// later. It does nothing where nobody does.
func (w *Writer) Keep(image *Image, index int, data []byte) error {
	w.open.RLock()
	defer w.open.RUnlock()
	w.mu.Lock()
	defer w.mu.Unlock()
	d := w.images[image]
	if d == nil || w.log == nil {
		return nil
	}
	err := w.log.keep(tileName{d.ordinal, index}, data)
	if err != nil && w.err == nil {
		w.err = err
	}
	return w.wrap(err)
}

// Kept appends to dst what was kept of a tile, and reports whether there is something.
func (w *Writer) Kept(image *Image, index int, dst []byte) ([]byte, bool, error) {
	w.open.RLock()
	defer w.open.RUnlock()
	w.mu.Lock()
	defer w.mu.Unlock()
	d := w.images[image]
	if d == nil || w.log == nil {
		return dst, false, nil
	}
	k, ok := w.log.kept[tileName{d.ordinal, index}]
	have := len(dst)
	dst = slices.Grow(dst, int(k.size))[:have+int(k.size)]
	_, err := w.log.file.ReadAt(dst[have:], k.at)
	return dst, ok, w.wrap(err)
}

// HasKept reports whether something was kept of a tile.
func (w *Writer) HasKept(image *Image, index int) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	d := w.images[image]
	if d == nil || w.log == nil {
		return false
	}
	_, ok := w.log.kept[tileName{d.ordinal, index}]
	return ok
}

// resume takes up what a run of the same identity left, as far as it is whole: up to
// the first tile that is not what its record says. All else is cut off.
func (w *Writer) resume(f *partial.File) error {
	head, err := heading(w.opt.Resume)
	if err != nil {
		return err
	}
	side, err := f.Side(partial.Tiles)
	if err != nil {
		return err
	}
	w.log = &tileLog{file: side, at: int64(len(head))}
	have := make([]byte, len(head))
	_, err = side.ReadAt(have, 0)
	if err == nil && bytes.Equal(have, head) {
		err = w.restore(f)
	} else if err == nil || errors.Is(err, io.EOF) {
		if info, failed := f.Stat(); failed == nil {
			w.anew = info.Size() > 0
		}
		if err = side.Truncate(0); err == nil {
			_, err = side.WriteAt(head, 0)
		}
	}
	if err == nil {
		err = side.Truncate(w.log.at)
	}
	if err != nil {
		return partial.Cause(err)
	}
	if w.end == dataStart {
		return partial.Cause(f.Truncate(0))
	}
	return partial.Cause(f.Truncate(int64(w.end)))
}

// restore enters the tiles of the log in the tables of their images.
func (w *Writer) restore(f *partial.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	records := bufio.NewReader(io.NewSectionReader(w.log.file, w.log.at, 1<<62))
	b := buf.Get(0)
	defer b.Free()
	for {
		r, err := readRecord(records)
		if err != nil || r == nil {
			return err
		}
		kept := r.directory&isKept != 0
		r.directory &^= isKept
		if r.directory >= len(w.order) || r.index >= len(w.order[r.directory].counts) {
			return nil
		}
		d := w.order[r.directory]
		if kept {
			at := w.log.at + recordSize
			if whole, err := isWhole(records, r.size, r.sum); err != nil || !whole || r.at != uint64(at) {
				return err
			}
			w.log.found(tileName{r.directory, r.index}, at, int(r.size))
			w.log.at = at + int64(r.size)
			continue
		}
		if d.done[r.index] {
			return nil
		}
		if r.size > 0 {
			end := r.at + uint64(r.size) + w.trailer()
			if r.at < dataStart+w.leader() || end < r.at || end > uint64(info.Size()) {
				return nil
			}
			n := int(end - r.at + w.leader())
			if cap(b.B) < n {
				b.B = make([]byte, n)
			}
			have := b.B[:n]
			if _, err := f.ReadAt(have, int64(r.at-w.leader())); err != nil {
				return err
			}
			tile := have[w.leader() : n-int(w.trailer())]
			if crc32.Checksum(tile, castagnoli) != r.sum || w.opt.COG && !bytes.Equal(appendBlock(nil, tile), have) {
				return nil
			}
			d.offsets[r.index], d.counts[r.index] = r.at, r.size
			w.end = max(w.end, end)
		}
		d.done[r.index] = true
		w.resumed++
		w.log.at += recordSize
	}
}

// record is what the log says of a tile, or of what was kept of it.
type record struct {
	directory, index int
	at               uint64
	size, sum        uint32
}

// readRecord reads the next record, nil if there is no whole one.
func readRecord(r io.Reader) (*record, error) {
	var b [recordSize]byte
	if _, err := io.ReadFull(r, b[:]); err != nil {
		return nil, ignoreEOF(err)
	}
	if le.Uint32(b[24:]) != crc32.Checksum(b[:24], castagnoli) {
		return nil, nil
	}
	return &record{int(le.Uint32(b[0:])), int(le.Uint32(b[4:])), le.Uint64(b[8:]), le.Uint32(b[16:]), le.Uint32(b[20:])}, nil
}

// isWhole reports whether as many bytes with a checksum come next.
func isWhole(r io.Reader, size, sum uint32) (bool, error) {
	h := crc32.New(castagnoli)
	if _, err := io.CopyN(h, r, int64(size)); err != nil {
		return false, ignoreEOF(err)
	}
	return h.Sum32() == sum, nil
}

func ignoreEOF(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return err
}
