package tiff

import (
	"context"
	"fmt"
	"math"
	"math/bits"

	"github.com/omnizarr/zarr/format/tiff/tag"
	"github.com/omnizarr/zarr/format/tiff/tile"
)

// kind is what pages must have in common to be planes of one array. There is one
// value of each, which its pages share.
type kind struct {
	width, height         int
	tileWidth, tileHeight int // of strips too: those of the image and its rows
	tiled                 bool
	bits, format, samples int
	compression           int
	predictor, planar     int
	photometric           int
	backwards             bool   // the bits of bytes stand in reverse order
	extra                 string // ExtraSamples, a byte each
	tables                string // JPEGTables
	noData                string // as GDAL writes it, "" if there is none
}

// planes is how many planes are stored one after the other.
func (k *kind) planes() int {
	if k.planar == 2 {
		return k.samples
	}
	return 1
}

// rows and cols are how many tiles lie below and beside each other in a plane.
func (k *kind) rows() int { return (k.height + k.tileHeight - 1) / k.tileHeight }
func (k *kind) cols() int { return (k.width + k.tileWidth - 1) / k.tileWidth }

// tiles is how many tiles the image has.
func (k *kind) tiles() uint64 { return product(k.rows(), k.cols(), k.planes()) }

// product multiplies numbers of which none is 0 or negative; more than can be is
// the largest number there is.
func product(factors ...int) uint64 {
	n := uint64(1)
	for _, f := range factors {
		hi, lo := bits.Mul64(n, uint64(f))
		if n = lo; hi > 0 {
			return math.MaxUint64
		}
	}
	return n
}

// rowBytes is how many bytes the samples of some pixels take that are stored
// together.
func (k *kind) rowBytes(width int) int {
	samples := k.samples / k.planes()
	return (width*samples*k.bits + 7) / 8
}

// layout describes one stored tile. Planes that are stored apart are images of
// one sample each.
func (k *kind) layout(big bool) tile.Layout {
	l := tile.Layout{
		Compression: k.compression, BitsPerSample: k.bits, Samples: k.samples, Photometric: k.photometric, Planar: 1,
		Predictor: k.predictor, Width: k.tileWidth, Height: k.tileHeight, SampleFormat: k.format, BigEndian: big && k.bits > 8,
	}
	l.Backwards = k.backwards && k.compression != jpegCompression
	if k.planar == 2 {
		l.Samples = 1
	}
	if k.tables != "" {
		l.JPEGTables = []byte(k.tables)
	}
	if k.compression == jpegCompression {
		l.BigEndian = false
	}
	if k.bits != 1 && k.bits < 32 && k.bits&(k.bits-1)|k.bits&7 != 0 {
		l.Packed = k.bits
		l.BitsPerSample = max(8, 1<<bits.Len(uint(k.bits-1)))
	}
	return l
}

const jpegCompression = 7

// page is an image file directory. Files have up to some millions of them, so that
// little is kept; see chain.
type page struct {
	offset  uint64 // of the directory
	kind    *kind
	offsets table // of the tiles
	counts  table // their lengths; no id where the file has none
	sub     table // of SubIFDs; no values where there are none
	reduced bool  // a smaller version of another page
	err     error // why it is no image that can be read
}

// table is where the values of a tag are that has many of them.
type table struct {
	at    uint64 // in the file; the value itself if there is one, which is inline
	count uint64
	id    tag.ID
	typ   tag.Type
	one   bool // at is the value
}

// table gives the table of an entry, which must have values that can be offsets
// or lengths, all of them in the file.
func (s *source) table(f form, e *entry) (table, error) {
	t := table{at: e.at, count: e.count, id: e.id, typ: e.typ}
	switch e.typ {
	case tag.Short, tag.Long, tag.Long8, tag.IFD, tag.IFD8:
	default:
		return table{}, fmt.Errorf("tag %d (%v) has type %d, an unsigned integer is needed", e.id, e.id, e.typ)
	}
	if size, ok := e.bytes(); !ok || !s.fits(e.at, size) {
		return table{}, fmt.Errorf("tag %d (%v): count %d at offset %d is beyond the end of the file, which has %d bytes", e.id, e.id, e.count, e.at, s.size)
	}
	if e.inline && e.count == 1 {
		t.at, _ = e.field(f).Uint(0)
		t.one = true
	}
	return t, nil
}

// readPage reads the directory at an offset, and tells where the next one is.
// What is wrong with the image is left in the page.
func (f *File) readPage(ctx context.Context, off uint64) (p page, next uint64, err error) {
	entries, next, err := f.src.directory(ctx, f.form, off, f.entries)
	if err != nil {
		return page{}, 0, err
	}
	f.entries = entries
	f.badSub = nil
	p, err = f.parsePage(ctx, entries)
	if f.badSub != nil && len(f.badSubs) <= maxFaults {
		f.badSubs[off] = f.badSub
	}
	if ctx.Err() != nil {
		return page{}, 0, ctx.Err()
	}
	p.offset = off
	if err != nil {
		p.err = fmt.Errorf("IFD at offset %d: %w", off, err)
	}
	return p, next, nil
}

func (f *File) parsePage(ctx context.Context, entries []entry) (p page, err error) {
	k := kind{bits: 1, format: 1, samples: 1, compression: 1, predictor: 1, planar: 1}
	d := fields{f: f, ctx: ctx, entries: entries}
	d.integer(tag.ImageWidth, &k.width, 1, math.MaxUint32)
	d.integer(tag.ImageLength, &k.height, 1, math.MaxUint32)
	d.integer(tag.SamplesPerPixel, &k.samples, 1, math.MaxUint16)
	d.integer(tag.Compression, &k.compression, 0, math.MaxUint16)
	d.integer(tag.Photometric, &k.photometric, 0, math.MaxUint16)
	d.integer(tag.PlanarConfiguration, &k.planar, 1, 2)
	d.integer(tag.Predictor, &k.predictor, 0, math.MaxUint16)
	d.same(tag.BitsPerSample, &k.bits, k.samples)
	d.same(tag.SampleFormat, &k.format, k.samples)
	fillOrder, depth, tileDepth, subfile := 1, 1, 1, 0
	d.integer(tag.FillOrder, &fillOrder, 1, 2)
	d.integer(tag.ImageDepth, &depth, 0, math.MaxInt32)
	d.integer(tag.TileDepth, &tileDepth, 0, math.MaxInt32)
	d.integer(tag.NewSubfileType, &subfile, 0, math.MaxUint32)
	if e := d.find(tag.ExtraSamples); e != nil {
		k.extra = string(d.raw(e))
	}
	if e := d.find(tag.JPEGTables); e != nil && k.compression == jpegCompression {
		k.tables = string(d.raw(e))
	}
	if e := d.find(tag.GDALNoData); e != nil {
		k.noData = tag.Field{Raw: d.raw(e)}.Text()
	}
	d.tiles(&k, &p)
	if e := d.find(tag.SubIFDs); e != nil {
		// What is wrong with them is no reason not to show the image.
		if t, err := f.src.table(f.form, e); err == nil {
			p.sub = t
		} else {
			f.badSub = err
		}
	}
	p.reduced = subfile&1 != 0
	k.backwards = fillOrder == 2
	switch {
	case d.err != nil:
		return p, d.err
	case k.width == 0:
		return p, missing(tag.ImageWidth)
	case k.height == 0:
		return p, missing(tag.ImageLength)
	case depth > 1 || tileDepth > 1:
		return p, fmt.Errorf("tag %d (ImageDepth): images with depth %d are not supported", tag.ImageDepth, max(depth, tileDepth))
	}
	if k.samples == 1 {
		k.planar = 1
	}
	if k.format == 4 { // nothing is known of the samples
		k.format = 1
	}
	if f.last == nil || *f.last != k {
		if err := f.setKind(k); err != nil {
			return p, err
		}
	}
	p.kind = f.last
	if err := p.checkTiles(); err != nil {
		return p, err
	}
	return p, f.checkLarge(ctx, &p)
}

// setKind makes last the value that stands for all pages of a kind, if images of
// the kind can be. Of more kinds than a file may have images, each page has its own.
func (f *File) setKind(k kind) error {
	if same, ok := f.kinds[k]; ok {
		f.last = same
		return nil
	}
	if l := k.layout(f.bigEndian()); l.Check() != nil {
		return l.Check()
	}
	kept := k // which alone is allocated
	if f.last = &kept; len(f.kinds) < maxImages {
		f.kinds[k] = f.last
	}
	return nil
}

// checkTiles checks that there is an offset and a length for every tile.
func (p *page) checkTiles() error {
	k := p.kind
	n := k.tiles()
	if n > p.offsets.count {
		return fmt.Errorf("tag %d (%v): count %d, but dimensions of %d x %d pixels in %d planes of tiles of %d x %d need %d",
			p.offsets.id, p.offsets.id, p.offsets.count, k.width, k.height, k.planes(), k.tileWidth, k.tileHeight, n)
	}
	switch {
	case p.counts.id != 0 && p.counts.count < n:
		return fmt.Errorf("tag %d (%v): count %d, %d are needed", p.counts.id, p.counts.id, p.counts.count, n)
	case p.counts.id != 0 || k.compression == 1:
		return nil
	case k.tiled:
		return missing(tag.TileByteCounts)
	}
	return missing(tag.StripByteCounts)
}

// largeTile is how many bytes a tile may decode to that is not looked at before.
const largeTile = 32 << 20

// expansion is how many times larger than its stored bytes a tile can be, by
// compression. Others are as good as zstd at most.
var expansion = map[int]uint64{1: 1, 5: 4096, 7: 1032, 8: 1032, 32773: 64, 32946: 1032}

// checkLarge checks that the first tile of an image with large ones has the bytes
// for it: memory for a tile is taken before it is decoded.
func (f *File) checkLarge(ctx context.Context, p *page) error {
	k := p.kind
	bytes := k.storedBytes(0, math.MaxUint64)
	if bytes < largeTile {
		return nil
	}
	length := uint64(f.src.size)
	if p.counts.id != 0 {
		n, err := f.integer(ctx, &p.counts, 0)
		if err != nil || n == 0 { // not stored
			return err
		}
		length = min(length, n)
	}
	times, ok := expansion[k.compression]
	if !ok {
		times = 1 << 16
	}
	if bytes/times > length {
		return fmt.Errorf("a tile or strip of %d x %d pixels takes %d bytes, of which its %d bytes in the file cannot be all", k.tileWidth, k.tileHeight, bytes, length)
	}
	return nil
}
