package writer

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"hash/crc32"
	"io"

	"github.com/omnizarr/zarr/internal/buf"
	"github.com/omnizarr/zarr/internal/partial"
)

// tileLog remembers which tiles are in the file, so that a run which ended in the
// middle need not make them again. It begins with a line that says which file it is
// about; a record follows for each tile, in the order in which they were written.
type tileLog struct {
	file *partial.File
	at   int64
}

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
	var record [recordSize]byte
	b := le.AppendUint32(record[:0], uint32(directory))
	b = le.AppendUint32(b, uint32(index))
	b = le.AppendUint64(b, at)
	b = le.AppendUint32(b, uint32(len(tile)))
	b = le.AppendUint32(b, crc32.Checksum(tile, castagnoli))
	b = le.AppendUint32(b, crc32.Checksum(b, castagnoli))
	n, err := l.file.WriteAt(b, l.at)
	l.at += int64(n)
	return err
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
	var record [recordSize]byte
	b := buf.Get(0)
	defer b.Free()
	for {
		if _, err := io.ReadFull(records, record[:]); errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil
		} else if err != nil {
			return err
		}
		directory, index := int(le.Uint32(record[0:])), int(le.Uint32(record[4:]))
		at, size := le.Uint64(record[8:]), le.Uint32(record[16:])
		if le.Uint32(record[24:]) != crc32.Checksum(record[:24], castagnoli) || directory >= len(w.order) || index >= len(w.order[directory].counts) || w.order[directory].done[index] {
			return nil
		}
		d := w.order[directory]
		if size > 0 {
			end := at + uint64(size) + w.trailer()
			if at < dataStart+w.leader() || end < at || end > uint64(info.Size()) {
				return nil
			}
			n := int(end - at + w.leader())
			if cap(b.B) < n {
				b.B = make([]byte, n)
			}
			have := b.B[:n]
			if _, err := f.ReadAt(have, int64(at-w.leader())); err != nil {
				return err
			}
			tile := have[w.leader() : n-int(w.trailer())]
			if crc32.Checksum(tile, castagnoli) != le.Uint32(record[20:]) || w.opt.COG && !bytes.Equal(appendBlock(nil, tile), have) {
				return nil
			}
			d.offsets[index], d.counts[index] = at, size
			w.end = max(w.end, end)
		}
		d.done[index] = true
		w.resumed++
		w.log.at += recordSize
	}
}
