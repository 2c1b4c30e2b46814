package zarr_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/file"
	"github.com/omnizarr/zarr/store/mem"
)

const referringDocument = `{"zarr_format":3,"node_type":"array","shape":[4],"data_type":"uint8",
	"chunk_grid":{"name":"regular","configuration":{"chunk_shape":[4]}},
	"chunk_key_encoding":{"name":"default"},"fill_value":0,"codecs":[{"name":"bytes"}],
	"storage_transformers":[%s]}`

const referringTransformer = `{"name":"omnizarr.references","configuration":{"manifest":"references.json"}}`

// refer makes an array in a folder whose only chunk is a reference.
func refer(t *testing.T, folder, reference string) {
	t.Helper()
	check(t, os.MkdirAll(folder, 0o777))
	check(t, os.WriteFile(filepath.Join(folder, "zarr.json"), fmt.Appendf(nil, referringDocument, referringTransformer), 0o666))
	check(t, os.WriteFile(filepath.Join(folder, "references.json"), fmt.Appendf(nil, `{"version":1,"refs":{"c/0":%s}}`, reference), 0o666))
}

func readReferring(t *testing.T, url string, opts ...zarr.Option) ([]byte, error) {
	t.Helper()
	ctx := context.Background()
	a, err := zarr.OpenArray(ctx, url, opts...)
	check(t, err)
	defer a.Close()
	got, err := zarr.Read[uint8](ctx, a, zarr.All())
	return got.Data, err
}

func TestReferencesStayInside(t *testing.T) {
	dir := t.TempDir()
	outside, home := filepath.Join(dir, "outside"), filepath.Join(dir, "home")
	for _, folder := range []string{outside, home, filepath.Join(home, "deep")} {
		check(t, os.MkdirAll(folder, 0o777))
		check(t, os.WriteFile(filepath.Join(folder, "data"), []byte("0123456789"), 0o666))
	}
	links := os.Symlink(outside, filepath.Join(home, "way")) == nil &&
		os.Symlink(filepath.Join(outside, "data"), filepath.Join(home, "link")) == nil &&
		os.Symlink("data", filepath.Join(home, "near")) == nil
	array := filepath.Join(home, "a.zarr")
	for _, c := range []struct {
		reference, want string // "" for what is read
		link            bool
	}{
		{reference: `["../data",3,4]`},
		{reference: `["../deep/data",3,4]`},
		{reference: `["./../deep/../data",3,4]`},
		{reference: `["file://HOME/data",3,4]`},
		{reference: `["HOME/data",3,4]`},
		{reference: `["../near",3,4]`, link: true},
		{reference: `["../../outside/data",3,4]`, want: "not allowed"},
		{reference: `["OUTSIDE/data",3,4]`, want: "not allowed"},
		{reference: `["file://OUTSIDE/data",3,4]`, want: "not allowed"},
		{reference: `["HOME/../outside/data",3,4]`, want: "not allowed"},
		{reference: `["file://HOME/../outside/data",3,4]`, want: "not allowed"},
		{reference: `["../../home-not/data",3,4]`, want: "not allowed"},
		{reference: `["/etc/passwd",0,4]`, want: "not allowed"},
		{reference: `["http://127.0.0.1:1/x",0,4]`, want: "not allowed"},
		{reference: `["s3://bucket/x",0,4]`, want: "not allowed"},
		{reference: `["simplecache::http://127.0.0.1:1/x",0,4]`, want: "is not supported"},
		{reference: `["file://host/x",0,4]`, want: "not the URL of a local file"},
		{reference: `["../link",3,4]`, want: "reference to ../link: ", link: true},
		{reference: `["../way/data",3,4]`, want: "reference to ../way/data: ", link: true},
		{reference: `["../a.zarr"]`, want: "reference to ../a.zarr: "},
		{reference: `[".."]`, want: "reference to "},
		{reference: `["../data\u0000",3,4]`, want: "is not supported"},
		{reference: `["../data",8,4]`, want: "bytes 8 to 12 of 10"},
		{reference: `["../data",0,4611686018427387904]`, want: "chunk is longer than the 4 bytes"},
		{reference: `["../data"]`, want: "c/0"}, // ten bytes are no chunk of four
		{reference: `["../gone",0,4]`, want: "reference to ../gone"},
	} {
		if c.link && !links {
			continue
		}
		reference := strings.NewReplacer("HOME", filepath.ToSlash(home), "OUTSIDE", filepath.ToSlash(outside)).Replace(c.reference)
		refer(t, array, reference)
		got, err := readReferring(t, array)
		switch {
		case c.want == "" && (err != nil || string(got) != "3456"):
			t.Errorf("%s: got %q, %v", c.reference, got, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || errors.Is(err, zarr.ErrMissing)):
			t.Errorf("%s: got %q, error %v, want %q", c.reference, got, err, c.want)
		}
	}

	// Leave for a folder, for one file, and for the wrong ones.
	refer(t, array, `["../../outside/data",3,4]`)
	for allow, ok := range map[string]bool{
		outside: true, filepath.Join(outside, "data"): true, dir: true, outside + string(filepath.Separator): true,
		filepath.Join(outside, "dat"): false, home: false, outside + "2": false, "http://outside": false,
	} {
		if _, err := readReferring(t, array, zarr.Allow(allow)); (err == nil) != ok || !ok && !errors.Is(err, zarr.ErrNotAllowed) {
			t.Errorf("with leave for %s: %v", allow, err)
		}
	}

	// The folder around the hierarchy is the one around its outermost group.
	refer(t, filepath.Join(home, "g.zarr", "sub", "a"), `["../../../data",3,4]`)
	for _, group := range []string{"g.zarr", "g.zarr/sub"} {
		check(t, os.WriteFile(filepath.Join(home, group, "zarr.json"), []byte(`{"zarr_format":3,"node_type":"group"}`), 0o666))
	}
	if got, err := readReferring(t, filepath.Join(home, "g.zarr", "sub", "a")); err != nil || string(got) != "3456" {
		t.Errorf("array inside groups: %q, %v", got, err)
	}
	refer(t, filepath.Join(home, "g.zarr", "sub", "a"), `["../../../../outside/data",3,4]`)
	if _, err := readReferring(t, filepath.Join(home, "g.zarr", "sub", "a")); !errors.Is(err, zarr.ErrNotAllowed) {
		t.Errorf("array inside groups, outside: %v", err)
	}
}

func TestReferencesOfAServerStayThere(t *testing.T) {
	dir := t.TempDir()
	check(t, os.WriteFile(filepath.Join(dir, "data"), []byte("0123456789"), 0o666))
	var other atomic.Int64
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		other.Add(1)
		http.FileServer(http.Dir(dir)).ServeHTTP(w, r)
	}))
	defer elsewhere.Close()
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	defer server.Close()
	for _, c := range []struct {
		reference string
		allow     string
		ok        bool
	}{
		{`["../../data",3,4]`, "", true},
		{`["SERVER/data",3,4]`, "", true},
		{`["../../../../data",3,4]`, "", true}, // there is nothing above the root of a server
		{`["ELSEWHERE/data",3,4]`, "", false},
		{`["file://DIR/data",3,4]`, "", false},
		{`["DIR/data",3,4]`, "", false},
		{`["ELSEWHERE/data?a=b",3,4]`, "ELSEWHERE", true},
		{`["DIR/data",3,4]`, "DIR", true},
	} {
		fill := strings.NewReplacer("DIR", filepath.ToSlash(dir), "SERVER", server.URL, "ELSEWHERE", elsewhere.URL)
		other.Store(0)
		refer(t, filepath.Join(dir, "g", "a"), fill.Replace(c.reference))
		check(t, os.WriteFile(filepath.Join(dir, "g", "zarr.json"), []byte(`{"zarr_format":3,"node_type":"group"}`), 0o666))
		var opts []zarr.Option
		if c.allow != "" {
			opts = append(opts, zarr.Allow(fill.Replace(c.allow)))
		}
		got, err := readReferring(t, server.URL+"/g/a", opts...)
		if c.ok && (err != nil || string(got) != "3456") || !c.ok && !errors.Is(err, zarr.ErrNotAllowed) {
			t.Errorf("%s: %q, %v", c.reference, got, err)
		}
		if n := other.Load(); !c.ok && n != 0 {
			t.Errorf("%s: %d requests", c.reference, n)
		}
	}
}

func TestReferencesInMemoryHaveNoHome(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	check(t, os.WriteFile(filepath.Join(dir, "data"), []byte("0123"), 0o666))
	for reference, want := range map[string]string{
		`["data"]`: "has no folder that it is relative to",
		fmt.Sprintf(`["file://%s/data"]`, filepath.ToSlash(dir)): "needs leave to read",
	} {
		s := mem.New()
		for key, text := range map[string]string{
			"zarr.json":       fmt.Sprintf(referringDocument, referringTransformer),
			"references.json": `{"version":1,"refs":{"c/0":` + reference + `}}`,
		} {
			_, err := s.Put(ctx, key, []byte(text), store.PutOptions{})
			check(t, err)
		}
		n, err := zarr.OpenStore(ctx, s, "")
		check(t, err)
		if _, err := zarr.Read[uint8](ctx, n.(*zarr.Array), zarr.All()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", reference, err)
		}
		again, err := zarr.OpenStore(ctx, n.Store(), n.Path(), zarr.Allow(dir))
		check(t, err)
		if again.Format() != n.Format() {
			t.Errorf("from its own store, format %s", again.Format())
		}
	}
}

func TestStorageTransformersRefused(t *testing.T) {
	for transformers, want := range map[string]string{
		`{"name":"other"}`: `storage_transformers[0]: unknown storage transformer "other"`,
		`{"name":"omnizarr.references","configuration":{"manifest":"../up.json"}}`:     "storage_transformers[0].configuration.manifest: ",
		`{"name":"omnizarr.references","configuration":{"manifest":1}}`:                "storage_transformers[0].configuration.manifest: ",
		`{"name":"omnizarr.references","configuration":{"more":1}}`:                    "more: unknown member",
		`{"name":"omnizarr.references"},{"name":"omnizarr.references"}`:                "only one is supported",
		`{"name":"omnizarr.references","configuration":{"manifest":"missing.json"}}`:   "manifest missing.json",
		`{"name":"omnizarr.references","configuration":{"manifest":"zarr.json"}}`:      "missing member",
		`{"name":"omnizarr.references","configuration":{"manifest":"not json"}}`:       "not JSON",
		`{"name":"omnizarr.references","configuration":{"manifest":"references.json"}`: "",
	} {
		ctx := context.Background()
		s := mem.New()
		for key, text := range map[string]string{"zarr.json": fmt.Sprintf(referringDocument, transformers), "not json": "{"} {
			_, err := s.Put(ctx, key, []byte(text), store.PutOptions{})
			check(t, err)
		}
		n, err := zarr.OpenStore(ctx, s, "")
		if err == nil {
			_, err = zarr.Read[uint8](ctx, n.(*zarr.Array), zarr.All())
		}
		if err == nil || !strings.Contains(err.Error(), want) || errors.Is(err, zarr.ErrMissing) {
			t.Errorf("%s: %v, want %q", transformers, err, want)
		}
	}
}

// Parts of more files than are held open, by many goroutines.
func TestReferencesToManyFiles(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	const n = 100
	var list []string
	var want []byte
	for i := range n {
		name := fmt.Sprintf("file%d", i%40)
		check(t, os.WriteFile(filepath.Join(dir, name), []byte{0, 1, 2, byte(i % 40), 4}, 0o666))
		list = append(list, fmt.Sprintf(`"c/%d":["../%s",2,2]`, i, name))
		want = append(want, 2, byte(i%40))
	}
	array := filepath.Join(dir, "a.zarr")
	refer(t, array, `"0"`)
	doc := fmt.Sprintf(referringDocument, referringTransformer)
	doc = strings.Replace(strings.Replace(doc, `"shape":[4]`, fmt.Sprintf(`"shape":[%d]`, 2*n), 1), `"chunk_shape":[4]`, `"chunk_shape":[2]`, 1)
	check(t, os.WriteFile(filepath.Join(array, "zarr.json"), []byte(doc), 0o666))
	check(t, os.WriteFile(filepath.Join(array, "references.json"), []byte(`{"version":1,"refs":{`+strings.Join(list, ",")+`}}`), 0o666))
	s, err := file.Open(array, file.Options{})
	check(t, err)
	defer s.Close()
	node, err := zarr.OpenStore(ctx, s, "", zarr.Workers(8))
	check(t, err)
	a := node.(*zarr.Array)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 10 {
				got, err := zarr.Read[uint8](ctx, a, zarr.All())
				if err != nil || !bytes.Equal(got.Data, want) {
					t.Errorf("got %v, %v", got.Data, err)
				}
			}
		})
	}
	wg.Wait()
	for range 3 {
		check(t, a.Close()) // not the store, which is ours
		got, err := zarr.Read[uint8](ctx, a, zarr.All())
		if err != nil || !bytes.Equal(got.Data, want) {
			t.Errorf("after Close: %v, %v", got.Data, err)
		}
	}
	check(t, a.Close())
}
