package file

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/storetest"
)

// each runs a test on the quick way into a folder and on the portable one.
func each(t *testing.T, test func(t *testing.T, opt Options)) {
	for _, portable := range []bool{false, true} {
		t.Run(fmt.Sprintf("portable=%v", portable), func(t *testing.T) { test(t, Options{portable: portable}) })
	}
}

func open(t *testing.T, dir string, opt Options) *Store {
	t.Helper()
	s, err := Open(dir, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestStore(t *testing.T) {
	each(t, func(t *testing.T, opt Options) {
		storetest.Run(t, func(t *testing.T) store.Store { return open(t, t.TempDir(), opt) })
	})
}

func TestStoreWithSync(t *testing.T) {
	each(t, func(t *testing.T, opt Options) {
		opt.Sync = true
		s := open(t, t.TempDir(), opt)
		ctx := context.Background()
		if _, err := s.Put(ctx, "a/b/c", []byte("x"), store.PutOptions{}); err != nil {
			t.Fatal(err)
		}
		if b, _, err := s.Get(ctx, "a/b/c", store.All(), nil); err != nil || string(b) != "x" {
			t.Errorf("got %q, %v", b, err)
		}
		for _, key := range []string{"a/b/c", "a/"} {
			if err := s.Delete(ctx, key); err != nil {
				t.Error(err)
			}
		}
	})
}

func TestOpenOfNoFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "missing")
	each(t, func(t *testing.T, opt Options) {
		if _, err := Open(dir, opt); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), dir) {
			t.Errorf("got %v, want an error that names the folder", err)
		}
	})
	deep := filepath.Join(dir, "deep er")
	s, err := Create(deep, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if !strings.HasPrefix(s.URL(), "file:///") || !strings.HasSuffix(s.URL(), "/missing/deep%20er") {
		t.Errorf("URL %q", s.URL())
	}
	if _, err := os.Stat(deep); err != nil {
		t.Error(err)
	}
}

func TestNoTemporaryFileStays(t *testing.T) {
	each(t, func(t *testing.T, opt Options) {
		dir := t.TempDir()
		s, ctx := open(t, dir, opt), context.Background()
		if err := os.MkdirAll(filepath.Join(dir, "taken", "by", "a", "folder"), 0o777); err != nil {
			t.Fatal(err)
		}
		for _, key := range []string{"taken", "taken/by"} {
			if _, err := s.Put(ctx, key, []byte("x"), store.PutOptions{}); err == nil {
				t.Errorf("Put %q over a folder: no error", key)
			}
		}
		s.Put(ctx, "k", nil, store.PutOptions{IfMatch: "wrong"})
		s.Put(ctx, "k", nil, store.PutOptions{IfAbsent: true})
		s.Put(ctx, "k", nil, store.PutOptions{IfAbsent: true})
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if strings.HasPrefix(d.Name(), ".") {
				t.Errorf("%s was left", path)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})
}

func TestTemporaryNamesAreReserved(t *testing.T) {
	each(t, func(t *testing.T, opt Options) {
		dir := t.TempDir()
		s, ctx := open(t, dir, opt), context.Background()
		name := tempPrefix + "0123456789abcdef" + tempSuffix
		if err := os.WriteFile(filepath.Join(dir, name), []byte("half"), 0o666); err != nil {
			t.Fatal(err)
		}
		for e := range s.List(ctx, "", "") {
			t.Errorf("List gave %q", e.Key)
		}
		for _, key := range []string{name, "a/" + name, name + "/a"} {
			if _, err := s.Put(ctx, key, nil, store.PutOptions{}); !errors.Is(err, store.ErrBadKey) {
				t.Errorf("Put %q: %v", key, err)
			}
			if _, _, err := s.Get(ctx, key, store.All(), nil); !errors.Is(err, store.ErrBadKey) {
				t.Errorf("Get %q: %v", key, err)
			}
		}
		if _, err := s.Put(ctx, tempPrefix+"my"+tempSuffix, nil, store.PutOptions{}); err != nil {
			t.Errorf("a name that is only alike: %v", err)
		}
	})
}

func TestFolderDeletedMeanwhile(t *testing.T) {
	each(t, func(t *testing.T, opt Options) {
		dir := t.TempDir()
		s, ctx := open(t, dir, opt), context.Background()
		for range 3 {
			if _, err := s.Put(ctx, "a/b/c/d", []byte("x"), store.PutOptions{}); err != nil {
				t.Fatal(err)
			}
			if err := os.RemoveAll(filepath.Join(dir, "a")); err != nil {
				t.Fatal(err)
			}
		}
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() {
				for range 100 {
					os.RemoveAll(filepath.Join(dir, "a"))
				}
			})
			wg.Go(func() {
				for range 50 {
					// With bad luck the folder is gone again at each try.
					_, err := s.Put(ctx, "a/b/c/d", []byte("x"), store.PutOptions{})
					if err != nil && !errors.Is(err, fs.ErrNotExist) {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
	})
}

func TestEmptyFoldersAreListed(t *testing.T) {
	each(t, func(t *testing.T, opt Options) {
		s, ctx := open(t, t.TempDir(), opt), context.Background()
		if _, err := s.Put(ctx, "a/b", nil, store.PutOptions{}); err != nil {
			t.Fatal(err)
		}
		if err := s.Delete(ctx, "a/b"); err != nil {
			t.Fatal(err)
		}
		var got []store.Entry
		for e := range s.List(ctx, "", "/") {
			got = append(got, e)
		}
		if len(got) != 1 || got[0] != (store.Entry{Key: "a/", IsPrefix: true}) {
			t.Errorf("got %v", got)
		}
	})
}

// shrunk is a file that is shorter than it was, and gives two bytes at a time.
type shrunk struct{ data []byte }

func (f shrunk) ReadAt(p []byte, off int64) (int, error) {
	if off >= int64(len(f.data)) {
		return 0, io.EOF
	}
	return copy(p[:min(2, len(p))], f.data[off:]), nil
}

func (shrunk) Close() error     { return nil }
func (shrunk) system() *os.File { return nil }

func (shrunk) descriptor() (uintptr, bool) { return 0, false }

func TestShortReads(t *testing.T) {
	ctx, f := context.Background(), shrunk{[]byte("0123456")}
	b, err := read(ctx, f, 7, store.All(), []byte("x"))
	if err != nil || string(b) != "x0123456" {
		t.Errorf("got %q, %v", b, err)
	}
	b, err = read(ctx, f, 8, store.All(), []byte("x"))
	if !errors.Is(err, io.ErrUnexpectedEOF) || string(b) != "x" {
		t.Errorf("a file that shrinks: %q, %v", b, err)
	}
}

func TestOpenFileThatShrinks(t *testing.T) {
	each(t, func(t *testing.T, opt Options) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "k"), bytes.Repeat([]byte("x"), 1000), 0o666); err != nil {
			t.Fatal(err)
		}
		s, ctx := open(t, dir, opt), context.Background()
		o, err := s.Open(ctx, "k")
		if err != nil {
			t.Fatal(err)
		}
		defer o.Close()
		if err := os.Truncate(filepath.Join(dir, "k"), 500); err != nil {
			t.Fatal(err)
		}
		if _, _, err := o.Get(ctx, store.All(), nil); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("got %v", err)
		}
		if b, _, err := o.Get(ctx, store.Part(100, 400), nil); err != nil || len(b) != 400 {
			t.Errorf("the part that is left: %d bytes, %v", len(b), err)
		}
	})
}

func TestIfAbsentAmongStores(t *testing.T) {
	dir := t.TempDir()
	each(t, func(t *testing.T, opt Options) {
		var wins atomic.Int32
		var wg sync.WaitGroup
		for range 4 {
			s := open(t, dir, opt)
			wg.Go(func() {
				for i := range 50 {
					_, err := s.Put(context.Background(), fmt.Sprintf("%v/%d", opt.portable, i), nil, store.PutOptions{IfAbsent: true})
					if err == nil {
						wins.Add(1)
					} else if !errors.Is(err, store.ErrPrecondition) {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		if wins.Load() != 50 {
			t.Errorf("50 keys were made %d times", wins.Load())
		}
	})
}

func TestClosed(t *testing.T) {
	each(t, func(t *testing.T, opt Options) {
		s, ctx := open(t, t.TempDir(), opt), context.Background()
		if _, err := s.Put(ctx, "k", []byte("x"), store.PutOptions{}); err != nil {
			t.Fatal(err)
		}
		o, err := s.Open(ctx, "k")
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
		if _, _, err := s.Get(ctx, "k", store.All(), nil); !errors.Is(err, fs.ErrClosed) {
			t.Errorf("Get: %v", err)
		}
		if b, _, err := o.Get(ctx, store.All(), nil); err != nil || string(b) != "x" {
			t.Errorf("Get of an open object: %q, %v", b, err)
		}
		for range 2 {
			if err := o.Close(); err != nil {
				t.Error(err)
			}
		}
		if _, _, err := o.Get(ctx, store.All(), nil); !errors.Is(err, fs.ErrClosed) {
			t.Errorf("Get of a closed object: %v", err)
		}
	})
}

func TestGetAllocates(t *testing.T) {
	s, ctx := open(t, t.TempDir(), Options{}), context.Background()
	if _, err := s.Put(ctx, "a/b", make([]byte, 10_000), store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	o, err := s.Open(ctx, "a/b")
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	dst := make([]byte, 0, 10_000)
	if n := testing.AllocsPerRun(100, func() { o.Get(ctx, store.All(), dst) }); n != 0 {
		t.Errorf("Get of an open object: %v allocations, want none", n)
	}
	if runtime.GOOS != "linux" {
		return
	}
	// The name for the system, and the ETag.
	if n := testing.AllocsPerRun(100, func() { s.Get(ctx, "a/b", store.All(), dst) }); n > 2 {
		t.Errorf("Get: %v allocations, want 2", n)
	}
	if n := testing.AllocsPerRun(100, func() { s.Get(ctx, "a/b", store.All(), nil) }); n > 3 {
		t.Errorf("Get without room: %v allocations, want 3", n)
	}
}

// Sizes and times are what a listing of many files takes longest for.
func TestNamesAloneAreNotMeasured(t *testing.T) {
	each(t, func(t *testing.T, opt Options) {
		s, ctx := open(t, t.TempDir(), opt), context.Background()
		for _, key := range []string{"a", "b/c", "b/d/e"} {
			if _, err := s.Put(ctx, key, []byte("xyz"), store.PutOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		for _, c := range []struct {
			ctx  context.Context
			size int64
		}{{ctx, 3}, {store.NamesOnly(ctx), -1}} {
			n := 0
			for e, err := range s.List(c.ctx, "", "") {
				if n++; err != nil || e.Size != c.size || (e.ETag == "") != (c.size < 0) {
					t.Errorf("%+v, %v, want size %d", e, err, c.size)
				}
			}
			if n != 3 {
				t.Errorf("%d values", n)
			}
		}
	})
}

// What Sync flushes may be there, or gone with its folder.
func TestSync(t *testing.T) {
	for _, portable := range []bool{false, true} {
		s, err := Open(t.TempDir(), Options{portable: portable})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		ctx := t.Context()
		for _, key := range []string{"a", "b/c/d", "b/c/e"} {
			if _, err := s.Put(ctx, key, []byte(key), store.PutOptions{Flush: true}); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Delete(ctx, "b/c/e"); err != nil {
			t.Fatal(err)
		}
		inner, err := store.Sub(s, "b")
		if err != nil {
			t.Fatal(err)
		}
		for _, sync := range []error{
			s.Sync(ctx, []string{"a", "b/c/d", "b/c/e", "a/nothing", "no/thing"}),
			store.Sync(ctx, inner, []string{"c/d"}),
			store.Sync(ctx, inner, nil),
		} {
			if sync != nil {
				t.Error(sync)
			}
		}
	}
}

// What is open is a file of the system, for who lets the kernel send it, also through
// wrappers; it is closed with the object.
func TestObjectsAreFiles(t *testing.T) {
	each(t, func(t *testing.T, opt Options) {
		s, ctx := open(t, t.TempDir(), opt), context.Background()
		if _, err := s.Put(ctx, "a/b", []byte("hello"), store.PutOptions{}); err != nil {
			t.Fatal(err)
		}
		inner, err := store.Sub(store.ReadOnly(s), "a")
		if err != nil {
			t.Fatal(err)
		}
		o, err := store.Open(ctx, inner, "b")
		if err != nil {
			t.Fatal(err)
		}
		f, ok := o.(store.FileObject)
		if !ok {
			t.Fatalf("%T is no file", o)
		}
		_, info, err := o.Get(ctx, store.Suffix(0), nil)
		text, readErr := io.ReadAll(f.File())
		part, _, getErr := o.Get(ctx, store.Part(1, 2), nil)
		if err != nil || readErr != nil || getErr != nil || string(text) != "hello" || string(part) != "el" || f.Info() != info || f.Modified().IsZero() {
			t.Errorf("%q and %q, %v, %v, %v, %v", text, part, f.Info(), err, readErr, getErr)
		}
		held := f.File()
		if err := o.Close(); err != nil {
			t.Error(err)
		}
		if _, err := held.Seek(0, io.SeekStart); !errors.Is(err, os.ErrClosed) || o.Close() != nil {
			t.Errorf("the file is still open: %v", err)
		}
		closed, err := s.Open(ctx, "a/b")
		if err != nil || closed.Close() != nil || closed.(store.FileObject).File() != nil {
			t.Errorf("a closed object has a file, %v", err)
		}
	})
}
