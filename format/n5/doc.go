// Package n5 shows N5 containers as Zarr v3: zarr.json is made of attributes.json,
// and taken apart again when it is written. Blocks stay as they are, since codecs
// read and write them. Nothing above it knows of N5.
//
//	n, err := zarr.Open(ctx, "em.n5/volume/s0", zarr.With(n5.Reversed))
//
// A dataset of dimensions [x, y, z] is an array of shape [x, y, z]; nothing is
// transposed behind the user's back. N5 stores the first dimension fastest, so
// that reading in the other order, z first, costs least: Reversed shows
// datasets so. Every folder is a group, also one without attributes.json. What lies
// below a dataset is not shown.
//
// Where a container was adopted, so that a zarr.json lies beside attributes.json,
// a change changes both.
//
// What attributes.json holds besides the dataset are the attributes of the node.
// Conventions of imaging programs give names to dimensions and make groups images
// of OME-NGFF, see package convention.
package n5

import (
	"github.com/omnizarr/zarr/format"
	"github.com/omnizarr/zarr/format/translate"
	"github.com/omnizarr/zarr/store"
)

// Format is the name of the format.
const Format = "n5"

// The document of N5, and that of Zarr v3 which stands for it.
const (
	attributesName = "attributes.json"
	documentName   = "zarr.json"
)

// Version is that of the format that new containers say they have.
const Version = "4.0.0"

// Option changes how a container is shown or written, see zarr.With.
type Option uint8

const (
	// Reversed shows datasets with their dimensions in the opposite order: the
	// shape of a dataset [x, y, z] is [z, y, x], as NumPy and OME-Zarr like it.
	// Elements lie in memory as they do in the blocks, so that nothing is
	// transposed.
	Reversed Option = iota + 1
	// PadEdges stores the blocks at the end of a dimension whole, as tensorstore
	// and zarr-python do, and not cut to the dataset, as Java's N5 does.
	PadEdges
)

// Format is the name of the format.
func (Option) Format() string { return Format }

// String is what people call the option.
func (o Option) String() string {
	if o == Reversed {
		return "reversed"
	}
	return "pad-edges"
}

// Describe tells how N5 is recognised, opened and made.
func Describe() *format.Format {
	return &format.Format{
		Name: Format, Title: "N5", Options: []format.Option{Reversed, PadEdges}, Conventions: []string{"OME-NGFF"}, Leave: leave,
		Folder: &format.Folder{
			Endings:   []string{".n5"},
			Documents: translate.Names{Nodes: []string{attributesName}},
			Nodes: func(s store.Store, env format.Env) translate.Documents {
				return &container{s, options{env.Has(Reversed), env.Has(PadEdges)}, env.Metadata}
			},
			Look:        look,
			LookFurther: lookFurther,
		},
	}
}

// options are those that were given.
type options struct{ reversed, padEdges bool }
