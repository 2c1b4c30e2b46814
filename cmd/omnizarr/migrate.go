package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/omnizarr/zarr/format/zarr2/jobs"
	"github.com/omnizarr/zarr/locate"
)

func (a *app) migrateCommand() *cobra.Command {
	var to string
	var asJSON bool
	var opts jobs.MigrateOptions
	cmd := &cobra.Command{
		Use:   "migrate URL",
		Short: "Turn Zarr v2 into v3 or back in place: metadata only, chunks stay",
		Long: `Change the metadata of a hierarchy from Zarr v2 to v3, or back. Chunks are neither
read nor written. Whether every node can be described in the other format is found
out first; if one cannot, nothing is changed and every reason is told. What has to be
written anew can be copied: omnizarr copy --to zarr2.

Consolidated metadata is made anew where there was some; --consolidate makes it in any
case, also for a hierarchy that is in the format already.`,
		Example: `  omnizarr migrate em.zarr
  omnizarr migrate --dry-run em.zarr
  omnizarr migrate --to zarr2 em.zarr
  omnizarr migrate --consolidate em.zarr`,
		Args: names("one URL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			formats := jobs.Versions()
			if !slices.Contains(formats, to) {
				return badUsage(cmd, "--to %s: must be one of %s", to, strings.Join(formats, ", "))
			}
			if opts.Consolidate && !cmd.Flags().Changed("to") {
				to = "" // stay what it is
			}
			l, err := locate.Open(cmd.Context(), args[0], locate.Options{ReadOnly: opts.DryRun})
			if err != nil {
				return err
			}
			opts.To, opts.Open = to, a.options()
			report, err := jobs.Migrate(cmd.Context(), l.Store, l.Path, opts)
			if err != nil {
				l.Discard()
				return err
			}
			if err := l.Close(); err != nil {
				return err
			}
			if asJSON {
				return a.printJSON(report)
			}
			a.printMigration(report, opts)
			return nil
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&to, "to", jobs.Versions()[0], "format of the metadata: zarr3 or zarr2")
	flags.BoolVar(&opts.Keep, "keep", false, "leave the documents of the other format where they are")
	flags.BoolVar(&opts.DryRun, "dry-run", false, "only tell whether it can be done")
	flags.BoolVar(&opts.Consolidate, "consolidate", false, "write consolidated metadata; alone, without a change of format")
	flags.BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func (a *app) printMigration(r jobs.Migration, opts jobs.MigrateOptions) {
	done := "✓"
	if opts.DryRun {
		done = "✓ can be done:"
	}
	if r.Nodes > 0 {
		a.printf("%s %s to %s\n", done, counted(r.Nodes, "node"), opts.To)
	}
	if r.Already > 0 && opts.To != "" {
		a.printf("%s %s already\n", counted(r.Already, "node"), opts.To)
	}
	if r.Consolidated {
		a.printf("%s metadata consolidated\n", done)
	}
}
