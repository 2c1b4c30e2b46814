package zarr_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

// Files with names of digits are chunks only where a document says so.
func TestFilesCalledLikeNumbersAreNotRemoved(t *testing.T) {
	over := small
	over.Overwrite = true
	flat := over
	flat.Keys = []byte(`{"name":"v2","configuration":{"separator":"."}}`)
	for name, c := range map[string]struct {
		spec *zarr.ArraySpec // of an array that is there; nil: of none
		key  string
		own  bool
	}{
		"no node":                    {nil, "2024", false},
		"no node, folders":           {nil, "2025/1/15", false},
		"no node, as if of an array": {nil, "c/0", false},
		"beside c":                   {&over, "2024", false},
		"inside another encoding":    {&over, "0", false},
		"of more axes":               {&over, "c/0/0", false},
		"inside c":                   {&over, "c/2024", true},
		"outside flat keys":          {&flat, "2024", false},
		"inside flat keys":           {&flat, "1", true},
	} {
		s := mem.New()
		put := func(key string) { must[store.Info](t)(s.Put(ctx, key, []byte("mine"), store.PutOptions{})) }
		g := must[*zarr.Group](t)(zarr.CreateGroupIn(ctx, s, ""))
		calls := map[string]func(path string) error{
			"Overwrite": func(path string) error { _, err := g.CreateArray(ctx, path, over); return err },
		}
		if c.spec != nil {
			calls["Remove"] = func(path string) error { return zarr.Remove(ctx, must[*zarr.Array](t)(g.Array(ctx, path))) }
			calls["Delete"] = func(path string) error { return g.Delete(ctx, path) }
		}
		for call, f := range calls {
			if c.spec != nil {
				must[*zarr.Array](t)(g.CreateArray(ctx, call, *c.spec))
			}
			key := call + "/" + c.key
			put(key)
			err := f(call)
			_, _, gone := s.Get(ctx, key, store.All(), nil)
			if c.own {
				check(t, err)
			} else if !errors.Is(err, zarr.ErrExist) || !strings.Contains(err.Error(), key) || gone != nil {
				t.Errorf("%s, %s: %v; the file: %v", name, call, err, gone)
			}
		}
		// Nor are those in folders of groups.
		sub := must[*zarr.Group](t)(g.CreateGroup(ctx, "sub"))
		put("sub/raw/1")
		if err := zarr.Remove(ctx, sub); !errors.Is(err, zarr.ErrExist) || !strings.Contains(err.Error(), "sub/raw/1") {
			t.Errorf("in a group: %v", err)
		}
	}
}

func TestABrokenArrayCanBeOverwritten(t *testing.T) {
	over := small
	over.Overwrite = true
	for _, as := range []string{"zarr3", "zarr2"} { // what the new array is; the old one is of Zarr v2
		s := mem.New()
		a := must[*zarr.Array](t)(zarr.CreateArrayIn(ctx, s, "a", small, zarr.As("zarr2")))
		check(t, zarr.Write(ctx, a, zarr.All(), []uint8{1, 2, 3, 4}))
		b := must[*zarr.Array](t)(zarr.CreateArrayIn(ctx, s, "a", over, zarr.As(as)))
		check(t, zarr.Write(ctx, b, zarr.All(), []uint8{1, 2, 3, 4}))
		for _, name := range []string{"a/zarr.json", "a/.zarray"} {
			must[store.Info](t)(s.Put(ctx, name, []byte("{"), store.PutOptions{}))
		}
		c := must[*zarr.Array](t)(zarr.CreateArrayIn(ctx, s, "a", over, zarr.As(as)))
		if got := must[ndArray[uint8]](t)(readArray[uint8](c, zarr.All())).Data; !slices.Equal(got, make([]uint8, 4)) {
			t.Errorf("%s: got %v", as, got)
		}
	}
}

func TestARemovedArrayIsNotWritten(t *testing.T) {
	for _, name := range []string{"Remove", "Delete", "group", "disk"} {
		synctest.Test(t, func(t *testing.T) {
			s := mem.New()
			root := must[*zarr.Group](t)(zarr.CreateGroupIn(ctx, s, ""))
			a := must[*zarr.Array](t)(root.CreateArray(ctx, "g/a", small))
			other := must[*zarr.Array](t)(root.Array(ctx, "g/a"))
			check(t, zarr.Write(ctx, other, zarr.All(), []uint8{1, 2, 3, 4}))
			switch name {
			case "Remove":
				check(t, zarr.Remove(ctx, a))
			case "Delete":
				check(t, root.Delete(ctx, "g/a"))
			case "group":
				check(t, zarr.Remove(ctx, must[*zarr.Group](t)(root.Group(ctx, "g"))))
			case "disk":
				check(t, s.Delete(ctx, "g/"))
				time.Sleep(time.Second)
			}
			for _, h := range []*zarr.Array{a, other} {
				for what, err := range map[string]error{
					"write":  zarr.Write(ctx, h, zarr.All(), []uint8{1, 2, 3, 4}),
					"update": zarr.Write(ctx, h, zarr.Slice("3"), []uint8{9}),
					"grow":   h.Resize(ctx, 9),
					"shrink": h.Resize(ctx, 1),
				} {
					if !errors.Is(err, zarr.ErrNoNode) {
						t.Errorf("%s: %s: %v", name, what, err)
					}
				}
			}
			again := must[*zarr.Array](t)(root.CreateArray(ctx, "g/a", small))
			if got := must[ndArray[uint8]](t)(readArray[uint8](again, zarr.All())).Data; !slices.Equal(got, make([]uint8, 4)) {
				t.Errorf("%s: the next array has %v", name, got)
			}
		})
	}
}

func TestAnArrayTakesNoChunksOver(t *testing.T) {
	for _, format := range []string{"zarr3", "zarr2", "n5"} {
		dir := t.TempDir()
		a := must[*zarr.Array](t)(zarr.CreateArray(ctx, dir, small, zarr.As(format)))
		defer a.Close()
		check(t, zarr.Write(ctx, a, zarr.All(), []uint8{1, 2, 3, 4}))
		if _, err := zarr.CreateArray(ctx, dir, small, zarr.As(format)); !errors.Is(err, zarr.ErrExist) || strings.Contains(err.Error(), "left of") {
			t.Errorf("%s: where an array is: %v", format, err)
		}
		for _, name := range []string{"zarr.json", ".zarray", "attributes.json"} {
			_ = os.Remove(filepath.Join(dir, name))
		}
		if _, err := zarr.CreateArray(ctx, dir, small, zarr.As(format)); !errors.Is(err, zarr.ErrExist) || !strings.Contains(err.Error(), "0") {
			t.Errorf("%s: %v", format, err)
		}
		// What is no chunk is in nobody's way.
		for _, name := range []string{"c", "0", "1"} {
			check(t, os.RemoveAll(filepath.Join(dir, name)))
		}
		check(t, os.WriteFile(filepath.Join(dir, "notes.txt"), nil, 0o666))
		check(t, must[*zarr.Array](t)(zarr.CreateArray(ctx, dir, small, zarr.As(format))).Close())
	}
}

func TestRemovingWaitsForWriters(t *testing.T) {
	for _, name := range []string{"Remove", "Delete", "Overwrite", "group"} {
		synctest.Test(t, func(t *testing.T) {
			s := mem.New()
			h := hanging{s, "g/a/c/0", make(chan struct{}), make(chan struct{})}
			root := must[*zarr.Group](t)(zarr.CreateGroupIn(ctx, h, ""))
			a := must[*zarr.Array](t)(root.CreateArray(ctx, "g/a", small))
			written := make(chan error, 1)
			go func() { written <- zarr.Write(ctx, a, zarr.Slice("1"), []uint8{42}) }()
			<-h.began
			removed := make(chan error, 1)
			var ended atomic.Bool
			go func() {
				var err error
				switch name {
				case "Remove":
					err = zarr.Remove(ctx, a)
				case "Delete":
					err = root.Delete(ctx, "g/a")
				case "Overwrite":
					over := small
					over.Overwrite = true
					_, err = root.CreateArray(ctx, "g/a", over)
				case "group":
					err = root.Delete(ctx, "g")
				}
				ended.Store(true)
				removed <- err
			}()
			synctest.Wait()
			if ended.Load() {
				t.Errorf("%s did not wait", name)
			}
			close(h.done)
			check(t, <-written)
			check(t, <-removed)
			for entry := range s.List(ctx, "g/a/c/", "") {
				t.Errorf("%s leaves %s", name, entry.Key)
			}
		})
	}
}

func TestNothingIsMadeInAnUnfinishedCopy(t *testing.T) {
	s := mem.New()
	must[store.Info](t)(s.Put(ctx, "half/"+zarr.Unfinished, nil, store.PutOptions{}))
	for name, create := range map[string]func() error{
		"a group":  func() error { _, err := zarr.CreateGroupIn(ctx, s, "half"); return err },
		"an array": func() error { _, err := zarr.CreateArrayIn(ctx, s, "half", small); return err },
		"below":    func() error { _, err := zarr.CreateArrayIn(ctx, s, "half/a", small); return err },
	} {
		if err := create(); !errors.Is(err, zarr.ErrUnfinished) {
			t.Errorf("%s: %v", name, err)
		}
	}
	over := small
	over.Overwrite = true
	must[*zarr.Array](t)(zarr.CreateArrayIn(ctx, s, "half", over))
}

// A listing passes over links and the like: they are not removed for that.
func TestLinksInAFolderAreNotRemoved(t *testing.T) {
	over := small
	over.Overwrite = true
	for _, path := range []string{"", "g/a"} {
		for _, at := range []string{"mine", "c/mine", "below/mine"} {
			for _, target := range []string{t.TempDir(), "nowhere"} {
				root := t.TempDir()
				dir := filepath.Join(root, path)
				a := must[*zarr.Array](t)(zarr.CreateArray(ctx, dir, small))
				check(t, zarr.Write(ctx, a, zarr.All(), []uint8{1, 2, 3, 4}))
				link := filepath.Join(dir, at)
				check(t, os.MkdirAll(filepath.Dir(link), 0o777))
				if err := os.Symlink(target, link); err != nil {
					t.Skip(err)
				}
				_, err := zarr.CreateArray(ctx, dir, over)
				if !errors.Is(err, zarr.ErrExist) || !strings.Contains(err.Error(), at) {
					t.Errorf("%q, %s: %v", path, at, err)
				}
				if err := zarr.Remove(ctx, a); !errors.Is(err, zarr.ErrExist) || !strings.Contains(err.Error(), at) {
					t.Errorf("%q, %s: removed: %v", path, at, err)
				}
				if _, err := os.Lstat(link); err != nil {
					t.Error(err)
				}
				if got := must[ndArray[uint8]](t)(readArray[uint8](a, zarr.All())).Data; !slices.Equal(got, []uint8{1, 2, 3, 4}) {
					t.Errorf("%q, %s: the array is %v", path, at, got)
				}
				check(t, a.Close())
			}
		}
	}
}

// What has the name of a document of another format is somebody's own where it cannot be read as one.
func TestFilesCalledLikeDocumentsAreNotRemoved(t *testing.T) {
	over := small
	over.Overwrite = true
	for at, own := range map[string]bool{"attributes.json": false, "c/attributes.json": false, "sub/attributes.json": false, ".zarray": false, "sub/zarr.json": true} {
		for _, text := range []string{"mine", `{"mine": true}`} {
			s := mem.New()
			a := must[*zarr.Array](t)(zarr.CreateArrayIn(ctx, s, "a", small))
			must[store.Info](t)(s.Put(ctx, "a/"+at, []byte(text), store.PutOptions{}))
			b, err := zarr.CreateArrayIn(ctx, s, "a", over)
			if json := text[0] == '{' && strings.HasSuffix(at, "attributes.json"); own || json { // a group of N5 has nothing else
				check(t, err)
				check(t, b.Close())
			} else if !errors.Is(err, zarr.ErrExist) || !strings.Contains(err.Error(), at) {
				t.Errorf("%s, %s: %v", at, text, err)
			} else if _, _, err := s.Get(ctx, "a/"+at, store.All(), nil); err != nil {
				t.Errorf("%s, %s: %v", at, text, err)
			}
			check(t, a.Close())
		}
	}
}

// A document of Zarr would hide what other formats have in a folder.
func TestNothingIsMadeOverADatasetOfN5(t *testing.T) {
	for _, text := range []string{`{`, `{"dimensions":[4],"blockSize":[4],"dataType":"uint8","compression":{"type":"raw"}}`, `{"n5":"4.0.0"}`} {
		s := mem.New()
		must[store.Info](t)(s.Put(ctx, "x/attributes.json", []byte(text), store.PutOptions{}))
		if _, err := zarr.CreateArrayIn(ctx, s, "x", small); !errors.Is(err, zarr.ErrExist) || !strings.Contains(err.Error(), "n5") {
			t.Errorf("an array: %v", err)
		}
		if _, err := zarr.CreateGroupIn(ctx, s, "x"); !errors.Is(err, zarr.ErrExist) {
			t.Errorf("a group: %v", err)
		}
		if _, err := zarr.CreateArrayIn(ctx, s, "x/y/z", small); !errors.Is(err, zarr.ErrExist) {
			t.Errorf("an array below: %v", err)
		}
		if _, _, err := s.Get(ctx, "x/zarr.json", store.All(), nil); !errors.Is(err, store.ErrNotExist) {
			t.Errorf("a document is there: %v", err)
		}
		a := must[*zarr.Array](t)(zarr.CreateArrayIn(ctx, s, "x", small, zarr.As("zarr3"))) // who says so wants it
		check(t, a.Close())
	}
}
