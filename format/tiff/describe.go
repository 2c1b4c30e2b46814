package tiff

import (
	"context"

	"github.com/omnizarr/zarr/format"
	"github.com/omnizarr/zarr/store"
)

// Describe tells how TIFF files are recognised and opened. One that is called like
// a TIFF file is opened as such at once, which tells what it is as well, and takes a
// request less where each takes its time.
func Describe() *format.Format {
	return &format.Format{
		Name: Format, Title: "a TIFF file", Conventions: []string{"OME-NGFF", "GeoTIFF"},
		File: &format.File{
			Endings: []string{".tif", ".tiff", ".btf", ".tf2", ".tf8", ".svs", ".ndpi", ".qptiff", ".lsm", ".scn"},
			Starts:  IsTIFF,
			Open: func(ctx context.Context, s store.Store, key string, _ format.Env) (store.Store, error) {
				f, err := Open(ctx, s, key)
				if err != nil {
					return nil, err
				}
				return f.Store(), nil
			},
		},
	}
}
