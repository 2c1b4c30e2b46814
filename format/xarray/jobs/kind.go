// Package jobs holds the rules for arrays that xarray reads.
package jobs

import (
	"context"
	"fmt"
	"slices"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/xarray"
	"github.com/omnizarr/zarr/format/zarr2"
	"github.com/omnizarr/zarr/format/zarr3"
	"github.com/omnizarr/zarr/internal/words"
	"github.com/omnizarr/zarr/job/check"
	"github.com/omnizarr/zarr/meta"
)

// Kind is what programs can do with what xarray says of arrays.
type Kind struct{}

// Name is that of the convention.
func (Kind) Name() string { return "xarray" }

// Rules are those for arrays: what xarray refuses to open is a problem, what it takes
// for something else than other programs do a warning.
func (Kind) Rules() check.Rules {
	return check.Rules{Meaning: func(_ context.Context, n zarr.Node, found *check.Findings) {
		a, ok := n.(*zarr.Array)
		switch {
		case ok && n.Format() == zarr2.Format:
			two(a.Metadata(), found)
		case ok && n.Format() == zarr3.Format:
			three(a.Metadata(), found)
		}
	}}
}

const rule = "xarray"

// two checks an array of Zarr v2.
func two(m *meta.Array, found *check.Findings) {
	names, err := xarray.Dimensions(m)
	if err != nil {
		found.Problem("", rule, err.Error()+": xarray does not open the array")
	}
	raw := m.Attributes.Raw(xarray.FillAttribute)
	if names == nil || raw == nil {
		return
	}
	bare := m.Clone()
	bare.NoFill = true // then the attribute counts
	said, ok := xarray.Missing(bare, zarr2.Format)
	switch missing, _ := xarray.Missing(m, zarr2.Format); {
	case !ok:
		found.Warn("", rule, fmt.Sprintf("attribute _FillValue %s is no value of the type %s", shown(raw), m.DataType.Name()))
	case !m.NoFill && string(missing) != string(said):
		found.Warn("", rule, fmt.Sprintf("attribute _FillValue is %s, but xarray takes %s for missing, the fill_value", shown(raw), missing))
	}
}

// three checks an array of Zarr v3.
func three(m *meta.Array, found *check.Findings) {
	if len(m.DimensionNames) < len(m.Shape) || slices.Contains(m.DimensionNames, nil) {
		return // xarray has no use for it
	}
	if m.Attributes.Raw(xarray.DimensionsAttribute) != nil {
		found.Warn("", rule, "attribute _ARRAY_DIMENSIONS is one of Zarr v2: xarray goes by dimension_names, and shows it as an attribute")
	}
	raw := m.Attributes.Raw(xarray.FillAttribute)
	if raw != nil {
		if _, err := xarray.DecodeFill(m.DataType, raw); err != nil {
			found.Problem("", rule, fmt.Sprintf("attribute _FillValue %s: %v: xarray does not open the array", shown(raw), err))
			return
		}
	}
	// Zero and NaN are what writers have for chunks that are not stored, whatever
	// is missing. Another number was meant to say that.
	fill, ok := xarray.Chosen(m)
	if !ok {
		return
	}
	if missing, said := xarray.Missing(m, zarr3.Format); !said {
		found.Warn("", rule, fmt.Sprintf("fill_value is %s, but xarray takes it for a value: there is no attribute _FillValue", fill))
	} else if string(missing) != string(fill) {
		found.Warn("", rule, fmt.Sprintf("fill_value is %s, but xarray takes %s for missing, the attribute _FillValue", fill, missing))
	}
}

// shown cuts what may be long.
func shown(raw []byte) string { return words.Cut(string(raw), 60) }
