package export

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/omnizarr/zarr/downsample"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/format/tiff/tag"
	"github.com/omnizarr/zarr/format/tiff/tile"
	"github.com/omnizarr/zarr/format/tiff/writer"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/nd"
)

// tiffImage is a raster on its way to pages.
type tiffImage struct {
	*raster
	copy     *tiffCopy
	typ      dtype.Type // of the copy
	layout   tile.Layout
	encoding tile.Encoding
	sizes    [][2]int           // height and width of every level
	half     *downsample.Halver // makes the levels but the first; nil if they are the source's
	grids    []*rasterGrid      // of the levels that are read
	ideal    []*rasterGrid      // with memory enough, which the order of tiles is that of
	pages    []*writer.Image
	fill     []byte                 // the fill value in the type of the copy, nil if that does not have it
	sparse   bool                   // tiles of it are left out
	fillTile func() ([]byte, error) // the tile of it
}

// maxPages bounds the pages of a file, which are planned in memory.
const maxPages = 1 << 20

// plan says what pages an image has and how they are made.
func (t *tiffCopy) plan(r *raster) (*tiffImage, error) {
	p := &tiffImage{raster: r, copy: t}
	p.fillTile = sync.OnceValues(p.encodeFill)
	var err error
	if p.typ, err = copying.TargetType(r.levels[0].DataType(), t.opts.DataType); err != nil {
		return nil, err
	}
	if n := r.planes(); n > maxPages {
		return nil, fmt.Errorf("%d planes are more than the %d pages that are written", n, maxPages)
	}
	if err := p.planLayout(); err != nil {
		return nil, err
	}
	if p.layout.Compression == tile.JPEG && !t.opts.Lossy {
		return nil, fmt.Errorf("%w: JPEG; allow it (--lossy) or choose another compression (--compression)", copying.ErrLossy)
	}
	if err := p.planLevels(); err != nil {
		return nil, err
	}
	if err := p.planPages(); err != nil {
		return nil, err
	}
	for level := range p.levels {
		p.grids = append(p.grids, p.grid(level, t.opts.Memory))
		p.ideal = append(p.ideal, p.grid(level, mostBlocks))
	}
	return p, nil
}

// planLayout says how tiles are stored.
func (p *tiffImage) planLayout() error {
	full := p.levels[0]
	height, width, samples := along(full, p.y), along(full, p.x), along(full, p.samples)
	if height > math.MaxInt32 || width > math.MaxInt32 || samples > math.MaxUint16 {
		return fmt.Errorf("%d rows of %d columns of %d samples are more than a TIFF image can have", height, width, samples)
	}
	p.sizes = [][2]int{{height, width}}
	var err error
	if p.layout, err = sampleLayout(p.typ); err != nil {
		return err
	}
	p.layout.Samples = samples
	if err := p.tileShape(); err != nil {
		return err
	}
	if err := p.compression(); err != nil {
		return err
	}
	if err := p.photometric(); err != nil {
		return err
	}
	if err := p.layout.Check(); err != nil {
		return err
	}
	if err := p.encoding.Check(&p.layout); err != nil {
		return err
	}
	p.fill = full.FillValue()
	if !dtype.Equal(full.DataType(), p.typ) {
		p.fill = make([]byte, p.typ.Size())
		if copying.Convert(p.typ, nd.Of(p.fill, p.typ.Size(), 1), full.DataType(), nd.Of(full.FillValue(), full.DataType().Size(), 1)) != nil {
			p.fill = nil
		}
	}
	// Readers take what is left out for the value that stands for no data, or
	// else for zero.
	p.sparse = p.copy.format.Sparse && p.fill != nil && (p.noData() != "" || nd.IsFill(nd.Of(p.fill, 1, len(p.fill)), []byte{0}))
	return nil
}

// sampleLayout is how TIFF stores a data type.
func sampleLayout(t dtype.Type) (tile.Layout, error) {
	l := tile.Layout{BitsPerSample: 8 * t.Size(), SampleFormat: 1, Planar: 1, Predictor: 1, Width: 16, Height: 16, Samples: 1, Compression: tile.None}
	switch t.Kind() {
	case dtype.Int:
		l.SampleFormat = 2
	case dtype.Float:
		l.SampleFormat = 3
	case dtype.Complex:
		l.SampleFormat = 6
	case dtype.Bool:
		l.BitsPerSample = 1
	}
	if name, err := l.DataType(); err != nil || name != t.Name() {
		return l, fmt.Errorf("TIFF has no samples of type %s", t.Name())
	}
	return l, nil
}

// What a tile has in memory: no more than tileBytes unless it was asked for, and
// never more than maxTileBytes, for a reader takes it whole.
const (
	tileBytes    = 16 << 20
	maxTileBytes = 256 << 20
)

// tileShape chooses the shape of tiles: what was asked for, or that of the
// source's chunks if it will do.
func (p *tiffImage) tileShape() error {
	l, o := &p.layout, &p.copy.opts
	pixel := int64(l.Samples) * int64(p.typ.Size())
	bytes := func() int64 { return int64(l.Height) * int64(l.Width) * pixel }
	if n := len(o.Chunks); n >= 2 {
		// TIFF demands multiples of sixteen.
		l.Height, l.Width = (o.Chunks[n-2]+15)/16*16, (o.Chunks[n-1]+15)/16*16
		if l.Height > math.MaxInt32 || l.Width > math.MaxInt32 || bytes() > maxTileBytes {
			return fmt.Errorf("tiles of %d × %d pixels of %d bytes are larger than %d MiB", l.Height, l.Width, pixel, maxTileBytes>>20)
		}
		return nil
	}
	l.Height, l.Width = 256, 256
	if p.copy.format.COG {
		l.Height, l.Width = 512, 512
	} else if c := p.levels[0].ChunkShape(); c != nil && p.y >= 0 && good(c[p.y]) && good(c[p.x]) {
		l.Height, l.Width = c[p.y], c[p.x]
	}
	for bytes() > tileBytes && max(l.Height, l.Width) > 16 {
		if l.Height > l.Width {
			l.Height = max(l.Height/32*16, 16)
		} else {
			l.Width = max(l.Width/32*16, 16)
		}
	}
	return nil
}

// good reports whether tiles of a length are neither so small nor so large that
// readers would suffer.
func good(n int) bool { return n%16 == 0 && n >= 64 && n <= 2048 }

// compression takes compression and predictor from the options.
func (p *tiffImage) compression() error {
	o, l := &p.copy.format, &p.layout
	var err error
	if l.Compression, err = o.compression(); err != nil {
		return err
	}
	p.encoding = tile.Encoding{Level: o.Level, Quality: o.Quality}
	predicts := false
	switch l.Compression {
	case tile.LZW, tile.Deflate, tile.Zstd, tile.LZMA:
		predicts = true
	case tile.JPEG:
		if l.BitsPerSample != 8 || l.SampleFormat != 1 {
			return fmt.Errorf("JPEG in TIFF has unsigned samples of 8 bits, the data type is %s", p.typ.Name())
		}
		if l.Samples > 4 {
			return fmt.Errorf("JPEG has at most 4 samples per pixel, here are %d", l.Samples)
		}
	}
	switch {
	case o.Predictor > 1 && !predicts:
		return fmt.Errorf("predictor is %d: only lzw, deflate, zstd and lzma have one", o.Predictor)
	case o.Predictor != 0:
		l.Predictor = o.Predictor
	case predicts && (p.typ.Kind() == dtype.Int || p.typ.Kind() == dtype.Uint):
		l.Predictor = 2
	case predicts && p.typ.Kind() == dtype.Float:
		l.Predictor = 3
	}
	return nil
}

// planLevels says which levels the image has: those of the source, or halves
// until one is a single tile, or a line, which readers would not take for half of
// another line.
func (p *tiffImage) planLevels() error {
	for _, a := range p.levels[1:] {
		p.sizes = append(p.sizes, [2]int{along(a, p.y), along(a, p.x)})
	}
	if len(p.levels) > 1 || !p.copy.format.COG && !p.copy.format.Overviews {
		return nil
	}
	for h, w := p.sizes[0][0], p.sizes[0][1]; min(h, w) > 1 && (h > p.layout.Height || w > p.layout.Width); {
		h, w = downsample.Half(h), downsample.Half(w)
		p.sizes = append(p.sizes, [2]int{h, w})
	}
	var err error
	p.half, err = p.halver()
	return err
}

// planPages makes the directories of all planes. What is said of the whole image
// is said once.
func (p *tiffImage) planPages() error {
	first, err := p.fields()
	if err != nil {
		return err
	}
	every := p.pageFields()
	for i := range p.planes() {
		extra := every
		if i == 0 {
			extra = slices.Concat(every, first)
		}
		p.pages = append(p.pages, p.page(0, extra))
	}
	return nil
}

// page makes the directories of a plane. extra are fields of the first.
func (p *tiffImage) page(level int, extra []tag.Field) *writer.Image {
	l, size := &p.layout, p.sizes[level]
	rows, cols := (size[0]+l.Height-1)/l.Height, (size[1]+l.Width-1)/l.Width
	each := func(v int) []uint16 { return slices.Repeat([]uint16{uint16(v)}, l.Samples) }
	img := &writer.Image{Tiles: rows * cols}
	img.Fields = append(img.Fields,
		tag.Longs(tag.ImageWidth, uint32(size[1])), tag.Longs(tag.ImageLength, uint32(size[0])),
		tag.Shorts(tag.BitsPerSample, each(l.BitsPerSample)...), tag.Shorts(tag.Compression, uint16(l.Compression)),
		tag.Shorts(tag.SamplesPerPixel, uint16(l.Samples)), tag.Shorts(tag.PlanarConfiguration, 1),
		tag.Shorts(tag.SampleFormat, each(l.SampleFormat)...),
		tag.Longs(tag.TileWidth, uint32(l.Width)), tag.Longs(tag.TileLength, uint32(l.Height)))
	if l.Predictor != 1 {
		img.Fields = append(img.Fields, tag.Shorts(tag.Predictor, uint16(l.Predictor)))
	}
	if l.Compression == tile.JPEG {
		img.Fields = append(img.Fields, tag.Bytes(tag.JPEGTables, l.JPEGTables))
	}
	img.Fields = append(append(img.Fields, p.colourFields()...), extra...)
	if text := p.noData(); text != "" {
		img.Fields = append(img.Fields, tag.Text(tag.GDALNoData, text))
	}
	if level == 0 {
		for i := 1; i < len(p.sizes); i++ {
			img.Levels = append(img.Levels, p.page(i, nil))
		}
	}
	return img
}
