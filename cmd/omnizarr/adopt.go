package main

import (
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/omnizarr/zarr/format/n5/jobs"
	"github.com/omnizarr/zarr/locate"
)

func (a *app) adoptCommand() *cobra.Command {
	var asJSON bool
	var opts jobs.AdoptOptions
	cmd := &cobra.Command{
		Use:   "adopt URL",
		Short: "Make an N5 container Zarr v3 too: metadata only, blocks stay",
		Long: `Write a zarr.json beside every attributes.json of an N5 container, or of a group or
dataset in one, so that programs for Zarr v3 open it as well. Nothing that is there
is changed. All is checked first: if a node cannot be adopted, nothing is written.
Axes are in the order of N5, x first: Zarr has no way to name chunks the other way
round.

Blocks are read by

  n5_default  the registered codec for N5, whatever the blocks are
  pad         the usual codecs, and one that skips the header of a block
  offset      the same, by another codec

The last two are for datasets of numbers whose stored blocks are all whole; the
header of each is looked at. Blocks that Java writes at the end of a dimension are
cut; tensorstore and zarr-python write them whole, as copy --pad-edges does.`,
		Example: `  omnizarr adopt em.n5
  omnizarr adopt --with pad em.n5/volume/s0`,
		Args: names("one URL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains(jobs.AdoptWith(), opts.With) {
				return badUsage(cmd, "--with %s: must be one of %s", opts.With, strings.Join(jobs.AdoptWith(), ", "))
			}
			l, err := locate.Open(cmd.Context(), args[0], locate.Options{})
			if err != nil {
				return err
			}
			bar := a.newProgress("blocks")
			opts.Open, opts.Workers, opts.Progress = a.options(), a.workers, bar.tell()
			report, err := jobs.Adopt(cmd.Context(), l.Store, l.Path, opts)
			bar.end()
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
			a.printAdoption(report)
			return nil
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&opts.With, "with", jobs.AdoptWith()[0], "what reads the blocks: "+strings.Join(jobs.AdoptWith(), ", "))
	flags.BoolVar(&opts.Overwrite, "overwrite", false, "replace every zarr.json that says something else")
	flags.BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func (a *app) printAdoption(r jobs.Adoption) {
	a.printf("✓ %s and %s are Zarr v3 too, read with %s: %d got a zarr.json, %d had it\n",
		counted(r.Groups, "group"), counted(r.Arrays, "array"), r.With, len(r.Written), len(r.Already))
	needing := map[string][]string{}
	for _, path := range slices.Sorted(maps.Keys(r.Own)) {
		needing[r.Own[path]] = append(needing[r.Own[path]], path)
	}
	for _, name := range slices.Sorted(maps.Keys(needing)) {
		a.printf("  only Omnizarr has the codec %s of %s\n", name, cutText(strings.Join(needing[name], ", "), 200))
	}
}
