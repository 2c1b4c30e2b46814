package zip

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/omnizarr/zarr/store"
)

// Signatures and sizes of the records, as APPNOTE.TXT has them.
const (
	localSig     = 0x04034b50
	centralSig   = 0x02014b50
	endSig       = 0x06054b50
	end64Sig     = 0x06064b50
	locator64Sig = 0x07064b50

	localSize     = 30
	centralSize   = 46
	endSize       = 22
	end64Size     = 56
	locator64Size = 20

	extra64 = 1 // the id of the extra field with 64-bit sizes
)

// maxDirectory bounds the memory that a directory may take.
const maxDirectory = 512 << 20

// Ways of compression.
const (
	stored   = 0
	deflated = 8
)

// entry is what the directory says of a value.
type entry struct {
	header     int64 // where its local header is
	csize      int64 // as it is in the archive
	size       int64
	crc        uint32
	method     uint16
	encrypted  bool
	fresh      bool         // in the file that is being written
	dataOffset atomic.Int64 // 0 until the local header was read
}

func (e *entry) info() store.Info {
	var buf [64]byte
	b := append(buf[:0], 'z')
	if e.fresh {
		b[0] = 'n'
	}
	for _, v := range []int64{int64(e.crc), e.size, e.header} {
		b = append(strconv.AppendInt(b, v, 36), '-')
	}
	return store.Info{Size: e.size, ETag: string(b[:len(b)-1])}
}

// invalid makes an ErrFormat that says why.
func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrFormat, fmt.Sprintf(format, args...))
}

// readDirectory finds the directory at the end of the archive and reads it. It
// also gives where the directory starts and so the entries end.
func readDirectory(ctx context.Context, obj store.Object) (entries map[string]*entry, limit int64, err error) {
	// The last record and its comment have at most 64 KiB and 22 bytes.
	tail, info, err := obj.Get(ctx, store.Suffix(endSize+math.MaxUint16+locator64Size+end64Size), nil)
	if err != nil {
		return nil, 0, err
	}
	if info.Size < int64(len(tail)) {
		return nil, 0, errors.New("the size of the archive is not known")
	}
	a := archive{ctx, obj, info.Size, info.Size - int64(len(tail)), tail}
	d, err := a.findDirectory()
	if err != nil {
		return nil, 0, err
	}
	if d.size > maxDirectory {
		return nil, 0, invalid("its directory has %d bytes, at most %d are read", d.size, maxDirectory)
	}
	if d.size < 0 || d.offset < 0 || d.end > a.size || d.size > d.end || d.offset > d.end-d.size {
		return nil, 0, invalid("its directory lies outside of it")
	}
	// Where something was put before the archive all offsets are too small,
	// unless whoever put it there has adjusted them.
	base := d.end - d.size - d.offset
	if base != 0 {
		if b, err := a.read(d.offset, d.size); err == nil && d.size >= 4 && binary.LittleEndian.Uint32(b) == centralSig {
			if entries, err := parseDirectory(b, d.count, 0, d.offset); err == nil {
				return entries, d.offset, nil
			}
		}
	}
	b, err := a.read(d.end-d.size, d.size)
	if err != nil {
		return nil, 0, err
	}
	limit = d.end - d.size
	entries, err = parseDirectory(b, d.count, base, limit)
	return entries, limit, err
}

// archive is an archive of which the end has been read.
type archive struct {
	ctx   context.Context
	obj   store.Object
	size  int64
	start int64 // of tail
	tail  []byte
}

// read gives a part of the archive, which lies inside it.
func (a *archive) read(off, n int64) ([]byte, error) {
	if off < 0 || n < 0 || off > a.size || n > a.size-off {
		return nil, invalid("a record lies outside of it")
	}
	if off >= a.start {
		return a.tail[off-a.start:][:n], nil
	}
	b, _, err := a.obj.Get(a.ctx, store.Part(off, n), nil)
	return b, err
}

// place says where the directory is.
type place struct {
	offset, size int64
	end          int64 // where the record after the directory is
	count        uint64
}

// findDirectory looks for the last record backwards from the end.
func (a *archive) findDirectory() (place, error) {
	t := a.tail
	for i := len(t) - endSize; i >= 0; i-- {
		if t[i] != 'P' || binary.LittleEndian.Uint32(t[i:]) != endSig {
			continue
		}
		if int(binary.LittleEndian.Uint16(t[i+20:])) > len(t)-endSize-i {
			continue // its comment would end behind the archive
		}
		return a.place(i)
	}
	return place{}, invalid("it has no directory at its end")
}

func (a *archive) place(i int) (place, error) {
	end := a.tail[i:]
	p := place{
		count:  uint64(binary.LittleEndian.Uint16(end[10:])),
		size:   int64(binary.LittleEndian.Uint32(end[12:])),
		offset: int64(binary.LittleEndian.Uint32(end[16:])),
		end:    a.start + int64(i),
	}
	if p.count != math.MaxUint16 && p.size != math.MaxUint32 && p.offset != math.MaxUint32 {
		return p, nil
	}
	at := p.end - locator64Size
	if at < 0 {
		return p, nil
	}
	loc, err := a.read(at, locator64Size)
	if err != nil {
		return p, err
	}
	if binary.LittleEndian.Uint32(loc) != locator64Sig {
		return p, nil // just that large
	}
	where := binary.LittleEndian.Uint64(loc[8:])
	if where > uint64(at) {
		return p, invalid("its zip64 record lies outside of it")
	}
	for _, off := range []int64{int64(where), at - end64Size} {
		b, err := a.read(off, end64Size)
		if errors.Is(err, ErrFormat) {
			continue
		}
		if err != nil {
			return p, err
		}
		if binary.LittleEndian.Uint32(b) != end64Sig {
			continue
		}
		p.count = binary.LittleEndian.Uint64(b[32:])
		p.size = int64(binary.LittleEndian.Uint64(b[40:]))
		p.offset = int64(binary.LittleEndian.Uint64(b[48:]))
		p.end = off
		return p, nil
	}
	return p, invalid("its zip64 record is missing")
}

// parseDirectory reads the records in b. Offsets in them count from base, and
// entries lie before limit.
func parseDirectory(b []byte, declared uint64, base, limit int64) (map[string]*entry, error) {
	count, names := 0, 0
	for rest := b; len(rest) > 0; count++ {
		n, err := recordSize(rest)
		if err != nil {
			return nil, err
		}
		names += int(binary.LittleEndian.Uint16(rest[28:]))
		rest = rest[n:]
	}
	// Writers that do not know zip64 count to 65535 and start again.
	if uint16(count) != uint16(declared) {
		return nil, invalid("its directory has %d entries and declares %d", count, declared)
	}
	slab := make([]entry, count)
	entries := make(map[string]*entry, count)
	var text strings.Builder
	text.Grow(names)
	for i := range slab {
		n, _ := recordSize(b)
		nameLen := int(binary.LittleEndian.Uint16(b[28:]))
		start := text.Len()
		text.Write(b[centralSize : centralSize+nameLen])
		name := text.String()[start:]
		if usable(name, b) {
			if err := slab[i].parse(b[:n], base, limit); err != nil {
				return nil, fmt.Errorf("entry %q: %w", name, err)
			}
			entries[name] = &slab[i]
		}
		b = b[n:]
	}
	return entries, nil
}

// recordSize gives the size of the directory record at the start of b.
func recordSize(b []byte) (int, error) {
	if len(b) < centralSize || binary.LittleEndian.Uint32(b) != centralSig {
		return 0, invalid("its directory is damaged")
	}
	n := centralSize + int(binary.LittleEndian.Uint16(b[28:])) +
		int(binary.LittleEndian.Uint16(b[30:])) + int(binary.LittleEndian.Uint16(b[32:]))
	if n > len(b) {
		return 0, invalid("its directory is cut off")
	}
	return n, nil
}

// usable reports whether the entry is a value with a valid key. Folders are
// not, nor symbolic links.
func usable(name string, record []byte) bool {
	const unix, typeBits, link = 3, 0o170000, 0o120000
	mode := binary.LittleEndian.Uint32(record[38:]) >> 16
	return validName(name) && !(record[5] == unix && mode&typeBits == link)
}

// validName reports whether an entry may have that name: a key, not too long,
// and nothing that Windows would take for an absolute path.
func validName(name string) bool {
	if len(name) > math.MaxUint16 || store.CheckKey(name) != nil {
		return false
	}
	c := name[0] | 0x20
	return !(len(name) > 1 && name[1] == ':' && 'a' <= c && c <= 'z')
}

// parse reads one record, which is whole.
func (e *entry) parse(b []byte, base, limit int64) error {
	e.encrypted = binary.LittleEndian.Uint16(b[8:])&1 != 0
	e.method = binary.LittleEndian.Uint16(b[10:])
	e.crc = binary.LittleEndian.Uint32(b[16:])
	nameLen := int(binary.LittleEndian.Uint16(b[28:]))
	csize := uint64(binary.LittleEndian.Uint32(b[20:]))
	size := uint64(binary.LittleEndian.Uint32(b[24:]))
	header := uint64(binary.LittleEndian.Uint32(b[42:]))
	extra := b[centralSize+nameLen:][:binary.LittleEndian.Uint16(b[30:])]
	large := field(extra, extra64)
	for _, v := range []*uint64{&size, &csize, &header} {
		if *v != math.MaxUint32 {
			continue
		}
		if len(large) < 8 {
			break // just that large, or the check below finds it
		}
		*v = binary.LittleEndian.Uint64(large)
		large = large[8:]
	}
	if size > math.MaxInt64 || csize > uint64(limit) || header > uint64(limit) ||
		base+int64(header) > limit-localSize-int64(csize) {
		return invalid("it lies outside of the archive")
	}
	e.header, e.csize, e.size = base+int64(header), int64(csize), int64(size)
	return nil
}

// field finds an extra field.
func field(extra []byte, id uint16) []byte {
	for len(extra) >= 4 {
		n := int(binary.LittleEndian.Uint16(extra[2:]))
		if n > len(extra)-4 {
			return nil
		}
		if binary.LittleEndian.Uint16(extra) == id {
			return extra[4:][:n]
		}
		extra = extra[4+n:]
	}
	return nil
}

// dataAt gives where the data of an entry is, from the local header at the
// start of b, which may be cut off behind the name.
func (e *entry) dataAt(key string, b []byte, limit int64) (int64, error) {
	if len(b) < localSize+len(key) || binary.LittleEndian.Uint32(b) != localSig {
		return 0, invalid("its header is damaged")
	}
	nameLen := int(binary.LittleEndian.Uint16(b[26:]))
	if nameLen != len(key) || !bytes.Equal(b[localSize:][:nameLen], []byte(key)) {
		return 0, invalid("its header has another name")
	}
	off := e.header + localSize + int64(nameLen) + int64(binary.LittleEndian.Uint16(b[28:]))
	if off > limit-e.csize {
		return 0, invalid("it lies outside of the archive")
	}
	return off, nil
}
