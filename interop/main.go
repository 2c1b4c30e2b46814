// Command interop is Omnizarr's side of the exchange with other Zarr
// implementations; the script run beside it calls it and them. See README.md.
package main

import (
	"context"
	"fmt"
	"os"
)

const usage = `usage:
	interop write DIR                write every case and DIR/manifest.json
	interop write2 DIR               the same of Zarr v2
	interop read  DIR RESULTS        read the arrays of DIR/manifest.json and compare
	interop http  DIR RESULTS        the same through an HTTP server
	interop edit  DIR                change arrays below DIR and its manifest alike
	interop pack  DIR                write zip archives and DIR/manifest.json
	interop unpack DIR RESULTS       read the zip archives of DIR and compare
	interop encode DIR               write buffers encoded by each codec of numcodecs
	interop decode DIR RESULTS       decode such buffers and compare
	interop migrate DIR FORMAT       migrate a hierarchy to zarr2 or zarr3
	interop tiles DIR                write tiles of TIFF files and DIR/manifest.json
	interop tile-arrays DIR          write arrays of such tiles and DIR/manifest.json
	interop images DIR               write TIFF files and DIR/manifest.json
	interop recopy FORMAT DIR DIR    copy TIFF files to others, FORMAT is tiff or cog
	interop refer DIR DIR            write references to TIFF files
	interop view DIR RESULTS         read the TIFF files of DIR/manifest.json and compare
	interop view-http DIR RESULTS    the same through an HTTP server
	interop n5 DIR [TYPES...]        write a container of N5, of some types only, and DIR/manifest.json
	interop n5-read WHERE ORDER DIR RESULTS
	                                 read it and compare; WHERE is DIR, its zip archive or http,
	                                 ORDER straight, reversed or, if it was adopted, zarr3
	interop n5-edit-reversed DIR     edit through the reversed view
	interop n5-copy DIR              write arrays of Zarr, copies to N5 and their DIR/manifest.json
	interop n5-adopt WITH DIR        make a container Zarr v3 too
	interop nwb LAYOUT FILE DIR      write NWB sessions in the layout v2 or v3, with the schemas of FILE
	interop nwb-values LAYOUT SCHEMAS DIR  make NWB sessions of Go values, with the schemas of a file or a folder
	interop nwb-edit DIR NAMES...    change NWB sessions of pynwb's in place
	interop nwb-kill FILE N          change one, and be killed at the Nth change of its store
	interop nwb-grow FILE            change one as often as lines on standard input say
	interop nwb-record FILE          record into an NWB session: a commit of so many samples for every line
	interop hdf5 WHERE DIR EXPECTED RESULTS  read selections of HDF5 files and compare; WHERE is folder or http
	interop check EXPECTED RESULTS...
`

func main() {
	ctx := context.Background()
	args := os.Args[1:]
	var err error
	switch {
	case len(args) == 2 && args[0] == "write":
		err = writeCases(ctx, args[1])
	case len(args) == 2 && args[0] == "write2":
		err = writeCases2(ctx, args[1])
	case len(args) == 3 && args[0] == "read":
		err = readFolder(ctx, args[1], args[2])
	case len(args) == 3 && args[0] == "http":
		err = readHTTP(ctx, args[1], args[2])
	case len(args) == 2 && args[0] == "edit":
		err = edit(ctx, args[1], false)
	case len(args) == 2 && args[0] == "pack":
		err = pack(ctx, args[1])
	case len(args) == 3 && args[0] == "unpack":
		err = unpack(ctx, args[1], args[2])
	case len(args) == 2 && args[0] == "encode":
		err = writeBuffers(ctx, args[1])
	case len(args) == 3 && args[0] == "decode":
		err = readBuffers(ctx, args[1], args[2])
	case len(args) == 3 && args[0] == "migrate":
		err = migrate(ctx, args[1], args[2])
	case len(args) == 2 && args[0] == "tiles":
		err = writeTiles(ctx, args[1])
	case len(args) == 2 && args[0] == "tile-arrays":
		err = writeTileArrays(ctx, args[1])
	case len(args) == 2 && args[0] == "images":
		err = writeImages(ctx, args[1])
	case len(args) == 4 && args[0] == "recopy":
		err = recopy(ctx, args[1], args[2], args[3])
	case len(args) == 3 && args[0] == "refer":
		err = refer(ctx, args[1], args[2])
	case len(args) == 3 && args[0] == "view":
		err = viewImages(ctx, args[1], args[1], args[2])
	case len(args) == 3 && args[0] == "view-http":
		err = viewHTTP(ctx, args[1], args[2])
	case len(args) >= 2 && args[0] == "n5":
		err = writeN5(ctx, args[1], args[2:])
	case len(args) == 5 && args[0] == "n5-read":
		err = readN5(ctx, args[1], args[2], args[3], args[4])
	case len(args) == 2 && args[0] == "n5-edit-reversed":
		err = edit(ctx, args[1], true)
	case len(args) == 2 && args[0] == "n5-copy":
		err = copyN5(ctx, args[1])
	case len(args) == 3 && args[0] == "n5-adopt":
		err = adoptN5(ctx, args[1], args[2])
	case len(args) == 4 && args[0] == "nwb-values":
		err = writeValues(ctx, args[1], args[2], args[3])
	case len(args) == 4 && args[0] == "nwb":
		err = writeNWB(ctx, args[1], args[2], args[3])
	case len(args) >= 3 && args[0] == "nwb-edit":
		err = editNWB(ctx, args[1], args[2:])
	case len(args) == 3 && args[0] == "nwb-kill":
		err = killNWB(ctx, args[1], args[2])
	case len(args) == 2 && args[0] == "nwb-grow":
		err = growNWB(ctx, args[1], os.Stdin)
	case len(args) == 2 && args[0] == "nwb-record":
		err = recordNWB(ctx, args[1], os.Stdin, os.Stdout)
	case len(args) == 5 && args[0] == "hdf5":
		err = readHDF5(ctx, args[1], args[2], args[3], args[4])
	case len(args) >= 3 && args[0] == "check":
		err = check(args[1], args[2:])
	default:
		fmt.Fprint(os.Stderr, usage)
		os.Exit(2)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "interop:", err)
		os.Exit(1)
	}
}
