package codec

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/nd"
)

// Order is the member "order" of the configuration of "transpose": which axis of
// the array is axis i of the encoded one. Zarr v3 had the names "C" and "F" for
// all axes in order and for all reversed, and files hold them.
type Order struct {
	Axes []int
	Name string // "C" or "F", "" where Axes tells
}

// UnmarshalJSON reads either form. Axes need not be a permutation.
func (o *Order) UnmarshalJSON(raw []byte) error {
	name, err := strictjson.String(raw)
	switch {
	case err != nil:
		o.Axes, err = strictjson.Lengths(raw, 0, nd.MaxRank)
	case name != "C" && name != "F":
		err = fmt.Errorf(`is %s, must be an array of axes, "C" or "F"`, strictjson.Quote(name))
	default:
		o.Name = name
	}
	return err
}

// MarshalJSON gives the form that was read.
func (o Order) MarshalJSON() ([]byte, error) {
	if o.Name != "" {
		return json.Marshal(o.Name)
	}
	return json.Marshal(o.Axes)
}

// Of gives the axes of an array of a rank: Axes where they are given.
func (o Order) Of(rank int) []int {
	if o.Name == "" {
		return o.Axes
	}
	axes := make([]int, rank)
	for i := range axes {
		axes[i] = i
	}
	if o.Name == "F" {
		slices.Reverse(axes)
	}
	return axes
}
