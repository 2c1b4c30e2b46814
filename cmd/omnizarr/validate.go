package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/omnizarr/zarr"
	hdmfcheck "github.com/omnizarr/zarr/format/hdmf/check"
	"github.com/omnizarr/zarr/format/hdmf/describe"
	"github.com/omnizarr/zarr/format/hdmf/jobs"
	"github.com/omnizarr/zarr/internal/words"
	"github.com/omnizarr/zarr/job/check"
	"github.com/omnizarr/zarr/store"
)

func (a *app) validateCommand() *cobra.Command {
	var asJSON, inspect bool
	var given string
	cmd := &cobra.Command{
		Use:   "validate URL",
		Short: "Check metadata against the rules of the format and of codecs, and HDMF files against their schemas",
		Long: `Check the metadata of a node and of everything below it: documents, the
configurations of codecs against their schemas, and consolidated metadata against
the nodes' own documents. Chunks are not read; verify does that. Every problem has
the name of the rule that is broken, and the exit code is 1 if there are any.

An HDMF or NWB file is also checked against the schemas that it caches: types, fields,
data types, shapes, quantities, fixed values, the targets of all links and references.
--schema gives schemas to use instead, for a file that has none: another file that
caches them, or namespace documents in JSON with their sources beside them. --inspect
adds the checks that nwbinspector calls critical. Other files are looked into only in
the folder around this one and where --allow says.`,
		Example: `  omnizarr validate em.zarr
  omnizarr validate --inspect session.nwb.zarr
  omnizarr validate --schema good.nwb.zarr session.nwb.zarr
  omnizarr validate --json em.zarr | jq '.problems[].rule'`,
		Args: names("one URL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			l, err := zarr.Find(cmd.Context(), args[0], zarr.ReadOnly())
			if err != nil {
				return err
			}
			defer l.Close()
			url := store.JoinURL(l.Store.URL(), l.Path)
			opts := check.ValidateOptions{Open: a.options(), Rules: a.kinds.Rules(), Format: l.Format}
			more := hdmfcheck.Options{Inspect: inspect}
			if given != "" {
				if more.Schema, err = describe.ReadSchemas(cmd.Context(), given, a.options()...); err != nil {
					return err
				}
			}
			// What does not open is told by its documents.
			if found, err := a.find(cmd.Context(), args[0]); err == nil {
				defer found.Close()
				if o, ok := found.Object.(*describe.Object); ok && o.IsOwn() {
					opts.Further = jobs.Further(o.HDMF().File(), o.HDMF().Path(), more)
				}
			}
			if opts.Further == nil && (inspect || given != "") {
				return fmt.Errorf("validate %s: is no HDMF file, which --schema and --inspect are for", url)
			}
			report, failed := check.Validate(cmd.Context(), l.Store, l.Path, opts)
			// What was found counts also where the work could not be done to its end.
			if failed == nil || len(report.Problems) > 0 {
				if asJSON {
					err = a.printJSON(report)
				} else {
					a.printValidation(report)
				}
			}
			switch {
			case failed != nil:
				return fmt.Errorf("validate %s: %w", url, failed)
			case err == nil && !report.OK:
				err = fmt.Errorf("validate %s: %s", url, words.Counted(len(report.Problems), "problem"))
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	cmd.Flags().StringVar(&given, "schema", "", "schemas for an HDMF file: a file that caches them, or a folder or file of JSON")
	cmd.Flags().BoolVar(&inspect, "inspect", false, "add the critical checks of nwbinspector")
	a.plainFlag(cmd)
	return cmd
}

func (a *app) printValidation(r check.Validation) {
	for _, p := range r.Problems {
		a.printf("✗ %s %s: %s\n", p.Path, p.Rule, words.OneLine(p.Problem))
	}
	if r.OK {
		a.printf("%s\n", "✓ no problems")
	}
}
