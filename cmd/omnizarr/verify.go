package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/words"
	"github.com/omnizarr/zarr/job/check"
)

func (a *app) verifyCommand() *cobra.Command {
	var asJSON, strict bool
	cmd := &cobra.Command{
		Use:   "verify URL",
		Short: "Read and decode everything, and tell what cannot be",
		Long: `Read and decode every chunk of every array at and below a node. Chunks that are not
stored are counted, which is no problem; everything else that is not as it should
be is one: chunks that do not decode, nodes that do not open, consolidated
metadata that differs from the nodes' own. The exit code is 1 then.

With --strict, bytes that decoding passes over are looked at too: padding that is
not what the metadata says, bits behind the last packed element.`,
		Example: `  omnizarr verify em.zarr
  omnizarr verify --json em.zarr | jq '.problems[].path'
  omnizarr verify --strict padded.zarr`,
		Args: names("one URL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			var open []zarr.Option
			if strict {
				open = append(open, zarr.Strict())
			}
			s, err := a.find(cmd.Context(), args[0], open...)
			if err != nil {
				return err
			}
			defer s.Close()
			var apart []string
			if s.IsFile() {
				if schemas := s.Object.Schemas(cmd.Context()); schemas != nil {
					apart = append(apart, schemas.Path)
				}
			}
			n := s.Node
			bar := a.newProgress("chunks")
			report, err := check.Verify(cmd.Context(), n, check.VerifyOptions{
				Workers: a.workers, Progress: bar.tell(), Apart: apart, Open: a.options(append(open, zarr.ReadOnly())...),
			})
			if err != nil {
				bar.end()
				return fmt.Errorf("verify %s: %w", n.URL(), err)
			}
			bar.done("", "ok", report.OK, "problems", len(report.Problems))
			if asJSON {
				err = a.printJSON(report)
			} else {
				a.printReport(report)
			}
			if err == nil && !report.OK {
				err = fmt.Errorf("verify %s: %s", n.URL(), words.Counted(len(report.Problems), "problem"))
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	cmd.Flags().BoolVar(&strict, "strict", false, "also check bytes that decoding passes over")
	a.openFlags(cmd)
	return cmd
}

func (a *app) printReport(r check.Report) {
	for _, p := range r.Problems {
		where := p.Path
		if p.Key != "" {
			where += " " + p.Key
		}
		a.printf("✗ %s: %s\n", where, words.OneLine(p.Problem))
	}
	mark := "✓"
	if !r.OK {
		mark = "✗"
	}
	a.printf("%s %s, %s of which %d are not stored, %s\n", mark, words.Counted(r.Arrays, "array"),
		words.Counted(r.Chunks, "chunk"), r.Missing, words.Counted(len(r.Problems), "problem"))
}
