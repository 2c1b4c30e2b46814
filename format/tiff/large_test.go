package tiff_test

import (
	"context"
	"encoding/binary"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/tiff"
	"github.com/omnizarr/zarr/internal/alloctest"
	"github.com/omnizarr/zarr/internal/race"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/file"
)

// counting counts what is read from the store inside, and may look far away.
type counting struct {
	store.Store
	far          bool
	reads, bytes atomic.Int64
}

func (c *counting) Open(ctx context.Context, key string) (store.Object, error) {
	o, err := store.Open(ctx, c.Store, key)
	return countingObject{o, c}, err
}

type countingObject struct {
	store.Object
	c *counting
}

func (o countingObject) Near() bool { return !o.c.far }

func (o countingObject) Get(ctx context.Context, r store.Range, dst []byte) ([]byte, store.Info, error) {
	out, info, err := o.Object.Get(ctx, r, dst)
	o.c.reads.Add(1)
	o.c.bytes.Add(int64(len(out) - len(dst)))
	return out, info, err
}

// heap is how much memory is in use.
func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func TestManyPagesAreFastAndSmall(t *testing.T) {
	for _, c := range []struct {
		name           string
		pages, bytes   int
		between, far   bool
		reads, fetched int64 // at most
	}{
		{"directories in a row", 100_000, 16, false, false, 25, 12 << 20},
		{"directories in a row, far away", 100_000, 16, false, true, 25, 12 << 20},
		{"among small pages", 100_000, 64, true, false, 30, 20 << 20},
		{"among small pages, far away", 100_000, 64, true, true, 30, 20 << 20},
		{"among pages", 20_000, 8 << 10, true, false, 20_010, 20_000 * 4200},
	} {
		n := thorough.Rounds(c.pages)
		most := c.fetched * int64(n) / int64(c.pages)
		data := chain(n, c.bytes, c.between)
		s := &counting{Store: holding(t, "a.tif", data), far: c.far}
		before := heap()
		var f *tiff.File
		used := alloctest.Bytes(func() {
			var err error
			f, err = tiff.Open(ctx, s, "a.tif")
			check(t, err)
		}) / int64(n)
		kept := (heap() - before) / int64(n)
		t.Logf("%s: %d bytes a page of which %d are kept, %d reads of %d bytes", c.name, used, kept, s.reads.Load(), s.bytes.Load())
		if f.Len() != n {
			t.Errorf("%s: %d pages", c.name, f.Len())
		}
		if !race.Enabled && (used > 300 || kept > 32 || s.reads.Load() > c.reads || s.bytes.Load() > most) {
			t.Errorf("%s: %d bytes a page of which %d are kept, %d reads of %d bytes", c.name, used, kept, s.reads.Load(), s.bytes.Load())
		}
		node, err := zarr.OpenStore(ctx, f.Store(), "")
		check(t, err)
		a := node.(*zarr.Array)
		if sh := a.Shape(); len(sh) != 3 || sh[0] != n || a.DimensionNames()[0] != "i" {
			t.Fatal(a.Shape())
		}
		for _, i := range []int{0, 1, n / 2, n - 1} {
			v, err := zarr.Read[uint8](ctx, a, zarr.Select(zarr.At(i), zarr.At(0), zarr.At(c.bytes-1)))
			check(t, err)
			if v.Data[0] != byte(i) {
				t.Errorf("%s: page %d has %d", c.name, i, v.Data[0])
			}
		}
		runtime.KeepAlive(data)
		f.Close()
	}
}

// hugeTIFF makes a BigTIFF with 400,000 tiles in a file of 100 GB, nearly all of
// which is a hole. The directory is at its end.
func hugeTIFF(t *testing.T, path string) {
	t.Helper()
	const tiles, width, size = 400_000, 256, 100 << 30
	le := binary.LittleEndian
	f, err := os.Create(path)
	check(t, err)
	defer f.Close()
	tables := uint64(size - 32<<20)
	dir := uint64(size - 4096)
	head := le.AppendUint16(le.AppendUint16(le.AppendUint16([]byte("II"), 43), 8), 0)
	write := func(b []byte, at uint64) {
		_, err := f.WriteAt(b, int64(at))
		check(t, err)
	}
	write(le.AppendUint64(head, dir), 0)
	offsets, counts := make([]byte, 0, 8*tiles), make([]byte, 0, 8*tiles)
	for i := range uint64(tiles) {
		offsets = le.AppendUint64(offsets, 16+i*(width*width+100))
		counts = le.AppendUint64(counts, width*width)
	}
	write(offsets, tables)
	write(counts, tables+8*tiles)
	entries := [][4]uint64{
		{256, 4, 1, width * 1000}, {257, 4, 1, width * 400}, {258, 3, 1, 8}, {259, 3, 1, 1}, {262, 3, 1, 1}, {322, 3, 1, width},
		{323, 3, 1, width}, {324, 16, tiles, tables}, {325, 16, tiles, tables + 8*tiles},
	}
	b := le.AppendUint64(nil, uint64(len(entries)))
	for _, e := range entries {
		b = le.AppendUint16(le.AppendUint16(b, uint16(e[0])), uint16(e[1]))
		b = le.AppendUint64(le.AppendUint64(b, e[2]), e[3])
	}
	write(le.AppendUint64(b, 0), dir)
	write([]byte{42}, 16+(250*1000+700)*(width*width+100))
	check(t, f.Truncate(size))
}

func TestHugeFileOpensInFewReads(t *testing.T) {
	dir := t.TempDir()
	hugeTIFF(t, filepath.Join(dir, "huge.tif"))
	inner, err := file.Open(dir, file.Options{})
	check(t, err)
	defer inner.Close()
	for _, far := range []bool{false, true} {
		s := &counting{Store: inner, far: far}
		f, err := tiff.Open(ctx, s, "huge.tif")
		check(t, err)
		if s.reads.Load() > 2 || s.bytes.Load() > 200<<10 {
			t.Errorf("%d reads of %d bytes", s.reads.Load(), s.bytes.Load())
		}
		node, err := zarr.OpenStore(ctx, f.Store(), "")
		check(t, err)
		a := node.(*zarr.Array)
		v, err := zarr.Read[uint8](ctx, a, zarr.Select(zarr.At(250*256), zarr.At(700*256)))
		check(t, err)
		if v.Data[0] != 42 {
			t.Errorf("element %v", v.Data)
		}
		if s.reads.Load() > 6 || s.bytes.Load() > 1<<20 {
			t.Errorf("with a tile: %d reads of %d bytes", s.reads.Load(), s.bytes.Load())
		}
		f.Close()
	}
}

// webServer serves values by range, and counts.
func webServer(t *testing.T, content map[string][]byte) (url string, requests, bytes *atomic.Int64) {
	t.Helper()
	requests, bytes = new(atomic.Int64), new(atomic.Int64)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, ok := content[strings.TrimPrefix(r.URL.Path, "/")]
		if !ok {
			http.NotFound(w, r)
			return
		}
		requests.Add(1)
		w.Header().Set("ETag", `"1"`)
		http.ServeContent(countingWriter{w, bytes}, r, "", time.Time{}, strings.NewReader(string(b)))
	}))
	t.Cleanup(srv.Close)
	return srv.URL, requests, bytes
}

type countingWriter struct {
	http.ResponseWriter
	bytes *atomic.Int64
}

func (w countingWriter) Write(b []byte) (int, error) {
	w.bytes.Add(int64(len(b)))
	return w.ResponseWriter.Write(b)
}

func TestOverTheWeb(t *testing.T) {
	_, files := fixtures(t)
	url, requests, bytes := webServer(t, map[string][]byte{
		"cog.tif": files["cog_deflate.tif"], "many.tif": chain(20_000, 16, false), "small.tif": little().file(gray(4, 4, 1)),
	})
	for name, most := range map[string]int64{"cog.tif": 3, "many.tif": 8, "small.tif": 4} {
		requests.Store(0)
		bytes.Store(0)
		n, err := zarr.Open(ctx, url+"/"+name)
		check(t, err)
		if got := requests.Load(); got > most {
			t.Errorf("%s: %d requests of %d bytes to open", name, got, bytes.Load())
		}
		t.Logf("%s: %d requests, %d bytes", name, requests.Load(), bytes.Load())
		n.Close()
	}
	a, err := zarr.OpenArray(ctx, url+"/small.tif/ifd/0")
	check(t, err)
	defer a.Close()
	v, err := zarr.Read[uint8](ctx, a, zarr.All())
	check(t, err)
	if v.Data[15] != 16 {
		t.Error(v.Data)
	}
}
