package serve_test

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/tiff/export"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/serve"
)

// shades makes an image of one shade, a series and a table, in one format, at a place.
func shades(t *testing.T, dir, name string, shade uint8) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	ctx := context.Background()
	at := filepath.Join(dir, name)
	length := thorough.Of(60_000, 300_000)
	pixels, samples := make([]uint8, 600*520), make([]float32, length)
	for i := range pixels {
		pixels[i] = uint8((i/520 + i%520) * int(shade) / 16)
	}
	for i := range samples {
		samples[i] = float32(shade) * float32(i%(int(shade)+i/1000))
	}
	if filepath.Ext(name) == ".tif" {
		a, err := zarr.CreateArray(ctx, "mem:", zarr.ArraySpec{Shape: []int{600, 520}, DataType: "uint8", Chunks: []int{128, 128}})
		must(err)
		must(zarr.Write(ctx, a, zarr.All(), pixels))
		_, err = copying.Copy(ctx, a, at+"f.tif", copying.Options{To: export.Format{}, Chunks: []int{128, 128}})
		must(err)
		must(a.Close())
		must(os.Rename(at+"f.tif", at))
		return
	}
	// The documents stay as they are: only chunks are written, in their places.
	g, err := zarr.OpenGroup(ctx, at)
	if err != nil {
		opts := []zarr.Option(nil)
		if name == "old.zarr" {
			opts = append(opts, zarr.As("zarr2"))
		}
		g, err = zarr.CreateGroup(ctx, at, opts...)
		must(err)
		_, err = g.CreateArray(ctx, "image", zarr.ArraySpec{Shape: []int{600, 520}, DataType: "uint8", Chunks: []int{128, 128}})
		must(err)
		_, err = g.CreateArray(ctx, "series", zarr.ArraySpec{Shape: []int{length}, DataType: "float32", Chunks: []int{length / 6}})
		must(err)
	}
	a, err := g.Array(ctx, "image")
	must(err)
	must(zarr.Write(ctx, a, zarr.All(), pixels))
	a, err = g.Array(ctx, "series")
	must(err)
	must(zarr.Write(ctx, a, zarr.All(), samples))
	must(g.Close())
}

// asked are addresses whose answers are kept.
func asked(name string) []string {
	image, level := "/image", name+"/image/1"
	series := []string{"/api/series?source=" + name + "&path=/series&width=100", "/api/thumbnail?source=" + name + "&path=/series", "/api/series?source=" + name + "&path=/series&width=16000"}
	if filepath.Ext(name) == ".tif" {
		image, level, series = "/", name+"/1", nil
	}
	api := "?source=" + name + "&path=" + image
	return append(series,
		"/zarr/"+name+image+"/c/0/0?codecs=gzip", "/zarr2/"+name+image+"/0.0?codecs=zstd", "/zarr2/"+name+image+"/0/0?codecs=zstd",
		"/zarr/@pyramid/"+level+"/c/0/0", "/zarr/@pyramid,codecs=gzip/"+level+"/c/0/0",
		"/api/tile"+api+"&x=0,64&y=0,64", "/api/tile"+api+"&level=1&x=0,64&y=0,64", "/api/tile"+api+"&level=1&x=0,64&y=0,64&as=png", "/api/tile"+api+"&level=1&quick=1",
		"/api/stats"+api, "/api/stats"+api+"&all=1", "/api/thumbnail"+api, "/api/slice"+api+"&slice=0:2,0:2",
	)
}

// TestWhatIsKeptGoesByWhatIsStored: chunks that are written anew in their places, and files
// that are replaced, are shown as they are now, also to those who have an answer already.
func TestWhatIsKeptGoesByWhatIsStored(t *testing.T) {
	for _, name := range []string{"new.zarr", "old.zarr", "blocks.n5", "image.tif"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { keptByWhatIsStored(t, name) })
		})
	}
}

// keptByWhatIsStored asks a server before and after what it serves is written anew.
func keptByWhatIsStored(t *testing.T, name string) {
	dir := t.TempDir()
	shades(t, dir, name, 20)
	open := func() *serve.Server {
		s, err := serve.New(serve.Options{})
		if err == nil {
			_, err = s.Add("", filepath.Join(dir, name))
		}
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	ask := func(s *serve.Server, address, tag string) *httptest.ResponseRecorder {
		w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, address, nil)
		if tag != "" {
			r.Header.Set("If-None-Match", tag)
		}
		s.ServeHTTP(w, r.WithContext(t.Context()))
		return w
	}
	s := open()
	before := map[string]*httptest.ResponseRecorder{}
	for _, address := range asked(name) {
		w := ask(s, address, "")
		if w.Code == http.StatusNotFound { // keys of the other separator
			continue
		}
		if w.Code != http.StatusOK {
			t.Fatalf("%s: %d %s", address, w.Code, w.Body)
		}
		before[address] = w
	}
	for address, w := range before {
		if tag := w.Header().Get("ETag"); tag != "" && ask(s, address, tag).Code != http.StatusNotModified {
			t.Errorf("%s: nothing has changed, and it is sent again", address)
		}
	}
	shades(t, dir, name, 90)
	anew := open()
	if name == "image.tif" { // files are looked at once a second
		time.Sleep(2 * time.Second)
	}
	for address, old := range before {
		w, want := ask(s, address, old.Header().Get("ETag")), ask(anew, address, "")
		if w.Code != http.StatusOK || !bytes.Equal(w.Body.Bytes(), want.Body.Bytes()) {
			t.Errorf("%s: %d, %d bytes, not what is stored now", address, w.Code, w.Body.Len())
		}
		if bytes.Equal(want.Body.Bytes(), old.Body.Bytes()) {
			t.Errorf("%s: the same answer to others", address)
		}
	}
	for _, s := range []*serve.Server{s, anew} {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}
