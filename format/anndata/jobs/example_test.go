package jobs_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/anndata/jobs"
	"github.com/omnizarr/zarr/internal/leaktest"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store/mem"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// group makes a group with attributes.
func group(ctx context.Context, s *mem.Store, path, attributes string) error {
	attrs, err := meta.ParseAttributes([]byte(attributes))
	if err != nil {
		return err
	}
	g, err := zarr.CreateGroupIn(ctx, s, path)
	if err != nil {
		return err
	}
	return g.SetAttributes(ctx, attrs)
}

func ExampleKind_About() {
	ctx := context.Background()
	s := mem.New()
	for _, g := range [][2]string{
		{"", `{"encoding-type": "anndata"}`},
		{"obs", `{"encoding-type": "dataframe", "_index": "cell", "column-order": ["batch"]}`},
		{"var", `{"encoding-type": "dataframe", "_index": "gene", "column-order": []}`},
		{"X", `{"encoding-type": "csr_matrix", "shape": [3, 2]}`},
		{"obsm", `{}`},
		{"raw", `{"encoding-type": "raw"}`},
	} {
		if err := group(ctx, s, g[0], g[1]); err != nil {
			fmt.Println(err)
		}
	}
	for path, shape := range map[string][]int{"obs/cell": {3}, "obs/batch": {3}, "var/gene": {2}, "X/data": {4}, "obsm/X_umap": {3, 2}, "raw/X": {3, 5}} {
		if _, err := zarr.CreateArrayIn(ctx, s, path, zarr.ArraySpec{Shape: shape, DataType: "float32"}); err != nil {
			fmt.Println(err)
		}
	}
	n, err := zarr.OpenStore(ctx, s, "")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, line := range (jobs.Kind{}).About(ctx, n.(*zarr.Group)).Lines {
		fmt.Printf("%s: %s\n", line.Name, line.Text)
	}
	// Output:
	// AnnData: 3 observations × 2 variables
	// X: 3 × 2, csr matrix of 4 values, float32
	// obs: batch
	// obsm: X_umap
	// raw: 3 × 5 float32
}

// An index may be a group: text that can be missing is values and a mask, in newer files.
func TestAnIndexThatIsAGroupIsCounted(t *testing.T) {
	ctx := context.Background()
	s := mem.New()
	for _, g := range [][2]string{
		{"", `{"encoding-type": "anndata"}`},
		{"obs", `{"encoding-type": "dataframe", "_index": "_index"}`},
		{"obs/_index", `{"encoding-type": "nullable-string-array"}`},
		{"var", `{"encoding-type": "dataframe", "_index": "gene"}`},
		{"var/gene", `{"encoding-type": "categorical"}`},
	} {
		if err := group(ctx, s, g[0], g[1]); err != nil {
			t.Fatal(err)
		}
	}
	for path, spec := range map[string]zarr.ArraySpec{
		"obs/_index/values": {Shape: []int{41}, DataType: "string"}, "obs/_index/mask": {Shape: []int{41}, DataType: "bool"},
		"var/gene/codes": {Shape: []int{26}, DataType: "int8"}, "var/gene/categories": {Shape: []int{3}, DataType: "string"},
	} {
		if _, err := zarr.CreateArrayIn(ctx, s, path, spec); err != nil {
			t.Fatal(err)
		}
	}
	n, err := zarr.OpenStore(ctx, s, "")
	if err != nil {
		t.Fatal(err)
	}
	if got := (jobs.Kind{}).About(ctx, n).Lines[0].Text; got != "41 observations × 26 variables" {
		t.Error(got)
	}
}

func TestSpatialDataIsTold(t *testing.T) {
	ctx := context.Background()
	s := mem.New()
	for _, path := range []string{"images/a", "images/b", "points/p", "tables/t"} {
		if err := group(ctx, s, path, `{}`); err != nil {
			t.Fatal(err)
		}
	}
	n, err := zarr.OpenStore(ctx, s, "")
	if err != nil {
		t.Fatal(err)
	}
	if (jobs.Kind{}).About(ctx, n.(*zarr.Group)) != nil {
		t.Error("a plain group is told of")
	}
	attrs, err := meta.ParseAttributes([]byte(`{"spatialdata_attrs": {"version": "0.2"}}`))
	if err == nil {
		err = n.SetAttributes(ctx, attrs)
	}
	if err != nil {
		t.Fatal(err)
	}
	about := (jobs.Kind{}).About(ctx, n.(*zarr.Group))
	if about == nil || about.Lines[0].Text != "2 images, 1 set of points, 1 table" || about.Lines[1].Text != "a, b" {
		t.Errorf("%+v", about)
	}
	// An image in it says that it is of SpatialData as well.
	image, err := n.(*zarr.Group).Group(ctx, "images/a")
	if err == nil {
		err = image.SetAttributes(ctx, attrs)
	}
	if err != nil {
		t.Fatal(err)
	}
	if about := (jobs.Kind{}).About(ctx, image); about != nil {
		t.Errorf("an image is told of: %+v", about)
	}
}
