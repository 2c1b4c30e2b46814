package tiff

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/omnizarr/zarr/format/tiff/tag"
)

// form is how numbers stand in a file: in which byte order, and how wide.
type form struct {
	order binary.ByteOrder
	big   bool // BigTIFF
}

// countSize, entrySize and offsetSize are the parts of a directory: how many
// entries it has, each of them, and where the next directory is.
func (f form) countSize() int  { return pick(f.big, 8, 2) }
func (f form) entrySize() int  { return pick(f.big, 20, 12) }
func (f form) offsetSize() int { return pick(f.big, 8, 4) }

func pick(big bool, yes, no int) int {
	if big {
		return yes
	}
	return no
}

// offset reads an offset.
func (f form) offset(b []byte) uint64 {
	if f.big {
		return f.order.Uint64(b)
	}
	return uint64(f.order.Uint32(b))
}

// readHeader reads the header of a file and where its first directory is.
func readHeader(head []byte) (f form, first uint64, err error) {
	if len(head) < 8 {
		return f, 0, fmt.Errorf("truncated header: %d bytes, at least 8 are needed", len(head))
	}
	switch string(head[:2]) {
	case "II":
		f.order = binary.LittleEndian
	case "MM":
		f.order = binary.BigEndian
	default:
		return f, 0, fmt.Errorf("not a TIFF file: the header begins with %q", head[:4])
	}
	switch version := f.order.Uint16(head[2:]); version {
	case 42:
		first = uint64(f.order.Uint32(head[4:]))
	case 43:
		f.big = true
		if size, zero := f.order.Uint16(head[4:]), f.order.Uint16(head[6:]); size != 8 || zero != 0 {
			return f, 0, fmt.Errorf("header of BigTIFF: offset size %d and constant %d, must be 8 and 0", size, zero)
		}
		if len(head) < 16 {
			return f, 0, fmt.Errorf("truncated header: %d bytes, BigTIFF has 16", len(head))
		}
		first = f.order.Uint64(head[8:])
	default:
		return f, 0, fmt.Errorf("not a TIFF file: the header has version %d, must be 42 or 43", version)
	}
	if first == 0 {
		return f, 0, errors.New("no directory: the offset of the first IFD is 0")
	}
	return f, first, nil
}

// IsTIFF reports whether a file that begins with these bytes is a TIFF file.
func IsTIFF(head []byte) bool {
	if len(head) < 4 {
		return false
	}
	switch string(head[:4]) {
	case "II*\x00", "MM\x00*", "II+\x00", "MM\x00+":
		return true
	}
	return false
}

// entry is one tag of a directory.
type entry struct {
	id     tag.ID
	typ    tag.Type
	inline bool // the values are in the directory itself
	count  uint64
	at     uint64  // of the values in the file
	value  [8]byte // the values, if they are inline
}

// bytes is how many bytes the values take; ok is false if there is no such type,
// or too many.
func (e *entry) bytes() (n uint64, ok bool) { return tableBytes(e.typ, e.count) }

func tableBytes(t tag.Type, count uint64) (uint64, bool) {
	n := uint64(t.Size())
	if n == 0 || count > (1<<63)/n {
		return 0, false
	}
	return count * n, true
}

// field gives the values of an inline entry, which share its memory.
func (e *entry) field(f form) tag.Field {
	size, _ := e.bytes()
	return tag.Field{ID: e.id, Type: e.typ, Raw: e.value[:size], Big: f.order == binary.BigEndian}
}

// maxEntries is how many tags a directory may have. What has more is no
// directory, as other readers find too.
const maxEntries = 4096

// directory reads the directory at an offset: its entries, in the memory that is
// given if there is room, and the offset of the next directory.
func (s *source) directory(ctx context.Context, f form, off uint64, entries []entry) ([]entry, uint64, error) {
	entries, next, err := s.readDirectory(ctx, f, off, entries[:0])
	if err != nil {
		return nil, 0, fmt.Errorf("IFD at offset %d: %w", off, err)
	}
	return entries, next, nil
}

func (s *source) readDirectory(ctx context.Context, f form, off uint64, entries []entry) ([]entry, uint64, error) {
	b, err := s.read(ctx, off, f.countSize())
	if err != nil {
		return nil, 0, err
	}
	n := uint64(f.order.Uint16(b))
	if f.big {
		n = f.order.Uint64(b)
	}
	if n == 0 || n > maxEntries {
		return nil, 0, fmt.Errorf("it has %d entries, must be from 1 to %d", n, maxEntries)
	}
	at := off + uint64(f.countSize())
	table := int(n) * f.entrySize()
	if err := s.spend(table); err != nil {
		return nil, 0, err
	}
	b, err = s.read(ctx, at, table+f.offsetSize())
	if err != nil && ctx.Err() == nil && (s.size == math.MaxInt64 || !s.fits(at, uint64(table+f.offsetSize()))) {
		b, err = s.read(ctx, at, table) // some writers leave out the offset behind the last directory
	}
	if err != nil {
		return nil, 0, fmt.Errorf("its %d entries: %w", n, err)
	}
	var next uint64
	if len(b) > table {
		next = f.offset(b[table:])
	}
	for i := range int(n) {
		e := b[i*f.entrySize():][:f.entrySize()]
		x := entry{id: tag.ID(f.order.Uint16(e)), typ: tag.Type(f.order.Uint16(e[2:])), count: f.offset(e[4:])}
		value := e[len(e)-f.offsetSize():]
		if size, ok := x.bytes(); ok && size <= uint64(len(value)) {
			x.inline = true
			copy(x.value[:], value)
			x.at = at + uint64((i+1)*f.entrySize()-len(value))
		} else {
			x.at = f.offset(value)
		}
		entries = append(entries, x)
	}
	return entries, next, nil
}

// field reads the values of an entry, at most limit bytes, into memory of their
// own.
func (s *source) field(ctx context.Context, f form, e *entry, limit int) (tag.Field, error) {
	size, ok := e.bytes()
	switch {
	case !ok && e.typ.Size() == 0:
		return tag.Field{}, fmt.Errorf("tag %d (%v) has field type %d, which does not exist", e.id, e.id, e.typ)
	case !ok || !s.fits(e.at, size):
		return tag.Field{}, fmt.Errorf("tag %d (%v): count %d at offset %d is beyond the end of the file, which has %d bytes", e.id, e.id, e.count, e.at, s.size)
	case size > uint64(limit):
		return tag.Field{}, fmt.Errorf("tag %d (%v): count %d is %d bytes, at most %d are read", e.id, e.id, e.count, size, limit)
	}
	x := tag.Field{ID: e.id, Type: e.typ, Big: f.order == binary.BigEndian}
	if e.inline {
		x.Raw = append(x.Raw, e.value[:size]...)
		return x, nil
	}
	err := s.spend(int(size))
	if err == nil {
		x.Raw, err = s.read(ctx, e.at, int(size))
	}
	if err != nil {
		return tag.Field{}, fmt.Errorf("tag %d (%v): %w", e.id, e.id, err)
	}
	if size <= mostRead {
		x.Raw = append([]byte(nil), x.Raw...)
	}
	return x, nil
}
