// Command omnizarr-beam copies, checks and measures arrays as omnizarr does, with the work
// spread over many machines by Apache Beam: by its runner Prism in this process, for trying,
// or by Flink, Spark, Dataflow and whatever else takes portable pipelines.
//
// It ends with 0 when all went well, 1 when the data or the request is wrong and 2 when it
// was called in a wrong way, as omnizarr does.
package main

import (
	"flag"
	"log/slog"
	"os"

	"github.com/omnizarr/zarr/beam"
	"github.com/omnizarr/zarr/kind/std"

	_ "github.com/omnizarr/zarr/job/request"
	_ "github.com/omnizarr/zarr/store/azblob"
	_ "github.com/omnizarr/zarr/store/gcs"
	_ "github.com/omnizarr/zarr/store/s3"
)

func main() {
	slog.SetDefault(slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})))
	// Runners that start workers themselves, such as Dataflow, start this program as one, with
	// flags of Beam's own, which nobody else gets to see.
	if len(os.Args) > 1 && os.Args[1] == "--worker=true" {
		flag.Parse()
		beam.Work()
	}
	os.Exit(program().Run(std.Kinds(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
