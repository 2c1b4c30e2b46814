package source_test

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/kind/std"
	"github.com/omnizarr/zarr/serve/servetest"
	"github.com/omnizarr/zarr/serve/source"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

func newSet(t testing.TB) *source.Set {
	t.Helper()
	set := source.NewSet(source.Options{Kinds: std.Kinds()})
	t.Cleanup(func() {
		if err := set.Close(); err != nil {
			t.Error(err)
		}
	})
	return set
}

func add(t testing.TB, set *source.Set, url string) *source.Source {
	t.Helper()
	s, err := set.Add("", url)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestNames(t *testing.T) {
	set := newSet(t)
	for _, c := range [][2]string{
		{"/data/em.zarr", "em.zarr"}, {"/other/em.zarr/", "em.zarr-2"}, {"https://user:secret@h/a%20b.zarr?key=1", "a b.zarr"},
		{"https://h/", "h"}, {"/x/archive.zip|zip:a|zarr3:", "archive.zip"}, {"/", "data"}, {"/a/@b", "b"}, {"mem:name", "name"}, {"file:///a/em.zarr", "em.zarr-3"},
	} {
		s := add(t, set, c[0])
		if s.Name() != c[1] {
			t.Errorf("%s is called %q, want %q", c[0], s.Name(), c[1])
		}
		if strings.Contains(s.URL(), "secret") || strings.Contains(s.URL(), "key=") {
			t.Errorf("%s tells too much", s.URL())
		}
		if found, ok := set.Find(s.Name()); !ok || found != s {
			t.Errorf("%s is not found", s.Name())
		}
	}
	for _, bad := range []string{"a/b", "..", ".", "@x", "a\x00", "a\\b", "\xff"} {
		if _, err := set.Add(bad, "/x"); err == nil {
			t.Errorf("name %q is taken", bad)
		}
	}
	if _, err := set.Add("", ""); err == nil {
		t.Error("a source without a URL")
	}
	if _, err := set.AddNode("a", nil); err == nil {
		t.Error("a source without a node")
	}
}

// A folder of many stores is a group of them, each of its own format.
func TestFolderOfManyStores(t *testing.T) {
	dir := servetest.Samples(t)
	set := newSet(t)
	s := add(t, set, dir)
	ctx := t.Context()
	for at, want := range map[string]string{
		"/": "image.tif packed.zip plain.zarr session_v3.nwb.zarr sub", "/sub": "cells.n5 old.zarr", "/plain.zarr": "a deep",
		"/plain.zarr/deep": "b", "/sub/cells.n5": "s0", "/image.tif": "0 1 2", "/packed.zip": "a", "/plain.zarr/a": "",
	} {
		names, err := s.Names(ctx, at)
		if got := strings.Join(names, " "); got != want || err != nil {
			t.Errorf("%s holds %q, %v, want %q", at, got, err, want)
		}
		if _, err := s.Node(ctx, at); err != nil {
			t.Error(err)
		}
	}
	for at, format := range map[string]string{"/plain.zarr/a": "zarr3", "/sub/old.zarr/a": "zarr2", "/sub/cells.n5/s0": "n5", "/image.tif/0": "tiff", "/packed.zip/a": "zarr3"} {
		n, err := s.Node(ctx, at)
		if err != nil {
			t.Fatal(err)
		}
		a, ok := n.(*zarr.Array)
		if !ok || a.Format() != format {
			t.Errorf("%s is %T of %s", at, n, n.Format())
			continue
		}
		got, err := zarr.ReadAs[int](ctx, a, zarr.All())
		if err != nil || got.Data[2] != 2 {
			t.Errorf("%s: %v", at, err)
		}
		again, err := s.Node(ctx, strings.Trim(at, "/")+"/")
		if err != nil || again != n {
			t.Errorf("%s is opened twice", at)
		}
	}
}

// The group that a folder is shows what lies in it.
func TestFolderIsAGroup(t *testing.T) {
	s := add(t, newSet(t), servetest.Samples(t))
	n, err := s.Node(t.Context(), "/")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for child, err := range n.(*zarr.Group).Children(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, child.Path())
	}
	if want := []string{"image.tif", "packed.zip", "plain.zarr", "session_v3.nwb.zarr", "sub"}; !slices.Equal(found, want) {
		t.Errorf("%v", found)
	}
	a, err := n.(*zarr.Group).Array(t.Context(), "sub/cells.n5/s0")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := zarr.ReadAs[int](t.Context(), a, zarr.All()); err != nil || got.Data[23] != 23 {
		t.Errorf("%v %v", got, err)
	}
	for e, err := range n.Store().List(t.Context(), "", "") {
		if !errors.Is(err, store.ErrNoList) {
			t.Errorf("%v %v", e, err)
		}
	}
	if _, err := n.Store().Put(t.Context(), "a", nil, store.PutOptions{}); !errors.Is(err, store.ErrReadOnly) {
		t.Error(err)
	}
}

func TestWhatIsNotThere(t *testing.T) {
	dir := servetest.Samples(t)
	outside := t.TempDir()
	secret, err := zarr.CreateGroup(t.Context(), filepath.Join(outside, "secret.zarr"))
	if err != nil {
		t.Fatal(err)
	}
	if err := secret.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "way")); err != nil {
		t.Skip(err)
	}
	if err := os.Symlink(filepath.Join(outside, "secret.zarr"), filepath.Join(dir, "gone.zarr")); err != nil {
		t.Fatal(err)
	}
	s := add(t, newSet(t), dir)
	for at, want := range map[string]error{
		"/none": zarr.ErrNoNode, "/sub/none/a": zarr.ErrNoNode, "/plain.zarr/none": zarr.ErrNoNode, "/plain.zarr/a/c": zarr.ErrNoNode, "/plain.zarr/a/c/0": zarr.ErrNoNode,
		"/notes.txt": zarr.ErrFormat, "/..": zarr.ErrPath, "/plain.zarr/../x": zarr.ErrPath, "/a\x00b": zarr.ErrPath, "a//b": zarr.ErrPath, "\\a": zarr.ErrPath,
		strings.Repeat("a/", 500): zarr.ErrPath, "/.git": zarr.ErrNoNode, "/way": zarr.ErrNotAllowed, "/way/secret.zarr": zarr.ErrNotAllowed, "/gone.zarr": zarr.ErrNotAllowed,
	} {
		n, err := s.Node(t.Context(), at)
		if !errors.Is(err, want) {
			t.Errorf("%.40q gives %v, %v, want %v", at, n, err, want)
		}
		if _, err := s.Subject(t.Context(), at); !errors.Is(err, want) {
			t.Errorf("subject %.40q gives %v, want %v", at, err, want)
		}
	}
	missing := add(t, newSet(t), filepath.Join(dir, "nothing.zarr"))
	if _, err := missing.Node(t.Context(), "/"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	// What was not there may come.
	g, err := zarr.CreateGroup(t.Context(), filepath.Join(dir, "nothing.zarr"))
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := missing.Node(t.Context(), "/"); err != nil {
		t.Error(err)
	}
}

// Links of NWB files are nodes, and what they mean is told.
func TestLinksAreNodes(t *testing.T) {
	s := add(t, newSet(t), filepath.Join(servetest.Samples(t), servetest.Session))
	ctx := t.Context()
	n, err := s.Node(ctx, "/acquisition/ElectricalSeries/electrodes")
	if err != nil {
		t.Fatal(err)
	}
	if a, ok := n.(*zarr.Array); !ok || a.Store() == nil {
		t.Errorf("%T", n)
	}
	subject, err := s.Subject(ctx, "/acquisition/ElectricalSeries")
	if err != nil {
		t.Fatal(err)
	}
	if subject.Object == nil || subject.Object.Detail() != "ElectricalSeries" {
		t.Errorf("%+v", subject.Object)
	}
	parts, err := s.Parts(ctx, "/acquisition/ElectricalSeries")
	if err != nil || parts.File != "/acquisition/ElectricalSeries" || parts.Hierarchy != "/" {
		t.Errorf("%+v %v", parts, err)
	}
	names, err := s.Names(ctx, "/")
	if err != nil || !slices.Contains(names, "acquisition") || slices.Contains(names, "specifications") {
		t.Errorf("%v %v", names, err)
	}
}

func TestFilesAreAsTheyAreStored(t *testing.T) {
	dir := servetest.Samples(t)
	set := newSet(t)
	for name, key := range map[string]string{"": "plain.zarr/zarr.json", "plain.zarr": "a/zarr.json", "sub/old.zarr": "a/.zarray", "sub/cells.n5": "s0/attributes.json", "image.tif": "image.tif", "packed.zip": "packed.zip", "plain.zarr/deep": "b/zarr.json"} {
		s := add(t, set, filepath.Join(dir, name))
		files, err := s.Files(t.Context())
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got, _, err := files.Get(t.Context(), key, store.All(), nil)
		want, werr := os.ReadFile(filepath.Join(dir, name, key))
		if path.Base(name) == key {
			want, werr = os.ReadFile(filepath.Join(dir, name))
		}
		if err != nil || werr != nil || string(got) != string(want) {
			t.Errorf("%s: %v %v", name, err, werr)
		}
		if _, err := files.Put(t.Context(), "x", nil, store.PutOptions{}); !errors.Is(err, store.ErrReadOnly) {
			t.Errorf("%s: %v", name, err)
		}
		if path.Base(name) == key {
			if _, _, err := files.Get(t.Context(), "notes.txt", store.All(), nil); !errors.Is(err, store.ErrNotExist) {
				t.Errorf("%s shows what lies beside it: %v", name, err)
			}
			count := 0
			for e, err := range files.List(t.Context(), "", "") {
				count++
				if err != nil || e.Key != key {
					t.Errorf("%v %v", e, err)
				}
			}
			if count != 1 {
				t.Errorf("%s lists %d", name, count)
			}
		}
	}
}

func TestGivenNodes(t *testing.T) {
	g, err := zarr.CreateGroupIn(t.Context(), mem.New(), "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.CreateArray(t.Context(), "x/a", zarr.ArraySpec{Shape: []int{3}, DataType: "uint8"}); err != nil {
		t.Fatal(err)
	}
	s, err := newSet(t).AddNode("mine", g)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := s.Node(t.Context(), "/x/a"); err != nil || n.Path() != "x/a" {
		t.Error(err)
	}
	files, err := s.Files(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := files.Get(t.Context(), "x/a/zarr.json", store.All(), nil); err != nil {
		t.Error(err)
	}
}

// A change of documents, and a file in the place of another, are seen after a second.
func TestChangesAreSeen(t *testing.T) {
	dir := servetest.Samples(t)
	set := newSet(t)
	s := add(t, set, dir)
	synctest.Test(t, func(t *testing.T) {
		version := func(at string) string {
			t.Helper()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			v, err := s.Version(ctx, at)
			if err != nil || v == "" {
				t.Fatal(v, err)
			}
			return v
		}
		for _, at := range []string{"/sub/old.zarr/a", "/plain.zarr/a", "/image.tif/0", "/sub/cells.n5/s0", "/" + servetest.Session + "/acquisition", "/packed.zip"} {
			before := version(at)
			time.Sleep(2 * time.Second)
			if version(at) != before {
				t.Errorf("%s changed by itself", at)
			}
		}
		before := version("/sub/old.zarr/a")
		resize(t, filepath.Join(dir, "sub", "old.zarr", "a"))
		time.Sleep(2 * time.Second)
		if version("/sub/old.zarr/a") == before {
			t.Error("the change is not seen")
		}
		n, err := s.Node(t.Context(), "/sub/old.zarr/a")
		if err != nil || n.(*zarr.Array).Shape()[0] != 9 {
			t.Errorf("%v", err)
		}
		before = version("/packed.zip/a")
		servetest.Archive(t, filepath.Join(dir, "packed.zip"), map[string]string{"a/zarr.json": `{"zarr_format":3,"node_type":"group"}`})
		time.Sleep(2 * time.Second)
		if version("/packed.zip/a") == before {
			t.Error("another archive is not seen")
		}
	})
}

// Nothing is asked of a folder but what somebody asks for.
func TestFoldersAreNotWalked(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a", "b", "c"} {
		if err := os.MkdirAll(filepath.Join(dir, name, "deep", "deeper"), 0o777); err != nil {
			t.Fatal(err)
		}
		// What cannot be read hurts nobody who does not ask for it.
		if err := os.WriteFile(filepath.Join(dir, name, "deep", "zarr.json"), []byte("{"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	s := add(t, newSet(t), dir)
	n, err := s.Node(t.Context(), "/a")
	if _, ok := n.(*zarr.Group); !ok || err != nil {
		t.Fatal(err)
	}
	if _, err := s.Node(t.Context(), "/a/deep"); err == nil {
		t.Error("a broken document opens")
	}
	if names, err := s.Names(t.Context(), "/"); err != nil || len(names) != 3 {
		t.Errorf("%v %v", names, err)
	}
}

func TestOverHTTP(t *testing.T) {
	dir := servetest.Samples(t)
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	defer server.Close()
	set := newSet(t)
	for at, path := range map[string]string{"plain.zarr": "/a", "image.tif": "/0", "packed.zip": "/a", servetest.Session: "/acquisition"} {
		s := add(t, set, server.URL+"/"+at)
		if _, err := s.Node(t.Context(), path); err != nil {
			t.Errorf("%s: %v", at, err)
		}
		if _, err := s.Version(t.Context(), path); err != nil {
			t.Errorf("%s: %v", at, err)
		}
	}
	s := add(t, set, server.URL+"/image.tif")
	files, err := s.Files(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if head, _, err := files.Get(t.Context(), "image.tif", store.Part(0, 2), nil); err != nil || string(head) != "II" {
		t.Errorf("%q %v", head, err)
	}
	server.CloseClientConnections()
	http.DefaultClient.CloseIdleConnections()
}
