package jobs_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/ngff"
	"github.com/omnizarr/zarr/format/ngff/jobs"
	"github.com/omnizarr/zarr/job/copying"
)

// A plate stays a plate, with the labels of its images, in either version and back.
func TestPlatesAndLabels(t *testing.T) {
	src := hierarchy(t, "zarr3", map[string]string{
		"":                   `{"ome": {"version": "0.5", "plate": {"name": "screen", "rows": [{"name": "A"}], "columns": [{"name": "1"}], "wells": [{"path": "A/1", "rowIndex": 0, "columnIndex": 0}]}}, "mine": 5}`,
		"A/1":                `{"ome": {"version": "0.5", "well": {"images": [{"path": "0"}]}}}`,
		"A/1/0":              single(`, "omero": {"channels": [{"label": "DAPI", "color": "0000FF", "window": {"start": 1, "end": 2, "min": 0, "max": 9}}]}`),
		"A/1/0/labels":       `{"ome": {"version": "0.5", "labels": ["cells"]}}`,
		"A/1/0/labels/cells": single(`, "image-label": {"source": {"image": "../../"}, "colors": [{"label-value": 1, "rgba": [1, 2, 3, 255]}]}`),
	}, map[string]zarr.ArraySpec{"A/1/0/0": plane("float32"), "A/1/0/labels/cells/0": plane("uint16")})
	n, err := zarr.OpenStore(ctx, src, "")
	if err != nil {
		t.Fatal(err)
	}
	old := pyramids(t, n, jobs.Pyramid{Version: "0.4", Levels: 2}, copying.Options{})
	valid(t, old)
	again := pyramids(t, open(t, old), jobs.Pyramid{Levels: 3}, copying.Options{})
	valid(t, again)
	root := open(t, again).(*zarr.Group)
	var mine int
	if ok, err := root.Attributes().Get("mine", &mine); !ok || err != nil || mine != 5 {
		t.Errorf("an attribute of the user is %d, %v, %v", mine, ok, err)
	}
	image, err := root.Open(ctx, "A/1/0")
	if err != nil {
		t.Fatal(err)
	}
	m, err := ngff.Read(image.Attributes())
	if err != nil || len(m.Images[0].Levels) != 3 || m.OMERO == nil || m.OMERO.Channels[0].Label != "DAPI" || m.OMERO.Channels[0].Window.End != 2 {
		t.Errorf("%+v, %v", m, err)
	}
	label, err := root.Open(ctx, "A/1/0/labels/cells")
	if err != nil {
		t.Fatal(err)
	}
	if m, err = ngff.Read(label.Attributes()); err != nil || m.ImageLabel == nil || len(m.ImageLabel.Colors) != 1 || m.OMERO != nil || m.ImageLabel.Source.Image != "../../" {
		t.Errorf("%+v, %v", m, err)
	}
}

// A collection stays one, with the document that describes it; what is beside the
// images is named.
func TestCollectionsAgain(t *testing.T) {
	first := pyramids(t, open(t, filepath.Join("testdata", "several.ome.tif")), jobs.Pyramid{Version: "0.4"}, copying.Options{})
	if err := os.WriteFile(filepath.Join(first, "README.md"), []byte("mine"), 0o666); err != nil {
		t.Fatal(err)
	}
	second := filepath.Join(t.TempDir(), "again.zarr")
	sum, err := jobs.Pyramid{}.Copy(ctx, open(t, first), second, copying.Options{})
	if err != nil {
		t.Fatal(err)
	}
	valid(t, second)
	if strings.Join(sum.NotCopied, " ") != "README.md" {
		t.Errorf("not copied: %q", sum.NotCopied)
	}
	want, err := os.ReadFile(filepath.Join(first, "OME", "METADATA.ome.xml"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(second, "OME", "METADATA.ome.xml"))
	if err != nil || string(got) != string(want) {
		t.Errorf("the document is %d bytes, not %d; %v", len(got), len(want), err)
	}
}

// What is no image is not left out in silence.
func TestOthersAreRefused(t *testing.T) {
	src := hierarchy(t, "zarr3", map[string]string{"": `{}`}, map[string]zarr.ArraySpec{"cells": plane("uint8"),
		"table": {Shape: []int{4}, DataType: "float64", Chunks: []int{4}}})
	n, err := zarr.OpenStore(ctx, src, "")
	if err != nil {
		t.Fatal(err)
	}
	_, err = jobs.Pyramid{}.Copy(ctx, n, filepath.Join(t.TempDir(), "out.zarr"), copying.Options{})
	if err == nil || !strings.Contains(err.Error(), "table") || !strings.Contains(err.Error(), "no image") {
		t.Error(err)
	}
}

// Codecs that lose precision are allowed before they are used; verifying reads all back.
func TestLossAndVerification(t *testing.T) {
	src := numbers(t, zarr.ArraySpec{Shape: []int{40, 40}, DataType: "float32", Chunks: []int{40, 40}, DimensionNames: []string{"y", "x"}})
	opts := copying.Options{Verify: true, Codecs: []byte(`[{"name": "bitround", "configuration": {"keepbits": 3}}, {"name": "bytes", "configuration": {"endian": "little"}}]`)}
	dst := filepath.Join(t.TempDir(), "out.zarr")
	if _, err := (jobs.Pyramid{Levels: 2}).Copy(ctx, src, dst, opts); !errors.Is(err, copying.ErrLossy) {
		t.Errorf("it loses precision: %v", err)
	}
	opts.Lossy = true
	if _, err := (jobs.Pyramid{Levels: 2}).Copy(ctx, src, dst, opts); err != nil {
		t.Error(err)
	}
	opts.Codecs = nil
	pyramids(t, src, jobs.Pyramid{Levels: 2}, opts)
}
