package serve_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/serve"
	"github.com/omnizarr/zarr/serve/servetest"
)

// Every format is plain Zarr of either version, alone and in a folder with others; options
// come by the query or, for clients that drop it, in the path.
func TestForms(t *testing.T) {
	dir := servetest.Samples(t)
	large, err := zarr.CreateArray(t.Context(), filepath.Join(dir, "large.zarr"), zarr.ArraySpec{Shape: []int{600, 600}, DataType: "uint8", DimensionNames: []string{"y", "x"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := large.Close(); err != nil {
		t.Fatal(err)
	}
	urls := []string{dir}
	for _, name := range []string{"plain.zarr", "sub/old.zarr", "sub/cells.n5", "image.tif", "packed.zip", "large.zarr"} {
		urls = append(urls, filepath.Join(dir, name))
	}
	h := started(t, serve.Options{}, urls...)
	all := filepath.Base(dir)
	for path, want := range map[string]string{
		"/zarr/plain.zarr/a/zarr.json": `"sharding_indexed"`, "/zarr/old.zarr/a/zarr.json": `"array"`, "/zarr/cells.n5/s0/zarr.json": `"zstd"`, "/zarr/image.tif/0/zarr.json": `"array"`, "/zarr/packed.zip/a/zarr.json": `"array"`,
		"/zarr2/plain.zarr/a/.zarray": `"zarr_format":2`, "/zarr2/cells.n5/s0/.zarray": `"zarr_format":2`, "/zarr2/image.tif/.zmetadata": `"zarr_consolidated_format":1`, "/zarr2/plain.zarr/.zgroup": `"zarr_format":2`,
		"/zarr/" + all + "/sub/old.zarr/a/zarr.json": `"array"`, "/zarr/" + all + "//image.tif//0/zarr.json": `"array"`, "/zarr2/" + all + "/plain.zarr/deep/b/.zarray": `"<f8"`,
		"/zarr/cells.n5/s0/zarr.json?codecs=gzip": `"gzip"`, "/zarr/@codecs=gzip/cells.n5/s0/zarr.json": `"gzip"`, "/zarr/@pyramid,codecs=gzip/large.zarr/zarr.json": `"multiscales"`,
		"/zarr/large.zarr/zarr.json?pyramid": `"multiscales"`, "/zarr/@pyramid/large.zarr/1/zarr.json": `300`, "/zarr/large.zarr/zarr.json?pyramid=0": `600`,
		"/files/image.tif/image.tif": "II", "/files/old.zarr/a/.zarray": `"zarr_format"`, "//zarr/plain.zarr/a/zarr.json": `"array"`,
		"/api/sources": `"zarr2":"/zarr2/plain.zarr"`,
	} {
		r := ask(t, "GET", h.URL+path)
		text := strings.NewReplacer(": ", ":").Replace(r.text)
		if r.StatusCode != 200 || !strings.Contains(text, want) {
			t.Errorf("%s: %d, no %s in %.300s", path, r.StatusCode, want, text)
		}
		if strings.HasSuffix(path, ".json") && !json.Valid([]byte(r.text)) {
			t.Errorf("%s is no JSON", path)
		}
	}
	for path, status := range map[string]int{
		"/zarr/plain.zarr/a/zarr.json?codecs=what": 400, "/zarr/@codecs=[/plain.zarr/zarr.json": 400, "/zarr/large.zarr/zarr.json?pyramid=much": 400, "/zarr/@pyramid": 307, "/zarr/@piramid/large.zarr/zarr.json": 400, "/zarr/@pyramid/": 200,
		"/zarr/plain.zarr/a/c/9/9": 404, "/zarr/plain.zarr/info": 404, "/zarr/plain.zarr/attributes.json": 404, "/zarr/plain.zarr/manifest.ocdbt": 404, "/zarr/plain.zarr/refs/branch.main/ZZZZZZZZ.json": 404, "/zarr/plain.zarr/.zmetadata": 404,
		"/zarr/plain.zarr/gone/zarr.json": 404, "/zarr/plain.zarr/a/gone/zarr.json": 404, "/zarr2/plain.zarr/a/.zgroup": 404, "/zarr/" + all + "/notes.txt": 404, "/zarr/" + all + "/gone.zarr/zarr.json": 404,
	} {
		if r := ask(t, "GET", h.URL+path); r.StatusCode != status {
			t.Errorf("%s: %d %.200s", path, r.StatusCode, r.text)
		}
	}
}
