package virtual_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/tiff/export"
	tiffjobs "github.com/omnizarr/zarr/format/tiff/jobs"
	"github.com/omnizarr/zarr/job/check"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/job/jobtest"
	"github.com/omnizarr/zarr/job/virtual"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
	"github.com/omnizarr/zarr/store/refs"
)

// stripsOf makes an uncompressed TIFF file of 8 bits of a height, in strips of
// two rows of four pixels.
func stripsOf(t *testing.T, file string, height int) []byte {
	t.Helper()
	const width = 4
	pixels := make([]byte, width*height)
	for i := range pixels {
		pixels[i] = byte(i + 1)
	}
	strips := (height + 1) / 2
	out := append([]byte("II*\x00\x00\x00\x00\x00"), pixels...)
	offsets := len(out)
	for i := range strips {
		out = binary.LittleEndian.AppendUint32(out, uint32(8+i*2*width))
	}
	counts := len(out)
	for i := range strips {
		out = binary.LittleEndian.AppendUint32(out, uint32(min(2, height-2*i)*width))
	}
	binary.LittleEndian.PutUint32(out[4:], uint32(len(out)))
	tags := [][4]int{
		{256, 4, 1, width}, {257, 4, 1, height}, {258, 3, 1, 8}, {259, 3, 1, 1}, {262, 3, 1, 1},
		{273, 4, strips, offsets}, {277, 3, 1, 1}, {278, 4, 1, 2}, {279, 4, strips, counts},
	}
	out = binary.LittleEndian.AppendUint16(out, uint16(len(tags)))
	for _, f := range tags {
		out = binary.LittleEndian.AppendUint16(out, uint16(f[0]))
		out = binary.LittleEndian.AppendUint16(out, uint16(f[1]))
		out = binary.LittleEndian.AppendUint32(out, uint32(f[2]))
		out = binary.LittleEndian.AppendUint32(out, uint32(f[3]))
	}
	out = append(out, 0, 0, 0, 0)
	must(t, os.MkdirAll(filepath.Dir(file), 0o777))
	must(t, os.WriteFile(file, out, 0o666))
	return pixels
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// open opens a node for the time of the test.
func openNode(t *testing.T, url string, opts ...zarr.Option) zarr.Node {
	t.Helper()
	n, err := zarr.Open(context.Background(), url, opts...)
	must(t, err)
	t.Cleanup(func() { n.Close() })
	return n
}

// write writes n times the same value.
func write(ctx context.Context, a *zarr.Array, sel zarr.Selection, n int, value byte) error {
	return zarr.Write(ctx, a, sel, bytes.Repeat([]byte{value}, n))
}

func wantPixels(t *testing.T, n zarr.Node, want []byte) {
	t.Helper()
	got, err := zarr.Read[uint8](context.Background(), n.(*zarr.Array), zarr.All())
	must(t, err)
	if !bytes.Equal(got.Data, want) {
		t.Errorf("%s: got %v, want %v", n.URL(), got.Data, want)
	}
}

func wantVerified(t *testing.T, n zarr.Node, chunks int) {
	t.Helper()
	report, err := check.Verify(context.Background(), n, check.VerifyOptions{})
	must(t, err)
	if !report.OK || report.Chunks != chunks {
		t.Errorf("verify %s: %+v", n.URL(), report)
	}
}

func TestVirtualTIFF(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	pixels := stripsOf(t, filepath.Join(dir, "a scan #1.tif"), 5)
	src := openNode(t, filepath.Join(dir, "a scan #1.tif"))
	dst := filepath.Join(dir, "out.zarr")
	must(t, virtual.Write(ctx, src, dst, virtual.Options{Note: func(s string) { t.Error(s) }}))
	n := openNode(t, dst)
	wantPixels(t, n, pixels)
	wantVerified(t, n, 3)
	if n.Format() != "zarr3" {
		t.Errorf("format %s", n.Format())
	}
	text, err := os.ReadFile(filepath.Join(dst, refs.ManifestName))
	must(t, err)
	m, err := refs.Parse(text)
	must(t, err)
	if r, ok := m.Find("c/2/0"); !ok || r.URL != "../a scan #1.tif" || r.Offset != 24 || r.Length != 4 {
		t.Errorf("c/2/0 is %+v", r)
	}
	if r, _ := m.Find("zarr.json"); !bytes.Contains(r.Data, []byte(`"node_type": "array"`)) || bytes.Contains(r.Data, []byte("storage_transformers")) {
		t.Errorf("zarr.json in the manifest is %s", r.Data)
	}

	// What it refers to is read when it is wanted, and not copied.
	must(t, os.Rename(filepath.Join(dir, "a scan #1.tif"), filepath.Join(dir, "moved.tif")))
	if _, err := zarr.Read[uint8](ctx, openNode(t, dst).(*zarr.Array), zarr.All()); err == nil || !strings.Contains(err.Error(), "a scan #1.tif") || errors.Is(err, zarr.ErrMissing) {
		t.Errorf("without its file: %v", err)
	}
	must(t, os.Rename(filepath.Join(dir, "moved.tif"), filepath.Join(dir, "a scan #1.tif")))

	// The folder and its file may move together.
	must(t, os.Mkdir(filepath.Join(dir, "new"), 0o777))
	for _, name := range []string{"out.zarr", "a scan #1.tif"} {
		must(t, os.Rename(filepath.Join(dir, name), filepath.Join(dir, "new", name)))
	}
	n = openNode(t, filepath.Join(dir, "new", "out.zarr"))
	wantPixels(t, n, pixels)

	// A real copy has chunks of its own, and usual codecs.
	must(t, jobtest.Err(copying.Copy(ctx, n, filepath.Join(dir, "real.zarr"), copying.Options{})))
	text, err = os.ReadFile(filepath.Join(dir, "real.zarr", "zarr.json"))
	must(t, err)
	if bytes.Contains(text, []byte("references")) || bytes.Contains(text, []byte("tiff-tile")) {
		t.Errorf("the copy is\n%s", text)
	}
	wantPixels(t, openNode(t, filepath.Join(dir, "real.zarr")), pixels)

	// References to what references refer to.
	must(t, virtual.Write(ctx, n, filepath.Join(dir, "new", "again.zarr"), virtual.Options{}))
	wantPixels(t, openNode(t, filepath.Join(dir, "new", "again.zarr")), pixels)
}

func TestVirtualArraysAreNotWritten(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	stripsOf(t, filepath.Join(dir, "a.tif"), 5)
	must(t, virtual.Write(ctx, openNode(t, filepath.Join(dir, "a.tif")), filepath.Join(dir, "out.zarr"), virtual.Options{}))
	a := openNode(t, filepath.Join(dir, "out.zarr")).(*zarr.Array)
	for name, err := range map[string]error{
		"write":      write(ctx, a, zarr.All(), 20, 1),
		"attributes": a.SetAttributes(ctx, a.Attributes()),
		"delete":     a.DeleteChunk(ctx, 0, 0),
		"resize":     a.Resize(ctx, 3, 4),
	} {
		if !errors.Is(err, store.ErrReadOnly) || !strings.Contains(err.Error(), "references to other files") {
			t.Errorf("%s: %v", name, err)
		}
	}
	wantVerified(t, a, 3)
}

func TestVirtualHierarchy(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	src, err := zarr.CreateGroup(ctx, filepath.Join(dir, "src.zarr"))
	must(t, err)
	defer src.Close()
	for _, path := range []string{"g/one", "g/one-b", "two"} {
		a, err := src.CreateArray(ctx, path, zarr.ArraySpec{Shape: []int{5, 3}, Chunks: []int{2, 2}, DataType: "uint8"})
		must(t, err)
		must(t, write(ctx, a, zarr.Slice("0:2"), 6, 7))
	}
	pixels := append(bytes.Repeat([]byte{7}, 6), make([]byte, 9)...)
	dst := filepath.Join(dir, "sub", "out.zarr")
	var notes []string
	note := func(text string) { notes = append(notes, text) }
	must(t, virtual.Write(ctx, src, dst, virtual.Options{Note: note}))
	if len(notes) != 1 || !strings.Contains(notes[0], "needs --allow") {
		t.Errorf("notes %q", notes)
	}
	notes = nil
	if err := virtual.Write(ctx, src, dst, virtual.Options{Note: note}); err != nil || !slices.ContainsFunc(notes, func(n string) bool { return strings.Contains(n, "nothing to do") }) {
		t.Errorf("a second time: %v, %q", err, notes)
	}
	if err := virtual.Write(ctx, child(t, src, "g/one"), dst, virtual.Options{}); !errors.Is(err, copying.ErrNotEmpty) {
		t.Errorf("another copy: %v", err)
	}
	must(t, virtual.Write(ctx, src, dst, virtual.Options{Overwrite: true}))
	for _, where := range []string{"src.zarr", filepath.Join("src.zarr", "g")} {
		if err := virtual.Write(ctx, src, filepath.Join(dir, where), virtual.Options{Overwrite: true}); err == nil || !strings.Contains(err.Error(), "same place") {
			t.Errorf("into %s: %v", where, err)
		}
	}

	// The files lie outside the folder that the copy is in.
	n := openNode(t, dst)
	if _, err := zarr.Read[uint8](ctx, child(t, n, "g/one"), zarr.All()); !errors.Is(err, zarr.ErrNotAllowed) || !strings.Contains(err.Error(), "--allow "+filepath.Join(dir, "src.zarr")) {
		t.Errorf("without leave: %v", err)
	}
	for _, allow := range []string{dir, filepath.Join(dir, "src.zarr"), "file://" + filepath.ToSlash(dir)} {
		n := openNode(t, dst, zarr.Allow("elsewhere", allow))
		wantPixels(t, child(t, n, "g/one"), pixels)
		wantPixels(t, child(t, n, "g/one-b"), pixels)
		report, err := check.Verify(ctx, n, check.VerifyOptions{Open: []zarr.Option{zarr.Allow(allow)}})
		if err != nil || !report.OK || report.Arrays != 3 || report.Missing != 3*4 {
			t.Errorf("verify: %+v, %v", report, err)
		}
	}

	// An inner node by itself, in a folder that holds the files too.
	must(t, os.Rename(dst, filepath.Join(dir, "out.zarr")))
	must(t, os.Rename(filepath.Join(dir, "src.zarr"), filepath.Join(dir, "x.zarr")))
	must(t, virtual.Write(ctx, openNode(t, filepath.Join(dir, "x.zarr")), filepath.Join(dir, "out.zarr"), virtual.Options{Overwrite: true}))
	for _, path := range []string{"out.zarr/g/one", "out.zarr/two"} {
		wantPixels(t, openNode(t, filepath.Join(dir, path)), pixels)
	}
	v, err := check.Validate(ctx, openNode(t, filepath.Join(dir, "out.zarr")).Store(), "", check.ValidateOptions{})
	if err != nil || len(v.Problems) > 0 {
		t.Errorf("validate: %+v, %v", v, err)
	}
	g := openNode(t, filepath.Join(dir, "out.zarr")).(*zarr.Group)
	must(t, g.Consolidate(ctx))
	wantPixels(t, child(t, g, "two"), pixels)

	// In an archive, whose references go up from where it is.
	must(t, virtual.Write(ctx, openNode(t, filepath.Join(dir, "x.zarr")), filepath.Join(dir, "out.zip"), virtual.Options{}))
	wantPixels(t, openNode(t, filepath.Join(dir, "out.zip", "g", "one")), pixels)
}

func child(t *testing.T, n zarr.Node, path string) *zarr.Array {
	t.Helper()
	a, err := n.(*zarr.Group).Array(context.Background(), path)
	must(t, err)
	return a
}

func TestVirtualOnTheWeb(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	pixels := stripsOf(t, filepath.Join(dir, "data", "scan 1.tif"), 6)
	must(t, virtual.Write(ctx, openNode(t, filepath.Join(dir, "data", "scan 1.tif")), filepath.Join(dir, "data", "out.zarr"), virtual.Options{}))
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	defer server.Close()
	n := openNode(t, server.URL+"/data/out.zarr")
	wantPixels(t, n, pixels)
	wantVerified(t, n, 3)

	// From a server to a folder: names are whole, and need leave.
	local := filepath.Join(dir, "local.zarr")
	must(t, virtual.Write(ctx, openNode(t, server.URL+"/data/scan%201.tif"), local, virtual.Options{}))
	if _, err := zarr.Read[uint8](ctx, openNode(t, local).(*zarr.Array), zarr.All()); !errors.Is(err, zarr.ErrNotAllowed) {
		t.Errorf("without leave: %v", err)
	}
	wantPixels(t, openNode(t, local, zarr.Allow(server.URL+"/data")), pixels)
}

func TestVirtualInline(t *testing.T) {
	ctx := context.Background()
	src, err := zarr.CreateArrayIn(ctx, mem.New(), "", zarr.ArraySpec{Shape: []int{4}, Chunks: []int{2}, DataType: "uint8"})
	must(t, err)
	must(t, write(ctx, src, zarr.All(), 4, 9))
	dst := filepath.Join(t.TempDir(), "out.zarr")
	must(t, virtual.Write(ctx, src, dst, virtual.Options{}))
	wantPixels(t, openNode(t, dst), []byte{9, 9, 9, 9})
	err = virtual.Write(ctx, src, dst, virtual.Options{Overwrite: true, Inline: 3})
	if err == nil || !strings.Contains(err.Error(), "chunks that cannot be referred to make more than 3 bytes") {
		t.Errorf("too much: %v", err)
	}
}

// tiles translates the codec of TIFF tiles.
var tiles = []virtual.Translator{tiffjobs.Tiles{}}

// The strips of a file whose last one is short: Python's codecs want it whole.
func TestVirtualJSON(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	pixels := stripsOf(t, filepath.Join(dir, "a b.tif"), 5)
	file := filepath.Join(dir, "new", "out.json")
	must(t, virtual.Write(ctx, openNode(t, filepath.Join(dir, "a b.tif")), file, virtual.Options{Translators: tiles}))
	var notes []string
	again := virtual.Options{Translators: tiles, Note: func(text string) { notes = append(notes, text) }}
	if err := virtual.Write(ctx, openNode(t, filepath.Join(dir, "a b.tif")), file, again); err != nil || !slices.ContainsFunc(notes, func(n string) bool { return strings.Contains(n, "nothing to do") }) {
		t.Errorf("a second time: %v, %q", err, notes)
	}
	if err := virtual.Write(ctx, openNode(t, filepath.Join(dir, "a b.tif")), file, virtual.Options{}); !errors.Is(err, copying.ErrNotEmpty) {
		t.Errorf("another copy: %v", err)
	}
	text, err := os.ReadFile(file)
	must(t, err)
	m, err := refs.Parse(text)
	must(t, err)
	var keys []string
	for key := range m.All() {
		keys = append(keys, key)
	}
	if want := []string{"c/0/0", "c/1/0", "c/2/0", "zarr.json"}; !slices.Equal(keys, want) {
		t.Errorf("keys %q", keys)
	}
	if r, _ := m.Find("c/1/0"); r.URL != "file://"+filepath.ToSlash(dir)+"/a b.tif" || r.Offset != 16 || r.Length != 8 {
		t.Errorf("c/1/0 is %+v", r)
	}
	if r, _ := m.Find("c/2/0"); !bytes.Equal(r.Data, append(slices.Clone(pixels[16:]), 0, 0, 0, 0)) {
		t.Errorf("c/2/0 is %+v", r)
	}
	doc, _ := m.Find("zarr.json")
	s := mem.New()
	_, err = s.Put(ctx, "zarr.json", doc.Data, store.PutOptions{})
	must(t, err)
	n, err := zarr.OpenStore(ctx, s, "")
	must(t, err)
	if codecs := n.(*zarr.Array).Metadata().Codecs; len(codecs) != 1 || codecs[0].Name != "bytes" {
		t.Errorf("codecs %v", codecs)
	}
}

// What TIFF's compressions are in terms of codecs that Python has.
func TestVirtualJSONCodecs(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	src, err := zarr.CreateArrayIn(ctx, mem.New(), "", zarr.ArraySpec{
		Shape: []int{3, 32, 48}, DataType: "uint16", DimensionNames: []string{"s", "y", "x"},
	})
	must(t, err)
	must(t, zarr.Write(ctx, src, zarr.All(), make([]uint16, 3*32*48)))
	small, err := zarr.CreateArrayIn(ctx, mem.New(), "", zarr.ArraySpec{
		Shape: []int{3, 32, 48}, DataType: "uint8", DimensionNames: []string{"s", "y", "x"},
	})
	must(t, err)
	must(t, zarr.Write(ctx, small, zarr.All(), make([]uint8, 3*32*48)))
	for _, c := range []struct {
		src  zarr.Node
		opts export.Format
		want string
		note string
	}{
		{src, export.Format{Compression: "none"}, "transpose, bytes", ""},
		{src, export.Format{Compression: "deflate", Predictor: 1}, "transpose, bytes, numcodecs.zlib", ""},
		{src, export.Format{Compression: "deflate", Predictor: 2}, "transpose, imagecodecs_delta, bytes, numcodecs.zlib", "imagecodecs_delta"},
		{src, export.Format{Compression: "lzw", Predictor: 1}, "transpose, bytes, imagecodecs_lzw", "imagecodecs_lzw"},
		{src, export.Format{Compression: "zstd", Predictor: 1}, "transpose, bytes, zstd", ""},
		{small, export.Format{Compression: "packbits"}, "transpose, bytes, imagecodecs_packbits", "imagecodecs_packbits"},
		{small, export.Format{Compression: "jpeg"}, "transpose, imagecodecs_jpeg", "imagecodecs_jpeg"},
	} {
		file := filepath.Join(dir, c.opts.Compression+".tif")
		must(t, jobtest.Err(copying.Copy(ctx, c.src, file, copying.Options{To: c.opts, Overwrite: true, Lossy: true})))
		var notes []string
		must(t, virtual.Write(ctx, openNode(t, file), file+".json", virtual.Options{Overwrite: true, Translators: tiles, Note: func(s string) { notes = append(notes, s) }}))
		text, err := os.ReadFile(file + ".json")
		must(t, err)
		m, err := refs.Parse(text)
		must(t, err)
		doc, ok := m.Find("zarr.json")
		if !ok {
			t.Fatalf("%s: no document", file)
		}
		var array struct{ Codecs []struct{ Name string } }
		must(t, json.Unmarshal(doc.Data, &array))
		var names []string
		for _, c := range array.Codecs {
			names = append(names, c.Name)
		}
		if got := strings.Join(names, ", "); got != c.want {
			t.Errorf("%+v: codecs %s, want %s", c.opts, got, c.want)
		}
		if got := strings.Join(notes, "\n"); (got == "") != (c.note == "") || !strings.Contains(got, c.note) {
			t.Errorf("%+v: notes %q", c.opts, got)
		}
	}
}

func TestVirtualCopiesMeanTheSame(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	must(t, os.Mkdir(filepath.Join(dir, "old.zarr"), 0o755))
	for name, text := range map[string]string{
		".zarray": `{"zarr_format":2,"shape":[2],"chunks":[2],"dtype":"|i1","fill_value":-9,"order":"C","filters":null,"compressor":null}`,
		".zattrs": `{"_ARRAY_DIMENSIONS":["x"]}`, "0": "\x01\xf7",
	} {
		must(t, os.WriteFile(filepath.Join(dir, "old.zarr", name), []byte(text), 0o644))
	}
	src := openNode(t, filepath.Join(dir, "old.zarr"))
	for _, name := range []string{"new.zarr", "new.json"} {
		must(t, virtual.Write(ctx, src, filepath.Join(dir, name), virtual.Options{}))
		a := openNode(t, filepath.Join(dir, name)).(*zarr.Array)
		if got, err := a.Attributes().MarshalJSON(); err != nil || string(got) != `{"_FillValue":-9}` || !slices.Equal(a.DimensionNames(), []string{"x"}) {
			t.Errorf("%s: %s, %v, %v", name, got, a.DimensionNames(), err)
		}
	}
}

// Files beside nodes are named: a copy that refers to chunks has none of them.
func TestFilesBesideNodesAreNamed(t *testing.T) {
	dir := t.TempDir()
	src := filepath.Join(dir, "a.zarr")
	ctx := context.Background()
	a, err := zarr.CreateArray(ctx, src, zarr.ArraySpec{Shape: []int{4}, DataType: "uint8"})
	must(t, err)
	defer a.Close()
	must(t, zarr.Write(ctx, a, zarr.All(), []uint8{1, 2, 3, 4}))
	must(t, os.WriteFile(filepath.Join(src, "README.md"), []byte("read me"), 0o666))
	var notes []string
	must(t, virtual.Write(ctx, a, filepath.Join(dir, "b.zarr"), virtual.Options{Note: func(text string) { notes = append(notes, text) }}))
	if got := strings.Join(notes, "; "); got != "not copied: README.md; a copy without --virtual takes files along" {
		t.Errorf("%q", got)
	}
}
