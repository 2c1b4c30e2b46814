// Package export writes arrays as TIFF and COG files.
package export

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/codec/tifftile"
	"github.com/omnizarr/zarr/format/tiff/tile"
	"github.com/omnizarr/zarr/format/tiff/writer"
	"github.com/omnizarr/zarr/internal/disk"
	"github.com/omnizarr/zarr/job"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/job/landing"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store"
)

// Format is TIFF as a format of copies, and says how the file is stored. Of the
// chunks that are asked for it takes the last two, rounded up to multiples of
// sixteen, for tiles. A codecs list with the single entry "tiff-tile" says the
// same about tiles.
type Format struct {
	// COG makes the file a COG: one image, with smaller versions before it.
	COG bool
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
	// Sparse leaves tiles out that hold nothing but the fill value. GDAL and
	// tifffile read such files, libtiff does not.
	Sparse bool
}

// compressions are the names of Format.Compression.
var compressions = map[string]int{
	"none": tile.None, "lzw": tile.LZW, "deflate": tile.Deflate, "zstd": tile.Zstd, "packbits": tile.PackBits, "lzma": tile.LZMA, "jpeg": tile.JPEG,
}

// Compressions lists the compressions that Format knows.
func Compressions() []string {
	return []string{"none", "lzw", "deflate", "zstd", "packbits", "lzma", "jpeg"}
}

// compression is the number of the chosen one.
func (f *Format) compression() (int, error) {
	name := f.Compression
	if name == "" {
		name = "deflate"
	}
	number, ok := compressions[name]
	if !ok {
		return 0, fmt.Errorf("compression %q is not known, only %s", name, strings.Join(Compressions(), ", "))
	}
	return number, nil
}

// take checks that the options are such that a TIFF file has, and takes the entry
// of a codecs list for what it says of tiles.
func (f *Format) take(o *copying.Options) error {
	if o.Shards != nil || o.Pad != "" {
		return errors.New("a TIFF file has no shards and no padding")
	}
	if len(o.Chunks) == 1 {
		return fmt.Errorf("chunks are %v: tiles have a height and a width", o.Chunks)
	}
	if o.Codecs == nil {
		return nil
	}
	var list []json.RawMessage
	var entry struct {
		Name          string `json:"name"`
		Configuration struct {
			Compression *int `json:"compression"`
			Predictor   int  `json:"predictor"`
			TileWidth   int  `json:"tile_width"`
			TileHeight  int  `json:"tile_height"`
			Level       int  `json:"level"`
			Quality     int  `json:"quality"`
		} `json:"configuration"`
	}
	if json.Unmarshal(o.Codecs, &list) != nil || len(list) != 1 || json.Unmarshal(list[0], &entry) != nil || entry.Name != tifftile.Name && path.Base(tifftile.Name) != entry.Name {
		return fmt.Errorf("the codecs of a TIFF file are one entry with the name %s", path.Base(tifftile.Name))
	}
	c := &entry.Configuration
	if c.Compression != nil {
		for name, number := range compressions {
			if number == *c.Compression {
				f.Compression = name
			}
		}
		if number, _ := f.compression(); number != *c.Compression {
			return fmt.Errorf("compression is %d, which is not written", *c.Compression)
		}
	}
	f.Predictor = cmp.Or(c.Predictor, f.Predictor)
	f.Level, f.Quality = cmp.Or(c.Level, f.Level), cmp.Or(c.Quality, f.Quality)
	if c.TileWidth > 0 && c.TileHeight > 0 && o.Chunks == nil {
		o.Chunks = []int{c.TileHeight, c.TileWidth}
	}
	return nil
}

// Name is "tiff" or "cog".
func (f Format) Name() string {
	if f.COG {
		return "cog"
	}
	return "tiff"
}

// TakesParts says that a file may be made of a part of an array.
func (Format) TakesParts() bool { return true }

// Copy writes images into one file.
func (f Format) Copy(ctx context.Context, src zarr.Node, to copying.Place, opts copying.Options) (sum copying.Summary, err error) {
	if to.Store != nil {
		return sum, fmt.Errorf("a %s is written to a path, not into a store", f.Name())
	}
	dst := to.URL
	file, err := localFile(dst)
	if err != nil {
		return sum, err
	}
	t, src, err := f.prepare(ctx, src, opts)
	if err != nil {
		return sum, err
	}
	sum.NotCopied = t.lost
	var pages []*writer.Image
	for _, p := range t.images {
		pages = append(pages, p.pages...)
		sum.Arrays += int64(len(p.grids))
		for _, g := range p.grids {
			if err := g.findStored(ctx); err != nil {
				return sum, &zarr.Error{Op: "copy", URL: g.source.URL(), Err: err}
			}
			t.track.Add(int64(g.total()))
		}
	}
	// A file that is there may be this copy: the same copy has the same bytes.
	_, err = os.Lstat(file)
	options := writer.Options{COG: f.COG, Compare: err == nil && !opts.Overwrite, Sync: zarr.Syncs(opts.Open...)}
	if err == nil {
		if err := landing.FileFree(file, "TIFF file", "II*\x00", "MM\x00*", "II+\x00", "MM\x00+"); err != nil {
			return sum, fmt.Errorf("copy to %s: %w", dst, err)
		}
	}
	if f.BigTIFF {
		options.BigTIFF = writer.Always
	}
	if !options.Compare || !t.isIdeal() {
		options.Order = t.order
	}
	if options.Resume, err = t.identity(ctx, src, pages); err != nil {
		return sum, err
	}
	if err := disk.MakeFolder(filepath.Dir(file), options.Sync); err != nil {
		return sum, fmt.Errorf("copy to %s: %w", dst, err)
	}
	err = t.write(ctx, file, pages, options)
	sum.Anew, sum.Resumed = t.anew, t.resumed
	sum.Chunks, sum.Empty, sum.Elements = t.written.Load(), t.empty.Load(), t.elements
	switch {
	case errors.Is(err, writer.ErrDiffers):
		return sum, fmt.Errorf("copy to %s: %w", dst, copying.ErrNotEmpty)
	case err == nil && options.Compare:
		return copying.Summary{Already: true}, nil
	case err == nil:
		if info, err := os.Stat(file); err == nil {
			sum.Written = info.Size()
		}
	}
	return sum, err
}

// prepare plans all images of a source, or of what a slice leaves of it.
func (f Format) prepare(ctx context.Context, src zarr.Node, opts copying.Options) (*tiffCopy, zarr.Node, error) {
	t := &tiffCopy{opts: opts, track: job.NewTracker(opts.Progress)}
	if err := f.take(&t.opts); err != nil {
		return nil, nil, &zarr.Error{Op: "copy", URL: src.URL(), Err: err}
	}
	t.format = f
	var attrs *meta.Attributes
	a, alone := src.(*zarr.Array)
	if alone {
		var err error
		if attrs, err = aloneAttributes(ctx, a); err != nil {
			return nil, nil, &zarr.Error{Op: "copy", URL: src.URL(), Err: err}
		}
	}
	if opts.Slice != "" {
		if !alone {
			return nil, nil, &zarr.Error{Op: "copy", URL: src.URL(), Err: errors.New("a slice is of one array, this is a group: name the array")}
		}
		part, lost, err := copying.Part(ctx, a, attrs, opts)
		if err != nil {
			return nil, nil, err
		}
		src, attrs, t.lost = part, part.Attributes(), lost
	}
	sources, err := rasters(ctx, src, attrs, f.COG)
	if err != nil {
		return nil, nil, err
	}
	for _, r := range sources {
		p, err := t.plan(r)
		if err != nil {
			return nil, nil, &zarr.Error{Op: "copy", URL: r.levels[0].URL(), Err: err}
		}
		t.images = append(t.images, p)
	}
	return t, src, t.describe()
}

// write writes all images.
func (t *tiffCopy) write(ctx context.Context, file string, pages []*writer.Image, options writer.Options) (err error) {
	if t.out, err = writer.Create(file, pages, options); err != nil {
		return err
	}
	t.anew = t.out.Anew()
	for _, p := range t.images {
		if err := p.write(ctx); err != nil {
			return errors.Join(err, t.out.Leave())
		}
	}
	return t.out.Close(ctx)
}

// order is how tiles lie in the file.
func (t *tiffCopy) order(yield func(*writer.Image, int) bool) {
	for _, p := range t.images {
		if !p.order(yield) {
			return
		}
	}
}

// isIdeal reports whether tiles come in the order in which they are to lie.
func (t *tiffCopy) isIdeal() bool {
	for _, p := range t.images {
		for i, g := range p.grids {
			if !slices.Equal(g.block, p.ideal[i].block) {
				return false
			}
		}
	}
	return true
}

// identity names what is made of which source, so that a file which was begun is taken
// up by the same copy alone.
func (t *tiffCopy) identity(ctx context.Context, src zarr.Node, pages []*writer.Image) (string, error) {
	from, err := landing.SourceDigest(ctx, src)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	err = json.NewEncoder(h).Encode(map[string]any{
		"source": store.Identity(src.Store(), src.Path()), "from": from, "format": t.format, "type": t.opts.DataType, "pages": pages,
	})
	return hex.EncodeToString(h.Sum(nil)[:16]), err
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
	opts   copying.Options
	format Format
	out    *writer.Writer
	images []*tiffImage
	track  *job.Tracker

	lost     []string // what the file does not say of a part
	written  atomic.Int64
	empty    atomic.Int64 // tiles that are left out
	elements int64        // bytes of them

	resumed int64 // blocks that were done before
	anew    bool  // what was there was of no use
}
