package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/omnizarr/zarr/beam"
	"github.com/omnizarr/zarr/internal/command"
	"github.com/omnizarr/zarr/job/spread"
)

// runners are those that the program knows by name; any other is reached by its endpoint too.
var runners = []string{"prism", "flink", "spark", "dataflow"}

// program is the command with its flags.
func program() *command.Program {
	var runner string
	e := beam.Executor{}
	google := beam.Dataflow{}
	return &command.Program{
		Name:  "omnizarr-beam",
		Short: "Copy, check and measure chunked arrays on many machines",
		Long: `omnizarr-beam copies, checks and measures chunked arrays as omnizarr does, and gives the
same bytes; the work is done by Apache Beam. Without further flags that is its runner Prism
in this process. With --endpoint it is the job server of Flink, Spark or another runner, and
with --worker-pool the workers are processes of their own, on any machine:

  omnizarr-beam worker --addr 127.0.0.1:50000 &
  omnizarr-beam copy --runner flink --endpoint 127.0.0.1:8099 --worker-pool 127.0.0.1:50000 SRC DST

What workers read and write must be reachable from where they run, under the same URLs.`,
		Example: `  omnizarr-beam copy --pyramid --shards 1,4096,4096 slide.tif slide.ome.zarr
  omnizarr-beam stats --runner flink --endpoint 10.0.0.1:8099 s3://bucket/em.zarr/s0`,
		Commands: []string{"copy", "stats", "verify"},
		Flags: func(flags *pflag.FlagSet) {
			flags.StringVar(&runner, "runner", "", "who does the work: "+strings.Join(runners, ", ")+" (default: prism, in this process, or what is at --endpoint)")
			flags.StringVar(&e.Endpoint, "endpoint", "", "HOST:PORT of the runner's job service")
			flags.StringVar(&e.Workers, "worker-pool", "", "HOST:PORT where the runner finds workers, see omnizarr-beam worker (default: this process)")
			flags.StringVar(&e.Scratch, "scratch", "", "URL of a folder that workers and this process reach, for the result (default: beside the copy)")
			flags.IntVar(&e.Parallelism, "parallelism", 0, "bundles that the runner has under way at once (0: as the runner likes)")
			flags.IntVar(&e.AtOnce, "at-once", 0, "items of a bundle that are done at once (0: 1)")
			flags.IntVar(&e.Tries, "tries", 0, "how often an item is tried (0: 4)")
			flags.StringVar(&e.Name, "job-name", "", "what the runner calls the job")
			flags.StringVar(&google.Project, "project", "", "project, for --runner dataflow")
			flags.StringVar(&google.Region, "region", "", "region, for --runner dataflow")
			flags.StringVar(&google.Staging, "staging", "", "gs:// folder for programs that workers run, for --runner dataflow")
		},
		Executor: func(name string, args []string, tell func(string)) (spread.Executor, error) {
			switch {
			case runner != "" && !slices.Contains(runners, runner):
				return nil, fmt.Errorf("--runner %s: must be one of %s", runner, strings.Join(runners, ", "))
			case (runner == "flink" || runner == "spark") && e.Endpoint == "":
				return nil, fmt.Errorf("--runner %s needs --endpoint, the HOST:PORT of its job server", runner)
			case runner == "prism" && e.Endpoint != "":
				return nil, errors.New("--endpoint is not for --runner prism, which runs in this process")
			case min(e.Parallelism, e.AtOnce, e.Tries) < 0:
				return nil, errors.New("--parallelism, --at-once and --tries must not be negative")
			}
			if runner == "dataflow" {
				e.Dataflow = &google
			}
			if e.Scratch == "" && (e.Workers != "" || e.Dataflow != nil) {
				if name != "copy" {
					return nil, fmt.Errorf("--scratch is needed: the URL of a folder that workers reach and this process too, for the result")
				}
				e.Scratch = beside(args[1])
			}
			e.State = func(state string) { tell("the runner says " + strings.ToLower(state)) }
			return e, nil
		},
		Own: []*cobra.Command{workerCommand()},
	}
}

// beside is the folder that holds what a URL names.
func beside(url string) string {
	base, _, _ := strings.Cut(url, "|")
	base, query, queried := strings.Cut(base, "?")
	base = strings.TrimRight(base, "/")
	at := strings.LastIndexByte(base, '/')
	if at < 0 {
		return "."
	}
	if base = base[:at+1]; queried {
		return base + "?" + query
	}
	return base
}

func workerCommand() *cobra.Command {
	var addr string
	cmd := &cobra.Command{
		Use:   "worker",
		Short: "Be workers for whoever runs a job",
		Long: `Be a pool of workers until interrupted, for runners whose environment is EXTERNAL: they
ask here for workers, which live in this process. One pool can serve several task managers,
or each has its own beside it. The first line says where it listens.`,
		Example: "  omnizarr-beam worker --addr 127.0.0.1:50000",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			l, err := net.Listen("tcp", addr)
			if err != nil {
				return fmt.Errorf("listen for runners: %w", err)
			}
			fmt.Fprintf(os.Stdout, "workers at %s\n", l.Addr())
			return beam.Serve(cmd.Context(), l)
		},
	}
	cmd.Flags().StringVar(&addr, "addr", "127.0.0.1:50000", "HOST:PORT to listen on; port 0 is any that is free")
	return cmd
}
