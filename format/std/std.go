// Package std is the registry of the formats that come with Omnizarr.
package std

import (
	"github.com/omnizarr/zarr/format"
	"github.com/omnizarr/zarr/format/hdf5"
	"github.com/omnizarr/zarr/format/n5"
	"github.com/omnizarr/zarr/format/npy"
	"github.com/omnizarr/zarr/format/references"
	"github.com/omnizarr/zarr/format/tiff"
	"github.com/omnizarr/zarr/format/zarr2"
	"github.com/omnizarr/zarr/format/zarr3"
)

// Registry returns the formats that come with Omnizarr, in a registry of the
// caller's own to which more can be added.
func Registry() *format.Registry {
	return format.NewRegistry(zarr3.Describe(), zarr2.Describe(), n5.Describe(), tiff.Describe(), npy.Describe(), hdf5.Describe(), references.Describe())
}
