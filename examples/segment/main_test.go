package main

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// image makes a picture with two objects above 100.
func image(t *testing.T, url string) {
	t.Helper()
	a, err := zarr.CreateArray(t.Context(), url, zarr.ArraySpec{Shape: []int{4, 6}, Chunks: []int{2, 3}, DataType: "uint8"})
	check(t, err)
	check(t, zarr.Write(t.Context(), a, zarr.All(), []uint8{
		0, 120, 130, 140, 0, 0,
		0, 0, 0, 150, 0, 0,
		0, 0, 0, 0, 0, 0,
		200, 200, 0, 0, 0, 100,
	}))
	check(t, a.Close())
}

// labels reads the result.
func labels(t *testing.T, url string) []uint64 {
	t.Helper()
	a, err := zarr.OpenArray(t.Context(), url+"/labels")
	check(t, err)
	defer a.Close()
	out, err := zarr.Read[uint64](t.Context(), a, zarr.All())
	check(t, err)
	return out.Data
}

// The program finds objects at once and in parts, with the same numbers.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	src, to := filepath.Join(dir, "image.zarr"), filepath.Join(dir, "objects.zarr")
	image(t, src)
	check(t, run(t.Context(), []string{"-prepare", src, to}))
	for _, part := range []string{"1/2", "2/2"} {
		check(t, run(t.Context(), []string{"-threshold", "100", "-part", part, "-at", filepath.Join(dir, "run"), src, to}))
	}
	check(t, run(t.Context(), []string{"-threshold", "100", src, filepath.Join(dir, "alone.zarr")}))
	if !slices.Equal(labels(t, to), labels(t, filepath.Join(dir, "alone.zarr"))) {
		t.Error("parts give other numbers")
	}
	if found := slices.Compact(slices.Sorted(slices.Values(labels(t, to)))); len(found) != 3 {
		t.Errorf("numbers %v for two objects and what is none", found)
	}
}
