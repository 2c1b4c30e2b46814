package store_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/file"
	"github.com/omnizarr/zarr/store/mem"
	"github.com/omnizarr/zarr/store/web"
	"github.com/omnizarr/zarr/store/zip"
)

// TestLocate reads values where the stores say that they lie.
func TestLocate(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	values := map[string]string{"a b/c/0": "zero", "a b/c/1": "one and more"}
	folder, err := file.Open(dir, file.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	archive, err := zip.Create(filepath.Join(dir, "z.zip"), zip.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for key, value := range values {
		for _, s := range []store.Store{folder, archive} {
			if _, err := s.Put(ctx, key, []byte(value), store.PutOptions{}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, _, _, err := archive.Locate(ctx, "a b/c/0"); !errors.Is(err, store.ErrNoPlace) {
		t.Errorf("in an archive that is not written yet: %v", err)
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	if archive, err = zip.OpenFile(ctx, filepath.Join(dir, "z.zip")); err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	defer server.Close()
	site, err := web.Open(server.URL+"?secret=1", web.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []store.Store{folder, archive, site} {
		below, err := store.Sub(store.ReadOnly(s), "a b")
		if err != nil {
			t.Fatal(err)
		}
		for key, want := range values {
			at, off, n, err := store.Locate(ctx, below, key[len("a b/"):])
			if err != nil {
				t.Errorf("%s: %v", s.URL(), err)
				continue
			}
			if got := part(t, at, off, n); got != want {
				t.Errorf("%s: at %s, %d, %d is %q, want %q", s.URL(), at, off, n, got, want)
			}
		}
		for _, key := range []string{"missing", "c"} {
			if _, _, _, err := store.Locate(ctx, below, key); !errors.Is(err, store.ErrNotExist) {
				t.Errorf("%s: Locate %s: %v", s.URL(), key, err)
			}
		}
		if _, _, _, err := store.Locate(ctx, below, ""); !errors.Is(err, store.ErrBadKey) {
			t.Errorf("%s: Locate of no key: %v", s.URL(), err)
		}
	}
	if _, _, _, err := store.Locate(ctx, store.ReadOnly(mem.New()), "a"); !errors.Is(err, store.ErrNoPlace) {
		t.Errorf("in memory: %v", err)
	}
}

// part reads a part of what a URL names, all of it if n is negative.
func part(t *testing.T, rawURL string, off, n int64) string {
	t.Helper()
	u, err := url.Parse(rawURL)
	if err != nil {
		t.Fatal(err)
	}
	var data []byte
	if u.Scheme == "file" {
		data, err = os.ReadFile(filepath.FromSlash(u.Path))
	} else {
		var r *http.Response
		if r, err = http.Get(rawURL); err == nil {
			defer r.Body.Close()
			data, err = io.ReadAll(r.Body)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	if n < 0 {
		return string(data)
	}
	return string(data[off : off+n])
}
