package hdf5_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format"
	show "github.com/omnizarr/zarr/format/hdf5"
	"github.com/omnizarr/zarr/internal/alloctest"
	"github.com/omnizarr/zarr/internal/race"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/file"
	"github.com/omnizarr/zarr/store/mem"
)

// every lists all keys, folder by folder.
func every(t *testing.T, s store.Store, prefix string) []string {
	t.Helper()
	var keys []string
	last := ""
	for e, err := range s.List(ctx, prefix, "/") {
		check(t, err)
		if e.Key <= last {
			t.Errorf("%q follows %q", e.Key, last)
		}
		last = e.Key
		if e.IsPrefix {
			keys = append(keys, every(t, s, e.Key)...)
		} else {
			keys = append(keys, e.Key)
		}
	}
	return keys
}

// What is listed is there, in order, the same at once and folder by folder.
func TestList(t *testing.T) {
	files := maps.Clone(fixtures(t))
	maps.Copy(files, archive(t, "conventions.tar.zst"))
	for _, name := range []string{"netcdf4.nc", "matlab73.mat", "more.mat", "imaris.ims", "bdv.h5", "base-earliest.h5", "base-v110.h5", "index-v110.h5", "links-v110.h5", "vds-v110.h5", "fill-v110.h5", "empty-v110.h5"} {
		dir := t.TempDir()
		for other, b := range files {
			if other == name || strings.HasPrefix(other, "vds-") {
				check(t, os.WriteFile(filepath.Join(dir, other), b, 0o600))
			}
		}
		folder, err := file.Open(dir, file.Options{})
		check(t, err)
		env := format.Env{Files: func(s store.Store, _ string) format.Files { return beside{s} }}
		s, err := show.Open(ctx, folder, name, env)
		check(t, err)
		located := 0
		var keys []string
		for e, err := range s.List(ctx, "", "") {
			check(t, err)
			keys = append(keys, e.Key)
			b, info, err := s.Get(ctx, e.Key, store.Range{}, nil)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if info.Size != int64(len(b)) {
				t.Errorf("%s %s: %d bytes, not %d", name, e.Key, len(b), info.Size)
			}
			if strings.HasSuffix(e.Key, "zarr.json") {
				if !json.Valid(b) {
					t.Errorf("%s %s: %s", name, e.Key, b)
				}
				continue
			}
			if url, off, n, err := s.Locate(ctx, e.Key); err == nil { // is a part of the file
				located++
				if part := files[name][off : off+n]; string(part) != string(b) || !strings.HasSuffix(url, name) {
					t.Errorf("%s %s does not lie at %d of %s", name, e.Key, off, url)
				}
			} else if !errors.Is(err, store.ErrNoPlace) {
				t.Errorf("%s %s: %v", name, e.Key, err)
			}
			if len(b) > 3 {
				part, _, err := s.Get(ctx, e.Key, store.Part(1, 2), nil)
				if err != nil || string(part) != string(b[1:3]) {
					t.Errorf("%s %s: a part is %x, not %x: %v", name, e.Key, part, b[1:3], err)
				}
			}
		}
		if !slices.IsSorted(keys) {
			t.Errorf("%s: keys are not sorted", name)
		}
		if again := every(t, s, ""); !slices.Equal(keys, again) {
			t.Errorf("%s: %d keys, and %d folder by folder", name, len(keys), len(again))
		}
		if len(keys) < 15 || located == 0 {
			t.Errorf("%s: %d keys, %d of them parts of the file", name, len(keys), located)
		}
		check(t, s.Close())
		check(t, folder.Close())
	}
}

// attributes opens a node and gives an attribute as JSON.
func attribute(t *testing.T, s store.Store, path, name string) string {
	t.Helper()
	n, err := zarr.OpenStore(ctx, s, path)
	check(t, err)
	var v any
	switch n := n.(type) {
	case *zarr.Group:
		_, err = n.Attributes().Get(name, &v)
	case *zarr.Array:
		_, err = n.Attributes().Get(name, &v)
	}
	check(t, err)
	b, err := json.Marshal(v)
	check(t, err)
	return string(b)
}

// Attributes, links and references are told as HDMF tells them.
func TestMeaning(t *testing.T) {
	files := fixtures(t)
	s, err := open(files, "base-v110.h5")
	check(t, err)
	defer s.Close()
	for _, c := range []struct{ path, name, want string }{
		{"", "numbers", `[0,2,4,6,8]`},
		{"", "title", `"base v110"`},
		{"", "_LINKS", `[{"name":"soft","path":"/a/b/bool","source":"."}]`},
		{"a", "empty", `null`},
		{"chunked", "me", `{"_REFERENCE":{"path":"/chunked","source":"."}}`},
		{"refs", "_DTYPE", `"object_reference"`},
		{"null", "hdf5_space", `"null"`},
	} {
		if got := attribute(t, s, c.path, c.name); got != c.want {
			t.Errorf("%s %s is %s, not %s", c.path, c.name, got, c.want)
		}
	}
	odd, err := open(files, "attrs-v110.h5")
	check(t, err)
	defer odd.Close()
	top, err := zarr.OpenStore(ctx, odd, "")
	check(t, err)
	if got := string(top.Attributes().Raw("nan")); got != "NaN" { // a number, as Python writes it
		t.Errorf("nan is %s", got)
	}
	if got := string(top.Attributes().Raw("matrix")); !strings.Contains(strings.ReplaceAll(got, " ", ""), "NaN,Infinity,-Infinity") {
		t.Errorf("matrix is %s", got)
	}
	n, err := zarr.OpenStore(ctx, s, "refs")
	check(t, err)
	list, err := zarr.Read[string](ctx, n.(*zarr.Array), zarr.All())
	check(t, err)
	if !slices.Equal(list.Data, []string{"/a/b", "/chunked", "/", ""}) {
		t.Errorf("references lead to %q", list.Data)
	}
	l, err := open(files, "links-v110.h5")
	check(t, err)
	defer l.Close()
	for path, want := range map[string]string{"names/%63": "c", "names/%7Aarr.json": "zarr.json", "names/a%252Fb": "a%2Fb", "names/not%FFutf8": "not\uFFFDutf8"} {
		quoted, _ := json.Marshal(want)
		if got := attribute(t, l, path, "hdf5_name"); got != string(quoted) {
			t.Errorf("%s is called %s", path, got)
		}
	}
	for _, path := range []string{"names/%64", "names/zarr.json", "names/c", "dangling", "loop_a", "ext_abs", "soft_abs"} {
		if _, err := zarr.OpenStore(ctx, l, path); err == nil {
			t.Errorf("%s opens", path)
		}
	}
}

// A broken file is an error of what is broken, and never more than that.
func TestBrokenFiles(t *testing.T) {
	files := archive(t, "bad.tar.zst")
	var doc struct {
		Cases []struct {
			ID, File, Expect, Stage, Path string
			MaxAlloc                      int64 `json:"max_alloc_mb"`
			Values                        []int64
		}
	}
	check(t, json.Unmarshal(files["bad.json"], &doc))
	for _, c := range doc.Cases {
		var got error
		var s *show.Store
		use := func() {
			folder := mem.New()
			for _, name := range []string{c.File, "l02-virtual-a.h5", "l02-virtual-b.h5"} {
				_, err := folder.Put(ctx, name, files[name], store.PutOptions{})
				check(t, err)
			}
			env := format.Env{Files: func(s store.Store, _ string) format.Files { return beside{s} }}
			if s, got = show.Open(ctx, folder, c.File, env); got != nil {
				return
			}
			if c.ID == "l15-user-link" {
				c.Path = "/out"
			}
			got = readAll(s, strings.Trim(c.Path, "/"), c.Stage)
			check(t, s.Close())
		}
		if used := alloctest.Bytes(use) >> 20; used > c.MaxAlloc && !race.Enabled {
			t.Errorf("%s: %d MB were allocated", c.ID, used)
		}
		switch {
		case got == nil && c.Expect == "error":
			t.Errorf("%s: no error", c.ID)
		case got != nil && c.Expect == "read":
			t.Errorf("%s: %v", c.ID, got)
		}
	}
}

// A small file that claims a huge array has no chunks to be listed one by one.
func TestListOfWhatIsNotThere(t *testing.T) {
	const name = "f04-dims-larger-than-data.h5"
	folder := mem.New()
	_, err := folder.Put(ctx, name, archive(t, "bad.tar.zst")[name], store.PutOptions{})
	check(t, err)
	s, err := show.Open(ctx, folder, name, format.Env{})
	check(t, err)
	keys := 0
	for _, err = range s.List(ctx, "d/c/", "") {
		keys++
	}
	if err == nil || keys != 1 || !strings.Contains(err.Error(), "beyond the end of the file") {
		t.Errorf("%d keys, %v", keys, err)
	}
	check(t, s.Close())
}

// readAll reads a node and what is in it, or everything.
func readAll(s store.Store, path, stage string) error {
	n, err := zarr.OpenStore(ctx, s, path)
	if err != nil {
		return err
	}
	nodes := []zarr.Node{n}
	if g, ok := n.(*zarr.Group); ok {
		for n, err := range g.Walk(ctx) {
			if err != nil {
				return err
			}
			nodes = append(nodes, n)
		}
	}
	for _, n := range nodes {
		a, ok := n.(*zarr.Array)
		if !ok || strings.HasSuffix(a.Path(), "lzf") && path != "lzf" {
			continue
		}
		if stage == "read one element" || stage == "list" {
			continue
		}
		for c := range a.Grid() {
			if err := a.CheckChunk(ctx, c); err != nil && !strings.Contains(err.Error(), "missing") {
				return fmt.Errorf("%s: %w", a.Path(), err)
			}
		}
	}
	return nil
}
