// Command omnizarr looks at, checks, converts and makes chunked arrays: Zarr
// hierarchies in folders, zip archives, on web servers and in buckets.
//
// Every command ends with 0 when all went well, 1 when the data or the request
// is wrong and 2 when it was called in a wrong way. Run "omnizarr help" for what
// there is, and "omnizarr demo" to see it work.
package main

import (
	"os"

	"github.com/omnizarr/zarr/internal/command"
	"github.com/omnizarr/zarr/kind/std"
	_ "github.com/omnizarr/zarr/store/azblob" // for their schemes
	_ "github.com/omnizarr/zarr/store/gcs"
	_ "github.com/omnizarr/zarr/store/s3"
)

func main() { os.Exit(command.Run(std.Kinds(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
