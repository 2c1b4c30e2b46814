package jobs_test

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/ngff/jobs"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/store/mem"
)

// Elements that are missing are left out of means, as numpy.nanmean does it, and a mean of
// nothing else is missing too.
func TestMissingElementsAreNotMixed(t *testing.T) {
	nan := math.NaN()
	data := []float64{
		1, nan, nan, nan, 5, 7,
		3, 8, nan, nan, 9, nan,
	}
	// numpy.nanmean over blocks of 2x2.
	want := []float64{4, nan, 7}
	for name, c := range map[string]struct {
		typ, fill string
		missing   float64
		to        string
		opts      []zarr.Option
	}{
		"NaN":                {"float32", `"NaN"`, nan, "", nil},
		"an attribute":       {"int16", `-99`, -99, "", nil},
		"of another type":    {"int16", `-99`, -99, "float32", nil},
		"of Zarr v2":         {"int16", "", -99, "", []zarr.Option{zarr.As("zarr2")}},
		"a float of Zarr v3": {"float64", `"AAAAAAAA8L8="`, -1, "", nil}, // as xarray writes it
	} {
		spec := zarr.ArraySpec{Shape: []int{2, 6}, DataType: c.typ, Chunks: []int{2, 6}, DimensionNames: []string{"y", "x"}}
		attrs := map[string]string{"_FillValue": c.fill}
		if c.opts != nil {
			spec.FillValue = []byte("-99")
			attrs = map[string]string{"_ARRAY_DIMENSIONS": `["y","x"]`}
		}
		spec.Attributes = attributes(t, "{}")
		for name, text := range attrs {
			if name == "_FillValue" && c.typ == "float32" {
				continue // NaN needs no words
			}
			if err := spec.Attributes.Set(name, json.RawMessage(text)); err != nil {
				t.Fatal(err)
			}
		}
		a, err := zarr.CreateArrayIn(ctx, mem.New(), "", spec, c.opts...)
		if err != nil {
			t.Fatal(err)
		}
		said := func(values []float64) (out []float64) {
			for _, x := range values {
				if x != x {
					x = c.missing
				}
				out = append(out, x)
			}
			return out
		}
		put(t, a, said(data))
		for _, version := range []string{"0.5", "0.4"} {
			dst := pyramids(t, a, jobs.Pyramid{Levels: 2, Version: version}, copying.Options{DataType: c.to})
			level, err := open(t, dst).(*zarr.Group).Array(ctx, "1")
			if err != nil {
				t.Fatal(err)
			}
			if got := all(t, level).data; fmt.Sprint(got) != fmt.Sprint(said(want)) {
				t.Errorf("%s, %s: %v, want %v", name, version, got, said(want))
			}
		}
	}
}
