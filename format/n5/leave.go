package n5

import (
	"github.com/omnizarr/zarr/format/n5/convention"
	"github.com/omnizarr/zarr/format/ngff"
	"github.com/omnizarr/zarr/grid"
	"github.com/omnizarr/zarr/meta"
)

// leave takes out of a node that goes to another format what programs for N5 say of
// dimensions, which is in their order, where its own is the other way round: where
// elements are is said in the order of the array then, as package ngff reads it.
func leave(n meta.Node) error {
	switch n := n.(type) {
	case *meta.Array:
		if _, reversed := n.Keys.(grid.ReversedKeys); !reversed || n.Attributes == nil {
			return nil
		}
		m := convention.Dataset(n.Attributes, len(n.Shape))
		if m == nil {
			if convention.Names(n.Attributes, len(n.Shape)) != nil {
				n.Attributes.Delete("axes") // which are the names of dimensions
			}
			return nil
		}
		convention.Reverse(m)
		forget(n.Attributes)
		return ngff.Describe(n.Attributes, m)
	case *meta.Group:
		images, err := ngff.Images(n.Attributes)
		if err != nil || len(images) != 1 {
			return nil
		}
		if axes := images[0].Axes; axes[len(axes)-1].Name == "x" && axes[0].Name != "x" {
			forget(n.Attributes)
			n.Attributes.Delete("multiscales")
		}
	}
	return nil
}

// forget deletes what programs for N5 say of dimensions.
func forget(attrs *meta.Attributes) {
	for _, name := range convention.PlaceNames {
		attrs.Delete(name)
	}
}
