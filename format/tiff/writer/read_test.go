package writer

import (
	"encoding/binary"
	"fmt"
	"os"
	"slices"
	"testing"
)

// span is a part of a file and what it is for.
type span struct {
	from, to uint64
	what     string
}

// ifd is a directory as the test reads it: on its own, from the specification,
// with nothing of the package.
type ifd struct {
	at, next uint64
	tags     []uint16
	types    map[uint16]uint16
	counts   map[uint16]uint64
	raw      map[uint16][]byte
	place    map[uint16]uint64 // of values outside the directory
	subs     []*ifd
}

// ints are the values of an integer tag.
func (d *ifd) ints(id uint16) (out []uint64) {
	raw := d.raw[id]
	for len(raw) > 0 {
		switch d.types[id] {
		case 3:
			out, raw = append(out, uint64(binary.LittleEndian.Uint16(raw))), raw[2:]
		case 4, 13:
			out, raw = append(out, uint64(binary.LittleEndian.Uint32(raw))), raw[4:]
		case 16, 18:
			out, raw = append(out, binary.LittleEndian.Uint64(raw)), raw[8:]
		default:
			panic(fmt.Sprintf("tag %d has type %d", id, d.types[id]))
		}
	}
	return out
}

// tiles are offsets and sizes, of tiles or strips.
func (d *ifd) tiles() (at, size []uint64) {
	if _, ok := d.raw[273]; ok {
		return d.ints(273), d.ints(279)
	}
	return d.ints(324), d.ints(325)
}

type tiff struct {
	data  []byte
	big   bool
	chain []*ifd
	spans []span // everything that is pointed to
}

func (f *tiff) use(from, n uint64, what string) []byte {
	f.spans = append(f.spans, span{from, from + n, what})
	return f.data[from : from+n]
}

func (f *tiff) uint(at uint64) uint64 {
	if f.big {
		return binary.LittleEndian.Uint64(f.data[at:])
	}
	return uint64(binary.LittleEndian.Uint32(f.data[at:]))
}

var typeSizes = map[uint16]uint64{1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4, 16: 8, 17: 8, 18: 8}

func (f *tiff) ifd(at uint64) *ifd {
	d := &ifd{at: at, types: map[uint16]uint16{}, counts: map[uint16]uint64{}, raw: map[uint16][]byte{}, place: map[uint16]uint64{}}
	wide, n, p := uint64(4), uint64(binary.LittleEndian.Uint16(f.data[at:])), at+2
	if f.big {
		wide, n, p = 8, binary.LittleEndian.Uint64(f.data[at:]), at+8
	}
	for range n {
		id, typ := binary.LittleEndian.Uint16(f.data[p:]), binary.LittleEndian.Uint16(f.data[p+2:])
		count := f.uint(p + 4)
		size, values := count*typeSizes[typ], p+4+wide
		d.tags = append(d.tags, id)
		d.types[id], d.counts[id] = typ, count
		if size <= wide {
			d.raw[id] = f.data[values : values+size]
		} else {
			d.place[id] = f.uint(values)
			d.raw[id] = f.use(d.place[id], size, fmt.Sprintf("tag %d of the directory at %d", id, at))
		}
		p += 4 + 2*wide
	}
	d.next = f.uint(p)
	f.use(at, p+wide-at, fmt.Sprintf("directory at %d", at))
	for _, sub := range d.ints(330) {
		d.subs = append(d.subs, f.ifd(sub))
	}
	offsets, sizes := d.tiles()
	for i, from := range offsets {
		if from > 0 {
			f.use(from, sizes[i], fmt.Sprintf("tile %d of the directory at %d", i, at))
		}
	}
	return d
}

// readFile reads a whole TIFF file.
func readFile(t interface {
	Helper()
	Fatal(...any)
}, path string) *tiff {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f := &tiff{data: data}
	first := uint64(0)
	switch string(data[:4]) {
	case "II*\x00":
		f.use(0, 8, "header")
		first = f.uint(4)
	case "II+\x00":
		f.big = true
		f.use(0, 16, "header")
		first = f.uint(8)
		if string(data[4:8]) != "\x08\x00\x00\x00" {
			t.Fatal("BigTIFF header", data[:16])
		}
	default:
		t.Fatal("header", data[:16])
	}
	for at := first; at != 0; {
		d := f.ifd(at)
		f.chain = append(f.chain, d)
		at = d.next
	}
	return f
}

// check looks for spans that overlap, leave large gaps, or begin at odd places,
// and for tags that are not in order.
func (f *tiff) check() error {
	spans := slices.Clone(f.spans)
	slices.SortFunc(spans, func(a, b span) int { return int(a.from) - int(b.from) })
	for i, s := range spans[1:] {
		if before := spans[i]; s.from < before.to {
			return fmt.Errorf("%+v overlaps %+v", s, before)
		}
	}
	word := uint64(2)
	if f.big {
		word = 8
	}
	var walk func([]*ifd) error
	walk = func(dirs []*ifd) error {
		for _, d := range dirs {
			if d.at%word != 0 || !slices.IsSorted(d.tags) {
				return fmt.Errorf("directory at %d with tags %d", d.at, d.tags)
			}
			for id, at := range d.place {
				if at%word != 0 {
					return fmt.Errorf("values of tag %d at %d", id, at)
				}
			}
			if err := walk(d.subs); err != nil {
				return err
			}
		}
		return nil
	}
	return walk(f.chain)
}

// leftovers fails if anything but the given names is in a folder.
func leftovers(t *testing.T, folder string, want ...string) {
	t.Helper()
	list, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	if !slices.Equal(names, want) {
		t.Errorf("the folder has %q, want %q", names, want)
	}
}
