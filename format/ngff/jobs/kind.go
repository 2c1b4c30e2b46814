// Package jobs holds what can be done with OME-NGFF beyond reading it: images of any
// format become pyramids, and groups are checked.
package jobs

// The formats of nodes that OME-NGFF is written in, and their versions of it.
const (
	formatNew, formatOld = "zarr3", "zarr2"
	layout               = 3 // of bioformats2raw's groups
)

// Kind is what programs can do with OME-NGFF, and what their flags said.
type Kind struct{}

// Name is that of the convention.
func (*Kind) Name() string { return "ngff" }
