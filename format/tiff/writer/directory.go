package writer

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/omnizarr/zarr/format/tiff/tag"
)

// directory is an image as it is written.
type directory struct {
	image, level int // level -1: the image itself
	ordinal      int // in the order of the file
	fields       []tag.Field
	strips       bool
	width        uint64
	height       uint64

	offsets []uint64 // of tiles in the file that they were written to
	counts  []uint32
	done    []bool // tiles that were written, also those without bytes

	levels []*directory // those that it has as SubIFDs
	next   *directory

	entries []entry
	at      uint64 // of the directory in the file
	data    uint64 // of its first tile, in a COG
}

func (d *directory) String() string {
	if d.level < 0 {
		return fmt.Sprintf("image %d", d.image)
	}
	return fmt.Sprintf("image %d, level %d", d.image, d.level)
}

// prepare checks the images and puts their directories in order: the main chain
// first, then the levels.
func (w *Writer) prepare(images []*Image) error {
	switch {
	case len(images) == 0:
		return errors.New("it would have no image")
	case w.opt.COG && len(images) > 1:
		return fmt.Errorf("a COG has a single image with its levels, %d are given", len(images))
	}
	var mains, levels []*directory
	for i, img := range images {
		d, err := w.add(img, i, -1)
		if err != nil {
			return err
		}
		mains = append(mains, d)
		previous := d
		for k, level := range img.Levels {
			l, err := w.add(level, i, k)
			if err != nil {
				return err
			}
			if len(level.Levels) > 0 {
				return fmt.Errorf("%v has %d levels of its own", l, len(level.Levels))
			}
			if l.width > previous.width || l.height > previous.height {
				return fmt.Errorf("%v has %d × %d pixels, more than the %d × %d of the one before", l, l.width, l.height, previous.width, previous.height)
			}
			previous = l
			d.levels = append(d.levels, l)
		}
		levels = append(levels, d.levels...)
	}
	chain := mains
	w.order = slices.Concat(mains, levels)
	for i, d := range w.order {
		d.ordinal = i
	}
	if w.opt.COG {
		chain = w.order
		mains[0].levels = nil
	}
	for i, d := range chain[1:] {
		chain[i].next = d
	}
	if w.opt.BigTIFF == Never && w.needsBig() {
		return errors.New("it has fields of 64-bit integers, which a classic TIFF can not have")
	}
	return nil
}

// add makes the directory of an image.
func (w *Writer) add(img *Image, i, level int) (*directory, error) {
	d := &directory{image: i, level: level}
	if img == nil {
		return nil, fmt.Errorf("%v is nil", d)
	}
	if twin := w.images[img]; twin != nil {
		return nil, fmt.Errorf("%v and %v are the same", twin, d)
	}
	d.strips = img.Strips
	if d.strips && w.opt.COG {
		return nil, fmt.Errorf("%v is in strips, a COG has tiles", d)
	}
	if err := d.takeFields(img.Fields); err != nil {
		return nil, fmt.Errorf("%v: %w", d, err)
	}
	if err := d.checkTiles(img.Tiles); err != nil {
		return nil, fmt.Errorf("%v: %w", d, err)
	}
	d.offsets, d.counts, d.done = make([]uint64, img.Tiles), make([]uint32, img.Tiles), make([]bool, img.Tiles)
	w.images[img] = d
	return d, nil
}

// offsetTags are those whose values are places in the file, or belong to them.
// A field that came from another file would point to anything.
var offsetTags = []tag.ID{tag.StripOffsets, tag.StripByteCounts, tag.TileOffsets, tag.TileByteCounts, tag.SubIFDs,
	288, 289, // FreeOffsets, FreeByteCounts
	513, 514, 519, 520, 521, // tables and streams of old-style JPEG
	34665, 34853, 40965, // directories of Exif, GPS and interoperability
}

// takeFields copies the fields, sorted and least significant byte first. No tag
// can be there twice and some can not be there at all, so there are never more
// than the 65535 that a directory has room for.
func (d *directory) takeFields(fields []tag.Field) error {
	d.fields = slices.Clone(fields)
	if d.level >= 0 {
		kind, ok, err := d.number(tag.NewSubfileType, 0)
		switch {
		case err != nil:
			return err
		case !ok:
			d.fields = append(d.fields, tag.Longs(tag.NewSubfileType, 1))
		case kind&1 == 0:
			return fmt.Errorf("NewSubfileType %d of a level lacks the bit of reduced images", kind)
		}
	}
	slices.SortStableFunc(d.fields, func(a, b tag.Field) int { return int(a.ID) - int(b.ID) })
	for i := range d.fields {
		f := &d.fields[i]
		size := f.Type.Size()
		switch {
		case i > 0 && d.fields[i-1].ID == f.ID:
			return fmt.Errorf("tag %d (%v) is there twice", f.ID, f.ID)
		case slices.Contains(offsetTags, f.ID) || f.Type == tag.IFD || f.Type == tag.IFD8:
			return fmt.Errorf("tag %d (%v) says where something lies in the file, which only the writer can know", f.ID, f.ID)
		case size == 0:
			return fmt.Errorf("tag %d (%v) has type %d, which does not exist", f.ID, f.ID, f.Type)
		case len(f.Raw) == 0 || len(f.Raw)%size != 0:
			return fmt.Errorf("tag %d (%v) has %d bytes, not some values of %d", f.ID, f.ID, len(f.Raw), size)
		}
		if f.Big {
			f.Raw, f.Big = swapped(f.Raw, f.Type), false
		}
	}
	return nil
}

// swapped reverses the bytes of all values.
func swapped(raw []byte, t tag.Type) []byte {
	raw = slices.Clone(raw)
	size := t.Size()
	if t == tag.Rational || t == tag.SRational { // two integers
		size = 4
	}
	for i := 0; i < len(raw); i += size {
		slices.Reverse(raw[i : i+size])
	}
	return raw
}

// number is the first value of a tag, or what it is without the tag.
func (d *directory) number(id tag.ID, without uint64) (v uint64, ok bool, err error) {
	i := slices.IndexFunc(d.fields, func(f tag.Field) bool { return f.ID == id })
	if i < 0 {
		return without, false, nil
	}
	v, err = d.fields[i].Uint(0)
	return v, true, err
}

// checkTiles compares the number of tiles with what the fields say. Readers
// that take one from the other would read something else.
func (d *directory) checkTiles(tiles int) error {
	var err error
	get := func(id tag.ID, without uint64) uint64 {
		v, ok, e := d.number(id, without)
		if e == nil && !ok && without == 0 {
			e = fmt.Errorf("tag %d (%v) is missing", id, id)
		}
		if e == nil && v == 0 {
			e = fmt.Errorf("tag %d (%v) is 0", id, id)
		}
		if err == nil {
			err = e
		}
		return max(v, 1)
	}
	d.width, d.height = get(tag.ImageWidth, 0), get(tag.ImageLength, 0)
	depth := get(tag.ImageDepth, 1)
	planes := uint64(1)
	if get(tag.PlanarConfiguration, 1) == 2 {
		planes = get(tag.SamplesPerPixel, 1)
	}
	tw, th, td := d.width, uint64(0), uint64(1)
	if d.strips {
		th = get(tag.RowsPerStrip, math.MaxUint32)
	} else {
		tw, th, td = get(tag.TileWidth, 0), get(tag.TileLength, 0), get(tag.TileDepth, 1)
		if err == nil && (tw%16 != 0 || th%16 != 0) {
			err = fmt.Errorf("tiles of %d × %d pixels, both must be multiples of 16", tw, th)
		}
	}
	if err != nil {
		return err
	}
	want := uint64(1)
	for _, n := range []uint64{(d.width-1)/tw + 1, (d.height-1)/th + 1, (depth-1)/td + 1, planes} {
		high, low := bits.Mul64(want, n)
		if want = low; high != 0 || want > math.MaxUint32 {
			return fmt.Errorf("%d × %d pixels in tiles of %d × %d are more than %d tiles", d.width, d.height, tw, th, uint32(math.MaxUint32))
		}
	}
	if tiles < 0 || uint64(tiles) != want {
		return fmt.Errorf("%d tiles are announced, but %d × %d pixels in tiles of %d × %d, in %d planes, make %d", tiles, d.width, d.height, tw, th, planes, want)
	}
	return nil
}

// needsBig tells whether there are fields that only a BigTIFF can have.
func (w *Writer) needsBig() bool {
	for _, d := range w.order {
		for _, f := range d.fields {
			if f.Type == tag.Long8 || f.Type == tag.SLong8 {
				return true
			}
		}
	}
	return false
}
