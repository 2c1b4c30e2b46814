// Package n5 shows N5 containers as Zarr v3: a Store answers zarr.json from
// attributes.json, takes it apart again when it is written, and leaves blocks as
// they are, since codecs read and write them. Nothing above it knows of N5.
//
// A dataset of dimensions [x, y, z] is an array of shape [x, y, z]; nothing is
// transposed behind the user's back. N5 stores the first dimension fastest, so
// that reading in the other order, z first, costs least: Options.Reversed shows
// datasets so. Every folder is a group, also one without attributes.json. What lies
// below a dataset is not shown.
//
// Where a container was adopted, so that a zarr.json lies beside attributes.json,
// a change through this store changes both.
//
// What attributes.json holds besides the dataset are the attributes of the node.
// Conventions of imaging programs give names to dimensions and make groups images
// of OME-NGFF, see package convention.
package n5

// Format is what Info.Format says of documents that were made from N5.
const Format = "n5"

// The document of N5, and that of Zarr v3 which stands for it.
const (
	attributesName = "attributes.json"
	documentName   = "zarr.json"
)

// Version is that of the format that new containers say they have.
const Version = "4.0.0"

// Options changes how a container is shown.
type Options struct {
	// Reversed shows datasets with their dimensions in the opposite order: the
	// shape of a dataset [x, y, z] is [z, y, x], as NumPy and OME-Zarr like it.
	// Elements lie in memory as they do in the blocks.
	Reversed bool
	// PadEdges stores the blocks at the end of a dimension whole, as tensorstore
	// and zarr-python do, and not cut to the dataset, as Java's N5 does.
	PadEdges bool
}
