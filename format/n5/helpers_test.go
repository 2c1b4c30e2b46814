package n5_test

import (
	"archive/zip"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

var ctx = context.Background()

// containers are by N5 4.0 for Java, tensorstore 0.1 and zarr-python 2.18.
var containers = []string{"java.n5", "tensorstore.n5", "zarr2.n5"}

// expected is what the writers had in memory.
type expected struct {
	Arrays map[string]struct {
		Shape    []int
		Dtype    string
		Sha256   string
		Mode     *int
		Values   [][]string `json:"values_by_block"`
		Hex      []string   `json:"hex_by_block"`
		Compress struct {
			Type string
		} `json:"compression"`
		Block   []int  `json:"blockSize"`
		Edges   string `json:"edge_blocks"`
		Missing [][]int
	}
	Groups map[string]map[string]any
}

func expectations(t testing.TB) map[string]expected {
	t.Helper()
	f, err := os.Open("testdata/expected.json.gz")
	check(t, err)
	defer f.Close()
	text, err := gzip.NewReader(f)
	check(t, err)
	var all map[string]expected
	check(t, json.NewDecoder(text).Decode(&all))
	if len(all) != len(containers) {
		t.Fatalf("%d containers", len(all))
	}
	return all
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantError(t testing.TB, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want %q", parts)
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			t.Errorf("error %q does not say %q", err, p)
		}
	}
}

// unpack writes the files of a container into a new folder.
func unpack(t testing.TB, name string) string {
	t.Helper()
	r, err := zip.OpenReader("testdata/" + name + ".zip")
	check(t, err)
	defer r.Close()
	root := filepath.Join(t.TempDir(), name)
	check(t, os.Mkdir(root, 0o777))
	for _, f := range r.File {
		path := filepath.Join(root, filepath.FromSlash(f.Name))
		if strings.HasSuffix(f.Name, "/") {
			check(t, os.MkdirAll(path, 0o777))
			continue
		}
		check(t, os.MkdirAll(filepath.Dir(path), 0o777))
		src, err := f.Open()
		check(t, err)
		data, err := io.ReadAll(src)
		check(t, err)
		check(t, os.WriteFile(path, data, 0o666))
	}
	return root
}

// inMemory gives a store with these values.
func inMemory(t testing.TB, values map[string]string) *mem.Store {
	t.Helper()
	s := mem.New()
	for key, value := range values {
		_, err := s.Put(ctx, key, []byte(value), store.PutOptions{})
		check(t, err)
	}
	return s
}

func openArray(t testing.TB, url string, opts ...zarr.Option) *zarr.Array {
	t.Helper()
	a, err := zarr.OpenArray(ctx, url, append(opts, zarr.ReadOnly())...)
	check(t, err)
	t.Cleanup(func() { a.Close() })
	return a
}

// read gives the elements of a selection, little-endian in C order.
func read(t testing.TB, a *zarr.Array, sel zarr.Selection) []byte {
	t.Helper()
	shape, err := a.ResultShape(sel)
	check(t, err)
	v := nd.Make(a.DataType().Size(), shape...)
	check(t, a.ReadInto(ctx, sel, v))
	return v.Data
}

func sum(data []byte) string {
	h := sha256.Sum256(data)
	return hex.EncodeToString(h[:])
}

// value is a value of a store as text, "" if there is none.
func value(s store.Reader, key string) string {
	text, _, err := s.Get(ctx, key, store.All(), nil)
	if err != nil {
		return ""
	}
	return string(text)
}
