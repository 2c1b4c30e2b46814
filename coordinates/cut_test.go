package coordinates_test

import (
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/coordinates"
	"github.com/omnizarr/zarr/store/mem"
)

// A part of an array has the coordinates that its elements had in the whole.
func TestPartsLieWhereTheyLay(t *testing.T) {
	for attrs, cases := range map[string]map[string]string{
		`{"spatial:transform":[10,0,500,0,-20,1000],"spatial:shape":[6,8],"spatial:bbox":[500,880,580,1000]}`: {
			"2:5, 3:":     `{"spatial:transform":[10,0,530,0,-20,960],"spatial:shape":[3,5],"spatial:bbox":[530,900,580,960]}`,
			"::2, ::-1":   `{"spatial:transform":[-10,0,580,0,-40,1010],"spatial:shape":[3,8],"spatial:bbox":[500,890,580,1010]}`,
			"1, :":        `{}`,
			"uneven rows": `{}`,
		},
		`{"spatial:transform":[10,0,500,0,-20,1000],"spatial:registration":"node"}`: {
			"2::3, 1:2": `{"spatial:transform":[10,0,510,0,-60,960],"spatial:registration":"node"}`,
		},
		`{"scale":[2,3],"units":["s","m"],"n":[1,2]}`: {
			"1:, :":          `{"scale":[2,3],"units":["s","m"],"n":[1,2],"translation":[2,0]}`,
			"5, ::2":         `{"scale":[6],"units":["m"],"n":[1,2]}`,
			"uneven columns": `{"units":["s","m"],"n":[1,2]}`,
			":, 2:8":         `{"scale":[2,3],"units":["s","m"],"n":[1,2],"translation":[0,6]}`,
			"..., 7:0:-1":    `{"scale":[2,-3],"units":["s","m"],"n":[1,2],"translation":[0,21]}`,
		},
	} {
		for slice, want := range cases {
			a, err := zarr.CreateArrayIn(ctx, mem.New(), "", zarr.ArraySpec{Shape: []int{6, 8}, DataType: "int8"})
			check(t, err)
			sel := zarr.Slice(slice)
			switch slice {
			case "uneven rows":
				sel = zarr.Select(zarr.List(0, 1, 5), zarr.Full())
			case "uneven columns":
				sel = zarr.Select(zarr.Full(), zarr.List(0, 1, 7))
			}
			part, err := zarr.Resolve(sel, a.Shape())
			check(t, err)
			got := attributes(t, attrs)
			lost, err := coordinates.Cut(got, []string{"y", "x"}, part)
			check(t, err)
			if string(got.Append(nil)) != string(attributes(t, want).Append(nil)) {
				t.Errorf("%s of %s: %s, want %s", slice, attrs, got.Append(nil), want)
			}
			if gone := got.Len() < attributes(t, attrs).Len(); gone != (len(lost) > 0) {
				t.Errorf("%s of %s: lost %q", slice, attrs, lost)
			}
		}
	}
}
