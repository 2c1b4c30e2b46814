package tiff

import (
	"context"
	"fmt"
	"math"

	"github.com/omnizarr/zarr/format/tiff/tag"
)

// fields reads the tags of a directory that tell about the image; the first error
// stays.
type fields struct {
	f       *File
	ctx     context.Context
	entries []entry
	err     error
}

// find gives the first entry of a tag, nil if there is none. Entries should be
// sorted, and often are not.
func (d *fields) find(id tag.ID) *entry {
	for i := range d.entries {
		if d.entries[i].id == id {
			return &d.entries[i]
		}
	}
	return nil
}

// maxTables bounds the tags that are read for every page.
const maxTables = 256 << 10

// values reads the values of an entry.
func (d *fields) values(e *entry) tag.Field {
	if e.inline {
		return e.field(d.f.form)
	}
	f, err := d.f.src.field(d.ctx, d.f.form, e, maxTables)
	if err != nil && d.err == nil {
		d.err = err
	}
	return f
}

// raw reads an entry as bytes, with short integers cut to their lowest byte.
func (d *fields) raw(e *entry) []byte {
	f := d.values(e)
	if e.typ != tag.Short {
		return f.Raw
	}
	out := make([]byte, f.Len())
	for i := range out {
		v, _ := f.Uint(i)
		out[i] = byte(v)
	}
	return out
}

// integer reads a tag with one value, if it is there.
func (d *fields) integer(id tag.ID, v *int, least, most uint64) {
	e := d.find(id)
	if e == nil || d.err != nil {
		return
	}
	n, err := d.values(e).Uint(0)
	if d.err != nil {
		return
	}
	if err != nil {
		d.err = err
	} else if n < least || n > most {
		d.err = fmt.Errorf("tag %d (%v) is %d, must be from %d to %d", id, id, n, least, most)
	} else {
		*v = int(n)
	}
}

// maxAlike is for how many samples a single value may stand: more is no
// shorthand but an error.
const maxAlike = 16

// same reads a tag that has a value for every sample, which must be equal.
func (d *fields) same(id tag.ID, v *int, samples int) {
	e := d.find(id)
	if e == nil || d.err != nil {
		return
	}
	all := d.values(e)
	if d.err != nil {
		return
	}
	n := all.Len()
	if n == 0 || n < samples && (n > 1 || samples > maxAlike) {
		d.err = fmt.Errorf("tag %d (%v) has %d values, SamplesPerPixel is %d", id, id, n, samples)
		return
	}
	first := uint64(0)
	for i := range min(n, samples) {
		x, err := all.Uint(i)
		if i == 0 {
			first = x
		}
		switch {
		case err != nil:
			d.err = err
		case x > math.MaxUint16:
			d.err = fmt.Errorf("tag %d (%v) is %d", id, id, x)
		case x != first:
			d.err = fmt.Errorf("tag %d (%v) is %d for sample 0 and %d for sample %d: samples that differ are not supported", id, id, first, x, i)
		}
		if d.err != nil {
			return
		}
	}
	*v = int(first)
}

// tiles finds out how the image is cut, and where its tiles are.
func (d *fields) tiles(k *kind, p *page) {
	k.tiled = d.find(tag.TileWidth) != nil || d.find(tag.TileLength) != nil
	offsets, counts := [2]tag.ID{tag.StripOffsets, tag.TileOffsets}, [2]tag.ID{tag.StripByteCounts, tag.TileByteCounts}
	if k.tiled {
		offsets[0], offsets[1] = offsets[1], offsets[0]
		counts[0], counts[1] = counts[1], counts[0]
		d.integer(tag.TileWidth, &k.tileWidth, 1, math.MaxInt32)
		d.integer(tag.TileLength, &k.tileHeight, 1, math.MaxInt32)
		if d.err == nil && (k.tileWidth == 0 || k.tileHeight == 0) {
			d.err = fmt.Errorf("tags %d and %d: a tile is %d x %d pixels", tag.TileWidth, tag.TileLength, k.tileWidth, k.tileHeight)
		}
	} else {
		k.tileWidth, k.tileHeight = k.width, math.MaxInt
		d.integer(tag.RowsPerStrip, &k.tileHeight, 1, math.MaxUint32)
		k.tileHeight = max(min(k.tileHeight, k.height), 1)
		k.tileWidth = max(k.tileWidth, 1)
	}
	p.offsets, p.counts = d.table(offsets), d.table(counts)
	if d.err == nil && p.offsets.id == 0 {
		d.err = missing(offsets[0])
	}
}

// table finds a table under one tag or the other: writers have been seen to use
// the tags of strips for tiles.
func (d *fields) table(ids [2]tag.ID) table {
	for _, id := range ids {
		if e := d.find(id); e != nil {
			t, err := d.f.src.table(d.f.form, e)
			if err != nil && d.err == nil {
				d.err = err
			}
			return t
		}
	}
	return table{}
}

func missing(id tag.ID) error { return fmt.Errorf("tag %d (%v) is missing", id, id) }
