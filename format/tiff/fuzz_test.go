package tiff_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/tiff"
	"github.com/omnizarr/zarr/format/tiff/tag"
	"github.com/omnizarr/zarr/internal/fuzzlong"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store"
)

// FuzzOpen opens files, lists them and reads one of their nodes, if it is small; which
// one depends on the length: documents must be JSON, and what is listed must be there
// or fail with an error.
func FuzzOpen(f *testing.F) {
	_, files := fixtures(f)
	for name, data := range files {
		if strings.HasSuffix(name, ".tif") && len(data) < 6<<10 {
			f.Add(data)
		}
	}
	for name, data := range archive(f, "bad.zip") {
		if strings.HasSuffix(name, ".tif") && len(data) < 6<<10 {
			f.Add(data)
		}
	}
	pages := ramp(3)
	described(pages[0], omeXML(omeImage("a", `<TiffData IFD="0" PlaneCount="3"/>`)))
	pages[0].subs = []*picture{gray(2, 2, 0)}
	f.Add(little().file(pages...))
	f.Add(little().file(append([]*picture{described(gray(4, 4, 0), "ImageJ=1.53\nimages=4\nslices=4\n")}, ramp(3)...)...))
	f.Add(little().file(described(gray(4, 4, 0), `{"shape": [2, 4, 4], "truncated": true}`), gray(4, 4, 0)))
	f.Add(little().file(gray(8, 8, 0, tag.Doubles(tag.ModelPixelScale, 1, 1, 0), tag.Text(tag.GDALNoData, "7")), gray(4, 4, 0)))
	fuzzlong.Fuzz(f, func(t *testing.T, data []byte) {
		if len(data) > 64<<10 {
			return
		}
		file, err := tiff.Open(ctx, holding(t, "a.tif", data), "a.tif")
		if err != nil {
			return
		}
		defer file.Close()
		s := file.Store()
		for n := range min(file.Len(), 4) {
			file.Fields(ctx, n, -1, 1<<16)
			file.Fields(ctx, n, 0, 1<<16)
		}
		left := 64 // keys to look at
		for _, prefix := range []string{"", "ifd/"} {
			last := ""
			var nodes []string
			for e, err := range s.List(ctx, prefix, "") {
				if left--; left < 0 || err != nil {
					break
				}
				if e.Key <= last {
					t.Fatalf("%q follows %q", e.Key, last)
				}
				last = e.Key
				b, _, err := s.Get(ctx, e.Key, store.UpTo(1<<20), nil)
				path, isDocument := strings.CutSuffix(e.Key, "zarr.json")
				if err != nil || !isDocument {
					continue
				}
				if !json.Valid(b) {
					t.Fatalf("%s: %s", e.Key, b)
				}
				nodes = append(nodes, strings.TrimSuffix(path, "/"))
			}
			if len(nodes) > 0 {
				readSmall(s, nodes[len(data)%len(nodes)])
			}
		}
	})
}

// readSmall reads an array that is not large.
func readSmall(s store.Store, path string) {
	node, err := zarr.OpenStore(ctx, s, path)
	if err != nil {
		return
	}
	a, ok := node.(*zarr.Array)
	if !ok {
		return
	}
	bytes, chunk := a.DataType().Size(), a.DataType().Size()
	for i, n := range a.Shape() {
		if bytes *= n; bytes > 1<<20 {
			return
		}
		if chunk *= a.ChunkShape()[i]; chunk > 1<<20 {
			return
		}
	}
	v := nd.Make(a.DataType().Size(), a.Shape()...)
	_ = a.ReadInto(ctx, zarr.All(), v)
}
