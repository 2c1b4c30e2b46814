package hdf5

import (
	"context"

	"github.com/omnizarr/zarr/format"
	"github.com/omnizarr/zarr/format/xarray"
	"github.com/omnizarr/zarr/store"
)

// Format is the name of the format.
const Format = "hdf5"

// signature is what files begin with, unless a userblock is in front.
const signature = "\x89HDF\r\n\x1a\n"

// AsStored asks for groups and datasets as they are stored, without what
// conventions make of them.
var AsStored format.Option = option("as-stored")

// NullReferences asks for references that lead nowhere, as those to objects that were
// deleted, to be none, where they are errors else: copies have the other elements then.
// [Store.Omitted] tells of which nodes they are.
var NullReferences format.Option = option("null-references")

type option string

// Format names the format that the option is for.
func (option) Format() string { return Format }

// String names the option.
func (o option) String() string { return string(o) }

// Describe tells how files are recognised and opened: by their first bytes, and
// those with a userblock, and those on servers, by their names. A folder may be called
// .nwb as well: what is none of these files is looked for as one.
func Describe() *format.Format {
	return &format.Format{
		Name: Format, Title: "an HDF5 file",
		Options:     []format.Option{AsStored, NullReferences},
		Omit:        NullReferences,
		Conventions: []string{"netCDF-4", "OME-NGFF"},
		Terms:       xarray.Zarr3,
		File: &format.File{
			Endings: []string{".h5", ".hdf5", ".he5", ".h5ad", ".ims", ".mat", ".nwb", ".nc", ".nc4"},
			Starts:  func(head []byte) bool { return string(head) == signature },
			Open: func(ctx context.Context, s store.Store, key string, env format.Env) (store.Store, error) {
				return Open(ctx, s, key, env)
			},
		},
	}
}
