// Package std lists the kinds that come with Omnizarr. It is the only place that
// names them all.
package std

import (
	anndata "github.com/omnizarr/zarr/format/anndata/jobs"
	cf "github.com/omnizarr/zarr/format/cf/jobs"
	hdmf "github.com/omnizarr/zarr/format/hdmf/jobs"
	n5 "github.com/omnizarr/zarr/format/n5/jobs"
	ngff "github.com/omnizarr/zarr/format/ngff/jobs"
	tiff "github.com/omnizarr/zarr/format/tiff/jobs"
	xarray "github.com/omnizarr/zarr/format/xarray/jobs"
	zarr2 "github.com/omnizarr/zarr/format/zarr2/jobs"
	"github.com/omnizarr/zarr/kind"
)

// Kinds are new values of them all, which hold the flags of one program.
func Kinds() kind.List {
	images := &ngff.Kind{}
	list := kind.List{kind.Zarr3{}, &zarr2.Kind{}, &n5.Kind{}, images, &tiff.Kind{}, &hdmf.Kind{}, anndata.Kind{}, xarray.Kind{}, cf.Kind{}}
	images.Describers = kind.All[kind.Describer](list)
	return list
}
