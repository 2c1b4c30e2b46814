package pad_test

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

// archive holds the example stores: documents and results by store, and the
// chunks once, since the stores of a kind have the same.
func archive(t *testing.T) map[string][]byte {
	t.Helper()
	z, err := zip.OpenReader("testdata/examples.zip")
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	out := map[string][]byte{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if out[f.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// exampleStore puts the chunks of a kind beside a document.
func exampleStore(t *testing.T, files map[string][]byte, kind string, document []byte) store.Store {
	t.Helper()
	s := mem.New()
	put := func(key string, data []byte) {
		if _, err := s.Put(context.Background(), key, data, store.PutOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	put("zarr.json", document)
	for name, data := range files {
		if key, ok := strings.CutPrefix(name, "chunks-"+kind+"/"); ok {
			put(key, data)
		}
	}
	return s
}

// The blocks are those of Java N5 and of tensorstore, which are the same; the
// TIFF header is that of the texts. "literal" has the codecs as the texts print
// them, "transposed" has a transpose in front, which N5 needs.
func TestExampleStores(t *testing.T) {
	files := archive(t)
	stores := 0
	for name, data := range files {
		dir, ok := strings.CutSuffix(name, "/expected.json")
		if !ok {
			continue
		}
		stores++
		t.Run(dir, func(t *testing.T) {
			var want struct{ SHA256 string }
			if err := json.Unmarshal(data, &want); err != nil {
				t.Fatal(err)
			}
			kind, _, _ := strings.Cut(dir, "_")
			s := exampleStore(t, files, kind, files[dir+"/zarr.json"])
			a := openArray(t, s, registry())
			all, err := zarr.Read[uint16](context.Background(), a, zarr.All())
			if err != nil {
				t.Fatal(err)
			}
			if got := digest(all.Data); got != want.SHA256 {
				t.Errorf("digest %s, want %s", got, want.SHA256)
			}
			part, err := zarr.Read[uint16](context.Background(), a, zarr.Select(zarr.Span(10, 90), zarr.Span(60, 70)))
			if err != nil {
				t.Fatal(err)
			}
			for i := range 80 {
				for j := range 10 {
					if part.At(i, j) != all.At(10+i, 60+j) {
						t.Fatalf("element %d, %d differs in a part", i, j)
					}
				}
			}
		})
	}
	if stores != 10 {
		t.Errorf("%d stores", stores)
	}
}

func openArray(t *testing.T, s store.Store, r *codec.Registry) *zarr.Array {
	t.Helper()
	n, err := zarr.OpenStore(context.Background(), s, "", zarr.Codecs(r))
	if err != nil {
		t.Fatal(err)
	}
	return n.(*zarr.Array)
}

func digest(v []uint16) string {
	h := sha256.New()
	for _, x := range v {
		h.Write([]byte{byte(x), byte(x >> 8)})
	}
	return hex.EncodeToString(h.Sum(nil))
}
