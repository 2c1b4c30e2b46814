package store_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/file"
	"github.com/omnizarr/zarr/store/mem"
	"github.com/omnizarr/zarr/store/web"
)

func TestIdentityIsTheRealPlace(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "real", "a"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("real", filepath.Join(dir, "link")); err != nil {
		t.Skip(err)
	}
	if err := os.Symlink("a", filepath.Join(dir, "real", "b")); err != nil {
		t.Fatal(err)
	}
	open := func(name string) store.Store {
		s, err := file.Open(filepath.Join(dir, name), file.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return s
	}
	all, real, link, deep := open("."), open("real"), open("link"), open("link/b")
	want := store.PathURL(filepath.Join(store.RealPath(dir), "real", "a", "not yet"))
	for _, c := range []struct {
		s   store.Store
		key string
	}{
		{all, "real/a/not yet"}, {all, "link/b/not yet"}, {real, "a/not yet"}, {real, "b/not yet"},
		{link, "a/not yet"}, {deep, "not yet"}, {store.ReadOnly(deep), "not yet"},
	} {
		if got := store.Identity(c.s, c.key); got != want {
			t.Errorf("%s in %s is %s, want %s", c.key, c.s.URL(), got, want)
		}
	}
	part, err := store.Sub(store.ReadOnly(link), "b")
	if err != nil {
		t.Fatal(err)
	}
	if got := store.Identity(part, "not yet"); got != want {
		t.Errorf("a part of a store: %s", got)
	}
	if a, b := store.Identity(part, ""), store.Identity(deep, ""); a != b {
		t.Errorf("%s and %s", a, b)
	}
}

func TestOverlap(t *testing.T) {
	one, two := mem.New(), mem.New()
	site, err := web.Open("https://user:pw@Host:443/d?secret=1", web.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"file:///d/a", "file:///d/a", true},
		{"file:///d/a", "file:///d/a/b", true},
		{"file:///d/a.zip/x", "file:///d/a.zip", true},
		{"file:///d/a", "file:///d/ab", false},
		{"file:///", "file:///d", true},
		{"file:///d/a%20b", "file:///d/a b/c", true},
		{one.Identity("a"), one.Identity("a/b"), true},
		{one.Identity("a"), one.Identity("b"), false},
		{one.Identity(""), two.Identity(""), false},
		{site.Identity("x"), "https://host/d", true},
		{site.Identity("x"), "https://host/d/y", false},
		{site.Identity("x"), "file:///d/x", false},
	} {
		if store.Overlap(c.a, c.b) != c.want || store.Overlap(c.b, c.a) != c.want {
			t.Errorf("%s and %s: want %v", c.a, c.b, c.want)
		}
	}
}
