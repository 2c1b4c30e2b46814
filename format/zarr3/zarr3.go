// Package zarr3 is Zarr v3 as a format among others: the one that all others are
// shown as. Its nodes have a zarr.json each, which is read as it is.
package zarr3

import (
	"github.com/omnizarr/zarr/format"
	"github.com/omnizarr/zarr/format/ngff"
	"github.com/omnizarr/zarr/format/translate"
	"github.com/omnizarr/zarr/format/xarray"
	"github.com/omnizarr/zarr/store"
)

// Format is the name of the format.
const Format = translate.PlainFormat

// Describe tells how Zarr v3 is recognised and opened.
func Describe() *format.Format {
	return &format.Format{Name: Format, Title: "Zarr v3", Folder: &format.Folder{
		Endings:   []string{".zarr"},
		Documents: translate.Names{Nodes: []string{"zarr.json"}},
		Mixed:     true,
		Nodes: func(s store.Store, env format.Env) translate.Documents {
			return translate.Plain(s, env.Metadata)
		},
	}, Terms: xarray.Zarr3, Restate: ngff.Zarr3}
}
