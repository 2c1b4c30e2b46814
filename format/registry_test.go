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
