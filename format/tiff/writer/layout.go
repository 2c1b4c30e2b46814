package writer

import (
	"encoding/binary"

	"github.com/omnizarr/zarr/format/tiff/tag"
)

// layout is where directories lie in a file.
type layout struct {
	big        bool
	start, end uint64 // from the first directory to the end of the last array
}

// entry is a field in a directory. The writer's own fields have no value until
// everything has its place.
type entry struct {
	id    tag.ID
	typ   tag.Type
	count int
	raw   []byte
	at    uint64 // of the values, 0: they are inside the entry
}

func (e *entry) size() uint64 { return uint64(e.count) * uint64(e.typ.Size()) }

// own tells whether the values come from the writer.
func (e *entry) own() bool { return e.raw == nil }

// isArray tells whether an entry is one of the two that have a value for every
// tile. These lie together behind all directories, so that all else is read at
// once.
func (e *entry) isArray() bool { return e.own() && e.id != tag.SubIFDs }

// numbers are the sizes that differ between the two kinds of file.
type numbers struct{ offset, count, entry, align uint64 }

func (l layout) numbers() numbers {
	if l.big {
		return numbers{offset: 8, count: 8, entry: 20, align: 8}
	}
	return numbers{offset: 4, count: 2, entry: 12, align: 2}
}

func align(n, to uint64) uint64 { return (n + to - 1) / to * to }

// place gives directories, values and arrays their places from start on.
func (w *Writer) place(big bool, start uint64) layout {
	l := layout{big: big}
	n := l.numbers()
	l.start = align(start, n.align)
	at := l.start
	put := func(e *entry) {
		if e.size() <= n.offset {
			e.at = 0
			return
		}
		e.at = align(at, n.align)
		at = e.at + e.size()
	}
	for _, d := range w.order {
		d.list(big)
		d.at = align(at, n.align)
		at = d.at + n.count + uint64(len(d.entries))*n.entry + n.offset
		for i := range d.entries {
			if e := &d.entries[i]; !e.isArray() {
				put(e)
			}
		}
	}
	for _, d := range w.order {
		for i := range d.entries {
			if e := &d.entries[i]; e.isArray() {
				put(e)
			}
		}
	}
	l.end = at
	return l
}

// list makes the entries in the order of their tags.
func (d *directory) list(big bool) {
	offset, ifd := tag.Long, tag.IFD
	if big {
		offset, ifd = tag.Long8, tag.IFD8
	}
	own := []entry{{id: tag.TileOffsets, typ: offset, count: len(d.offsets)}, {id: tag.TileByteCounts, typ: tag.Long, count: len(d.counts)}}
	if d.strips {
		own[0].id, own[1].id = tag.StripOffsets, tag.StripByteCounts
	}
	if len(d.levels) > 0 {
		own = append(own, entry{id: tag.SubIFDs, typ: ifd, count: len(d.levels)})
	}
	d.entries = d.entries[:0]
	for _, f := range d.fields {
		for len(own) > 0 && own[0].id < f.ID {
			d.entries, own = append(d.entries, own[0]), own[1:]
		}
		d.entries = append(d.entries, entry{id: f.ID, typ: f.Type, count: f.Len(), raw: f.Raw})
	}
	d.entries = append(d.entries, own...)
}

var le = binary.LittleEndian

// appendOffset appends a place in the file.
func (l layout) appendOffset(dst []byte, v uint64) []byte {
	if l.big {
		return le.AppendUint64(dst, v)
	}
	return le.AppendUint32(dst, uint32(v))
}

// appendHeader appends what a file begins with.
func appendHeader(dst []byte, l layout) []byte {
	if l.big {
		dst = append(dst, 'I', 'I', 43, 0, 8, 0, 0, 0)
	} else {
		dst = append(dst, 'I', 'I', 42, 0)
	}
	return l.appendOffset(dst, l.start)
}

// directories is what lies between start and end of l.
func (w *Writer) directories(l layout) []byte {
	dst := make([]byte, 0, l.end-l.start)
	fill := func(to uint64) {
		for l.start+uint64(len(dst)) < to {
			dst = append(dst, 0)
		}
	}
	for _, d := range w.order {
		fill(d.at)
		dst = d.appendTo(dst, l, w.opt.COG)
		for i := range d.entries {
			if e := &d.entries[i]; e.at > 0 && !e.isArray() {
				fill(e.at)
				dst = d.appendValues(dst, e, l, w.opt.COG)
			}
		}
	}
	for _, d := range w.order {
		for i := range d.entries {
			if e := &d.entries[i]; e.at > 0 && e.isArray() {
				fill(e.at)
				dst = d.appendValues(dst, e, l, w.opt.COG)
			}
		}
	}
	return dst
}

// appendTo appends the directory itself.
func (d *directory) appendTo(dst []byte, l layout, cog bool) []byte {
	n := l.numbers()
	if l.big {
		dst = le.AppendUint64(dst, uint64(len(d.entries)))
	} else {
		dst = le.AppendUint16(dst, uint16(len(d.entries)))
	}
	for i := range d.entries {
		e := &d.entries[i]
		dst = le.AppendUint16(dst, uint16(e.id))
		dst = le.AppendUint16(dst, uint16(e.typ))
		dst = l.appendOffset(dst, uint64(e.count)) // counts are as wide as offsets
		if e.at > 0 {
			dst = l.appendOffset(dst, e.at)
			continue
		}
		full := len(dst) + int(n.offset)
		dst = d.appendValues(dst, e, l, cog)
		for len(dst) < full {
			dst = append(dst, 0)
		}
	}
	next := uint64(0)
	if d.next != nil {
		next = d.next.at
	}
	return l.appendOffset(dst, next)
}

// appendValues appends the values of a field.
func (d *directory) appendValues(dst []byte, e *entry, l layout, cog bool) []byte {
	switch {
	case !e.own():
		return append(dst, e.raw...)
	case e.id == tag.SubIFDs:
		for _, level := range d.levels {
			dst = l.appendOffset(dst, level.at)
		}
	case e.id == tag.TileByteCounts || e.id == tag.StripByteCounts:
		for _, n := range d.counts {
			dst = le.AppendUint32(dst, n)
		}
	case cog:
		at := d.data
		for _, n := range d.counts {
			if n == 0 {
				dst = l.appendOffset(dst, 0)
				continue
			}
			dst = l.appendOffset(dst, at+leaderSize)
			at += uint64(n) + blockExtra
		}
	default:
		for _, at := range d.offsets {
			dst = l.appendOffset(dst, at)
		}
	}
	return dst
}
