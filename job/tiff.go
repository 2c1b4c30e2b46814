package job

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/format/tiff/jpeg"
	"github.com/omnizarr/zarr/format/tiff/reduce"
	"github.com/omnizarr/zarr/format/tiff/tag"
	"github.com/omnizarr/zarr/format/tiff/tile"
	"github.com/omnizarr/zarr/format/tiff/writer"
)

// TIFFOptions say how a copy to "tiff" or "cog" is stored.
type TIFFOptions struct {
	// Compression is "none", "lzw", "deflate", "zstd", "packbits", "lzma" or
	// "jpeg"; the default is "deflate".
	Compression string
	// Predictor is 1 for none, 2 for differences, 3 for floating point. The
	// default, 0, is the one that fits the type, where the compression has one.
	Predictor int
	Level     int // of the compression; 0 is its default
	Quality   int // of JPEG, from 1 to 100; 0 is 75
	// Overviews makes smaller versions of an array that has none. A COG has them
	// in any case.
	Overviews bool
	// Resampling is how they are made: "average", "nearest" or "mode". The
	// default is averages of numbers.
	Resampling string
	BigTIFF    bool // also where a classic TIFF would do
}

// compressions are the names of TIFFOptions.Compression.
var compressions = map[string]int{
	"none": tile.None, "lzw": tile.LZW, "deflate": tile.Deflate, "zstd": tile.Zstd, "packbits": tile.PackBits, "lzma": tile.LZMA, "jpeg": tile.JPEG,
}

// Compressions lists the compressions that TIFFOptions knows.
func Compressions() []string {
	return []string{"none", "lzw", "deflate", "zstd", "packbits", "lzma", "jpeg"}
}

// copyTIFF writes images into one file.
func copyTIFF(ctx context.Context, src zarr.Node, dst string, opts CopyOptions) error {
	path, err := localFile(dst)
	if err != nil {
		return err
	}
	if opts.Shards != nil || opts.Pad != "" || opts.Codecs != nil {
		return errors.New("a TIFF file has no shards, padding or codecs: see the options of its own")
	}
	if _, err := os.Lstat(path); err == nil && !opts.Overwrite {
		return fmt.Errorf("copy to %s: %w", dst, ErrNotEmpty)
	}
	cog := opts.Format == cogTarget
	sources, err := rasters(ctx, src, cog)
	if err != nil {
		return err
	}
	t := &tiffCopy{opts: opts, cog: cog, track: tracker{tell: opts.Progress}}
	for _, r := range sources {
		p, err := t.plan(r)
		if err != nil {
			return &zarr.Error{Op: "copy", URL: r.levels[0].URL(), Err: err}
		}
		t.images = append(t.images, p)
	}
	if err := t.describe(); err != nil {
		return err
	}
	var pages []*writer.Image
	for _, p := range t.images {
		pages = append(pages, p.pages...)
		t.track.add(int64(len(p.pages) * len(p.sizes)))
	}
	options := writer.Options{COG: cog}
	if opts.TIFF.BigTIFF {
		options.BigTIFF = writer.Always
	}
	if t.out, err = writer.Create(path, pages, options); err != nil {
		return err
	}
	for _, p := range t.images {
		if err := p.write(ctx); err != nil {
			return errors.Join(err, t.out.Abort())
		}
	}
	return t.out.Close(ctx)
}

// localFile is the path that a URL names, on this machine.
func localFile(dst string) (string, error) {
	u, err := url.Parse(dst)
	switch {
	case strings.Contains(dst, "|"), err == nil && len(u.Scheme) > 1 && u.Scheme != "file":
		return "", fmt.Errorf("copy to %s: a TIFF file is written to a path on this machine", dst)
	case err == nil && u.Scheme == "file":
		if u.Host != "" && u.Host != "localhost" || u.Path == "" {
			return "", fmt.Errorf("copy to %s: not a path on this machine", dst)
		}
		return filepath.FromSlash(u.Path), nil
	}
	return dst, nil
}

// tiffCopy is a copy to a file.
type tiffCopy struct {
	opts   CopyOptions
	cog    bool
	out    *writer.Writer
	images []*tiffImage
	track  tracker
}

// tiffImage is a raster on its way to pages.
type tiffImage struct {
	*raster
	copy     *tiffCopy
	typ      dtype.Type // of the copy
	layout   tile.Layout
	encoding tile.Encoding
	sizes    [][2]int       // height and width of every level
	half     *reduce.Halver // makes the levels but the first; nil if they are the source's
	pages    []*writer.Image
}

// plan says what pages an image has.
func (t *tiffCopy) plan(r *raster) (*tiffImage, error) {
	full := r.levels[0]
	p := &tiffImage{raster: r, copy: t}
	var err error
	if p.typ, err = targetType(full.DataType(), t.opts.DataType); err != nil {
		return nil, err
	}
	height, width, samples := along(full, r.y), along(full, r.x), along(full, r.samples)
	if height > math.MaxInt32 || width > math.MaxInt32 || samples > math.MaxUint16 {
		return nil, fmt.Errorf("%d rows of %d columns of %d samples are more than a TIFF image can have", height, width, samples)
	}
	if p.layout, err = sampleLayout(p.typ); err != nil {
		return nil, err
	}
	p.layout.Samples = samples
	p.layout.Height, p.layout.Width = t.tileShape(r)
	if err := t.compression(p); err != nil {
		return nil, err
	}
	p.photometric()
	if err := p.layout.Check(); err != nil {
		return nil, err
	}
	if err := p.encoding.Check(&p.layout); err != nil {
		return nil, err
	}
	if err := p.levelSizes(height, width); err != nil {
		return nil, err
	}
	n := r.planes()
	if n > maxPages {
		return nil, fmt.Errorf("%d planes are more than the %d pages that are written", n, maxPages)
	}
	fields, err := p.fields()
	if err != nil {
		return nil, err
	}
	for i := range n {
		page := p.page(0, fields)
		if i > 0 { // what is said of the whole image is said once
			page = p.page(0, nil)
		}
		p.pages = append(p.pages, page)
	}
	return p, nil
}

// maxPages bounds the pages of a file, which are planned in memory.
const maxPages = 1 << 20

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

// tileShape is the shape of tiles: what was asked for, or that of the source's
// chunks if it will do.
func (t *tiffCopy) tileShape(r *raster) (height, width int) {
	height, width = 256, 256
	if t.cog {
		height, width = 512, 512
	} else if c := r.levels[0].ChunkShape(); c != nil && r.y >= 0 && good(c[r.y]) && good(c[r.x]) {
		height, width = c[r.y], c[r.x]
	}
	if n := len(t.opts.Chunks); n >= 2 {
		height, width = t.opts.Chunks[n-2], t.opts.Chunks[n-1]
	}
	// TIFF demands multiples of sixteen.
	return (height + 15) / 16 * 16, (width + 15) / 16 * 16
}

// good reports whether tiles of a length are neither so small nor so large that
// readers would suffer.
func good(n int) bool { return n%16 == 0 && n >= 64 && n <= 2048 }

// compression takes compression and predictor from the options.
func (t *tiffCopy) compression(p *tiffImage) error {
	o, l := &t.opts.TIFF, &p.layout
	name := o.Compression
	if name == "" {
		name = "deflate"
	}
	number, ok := compressions[name]
	if !ok {
		return fmt.Errorf("compression %q is not known, only %s", name, strings.Join(Compressions(), ", "))
	}
	l.Compression = number
	p.encoding = tile.Encoding{Level: o.Level, Quality: o.Quality}
	l.Predictor = o.Predictor
	if l.Predictor == 0 {
		l.Predictor = 1
		switch number {
		case tile.LZW, tile.Deflate, tile.Zstd, tile.LZMA:
			switch p.typ.Kind() {
			case dtype.Int, dtype.Uint:
				l.Predictor = 2
			case dtype.Float:
				l.Predictor = 3
			}
		}
	}
	if number == tile.JPEG && l.BitsPerSample != 8 {
		return fmt.Errorf("JPEG in TIFF has 8 bits, the data type is %s", p.typ.Name())
	}
	return nil
}

// The photometric interpretations that are written.
const (
	blackIsZero = 1
	rgb         = 2
	ycbcr       = 6
)

// photometric says what samples mean: three or four small ones are colours.
func (p *tiffImage) photometric() {
	l := &p.layout
	l.Photometric = blackIsZero
	if n := l.Samples; (n == 3 || n == 4) && l.SampleFormat == 1 && (l.BitsPerSample == 8 || l.BitsPerSample == 16) && !p.separate() {
		l.Photometric = rgb
	}
	if v, ok := p.sourceTag(tag.Photometric); ok && (v == 0 || v == blackIsZero || v == rgb && l.Samples >= 3 || v == 5 && l.Samples >= 4) {
		l.Photometric = v
	}
	if l.Compression != tile.JPEG {
		return
	}
	if l.Samples == 3 && l.Photometric == rgb {
		l.Photometric = ycbcr
		p.encoding.Subsampling = [2]int{2, 2}
	}
	l.JPEGTables = jpeg.AppendTables(nil, l.Samples, p.jpegOptions())
}

// separate reports whether samples are named as something else than colours, by
// the attributes of a GeoTIFF with other bands.
func (p *tiffImage) separate() bool {
	v, ok := p.sourceTag(tag.Photometric)
	return ok && v <= blackIsZero
}

func (p *tiffImage) jpegOptions() jpeg.EncodeOptions {
	return jpeg.EncodeOptions{Quality: p.encoding.Quality, Subsampling: p.encoding.Subsampling, RGB: p.layout.Photometric == ycbcr, Abbreviated: true}
}

// levelSizes says which levels the image has: those of the source, or halves
// until one is a single tile.
func (p *tiffImage) levelSizes(height, width int) error {
	p.sizes = [][2]int{{height, width}}
	for _, a := range p.levels[1:] {
		p.sizes = append(p.sizes, [2]int{along(a, p.y), along(a, p.x)})
	}
	if len(p.levels) > 1 || !p.copy.cog && !p.copy.opts.TIFF.Overviews {
		return nil
	}
	for h, w := height, width; h > p.layout.Height || w > p.layout.Width; {
		h, w = reduce.Half(h), reduce.Half(w)
		p.sizes = append(p.sizes, [2]int{h, w})
	}
	var err error
	p.half, err = p.halver()
	return err
}

// page makes the directories of a plane. extra are the fields of the first.
func (p *tiffImage) page(level int, extra []tag.Field) *writer.Image {
	l, size := &p.layout, p.sizes[level]
	rows, cols := (size[0]+l.Height-1)/l.Height, (size[1]+l.Width-1)/l.Width
	each := func(v int) []uint16 { return slices.Repeat([]uint16{uint16(v)}, l.Samples) }
	img := &writer.Image{Tiles: rows * cols}
	img.Fields = append(img.Fields,
		tag.Longs(tag.ImageWidth, uint32(size[1])), tag.Longs(tag.ImageLength, uint32(size[0])),
		tag.Shorts(tag.BitsPerSample, each(l.BitsPerSample)...), tag.Shorts(tag.Compression, uint16(l.Compression)),
		tag.Shorts(tag.Photometric, uint16(l.Photometric)), tag.Shorts(tag.SamplesPerPixel, uint16(l.Samples)),
		tag.Shorts(tag.PlanarConfiguration, 1), tag.Shorts(tag.SampleFormat, each(l.SampleFormat)...),
		tag.Longs(tag.TileWidth, uint32(l.Width)), tag.Longs(tag.TileLength, uint32(l.Height)))
	if l.Predictor != 1 {
		img.Fields = append(img.Fields, tag.Shorts(tag.Predictor, uint16(l.Predictor)))
	}
	if n := l.Samples - colours(l.Photometric); n > 0 {
		more := make([]uint16, n)
		if l.Photometric == rgb && n == 1 {
			more[0] = 2 // alpha that colours are not multiplied by
		}
		img.Fields = append(img.Fields, tag.Shorts(tag.ExtraSamples, more...))
	}
	if l.Compression == tile.JPEG {
		img.Fields = append(img.Fields, tag.Bytes(tag.JPEGTables, l.JPEGTables))
		if l.Photometric == ycbcr {
			s := p.encoding.Subsampling
			img.Fields = append(img.Fields, tag.Shorts(tag.YCbCrSubSampling, uint16(s[0]), uint16(s[1])),
				tag.Rationals(tag.ReferenceBlackWhite, 0, 1, 255, 1, 128, 1, 255, 1, 128, 1, 255, 1))
		}
	}
	img.Fields = append(img.Fields, extra...)
	if level == 0 {
		for i := 1; i < len(p.sizes); i++ {
			img.Levels = append(img.Levels, p.page(i, p.levelFields()))
		}
	}
	return img
}

// colours is how many samples a photometric interpretation has.
func colours(photometric int) int {
	switch photometric {
	case rgb, ycbcr:
		return 3
	case 5:
		return 4
	}
	return 1
}

// workers is how many tiles are encoded at once.
func (t *tiffCopy) workers() int {
	if t.opts.Workers > 0 {
		return t.opts.Workers
	}
	return runtime.GOMAXPROCS(0)
}
