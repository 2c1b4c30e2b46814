package hdf5

import (
	"bytes"
	"testing"

	"github.com/omnizarr/zarr/internal/fuzzlong"
)

// at makes a file of bytes that begin with no superblock.
func at(data []byte, o, l int) *File {
	f := &File{
		pages: newPages(bytes.NewReader(data), int64(len(data)), Options{Block: 512}),
		o:     Options{MaxChunk: 1 << 20, MaxRead: 1 << 20}, size: int64(len(data)), offsets: o, lengths: l,
		leafK: 4, groupK: 16, chunkK: 32, family: &family{files: map[string]*File{}, raw: map[string]Source{}},
	}
	f.shared = []sharedIndex{{kinds: 0xffff}}
	return f
}

// FuzzMessages reads bytes as each of the messages of object headers.
func FuzzMessages(f *testing.F) {
	f.Add([]byte("\x10\x08\x00\x00\x04\x00\x00\x00\x00\x00\x20\x00"))
	f.Add([]byte("\x02\x02\x01\x01\x03\x00\x00\x00\x00\x00\x00\x00\x04\x00\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff"))
	f.Add([]byte("\x36\x02\x00\x00\x0c\x00\x00\x00a\x00\x00\x10\x08\x00\x00\x04\x00\x00\x00\x00\x00\x20\x00b\x00\x04\x11\x20\x3f\x00\x08\x00\x00\x00\x00\x00\x40\x00\x34\x0b\x00\x34\xff\x03\x00\x00"))
	f.Add([]byte("\x04\x02\x01\x03\x02\x05\x06\x04\x03\x0a\x00\x00\x00\x00\x00\x00\x00\x00"))
	f.Add([]byte("\x02\x02\x02\x00\x01\x00\x01\x00\x02\x00\x00\x00\x01\x00\x01\x00\x01\x00\x04\x00\x00\x00"))
	f.Add([]byte("\x01\x18\x00\x02abc\x00\x00\x00\x00\x00\x00\x00\x00"))
	f.Add([]byte("\x02\x00\x00\x00\x03\x00\x00\x00\x01\x02\x02\x00\x00\x00\x01\x00\x01\x00\x01\x00\x02\x00\x02\x00\x01\x00\x01\x00\x02\x00"))
	fuzzlong.Fuzz(f, func(t *testing.T, b []byte) {
		for _, o := range []int{4, 8} {
			file := at(b, o, o)
			cur := func() *cursor { return &cursor{what: "message", b: b, o: o, l: o} }
			if c := cur(); parseType(c, 0) != nil && c.err == nil {
				typ := parseType(cur(), 0)
				if typ.Size < 1<<16 {
					file.Decode(typ, make([]byte, typ.Size))
					file.Decode(typ, bytes.Repeat([]byte{0x11}, typ.Size))
				}
			}
			parseSpace(cur())
			parseLink(cur())
			parseFilters(cur())
			parseFill(cur(), msgFill)
			parseFill(cur(), msgOldFill)
			parseLayout(cur())
			s := parseSelection(cur())
			if axes, ok := s.axes([]uint64{5, 7}); ok {
				for _, a := range axes {
					a.within(1, 4)
					_ = a.place(3)
				}
			}
			for kind := range 0x18 {
				m := message{kind: kind, body: b}
				file.attribute(m)
				file.symbols(m)
				file.denseLinks(m)
				file.externals(m)
				m.flags = flagShared
				file.resolve(m, "message", 0)
			}
			for kind := range 5 {
				file.Reference(&Type{Class: Reference, Kind: kind, Size: len(b)}, b)
			}
		}
	})
}

// FuzzStructures reads each kind of structure at an address of some bytes. What
// checksums say is taken for right, since nobody would guess them.
func FuzzStructures(f *testing.F) {
	defer Trust()()
	for _, sign := range []string{"OHDR\x02\x00\x20", "TREE\x00\x00\x01\x00", "SNOD\x01\x00\x01\x00", "HEAP\x00\x00\x00\x00", "GCOL\x01\x00\x00\x00\x40\x00",
		"FRHP\x00\x08\x00\x00\x00\x02\x00\x10", "FHDB\x00", "FHIB\x00", "BTHD\x00\x05\x00\x02\x00\x00\x0b\x00", "BTIN\x00\x05", "BTLF\x00\x05",
		"FAHD\x00\x00\x08\x0a\x04", "FADB\x00\x00", "EAHD\x00\x01\x10\x20\x04\x10\x04\x0a", "EAIB\x00\x00", "EASB\x00\x00", "EADB\x00\x00", "SMTB\x00\x00"} {
		f.Add(append([]byte(sign), make([]byte, 200)...), uint16(0))
	}
	fuzzlong.Fuzz(f, func(t *testing.T, b []byte, where uint16) {
		if len(b) > 64<<10 {
			return
		}
		for _, o := range []int{4, 8} {
			file := at(b, o, o)
			addr := uint64(where)
			file.header(addr)
			if x, err := file.Object(addr); err == nil {
				x.Links()
				x.Attributes()
				if d, err := x.Dataset(); err == nil {
					fuzzDataset(d)
				}
			}
			if h, err := file.openHeap(addr); err == nil {
				for kind := range 4 {
					h.object([]byte{byte(kind << 4), 1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0})
					h.object([]byte{byte(kind << 4), 30, 0, 0, 0, 5, 0, 0})
				}
			}
			for _, kind := range []int{1, 2, 5, 8, 10, 11} {
				file.records(addr, kind, func(r *cursor) error { r.addr(); return r.err })
			}
			file.localHeap(addr)
			file.collection(addr)
			file.heapObject(addr, 1)
			file.mappings(heapID{at: addr, index: 1}, 2)
			file.readSharedTable(addr, 2)
			for index := IndexBTree1; index <= IndexBTree2; index++ {
				for _, most := range [][]uint64{nil, {Unlimited, 40}, {30, Unlimited}} {
					d := &Dataset{Object: &Object{file: file, header: &header{at: addr}}, Type: &Type{Size: 2}}
					d.Space = Space{Shape: []uint64{17, 23}, Max: most}
					d.Layout = Layout{Class: Chunked, Address: addr, Chunk: []uint64{5, 6}, Index: index}
					fuzzDataset(d)
				}
			}
		}
	})
}

// fuzzDataset finds and reads what a dataset has.
func fuzzDataset(d *Dataset) {
	n := 0
	d.Chunks(func([]uint64, Chunk) bool { n++; return n < 100 })
	if d.Layout.Class == Chunked {
		for i := range uint64(4) {
			index := make([]uint64, len(d.Layout.Chunk))
			for j := range index {
				index[j] = i
			}
			d.Chunk(index)
		}
	}
	if n, err := d.bytes(); err == nil && n < 1<<16 {
		d.ReadAll()
	}
}
