package ngff_test

import (
	"testing"

	"github.com/omnizarr/zarr/format/ngff"
	"github.com/omnizarr/zarr/meta"
)

// What is said of an array alone is understood again; what makes no sense is not.
func TestDescribed(t *testing.T) {
	m := &ngff.Multiscales{Axes: []ngff.Axis{{Name: "y", Type: "space", Unit: "micrometer"}, {Name: "x", Type: "space"}},
		Levels: []ngff.Level{{Scale: []float64{2, 3}, Translation: []float64{0, 1}}}}
	attrs := &meta.Attributes{}
	if err := ngff.Describe(attrs, m); err != nil {
		t.Fatal(err)
	}
	got := ngff.Described(attrs, []string{"y", "x"})
	if got == nil || len(got.Axes) != 2 || got.Axes[0].Name != "y" || got.Axes[0].Unit != "micrometer" || got.Levels[0].Scale[1] != 3 || got.Levels[0].Translation[1] != 1 {
		t.Errorf("%+v", got)
	}
	for _, text := range []string{`{}`, `{"scale": 5}`, `{"scale": [1]}`, `{"scale": [1, "a"]}`, `{"axes": [{"name": "y"}]}`} {
		attrs, err := meta.ParseAttributes([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if got := ngff.Described(attrs, []string{"y", "x"}); got != nil {
			t.Errorf("%s: %+v", text, got)
		}
	}
}

func TestMeters(t *testing.T) {
	for name, want := range map[string]float64{"meter": 1, "micrometer": 1e-6, "kilometer": 1000, "angstrom": 1e-10, "second": 0, "": 0, "inch": 0, "millimeter": 1e-3, "pixel": 0} {
		if got, ok := ngff.Meters(name); ok != (want != 0) || ok && got != want {
			t.Errorf("%q: %v, %v", name, got, ok)
		}
	}
}
