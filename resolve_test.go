package zarr_test

import (
	"fmt"
	"testing"

	"github.com/omnizarr/zarr"
)

func TestResolveGivesPositions(t *testing.T) {
	for _, c := range []struct {
		sel  zarr.Selection
		want string
	}{
		{zarr.Slice("1, ::-2"), "-1[1] 0[4 2 0]"},
		{zarr.Select(zarr.List(2, 0, 2), zarr.At(-1)), "0[2 0 2] -1[4]"},
		{zarr.Points([]int{2, 0}, []int{1, 1}), "0[2 0] 0[1 1]"},
		{zarr.Box([]int{1, 2}, []int{2, 3}), "0[1 2] 1[2 3 4]"},
		{zarr.Slice("..., 5:"), "0[0 1 2] 1[]"},
	} {
		axes, err := zarr.Resolve(c.sel, []int{3, 5})
		got := ""
		for i, a := range axes {
			list := []int{}
			for k := range a.Count {
				list = append(list, a.At(k))
			}
			if i > 0 {
				got += " "
			}
			got += fmt.Sprintf("%d%v", a.Along, list)
		}
		if err != nil || got != c.want {
			t.Errorf("%v: %s, %v, want %s", c.sel, got, err, c.want)
		}
	}
	for _, sel := range []zarr.Selection{zarr.Slice("7"), zarr.Slice("x"), zarr.WholeChunks(zarr.At(0))} {
		if axes, err := zarr.Resolve(sel, []int{3, 5}); err == nil {
			t.Errorf("%v: %v", sel, axes)
		}
	}
}
