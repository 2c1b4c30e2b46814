package tiff_test

import (
	"encoding/binary"
	"slices"

	"github.com/omnizarr/zarr/format/tiff/tag"
)

// picture is a directory of a file that a test makes, with its tiles.
type picture struct {
	fields []tag.Field // little-endian; those of tables are added
	tiles  [][]byte    // nil is a tile that is not stored
	tiled  bool
	subs   []*picture
}

// gray is a picture of width x height bytes in one strip, which are first and
// then one more each.
func gray(width, height int, first byte, more ...tag.Field) *picture {
	data := make([]byte, width*height)
	for i := range data {
		data[i] = first + byte(i)
	}
	return &picture{fields: append(size(width, height, 8), more...), tiles: [][]byte{data}}
}

// size gives the tags of an image in one strip.
func size(width, height, bits int) []tag.Field {
	return []tag.Field{
		tag.Longs(tag.ImageWidth, uint32(width)), tag.Longs(tag.ImageLength, uint32(height)),
		tag.Shorts(tag.BitsPerSample, uint16(bits)), tag.Shorts(tag.Photometric, 1),
	}
}

// with adds tags; those that are there already are replaced.
func (p *picture) with(more ...tag.Field) *picture {
	p.fields = slices.DeleteFunc(p.fields, func(f tag.Field) bool {
		return slices.ContainsFunc(more, func(m tag.Field) bool { return m.ID == f.ID })
	})
	p.fields = append(p.fields, more...)
	return p
}

// without takes tags away, those of tables too.
func (p *picture) without(ids ...tag.ID) *picture {
	for _, id := range ids {
		p.with(tag.Field{ID: id})
	}
	return p
}

// builder makes TIFF files: for every picture its data, its SubIFDs, values and
// the directory.
type builder struct {
	order interface {
		binary.ByteOrder
		binary.AppendByteOrder
	}
	big bool
	out []byte
}

func little() *builder { return &builder{order: binary.LittleEndian} }

// builders gives one for every form of file.
func builders() map[string]*builder {
	return map[string]*builder{
		"classic, little-endian": little(),
		"classic, big-endian":    {order: binary.BigEndian},
		"BigTIFF, little-endian": {order: binary.LittleEndian, big: true},
		"BigTIFF, big-endian":    {order: binary.BigEndian, big: true},
	}
}

func (b *builder) offset(v int) []byte {
	if b.big {
		return b.order.AppendUint64(nil, uint64(v))
	}
	return b.order.AppendUint32(nil, uint32(v))
}

// file makes a file.
func (b *builder) file(pictures ...*picture) []byte {
	b.out = []byte("II")
	if b.order.String() == "BigEndian" {
		b.out = []byte("MM")
	}
	if b.big {
		b.out = b.order.AppendUint16(b.order.AppendUint16(b.order.AppendUint16(b.out, 43), 8), 0)
	} else {
		b.out = b.order.AppendUint16(b.out, 42)
	}
	link := len(b.out)
	b.out = append(b.out, b.offset(0)...)
	for _, p := range pictures {
		at, next := b.add(p)
		copy(b.out[link:], b.offset(at))
		link = next
	}
	return b.out
}

// add adds a picture, and tells where its directory is and where in it the offset
// of the next one is.
func (b *builder) add(p *picture) (at, next int) {
	var offsets, counts []uint32
	for _, t := range p.tiles {
		if t == nil {
			offsets, counts = append(offsets, 0), append(counts, 0)
			continue
		}
		offsets, counts = append(offsets, uint32(len(b.out))), append(counts, uint32(len(t)))
		b.out = append(b.out, t...)
	}
	ids := []tag.ID{tag.StripOffsets, tag.StripByteCounts}
	if p.tiled {
		ids = []tag.ID{tag.TileOffsets, tag.TileByteCounts}
	}
	all := []tag.Field{tag.Longs(ids[0], offsets...), tag.Longs(ids[1], counts...)}
	var subs []uint32
	for _, s := range p.subs {
		at, _ := b.add(s)
		subs = append(subs, uint32(at))
	}
	if subs != nil {
		all = append(all, tag.Longs(tag.SubIFDs, subs...))
	}
	all = slices.DeleteFunc(all, func(f tag.Field) bool {
		return slices.ContainsFunc(p.fields, func(own tag.Field) bool { return own.ID == f.ID })
	})
	all = append(all, p.fields...)
	all = slices.DeleteFunc(all, func(f tag.Field) bool { return f.Type == 0 })
	slices.SortStableFunc(all, func(x, y tag.Field) int { return int(x.ID) - int(y.ID) })
	return b.directory(all)
}

// directory writes values and a directory.
func (b *builder) directory(all []tag.Field) (at, next int) {
	var entries []byte
	for _, f := range all {
		raw := b.raw(f)
		entries = b.order.AppendUint16(entries, uint16(f.ID))
		entries = b.order.AppendUint16(entries, uint16(f.Type))
		entries = append(entries, b.offset(len(f.Raw)/max(1, f.Type.Size()))...)
		room := len(b.offset(0))
		if len(raw) <= room {
			entries = append(entries, append(raw, make([]byte, room-len(raw))...)...)
			continue
		}
		entries = append(entries, b.offset(len(b.out))...)
		b.out = append(b.out, raw...)
	}
	at = len(b.out)
	if b.big {
		b.out = b.order.AppendUint64(b.out, uint64(len(all)))
	} else {
		b.out = b.order.AppendUint16(b.out, uint16(len(all)))
	}
	b.out = append(b.out, entries...)
	next = len(b.out)
	b.out = append(b.out, b.offset(0)...)
	return at, next
}

// raw gives the values of a field in the byte order of the file.
func (b *builder) raw(f tag.Field) []byte {
	raw := slices.Clone(f.Raw)
	size := f.Type.Size()
	if f.Type == tag.Rational || f.Type == tag.SRational {
		size = 4
	}
	if b.order.String() == "BigEndian" && size > 1 {
		for i := 0; i+size <= len(raw); i += size {
			slices.Reverse(raw[i : i+size])
		}
	}
	return raw
}

// chain makes a file of n pages of one strip, all of one kind, whose directories
// follow each other, or have the data of a page before them.
func chain(n, bytes int, between bool) []byte {
	le := binary.LittleEndian
	const dir = 2 + 8*12 + 4
	out := append(make([]byte, 0, 8+n*(dir+bytes)), 'I', 'I', 42, 0)
	data := 8
	step := dir
	if between {
		step = dir + bytes
	} else {
		data += n * dir
	}
	first := 8
	if between {
		first += bytes
	}
	out = le.AppendUint32(out, uint32(first))
	for i := range n {
		if between {
			data = len(out)
			out = append(out, make([]byte, bytes)...)
			out[len(out)-1] = byte(i)
		}
		out = le.AppendUint16(out, 8)
		for _, e := range [][3]uint32{{256, 4, uint32(bytes)}, {257, 4, 1}, {258, 3, 8}, {259, 3, 1}, {262, 3, 1}, {273, 4, uint32(data)}, {278, 4, 1}, {279, 4, uint32(bytes)}} {
			out = le.AppendUint16(out, uint16(e[0]))
			out = le.AppendUint16(out, uint16(e[1]))
			out = le.AppendUint32(le.AppendUint32(out, 1), e[2])
		}
		if i == n-1 {
			out = le.AppendUint32(out, 0)
		} else {
			out = le.AppendUint32(out, uint32(first+(i+1)*step))
		}
		data += bytes
	}
	if !between {
		for i := range n {
			out = append(out, make([]byte, bytes)...)
			out[len(out)-1] = byte(i)
		}
	}
	return out
}
