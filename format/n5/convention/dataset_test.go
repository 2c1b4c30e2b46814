package convention_test

import (
	"fmt"
	"testing"

	"github.com/omnizarr/zarr/format/n5/convention"
	"github.com/omnizarr/zarr/meta"
)

// What a dataset alone says of its place, however it says it.
func TestDataset(t *testing.T) {
	for _, c := range []struct{ attrs, want string }{
		{`{"axes": ["x", "y", "z"], "units": ["nm", "nm", "nm"], "resolution": [4, 4, 40]}`, "x nanometer y nanometer z nanometer [4 4 40] []"},
		{`{"pixelResolution": {"unit": "um", "dimensions": [0.5, 0.5, 2]}, "downsamplingFactors": [2, 2, 1]}`, "x micrometer y micrometer z micrometer [1 1 2] [0.25 0.25 0]"},
		{`{"pixelResolution": [1, 1, 3], "offset": [5, 6, 7]}`, "x  y  z  [1 1 3] [5 6 7]"},
		{`{"transform": {"axes": ["z", "y", "x"], "scale": [5, 4, 4], "translate": [1, 0, 0], "units": ["nm", "nm", "nm"]}}`, "x nanometer y nanometer z nanometer [4 4 5] [0 0 1]"},
		{`{"axes": ["x", "y", "z"]}`, "none"},
		{`{"resolution": [4, -4, 40]}`, "none"},
		{`{"resolution": "fine"}`, "none"},
		{`{}`, "none"},
	} {
		attrs, err := meta.ParseAttributes([]byte(c.attrs))
		if err != nil {
			t.Fatal(err)
		}
		got := "none"
		if m := convention.Dataset(attrs, 3); m != nil {
			got = ""
			for _, a := range m.Axes {
				got += a.Name + " " + a.Unit + " "
			}
			got += fmt.Sprint(m.Levels[0].Scale, m.Levels[0].Translation)
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.attrs, got, c.want)
		}
	}
}
