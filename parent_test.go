package zarr_test

import (
	"errors"
	"os"
	"path/filepath"
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
