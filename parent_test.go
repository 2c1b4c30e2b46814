package zarr_test

import (
	"errors"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/store/mem"
)

func TestParents(t *testing.T) {
	s := mem.New()
	g := must[*zarr.Group](t)(zarr.CreateGroupIn(ctx, s, ""))
	a := must[*zarr.Array](t)(g.CreateArray(ctx, "x/y/a", zarr.ArraySpec{Shape: []int{1}, DataType: "int8"}))
	var above []string
	for n := zarr.Node(a); ; {
		p, err := n.Parent(ctx)
		if err != nil {
			if !errors.Is(err, zarr.ErrNoNode) {
				t.Error(err)
			}
			break
		}
		above = append(above, p.Path())
		n = p
	}
	if len(above) != 3 || above[0] != "x/y" || above[1] != "x" || above[2] != "" {
		t.Errorf("%q", above)
	}
	check(t, s.Delete(ctx, "x/y/zarr.json"))
	if _, err := a.Parent(ctx); !errors.Is(err, zarr.ErrNoNode) {
		t.Errorf("a folder that is no group: %v", err)
	}
}
