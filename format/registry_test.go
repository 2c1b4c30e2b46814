package format_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format"
	"github.com/omnizarr/zarr/format/n5"
	"github.com/omnizarr/zarr/format/std"
	"github.com/omnizarr/zarr/format/translate"
	"github.com/omnizarr/zarr/internal/par"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

func TestRegistry(t *testing.T) {
	r := std.Registry()
	more := r.Clone()
	more.Register(grid())
	if !slices.Equal(more.Names(), append(r.Names(), "grid")) || r.Find("grid") != nil {
		t.Errorf("%v and %v", r.Names(), more.Names())
	}
	other := grid()
	other.Title = "another"
	more.Register(other)
	if more.Find("grid") != other || len(more.All()) != len(r.All())+1 {
		t.Errorf("not replaced: %v", more.Names())
	}
	for name, want := range map[string]string{"a.grid": "grid", "A.GRID": "grid", ".grid": "", "x.TIF": "tiff", "x.zip": ""} {
		got := ""
		if f := more.FileNamed(name); f != nil {
			got = f.Name
		}
		if got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	for path, want := range map[string]int{"a/x.n5/b": 1, "x.n5/y.zarr/c": -1, "y.zarr/x.N5/c": 1, "a/.n5/b": -1, "a/b": -1} {
		if got := r.Top(strings.Split(path, "/")); got != want {
			t.Errorf("%s: top %d, want %d", path, got, want)
		}
	}
	if err := r.Check("n5", []format.Option{n5.Reversed}); err != nil {
		t.Error(err)
	}
	if err := r.Check("fog", nil); !errors.Is(err, format.ErrUnknown) {
		t.Error(err)
	}
	if err := format.NewRegistry(grid()).Check("", []format.Option{n5.Reversed}); !errors.Is(err, format.ErrUnknown) {
		t.Error(err)
	}
}

// A format that is known by names alone is none of other files.
func TestFilesKnownByTheirNames(t *testing.T) {
	ctx := context.Background()
	byName := grid()
	byName.File.Starts = nil
	formats := format.NewRegistry(byName)
	dir := t.TempDir()
	for _, name := range []string{"a.grid", "b.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("grid 1 1\n5"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := zarr.Open(ctx, filepath.Join(dir, "b.txt"), zarr.Formats(formats)); !errors.Is(err, zarr.ErrFormat) {
		t.Error(err)
	}
	inMemory := mem.Shared(t.Name())
	if _, err := inMemory.Put(ctx, "deep/a.grid", []byte("grid 1 1\n5"), store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, url := range []string{filepath.Join(dir, "a.grid"), "mem:" + t.Name() + "/deep/a.grid"} {
		n, err := zarr.Open(ctx, url, zarr.Formats(formats))
		if err != nil {
			t.Errorf("%s: %v", url, err)
			continue
		}
		if err := n.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A panic of a format is an error that names it and what was opened.
func TestPanicsOfFormatsAreErrors(t *testing.T) {
	ctx := context.Background()
	oops := func() { panic("oops") }
	file := func(change func(*format.File)) *format.Format {
		f := grid()
		change(f.File)
		return f
	}
	folder := func(change func(*format.Folder)) *format.Format {
		f := tape()
		f.Name = "grid"
		change(f.Folder)
		return f
	}
	for name, f := range map[string]*format.Format{
		"Open": file(func(f *format.File) {
			f.Open = func(context.Context, store.Store, string, format.Env) (store.Store, error) { oops(); return nil, nil }
		}),
		"Starts": file(func(f *format.File) { f.Endings, f.Starts = nil, func([]byte) bool { oops(); return false } }),
		"Nodes": folder(func(f *format.Folder) {
			f.Nodes = func(store.Store, format.Env) translate.Documents { oops(); return nil }
		}),
		"Node": folder(func(f *format.Folder) {
			f.Nodes = func(store.Store, format.Env) translate.Documents { return broken{} }
		}),
		"Look": folder(func(f *format.Folder) {
			f.Look = func(context.Context, store.Store, string) bool { oops(); return false }
		}),
		"LookFurther": folder(func(f *format.Folder) {
			f.LookFurther = func(context.Context, store.Store, string) bool { oops(); return false }
		}),
	} {
		path := t.TempDir()
		if f.File != nil {
			path = filepath.Join(path, "a.grid")
			if err := os.WriteFile(path, []byte("grid 1 1\n5"), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		formats := std.Registry()
		formats.Register(f)
		_, err := zarr.Open(ctx, path, zarr.Formats(formats))
		var known *zarr.Error
		if !errors.As(err, &known) || !strings.Contains(known.URL, path) || !strings.Contains(err.Error(), "format grid: internal error: oops") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if par.Panics() == 0 {
		t.Error("no panics were counted")
	}
}

// broken is documents that panic.
type broken struct{ tapes }

func (broken) Node(context.Context, string, bool) (meta.Node, store.Info, error) { panic("oops") }

// What is in a file of a format can be asked for where neither name nor bytes say
// so, and a broken one is no other's.
func TestFilesOfAFormat(t *testing.T) {
	ctx := context.Background()
	formats := format.NewRegistry(grid())
	for _, c := range []struct{ name, text, want string }{
		{"a.grid", "fog", "no grid"},
		{"a.grid", "grid 2 2\n1 2 3", "number 3"},
		{"a.txt", "fog", "neither a folder nor a zip archive or a grid of numbers"},
		{"a.grid", "grid 1 1\n5", ""},
	} {
		path := filepath.Join(t.TempDir(), c.name)
		if err := os.WriteFile(path, []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		n, err := zarr.Open(ctx, path, zarr.Formats(formats))
		if c.want == "" {
			if err != nil {
				t.Fatal(err)
			}
			if err := n.Close(); err != nil {
				t.Error(err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %q: %v", c.name, c.text, err)
		}
	}
	path := filepath.Join(t.TempDir(), "plain")
	if err := os.WriteFile(path, []byte(" grid 1 1 7"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, open := range []func() (zarr.Node, error){
		func() (zarr.Node, error) { return zarr.Open(ctx, path, zarr.Formats(formats), zarr.As("grid")) },
		func() (zarr.Node, error) { return zarr.Open(ctx, path+"|grid:", zarr.Formats(formats)) },
	} {
		if _, err := open(); err == nil || !strings.Contains(err.Error(), "no grid") {
			t.Error(err)
		}
	}
}
