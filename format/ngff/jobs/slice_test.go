package jobs_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/convention"
	"github.com/omnizarr/zarr/format/ngff"
	"github.com/omnizarr/zarr/format/ngff/jobs"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/kind"
	"github.com/omnizarr/zarr/meta"
)

// A part of an image in several resolutions is not the same positions of each.
func TestPartsOfLevelsAreRefused(t *testing.T) {
	src := numbers(t, zarr.ArraySpec{Shape: []int{64, 64}, DataType: "uint8", Chunks: []int{16, 16}, DimensionNames: []string{"y", "x"}})
	g := open(t, pyramids(t, src, jobs.Pyramid{Levels: 3}, copying.Options{}))
	level, err := g.(*zarr.Group).Array(ctx, "0")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		n     zarr.Node
		slice string
		ok    bool
	}{{g, "", true}, {g, "y=0:8", false}, {level, "0:8", true}} {
		k := &jobs.Kind{}
		r := kind.CopyRequest{Source: &convention.Subject{Node: c.n}, URL: t.TempDir() + "/x", Options: copying.Options{To: copying.Zarr3(), Slice: c.slice}}
		_, done, err := k.Copy(ctx, r)
		if done || (err == nil) != c.ok || err != nil && !strings.Contains(err.Error(), "--pyramid") {
			t.Errorf("%v %q: %v, %v", c.n.Path(), c.slice, done, err)
		}
		if _, err := k.Planned(r); (err == nil) != c.ok {
			t.Errorf("%v %q: planned, %v", c.n.Path(), c.slice, err)
		}
	}
}

// A part of an image, or of a level that is named alone, becomes one that says what the image
// says: where it lies, its pixels, its channels, its name.
func TestPyramidsOfPartsOfImages(t *testing.T) {
	src := numbers(t, zarr.ArraySpec{Shape: []int{2, 64, 64}, DataType: "uint8", Chunks: []int{1, 16, 16}, DimensionNames: []string{"c", "y", "x"}})
	g := open(t, pyramids(t, src, jobs.Pyramid{Levels: 2, Name: "cells"}, copying.Options{})).(*zarr.Group)
	attrs, err := meta.ParseAttributes([]byte(`{"ome": {"version": "0.5", "multiscales": [{"name": "cells",
		"axes": [{"name": "c", "type": "channel"}, {"name": "y", "type": "space", "unit": "micrometer"}, {"name": "x", "type": "space", "unit": "micrometer"}],
		"datasets": [{"path": "0", "coordinateTransformations": [{"type": "scale", "scale": [1, 0.5, 0.25]}]}, {"path": "1", "coordinateTransformations": [{"type": "scale", "scale": [1, 1, 0.5]}]}]}],
		"omero": {"channels": [{"label": "DAPI", "color": "0000FF", "window": {"start": 0, "end": 9, "min": 0, "max": 255}}, {"label": "GFP", "color": "00FF00", "window": {"start": 0, "end": 9, "min": 0, "max": 255}}]}}}`))
	if err == nil {
		err = g.SetAttributes(ctx, attrs)
	}
	if err != nil {
		t.Fatal(err)
	}
	for at, want := range map[string]string{"": "[0 4 2] [1 0.5 0.25]", "0": "[0 4 2] [1 0.5 0.25]", "1": "[0 8 4] [1 1 0.5]"} {
		n := zarr.Node(g)
		if at != "" {
			if n, err = g.Array(ctx, at); err != nil {
				t.Fatal(err)
			}
		}
		got := open(t, pyramids(t, n, jobs.Pyramid{Levels: 1, Name: "other"}, copying.Options{Slice: "y=@8:16, x=@8:16"}))
		m, err := ngff.Read(got.Attributes())
		if err != nil {
			t.Fatal(err)
		}
		l := m.Images[0].Levels[0]
		if text := fmt.Sprint(l.Translation, l.Scale); text != want || m.Images[0].Name != "cells" || m.Images[0].Axes[1].Unit != "micrometer" || m.OMERO.Channels[1].Label != "GFP" {
			t.Errorf("%q: %s, %+v, %+v", at, text, m.Images[0], m.OMERO)
		}
	}
}
