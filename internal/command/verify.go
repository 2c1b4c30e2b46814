package command

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/words"
	"github.com/omnizarr/zarr/job"
	"github.com/omnizarr/zarr/job/check"
)

func (a *app) verifyCommand() *cobra.Command {
	var asJSON, strict, missing bool
	var sample string
	cmd := &cobra.Command{
		Use:   "verify URL",
		Short: "Read and decode everything, and tell what cannot be",
		Long: `Read and decode every chunk of every array at and below a node. Chunks that are not
stored are counted, which is no problem without --missing; everything else that is
not as it should be is one: chunks that do not decode, nodes that do not open,
consolidated metadata that differs from the nodes' own, links that lead out of the
store or nowhere, chunks outside of arrays, temporary files that writers left. The
exit code is 1 then. What belongs to no node is noted. 'omnizarr repair' mends what
can be.

With --sample 5% every chunk is read with that chance, another choice each time.

With --strict, bytes that decoding passes over are looked at too: padding that is
not what the metadata says, bits behind the last packed element.`,
		Example: `  omnizarr verify em.zarr
  omnizarr verify --json em.zarr | jq '.problems[].path'
  omnizarr verify --sample 5% --missing em.zarr
  omnizarr verify --strict em.zarr`,
		Args: names("one URL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			var open []zarr.Option
			if strict {
				open = append(open, zarr.Strict())
			}
			part, err := percentage(sample)
			if err != nil {
				return badUsage(cmd, "--sample %s: %w", sample, err)
			}
			s, err := a.find(cmd.Context(), args[0], open...)
			if err != nil {
				if asJSON {
					_, text := job.Reason(err)
					err = cmp.Or(a.printJSON(check.Report{Problems: []check.Problem{{Path: "/", Problem: words.OneLine(text)}}}), err)
				}
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
				Sample: part, FailMissing: missing, Inspect: a.kinds.Inspections(), Finishers: a.kinds.Finishers(),
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
	cmd.Flags().StringVar(&sample, "sample", "", "read a part of the chunks, such as 5%")
	cmd.Flags().BoolVar(&missing, "missing", false, "chunks that are not stored are a problem")
	cmd.Flags().BoolVar(&strict, "strict", false, "also check bytes that decoding passes over")
	a.openFlags(cmd)
	return cmd
}

// percentage reads 5% or 0.05; nothing is all.
func percentage(text string) (float64, error) {
	if text == "" {
		return 0, nil
	}
	number, percent := strings.CutSuffix(text, "%")
	part, err := strconv.ParseFloat(number, 64)
	if percent {
		part /= 100
	}
	if err != nil || !(part > 0 && part <= 1) {
		return 0, errors.New("must be more than 0 and at most 100%, or 1")
	}
	return part, nil
}

func (a *app) printReport(r check.Report) {
	line := func(mark string, p check.Problem) {
		where := p.Path
		if p.Key != "" {
			where += " " + p.Key
		}
		a.printf("%s %s: %s\n", mark, where, words.OneLine(p.Problem))
	}
	for _, p := range r.Notes {
		line("-", p)
	}
	for _, p := range r.Problems {
		line("✗", p)
	}
	mark := "✓"
	if !r.OK {
		mark = "✗"
	}
	checked := ""
	if r.Checked > 0 {
		checked = fmt.Sprintf(", %d of them read", r.Checked)
	}
	a.printf("%s %s, %s of which %d are not stored%s, %s\n", mark, words.Counted(r.Arrays, "array"),
		words.Counted(r.Chunks, "chunk"), r.Missing, checked, words.Counted(len(r.Problems), "problem"))
}
