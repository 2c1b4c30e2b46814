package anndata_test

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/anndata"
	"github.com/omnizarr/zarr/internal/leaktest"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store/mem"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

var ctx = context.Background()

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func printed(t *testing.T, g *zarr.Group, form, slice string) string {
	t.Helper()
	f, ok := anndata.Of(g)
	if !ok {
		t.Fatalf("%s is no frame", g.URL())
	}
	set, err := f.Rows(ctx, slice, true)
	check(t, err)
	var b strings.Builder
	out := bufio.NewWriter(&b)
	if form == "csv" {
		err = set.WriteCSV(ctx, out)
	} else {
		err = set.WriteJSON(ctx, out)
	}
	check(t, err)
	out.Flush()
	return b.String()
}

// The files were written by anndata 0.12, that of HDF5 by 0.13 from the same frames.
func TestFramesOfAnnData(t *testing.T) {
	for _, name := range []string{"frame_v2.zip", "frame_v3.zip", "frame_hdf5.zip/frame.h5ad"} {
		n, err := zarr.Open(ctx, "testdata/"+name)
		check(t, err)
		root := n.(*zarr.Group)
		if _, ok := anndata.Of(root); ok {
			t.Errorf("%s: the whole is taken for a frame", name)
		}
		obs, err := root.Group(ctx, "obs")
		check(t, err)
		want := `index,cell_type,n,ok,score,name,size
c1,B,1,true,0.5,α,0
c2,T,,false,NaN,"b, c",1
c3,,3,,2.0,d,2
c4,B,4,true,3.0,e,3
`
		if got := printed(t, obs, "csv", ""); got != want {
			t.Errorf("%s:\n%s, want\n%s", name, got, want)
		}
		if got := printed(t, obs, "json", "::-2"); !strings.Contains(got, `{"index": "c4", "cell_type": "B", "n": 4, "ok": true,`) || strings.Count(got, "\n") != 2 {
			t.Errorf("%s: %s", name, got)
		}
		gene, err := root.Group(ctx, "var")
		check(t, err)
		if got := printed(t, gene, "csv", ":1"); got != "gene\ng1\n" {
			t.Errorf("%s: %s", name, got)
		}
		check(t, n.Close())
	}
}

// frame makes one of the given attributes.
func frame(t testing.TB, order string) *zarr.Group {
	t.Helper()
	g, err := zarr.CreateGroupIn(ctx, mem.New(), "")
	check(t, err)
	attrs := &meta.Attributes{}
	check(t, attrs.Set("encoding-type", "dataframe"))
	check(t, attrs.Set("_index", "names"))
	check(t, attrs.Set("column-order", json.RawMessage(order)))
	check(t, g.SetAttributes(ctx, attrs))
	add(t, g, "names", "string", []string{"a", "b", "c"}, nil)
	return g
}

func add[T any](t testing.TB, g *zarr.Group, path, kind string, data []T, attrs *meta.Attributes) {
	t.Helper()
	a, err := g.CreateArray(ctx, path, zarr.ArraySpec{Shape: []int{len(data)}, DataType: kind, Attributes: attrs})
	check(t, err)
	check(t, zarr.Write(ctx, a, zarr.All(), data))
}

// Before version 0.8 of anndata, categories lay in a group of their own.
func TestOldCategories(t *testing.T) {
	g := frame(t, `["kind"]`)
	said := &meta.Attributes{}
	check(t, said.Set("categories", "__categories/kind"))
	add(t, g, "kind", "int8", []int8{1, -1, 0}, said)
	add(t, g, "__categories/kind", "string", []string{"T", "B"}, nil)
	if got := printed(t, g, "csv", ""); got != "names,kind\na,B\nb,\nc,T\n" {
		t.Error(got)
	}
}

func TestFramesThatAreWrong(t *testing.T) {
	for order, c := range map[string]struct {
		make func(g *zarr.Group)
		want string
	}{
		`["x"]`:     {func(*zarr.Group) {}, "x"},
		`3`:         {func(*zarr.Group) {}, "column-order"},
		`["short"]`: {func(g *zarr.Group) { add(t, g, "short", "int8", []int8{1}, nil) }, "column short has 1 row, the index 3"},
		`["group"]`: {func(g *zarr.Group) {
			_, err := g.CreateGroup(ctx, "group")
			check(t, err)
		}, "is not known"},
		`["../names"]`: {func(*zarr.Group) {}, "../names"},
	} {
		g := frame(t, order)
		c.make(g)
		f, _ := anndata.Of(g)
		if _, err := f.Rows(ctx, "", true); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", order, err, c.want)
		}
	}
	g := frame(t, `["kind"]`)
	said := &meta.Attributes{}
	check(t, said.Set("categories", "__categories/kind"))
	add(t, g, "kind", "int8", []int8{9, 0, 0}, said)
	add(t, g, "__categories/kind", "string", []string{"T"}, nil)
	f, _ := anndata.Of(g)
	set, err := f.Rows(ctx, "", true)
	check(t, err)
	if err := set.WriteCSV(ctx, &strings.Builder{}); err == nil || !strings.Contains(err.Error(), "column kind: row 0: code 9 of 1 categories") {
		t.Error(err)
	}
	if _, err := f.Rows(ctx, "7", true); err == nil || !strings.Contains(err.Error(), "index 7 is outside") {
		t.Error(err)
	}
}

// A data frame is printed like any table.
func Example() {
	n, err := zarr.Open(ctx, "testdata/frame_v3.zip/obs")
	if err != nil {
		panic(err)
	}
	defer n.Close()
	f, _ := anndata.Of(n.(*zarr.Group))
	set, err := f.Rows(ctx, ":2", true)
	if err != nil {
		panic(err)
	}
	if err := set.WriteCSV(ctx, os.Stdout); err != nil {
		panic(err)
	}
	// Output:
	// index,cell_type,n,ok,score,name,size
	// c1,B,1,true,0.5,α,0
	// c2,T,,false,NaN,"b, c",1
}
