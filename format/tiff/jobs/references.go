package jobs

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/codec/tifftile"
	"github.com/omnizarr/zarr/format/tiff/jpeg"
	"github.com/omnizarr/zarr/format/tiff/tile"
	"github.com/omnizarr/zarr/grid"
	"github.com/omnizarr/zarr/job/virtual"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/nd"
)

// Tiles translates the codec of TIFF tiles for copies that Python reads.
type Tiles struct{}

// Translates reports whether chunks are TIFF tiles.
func (Tiles) Translates(codecs []meta.Extension) bool {
	return len(codecs) == 1 && codecs[0].Name == tifftile.Name
}

// Translate gives an array of TIFF tiles codecs that Python has, where there are
// some for it.
func (Tiles) Translate(ctx context.Context, a *virtual.Array) error {
	t, err := newTranslation(a.Meta)
	if err != nil {
		return &zarr.Error{Op: "copy", URL: a.Source.URL(), Err: err}
	}
	if !t.kept {
		if err := t.whole(ctx, a); err != nil {
			return err
		}
	}
	t.note(a)
	a.Meta.Codecs = t.codecs
	return nil
}

// note tells what Python needs to read an array.
func (t *translation) note(a *virtual.Array) {
	var names []string
	for _, c := range t.codecs {
		switch {
		case c.Name == tifftile.Name:
			a.Note("nothing but the codec %s reads these tiles (Python package osml-imagery-io)", tifftile.Name)
		case strings.HasPrefix(c.Name, imagecodecs):
			names = append(names, c.Name)
		}
	}
	if len(names) > 0 {
		a.Note("Python needs imagecodecs for %s: imagecodecs.zarr.register_codecs()", strings.Join(names, ", "))
	}
	if t.short {
		a.Note("the last chunk has fewer rows: zarr-python reads it with array.rectilinear_chunks on")
	}
}

// imagecodecs is what the names of codecs of the Python package begin with.
const imagecodecs = "imagecodecs_"

// translation is the codec of TIFF tiles in terms of others.
type translation struct {
	meta   *meta.Array
	layout tile.Layout
	codecs []meta.Extension
	chunk  []int // shape
	full   int64 // bytes of a chunk that is not compressed
	kept   bool  // there are no others for it
	short  bool  // the last chunks have fewer rows, and the grid says so
}

func newTranslation(m *meta.Array) (*translation, error) {
	parsed, err := tifftile.Parse(nil, tifftile.Name, m.Codecs[0].Configuration)
	if err != nil {
		return nil, err
	}
	t := &translation{meta: m, layout: parsed.(*tifftile.Codec).Layout(), chunk: m.Grid.Uniform()}
	l := &t.layout
	t.full = int64(l.RowBytes()) * int64(l.Height)
	if l.Planar == 2 {
		t.full *= int64(l.Samples)
	}
	if t.codecs, err = t.chain(); err != nil || t.codecs != nil {
		return t, err
	}
	t.kept = true
	bytes, err := entry("bytes", map[string]any{"endian": "little"})
	t.codecs = []meta.Extension{bytes, m.Codecs[0]}
	return t, err
}

func entry(name string, config any) (meta.Extension, error) {
	text, err := json.Marshal(config)
	return meta.Extension{Name: name, Configuration: text}, err
}

// chain gives the codecs, nil if there are none for this layout.
func (t *translation) chain() (list []meta.Extension, err error) {
	l := &t.layout
	rank := len(t.chunk)
	chunky := l.Samples > 1 && l.Planar == 1
	if t.chunk == nil || !t.fits(chunky) {
		return nil, nil
	}
	add := func(name string, config any) {
		x, addErr := entry(name, config)
		if err == nil {
			err = addErr
		}
		list = append(list, x)
	}
	none := struct{}{}
	axis := -1
	if chunky {
		order := make([]int, rank)
		for i := range order {
			order[i] = i
		}
		order[rank-3], order[rank-2], order[rank-1] = rank-2, rank-1, rank-3
		add("transpose", map[string]any{"order": order})
		axis = -2
	}
	along := map[string]any{"axis": axis, "dist": 1}
	predictor := 1
	if compress, ok := compressors[l.Compression]; ok && compress.predicts {
		predictor = l.Predictor
	}
	endian := "little"
	if l.BigEndian {
		endian = "big"
	}
	switch {
	case l.Backwards:
		return nil, nil
	case l.Compression == tile.JPEG:
		if l.SampleFormat != 1 || l.BitsPerSample != 8 {
			return nil, nil
		}
		add(imagecodecs+"jpeg", t.jpeg())
		return list, err
	case predictor == 3:
		add(imagecodecs+"floatpred", along)
	case l.Packed == 24 || l.Packed != 0 && l.SampleFormat != 1:
		return nil, nil
	case l.Packed != 0 || l.BitsPerSample < 8:
		bits := l.Packed
		if bits == 0 {
			bits = l.BitsPerSample
		}
		run := l.Width
		if chunky {
			run *= l.Samples
		}
		add(imagecodecs+"packints", map[string]any{"bitspersample": bits, "runlen": run})
	default:
		if predictor == 2 {
			add(imagecodecs+"delta", along)
		}
		if l.BitsPerSample == 8 {
			add("bytes", none)
		} else {
			add("bytes", map[string]any{"endian": endian})
		}
	}
	if l.Compression == tile.None {
		return list, err
	}
	c, ok := compressors[l.Compression]
	if !ok {
		return nil, nil
	}
	add(c.name, c.config)
	return list, err
}

// fits reports whether a chunk is just a tile.
func (t *translation) fits(chunky bool) bool {
	l := &t.layout
	n := len(t.chunk)
	if n < 2 || t.chunk[n-1] != l.Width || t.chunk[n-2] != l.Height || chunky && (n < 3 || t.chunk[n-3] != l.Samples) {
		return false
	}
	elements, ok := nd.Len(t.chunk)
	return ok && elements == l.Samples*l.Height*l.Width
}

// compressors are the codecs of compressions, and whether TIFF has predictors
// with them.
var compressors = map[int]struct {
	name     string
	config   any
	predicts bool
}{
	tile.LZW:        {imagecodecs + "lzw", struct{}{}, true},
	tile.Deflate:    {"numcodecs.zlib", map[string]any{"level": 6}, true},
	tile.OldDeflate: {"numcodecs.zlib", map[string]any{"level": 6}, true},
	tile.LZMA:       {"numcodecs.lzma", map[string]any{"format": 1, "check": -1, "preset": nil, "filters": nil}, true},
	tile.Zstd:       {"zstd", map[string]any{"level": 3, "checksum": false}, true},
	tile.OldZstd:    {"zstd", map[string]any{"level": 3, "checksum": false}, true},
	tile.PackBits:   {imagecodecs + "packbits", struct{}{}, false},
}

// jpeg is the configuration of JPEG: photometric 6 is YCbCr and becomes RGB, all
// else stays as it is.
func (t *translation) jpeg() map[string]any {
	config := map[string]any{}
	l := &t.layout
	if len(l.JPEGTables) > 0 {
		config["tables"] = base64.StdEncoding.EncodeToString(l.JPEGTables)
	}
	switch {
	case l.Samples == 3 && l.Photometric == 6:
		config["colorspace_jpeg"], config["colorspace_data"] = "YCBCR", "RGB"
	case l.Samples == 3:
		config["colorspace_jpeg"], config["colorspace_data"] = "RGB", "RGB"
	case l.Samples == 4:
		config["colorspace_jpeg"], config["colorspace_data"] = "CMYK", "CMYK"
	case l.Samples == 1:
		config["colorspace_jpeg"], config["colorspace_data"] = "GRAYSCALE", "GRAYSCALE"
	}
	return config
}

// mayBeShort reports whether a chunk of which this much lies in the array may be
// a strip that ends with the image, and has fewer rows than others.
func (t *translation) mayBeShort(inside []int) bool {
	n := len(inside)
	return !t.kept && inside[n-2] < t.layout.Height && (inside[n-1] == t.layout.Width || t.layout.Compression == tile.None)
}

// whole changes references where plain codecs want whole chunks.
func (t *translation) whole(ctx context.Context, a *virtual.Array) error {
	plain := t.layout.Compression == tile.None
	ends := map[string]int64{} // where the last chunk in a file ends
	for i := range a.Chunks {
		r := &a.Chunks[i].Reference
		if plain && r.Length > t.full {
			r.Length = t.full
		}
		if end := r.Offset + r.Length; r.URL != "" && end > ends[r.URL] {
			ends[r.URL] = end
		}
	}
	for i := range a.Chunks {
		c := &a.Chunks[i]
		switch {
		case !t.mayBeShort(c.Box.Shape), plain && c.Length >= t.full:
		case plain && c.URL != "" && c.Offset+t.full <= ends[c.URL]:
			// What follows in the file lies outside the array, whatever it is.
			c.Length = t.full
		default:
			if err := t.complete(ctx, a, c); err != nil {
				return err
			}
		}
	}
	return nil
}

// complete makes a strip that has only some of its rows a whole one.
func (t *translation) complete(ctx context.Context, a *virtual.Array, c *virtual.Chunk) error {
	fail := func(err error) error {
		return &zarr.Error{Op: "copy", URL: a.Source.URL(), Key: c.Key, Err: err}
	}
	l := t.layout
	raw, err := a.Source.RawChunk(ctx, c.Index...)
	if err != nil {
		return err
	}
	if l.Compression == tile.JPEG {
		image, err := jpeg.ReadConfig(raw)
		if err == nil && image.Height < l.Height {
			err = t.shorten()
		}
		if err != nil {
			return fail(err)
		}
		return nil
	}
	size := a.Source.DataType().Size()
	shape := []int{l.Samples, l.Height, l.Width}
	n, ok := nd.Bytes(shape, size)
	if !ok || int64(n) > 4*a.MaxInline() {
		return fail(fmt.Errorf("a strip of %v samples is too large to be written anew", shape))
	}
	view := nd.Of(make([]byte, n), size, shape...)
	if l.Decode(view, raw, 0, l.Height) == nil {
		return nil // it has all rows
	}
	clear(view.Data)
	if err := l.Decode(view, raw, 0, c.Box.Shape[len(t.chunk)-2]); err != nil {
		return fail(err)
	}
	c.Reference, err = a.Inline(c.ChunkInfo, func() ([]byte, error) { return l.AppendEncode(nil, view, tile.Encoding{}) })
	return err
}

// shorten gives the array a grid whose last row of chunks ends with the array.
func (t *translation) shorten() error {
	if t.short {
		return nil
	}
	m := t.meta
	axis := len(t.chunk) - 2
	shapes := make([]any, len(t.chunk))
	for i, n := range t.chunk {
		shapes[i] = n
	}
	whole := m.Shape[axis] / t.chunk[axis]
	rows := []any{m.Shape[axis] - whole*t.chunk[axis]}
	if whole > 0 {
		rows = []any{[]int{t.chunk[axis], whole}, rows[0]}
	}
	shapes[axis] = rows
	text, err := json.Marshal(map[string]any{"name": "rectilinear", "configuration": map[string]any{"kind": "inline", "chunk_shapes": shapes}})
	if err != nil {
		return err
	}
	m.Grid, err = grid.Default().Parse(text, slices.Clone(m.Shape))
	t.short = err == nil
	return err
}
