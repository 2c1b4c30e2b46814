// Package hdf5 reads HDF5 files, in Go alone and without Zarr.
//
//	f, err := hdf5.Open(file, size, hdf5.Options{})
//	o, err := f.Lookup("/acquisition/ts/data")
//	d, err := o.Dataset()
//	err = d.Read(dst, start, count)
//
// A [File] has objects, which are groups, datasets and committed datatypes. An
// [Object] is known by the address of its header, so that hard links to one
// object lead to one address. A group tells its links without opening what they
// lead to; a dataset tells its type, shape, layout, filters and fill value, and
// where each chunk lies ([Dataset.Chunk]), so that others may read and decode
// chunks themselves. Elements come as they are stored ([Dataset.Read]); [Decode]
// makes Go values of them.
//
// # What it reads
//
// Superblocks 0 to 3, behind a userblock too; object headers, groups and
// attributes of both generations; shared messages; all classes of datatypes;
// layouts 1 to 5 with every index of chunks; virtual datasets, external files
// and links, where [Options.Outside] opens what they name. Deflate, shuffle and
// fletcher32 are decoded here, other filters by [Options.Filters].
//
// # Files of others
//
// Nothing in a file is trusted. Counts are compared with the bytes that are left
// before anything is allocated, addresses that were visited are not visited
// again, depths are limited, checksums are compared. What is wrong with one
// object is an error of that object, and says which structure at which address
// is wrong ([Error]). Flags of files that are open for writing are ignored, and
// of a file that was cut off all can be read that is there.
//
// Metadata are read in blocks, which are kept, and more at once the longer reads
// go on in one direction. A File may be used by several goroutines.
package hdf5
