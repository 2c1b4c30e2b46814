// Package hdf5 shows HDF5 files as Zarr hierarchies. Nothing is copied: documents are
// made up from object headers when they are asked for, and chunks are parts of the
// file, which the codecs of Zarr decode. Package hdf5 of this module parses the format.
//
//	s, err := hdf5.Open(ctx, folder, "session.h5", format.Env{})
//	n, err := zarr.OpenStore(ctx, s, "")
//
// # What a file looks like
//
// Groups are groups, and datasets arrays, with their attributes. A contiguous dataset
// is cut into chunks that lie together. What is no part of the file is made when it is
// read: text of variable length, references, which become the paths that they lead to,
// numbers of odd sizes, compounds with gaps, virtual datasets and those in external
// files. Sequences and whatever else Zarr has no type for are JSON values.
//
// An object that several hard links lead to is there under each name, but for links
// to a group from within itself. Soft and external links are no nodes: the attribute
// "_LINKS" of their group tells them, in the form that HDMF has for Zarr, as
// "_REFERENCE", "_DTYPE" and "_REFERENCE_FIELDS" tell references, so that NWB files are
// what they are on Zarr. Names that would be taken for those of documents or chunks,
// or that are not UTF-8, have such letters as %XX, and the attribute "hdf5_name" tells
// the name. A dataset without a dataspace has the shape [0] and the attribute
// "hdf5_space".
//
// # What it means
//
// Programs mean more by a file than groups and datasets. Dimension scales, of which
// files of netCDF-4 are made, become names of dimensions, and what its libraries hide
// is hidden. Files of Imaris and BigDataViewer have images of OME-NGFF, whose levels
// are made of many datasets, and whose chunks are theirs. Arrays of MATLAB have the
// order of axes that they have there. [AsStored] asks for what is stored.
//
// Filters become codecs: deflate, shuffle, fletcher32, szip, nbit, scaleoffset, bzip2,
// Blosc, Blosc 2, Zstandard, LZF, LZ4 and Bitshuffle. An array with another opens, and
// reading it names the filter.
package hdf5
