package command

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/words"
	"github.com/omnizarr/zarr/job/check"
	"github.com/omnizarr/zarr/job/repair"
)

// repairReport is what repair prints as JSON: the plan and, with --yes, what was done.
type repairReport struct {
	Actions []repair.Action `json:"actions"`
	Done    bool            `json:"done"`
	Left    []check.Problem `json:"left"`
}

func (a *app) repairCommand() *cobra.Command {
	var asJSON, yes, removeCorrupt, metadata bool
	cmd := &cobra.Command{
		Use:   "repair URL",
		Short: "Mend what verify finds: a plan first, with --yes the deed",
		Long: `Find what can be mended at and below a node, and print the plan. Nothing is changed
without --yes.

A commit that was interrupted when it was decided is completed, and what a recording
that was interrupted has left is put where it belongs. Consolidated metadata that is
stale or broken is written anew from the nodes' own documents. Chunks outside of their
arrays, and temporary files that writers left, are removed: nothing reads them. Chunks that do not decode are left alone, unless
--remove-corrupt is given: then their bytes are put into the folder .omnizarr-repaired
beside the root's document, and the chunks are missing, so that they READ AS THE FILL
VALUE; a shard goes as a whole. Files that belong to no node, links, and documents that
cannot be read are never touched. Each step looks again at what it changes; a repair
that was interrupted is simply run again.`,
		Example: `  omnizarr repair em.zarr
  omnizarr repair --json em.zarr | jq '.actions[].reason'
  omnizarr repair --yes em.zarr
  omnizarr repair --yes --remove-corrupt em.zarr`,
		Args: names("one URL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			opts := repair.Options{SetAside: removeCorrupt, NoChunks: metadata, Workers: a.workers}
			var open []zarr.Option
			if !yes {
				open = append(open, zarr.ReadOnly())
			}
			opts.Open = a.options(open...)
			if s, err := a.find(ctx, args[0]); err == nil { // what does not open is told by its documents
				if s.IsFile() {
					opts.Finishers, opts.URL = a.kinds.Finishers(), args[0]
					if schemas := s.Object.Schemas(ctx); schemas != nil {
						opts.Apart = append(opts.Apart, schemas.Path)
					}
				}
				if err := s.Close(); err != nil {
					return err
				}
			}
			l, err := zarr.Find(ctx, args[0], opts.Open...)
			if err != nil {
				return err
			}
			defer l.Discard()
			bar := a.newProgress("chunks")
			opts.Progress = bar.tell()
			plan, err := repair.Make(ctx, l.Store, l.Path, opts)
			bar.end()
			if err != nil {
				return fmt.Errorf("repair %s: %w", args[0], err)
			}
			report := repairReport{Actions: plan.Actions, Left: plan.Left}
			if yes {
				if report.Actions, err = plan.Do(ctx); err == nil {
					err = l.Close()
				}
				if err != nil {
					return fmt.Errorf("repair %s: %w", args[0], err)
				}
				report.Done = true
				if report.Actions == nil {
					report.Actions = []repair.Action{}
				}
			}
			if asJSON {
				return a.printJSON(report)
			}
			a.printRepair(report, plan.Actions)
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	cmd.Flags().BoolVar(&yes, "yes", false, "do what the plan says")
	cmd.Flags().BoolVar(&removeCorrupt, "remove-corrupt", false, "set chunks aside that do not decode; they read as the fill value then")
	cmd.Flags().BoolVar(&metadata, "no-chunks", false, "do not read chunks: those that do not decode are not found")
	a.openFlags(cmd)
	a.syncFlag(cmd, true)
	return cmd
}

func (a *app) printRepair(r repairReport, planned []repair.Action) {
	what := "would be done; --yes does it"
	if r.Done {
		what = "done"
	}
	for _, x := range r.Actions {
		need := ""
		if x.Needs != "" {
			need = " (only with " + x.Needs + ")"
		}
		a.printf("%s %s%s: %s\n", x.Action, strings.TrimSpace(x.Path+" "+x.Key), need, words.OneLine(x.Reason))
	}
	if r.Done {
		for _, x := range planned {
			if x.Needs != "" {
				a.printf("- left %s, only with %s: %s\n", strings.TrimSpace(x.Path+" "+x.Key), x.Needs, words.OneLine(x.Reason))
			}
		}
	}
	for _, p := range r.Left {
		a.printf("- cannot be mended: %s: %s\n", strings.TrimSpace(p.Path+" "+p.Key), words.OneLine(p.Problem))
	}
	if len(r.Actions) == 0 {
		a.printf("✓ nothing to do\n")
		return
	}
	a.printf("%s %s\n", words.Counted(len(r.Actions), "step"), what)
}
