// Package tiff shows TIFF files as Zarr hierarchies. Nothing is copied or
// decoded: documents are made up from the directories of the file (IFDs), and
// chunks are parts of the file, one for every tile or strip, which codec/tifftile
// decodes.
//
//	f, err := tiff.Open(ctx, folder, "slide.ome.tif")
//	n, err := zarr.OpenStore(ctx, f.Store(), "")
//
// Programs that use package zarr need none of this: zarr.Open("slide.ome.tif")
// does it.
//
// # What a file looks like
//
// One image in one resolution is an array at the root. An image with overviews
// is a group of its levels "0", "1" and so on, with OME-NGFF multiscales among
// its attributes. A file with several images is a group "0", "1" of such arrays
// and groups. Besides, every directory of the file is an array below "ifd",
// which listings of the root do not have: "ifd/3" is the fourth directory of the
// chain, "ifd/3/0" its first SubIFD. These always have the axes (samples, rows,
// columns).
//
// Which pages make an image together is told by OME-XML, by ImageJ's or
// tifffile's descriptions, or by the pages themselves: equal ones are a stack,
// and those that are 2, 3 or 4 times smaller than another its levels. SubIFDs
// are levels, or images of their own. The grouping is that of the Python
// library tifffile, except that samples stand before rows and columns, because
// that is how tiles are decoded.
//
// The axes are called by the letters in use for microscopes: t, z, c, y, x; s for
// samples, i for pages of which nothing is known, q for axes without a name.
// Tags are in the attribute "tiff", those of GeoTIFF also in "geotiff",
// "proj:code" and "spatial:transform". Tiles that are not stored are missing
// chunks, and GDAL's value for no data is the fill value.
//
// # What it costs
//
// Open reads the directories, and of the values that these lead to only what it
// must: the tables that tell where tiles are come when they are needed, in
// parts. About a hundred bytes are kept for a page.
//
// What is wrong with one page, or one image, is an error of that node. A file
// fails to open only if its first directory cannot be found, or none of its
// directories is an image.
package tiff
