package beam

import (
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/dataflow"
)

// Dataflow is where Google's runner works. Its credentials are those of the environment.
type Dataflow struct {
	Project, Region string
	// Staging is a folder for the programs that workers run, gs://bucket/folder. This
	// program is what they run, so it must be one for Linux.
	Staging string
	// DryRun translates the pipeline, and runs nothing.
	DryRun bool
}

// run gives a pipeline to Dataflow and waits until it has ended. The runner takes what it
// is told from the flags of the process, which nobody else parses.
func (d Dataflow) run(ctx context.Context, name string, p plan) error {
	if d.Project == "" || d.Region == "" || d.Staging == "" {
		return fmt.Errorf("dataflow needs a project, a region and a folder for staging")
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	for flagged, value := range map[string]string{
		"project": d.Project, "region": d.Region, "staging_location": d.Staging, "job_name": name, "worker_binary": self,
		"environment_type": "DOCKER", "dry_run": fmt.Sprint(d.DryRun),
	} {
		if err := flag.Set(flagged, value); err != nil {
			return err
		}
	}
	b, err := pipeline(p)
	if err != nil {
		return err
	}
	_, err = dataflow.Execute(ctx, b)
	return err
}

// Work is a worker that a runner has started as a process of its own, with Beam's flags,
// which must be parsed. It does not return.
func Work() {
	initialize()
	fmt.Fprintln(os.Stderr, "this was not started as a worker of Beam: its flags are missing")
	os.Exit(1)
}
