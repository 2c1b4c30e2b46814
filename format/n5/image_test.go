package n5_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/n5"
	"github.com/omnizarr/zarr/format/ngff"
)

// A pyramid by N5 Viewer's convention is an image of OME-NGFF in the order of the
// view; setting attributes does not make it a fact of the file.
func TestPyramidsAreImages(t *testing.T) {
	level := func(dims, factors string) string {
		return `{"dimensions":` + dims + `,"blockSize":[4,4,4],"dataType":"uint8","compression":{"type":"raw"},"downsamplingFactors":` + factors + `,"pixelResolution":{"unit":"um","dimensions":[0.5,0.5,2]}}`
	}
	s := inMemory(t, map[string]string{
		"attributes.json": `{"n5":"2.5.1"}`, "c0/s0/attributes.json": level("[16,8,4]", "[1,1,1]"), "c0/s1/attributes.json": level("[8,4,4]", "[2,2,1]"),
		"broken/s0/attributes.json": `{`,
	})
	for order, opts := range map[string][]zarr.Option{"xyz": nil, "zyx": {zarr.With(n5.Reversed)}} {
		n, err := zarr.OpenStore(ctx, s, "c0", opts...)
		check(t, err)
		images, err := ngff.Parse(n.Attributes().Raw("ome"))
		check(t, err)
		var names string
		for _, a := range images[0].Axes {
			names += a.Name
		}
		want := []float64{1, 1, 2}
		if order == "zyx" {
			want = []float64{2, 1, 1}
		}
		if l := images[0].Levels; names != order || len(l) != 2 || l[1].Path != "s1" || !slices.Equal(l[1].Scale, want) {
			t.Errorf("%s: %+v", order, images)
		}
		a, err := n.(*zarr.Group).Array(ctx, "s1")
		check(t, err)
		if got := strings.Join(a.DimensionNames(), ""); got != order {
			t.Errorf("dimensions %s, want %s", got, order)
		}
		attrs := n.Attributes()
		check(t, attrs.Set("note", order))
		check(t, n.SetAttributes(ctx, attrs))
		if text := value(s, "c0/attributes.json"); text != `{"note":"`+order+`"}` {
			t.Error(text)
		}
	}
	_, err := zarr.OpenStore(ctx, s, "broken", zarr.As("n5")) // its level says what is wrong with it
	check(t, err)
}

// An image that the file has itself is in the order of its dimensions.
func TestImagesAreReversedWithTheirDatasets(t *testing.T) {
	straight := `{"version":"0.5","multiscales":[{"axes":[{"name":"x"},{"name":"y"}],"extra":[1,2],"datasets":[{"path":"s0","coordinateTransformations":[{"type":"scale","scale":[1,2]},{"type":"translation","translation":[3,4]}]}],"coordinateTransformations":[{"scale":[5,6]}]}],"omero":{"axes":[1,2]}}`
	back := `{"version":"0.5","multiscales":[{"axes":[{"name":"y"},{"name":"x"}],"extra":[1,2],"datasets":[{"path":"s0","coordinateTransformations":[{"type":"scale","scale":[2,1]},{"type":"translation","translation":[4,3]}]}],"coordinateTransformations":[{"scale":[6,5]}]}],"omero":{"axes":[1,2]}}`
	s := inMemory(t, map[string]string{"attributes.json": `{"ome":` + straight + `}`})
	for want, opts := range map[string][]zarr.Option{straight: nil, back: {zarr.With(n5.Reversed)}} {
		n, err := zarr.OpenStore(ctx, s, "", opts...)
		check(t, err)
		attrs := n.Attributes()
		if got := string(attrs.Raw("ome")); got != want {
			t.Errorf("%s, want %s", got, want)
		}
		check(t, attrs.Set("x", 1))
		check(t, n.SetAttributes(ctx, attrs))
		if text := value(s, "attributes.json"); !strings.Contains(text, straight) {
			t.Error(text)
		}
	}
	for _, odd := range []string{`7`, `{"multiscales":7}`, `{"multiscales":[7,{"axes":{},"datasets":[[]],"coordinateTransformations":null}]}`} {
		s := inMemory(t, map[string]string{"attributes.json": `{"ome":` + odd + `}`})
		n, err := zarr.OpenStore(ctx, s, "", zarr.With(n5.Reversed))
		check(t, err)
		if got := string(n.Attributes().Raw("ome")); got != odd {
			t.Errorf("%s became %s", odd, got)
		}
	}
}
