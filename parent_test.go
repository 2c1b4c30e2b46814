package zarr_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/store/mem"
)

func TestParents(t *testing.T) {
	s := mem.New()
	g := must[*zarr.Group](t)(zarr.CreateGroupIn(ctx, s, ""))
	a := must[*zarr.Array](t)(g.CreateArray(ctx, "x/y/a", zarr.ArraySpec{Shape: []int{1}, DataType: "int8"}))
	var above []string
	for n := zarr.Node(a); ; {
		p, err := n.Parent(ctx)
		if err != nil {
			if !errors.Is(err, zarr.ErrNoNode) {
				t.Error(err)
			}
			break
		}
		above = append(above, p.Path())
		n = p
	}
	if len(above) != 3 || above[0] != "x/y" || above[1] != "x" || above[2] != "" {
		t.Errorf("%q", above)
	}
	check(t, s.Delete(ctx, "x/y/zarr.json"))
	if _, err := a.Parent(ctx); !errors.Is(err, zarr.ErrNoNode) {
		t.Errorf("a folder that is no group: %v", err)
	}
}

// A node that was opened by itself finds the group around its folder.
func TestParentsOfFolders(t *testing.T) {
	dir := t.TempDir()
	g := must[*zarr.Group](t)(zarr.CreateGroup(ctx, dir+"/g"))
	defer g.Close()
	must[*zarr.Array](t)(g.CreateArray(ctx, "x/a", zarr.ArraySpec{Shape: []int{1}, DataType: "int8"}))
	a := must[*zarr.Array](t)(zarr.OpenArray(ctx, dir+"/g/x/a", zarr.ReadOnly()))
	defer a.Close()
	x := must[*zarr.Group](t)(a.Parent(ctx))
	must[*zarr.Array](t)(x.Array(ctx, "a"))
	if again := must[*zarr.Group](t)(a.Parent(ctx)); again != x {
		t.Error("it is opened once")
	}
	top := must[*zarr.Group](t)(x.Parent(ctx))
	if _, err := top.CreateGroup(ctx, "y"); !errors.Is(err, zarr.ErrReadOnly) {
		t.Errorf("what lies around is changed: %v", err)
	}
	if p, err := top.Parent(ctx); !errors.Is(err, zarr.ErrNoNode) {
		t.Errorf("%v, %v", p, err)
	}
}

// The way up ends at a folder that is no node, whatever lies below it.
func TestParentsAreNotLookedForBelow(t *testing.T) {
	dir := t.TempDir()
	files := func(name, text string) {
		t.Helper()
		check(t, os.MkdirAll(filepath.Dir(dir+"/"+name), 0o777))
		check(t, os.WriteFile(dir+"/"+name, []byte(text), 0o666))
	}
	const dataset = `{"dimensions":[1],"blockSize":[1],"dataType":"uint8","compression":{"type":"raw"}}`
	files("plain/em/deep/attributes.json", dataset)
	files("plain/em/group/attributes.json", `{"of":"nobody"}`)
	files("plain/em/group/raw/attributes.json", dataset)
	a := must[*zarr.Array](t)(zarr.CreateArray(ctx, dir+"/plain/a", zarr.ArraySpec{Shape: []int{1}, DataType: "int8"}))
	defer a.Close()
	if p, err := a.Parent(ctx); !errors.Is(err, zarr.ErrNoNode) {
		t.Errorf("%v, %v", p, err)
	}
	g := must[*zarr.Group](t)(zarr.OpenGroup(ctx, dir+"/plain"))
	defer g.Close()
	if g.Format() != "n5" {
		t.Errorf("a folder that was named is looked through: %s", g.Format())
	}
	if g, err := zarr.OpenGroup(ctx, dir+"/plain", zarr.Explicit()); !errors.Is(err, zarr.ErrNoNode) {
		t.Errorf("%v, %v", g, err)
	}
	raw := must[*zarr.Array](t)(zarr.OpenArray(ctx, dir+"/plain/em/group/raw"))
	defer raw.Close()
	above := must[*zarr.Group](t)(raw.Parent(ctx))
	if above.Format() != "n5" {
		t.Errorf("a group around a dataset is %s", above.Format())
	}
	if p, err := above.Parent(ctx); !errors.Is(err, zarr.ErrNoNode) {
		t.Errorf("%v, %v", p, err)
	}
}

// Below an array there are its chunks: nothing is made there, of whichever format either
// is, and no folder is left of trying.
func TestArraysHoldNoNodes(t *testing.T) {
	formats := []string{"zarr3", "zarr2", "n5"}
	makes := map[string]func(at string, as zarr.Option) (zarr.Node, error){
		"array": func(at string, as zarr.Option) (zarr.Node, error) { return zarr.CreateArray(ctx, at, small, as) },
		"group": func(at string, as zarr.Option) (zarr.Node, error) { return zarr.CreateGroup(ctx, at, as) },
	}
	for _, of := range formats {
		for _, as := range append(formats, "") {
			dir := t.TempDir()
			folder := filepath.Join(dir, "in", "a.data")
			check(t, must[*zarr.Array](t)(zarr.CreateArray(ctx, folder, small, zarr.As(of))).Close())
			s := mem.New()
			must[*zarr.Group](t)(zarr.CreateGroupIn(ctx, s, "", zarr.As(of)))
			must[*zarr.Array](t)(zarr.CreateArrayIn(ctx, s, "a", small, zarr.As(of)))
			refused := func(what, name string, err error) {
				t.Helper()
				var known *zarr.Error
				if !errors.Is(err, zarr.ErrNotGroup) || !errors.As(err, &known) || !strings.Contains(err.Error(), name+`" is an array and cannot hold nodes`) {
					t.Errorf("%s in an array of %s, as %q: %v", what, of, as, err)
				}
			}
			for _, below := range []string{"b", "x/y"} {
				for what, create := range makes {
					n, err := create(filepath.Join(folder, below), zarr.As(as))
					refused(what, "a.data", err)
					if err == nil {
						n.Close()
					}
				}
				_, err := zarr.CreateArrayIn(ctx, s, "a/"+below, small, zarr.As(as))
				refused("array", "/a", err)
				_, err = zarr.CreateGroupIn(ctx, s, "a/"+below, zarr.As(as))
				refused("group", "/a", err)
				_, err = zarr.Make(ctx, filepath.Join(folder, below), false, zarr.As(as))
				refused("something", "a.data", err)
				first, _, _ := strings.Cut(below, "/")
				if _, err := os.Stat(filepath.Join(folder, first)); !os.IsNotExist(err) {
					t.Errorf("%s, as %q: %s was made: %v", of, as, first, err)
				}
			}
			// Beside it is room.
			check(t, must[*zarr.Group](t)(zarr.CreateGroup(ctx, filepath.Join(dir, "in", "b.data"), zarr.As(as))).Close())
		}
	}
	// In a group of any format is room too.
	dir := filepath.Join(t.TempDir(), "g")
	check(t, must[*zarr.Group](t)(zarr.CreateGroup(ctx, dir, zarr.As("zarr2"))).Close())
	check(t, must[*zarr.Array](t)(zarr.CreateArray(ctx, dir+"/a", small, zarr.As("zarr3"))).Close())
}
