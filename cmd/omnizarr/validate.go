package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/n5"
	"github.com/omnizarr/zarr/job"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store"
)

func (a *app) validateCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "validate URL",
		Short: "Check metadata against the rules of the format and of codecs",
		Long: `Check the metadata of a node and of everything below it: documents, the
configurations of codecs against their schemas, and consolidated metadata against
the nodes' own documents. Chunks are not read; verify does that. Every problem has
the name of the rule that is broken, and the exit code is 1 if there are any.`,
		Example: `  omnizarr validate em.zarr
  omnizarr validate --json em.zarr | jq '.problems[].rule'`,
		Args: names("one URL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			l, err := zarr.Find(cmd.Context(), args[0], zarr.ReadOnly())
			if err != nil {
				return err
			}
			defer l.Close()
			url := store.JoinURL(l.Store.URL(), l.Path)
			s := l.Store
			if l.Format == n5.Format {
				s = n5.New(s, n5.Options{}, meta.Registry{}) // it need not look like it
			}
			report, err := job.Validate(cmd.Context(), s, l.Path, job.ValidateOptions{Open: a.options()})
			if err != nil {
				return fmt.Errorf("validate %s: %w", url, err)
			}
			if asJSON {
				err = a.printJSON(report)
			} else {
				a.printValidation(report)
			}
			if err == nil && !report.OK {
				err = fmt.Errorf("validate %s: %s", url, counted(len(report.Problems), "problem"))
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func (a *app) printValidation(r job.Validation) {
	for _, p := range r.Problems {
		fmt.Fprintf(a.out, "✗ %s %s: %s\n", p.Path, p.Rule, oneLine(p.Problem))
	}
	if r.OK {
		fmt.Fprintln(a.out, "✓ no problems")
	}
}
