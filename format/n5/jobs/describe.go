package jobs

import (
	"slices"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/n5/convention"
	"github.com/omnizarr/zarr/format/ngff"
	"github.com/omnizarr/zarr/grid"
	"github.com/omnizarr/zarr/kind"
)

// Describe tells in the words of all where the elements of a dataset are, in the order
// of its axes as they are shown. What programs for N5 look for, which is in their order,
// is not there then, nor in groups that are described as images.
func (k *Kind) Describe(n zarr.Node) (kind.Description, bool) {
	if n.Format() != k.Name() {
		return kind.Description{}, false
	}
	attrs := n.Attributes().Clone()
	var m *ngff.Multiscales
	a, isArray := n.(*zarr.Array)
	if isArray {
		m = convention.Dataset(attrs, len(a.Shape()))
	}
	if m != nil || !isArray && attrs.Raw("ome") != nil {
		for _, name := range append(slices.Clone(convention.PlaceNames), "multiscales") {
			attrs.Delete(name)
		}
	}
	if m != nil {
		if _, reversed := a.Metadata().Keys.(grid.ReversedKeys); reversed {
			convention.Reverse(m)
		}
		// It fits: these are numbers and texts.
		_ = ngff.Describe(attrs, m)
	}
	return kind.Description{Attributes: attrs}, true
}
