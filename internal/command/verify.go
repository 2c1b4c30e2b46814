package command

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/omnizarr/zarr/internal/words"
	"github.com/omnizarr/zarr/job"
	"github.com/omnizarr/zarr/job/check"
	"github.com/omnizarr/zarr/job/request"
)

func (a *app) verifyCommand() *cobra.Command {
	var asJSON, strict, missing, merge bool
	var sample, part string
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
not what the metadata says, bits behind the last packed element.

With --part i/n this is one of n processes, each of which reads a part of the chunks and
prints JSON; the first looks at everything else too. --merge joins what all have printed,
in files in any order, to what one process says.`,
		Example: `  omnizarr verify em.zarr
  omnizarr verify --json em.zarr | jq '.problems[].path'
  omnizarr verify --sample 5% --missing em.zarr
  omnizarr verify --strict em.zarr`,
		Args: oneURL(&merge),
		RunE: func(cmd *cobra.Command, args []string) error {
			if merge {
				parts, err := readParts("verify", args)
				if err != nil {
					return err
				}
				report, err := request.MergeVerify(parts)
				if err != nil {
					return fmt.Errorf("merge: %w", err)
				}
				return a.verified(parts[0].URL, report, asJSON)
			}
			r := request.Verify{Open: a.opening(), URL: args[0], Missing: missing, Strict: strict}
			var err error
			if r.Sample, err = percentage(sample); err != nil {
				return badUsage(cmd, "--sample %s: %w", sample, err)
			}
			n, of, err := partFlag(cmd, part)
			if err != nil {
				return err
			}
			if a.executor != nil {
				r.Flags = flagValues(cmd, a.openFlagNames())
				var report check.Report
				if err := a.run(cmd.Context(), r.Spec, &report); err != nil {
					return usageOf(cmd, err)
				}
				return a.verified(args[0], report, asJSON)
			}
			s, err := r.Subject(cmd.Context(), a.kinds)
			if err != nil {
				if asJSON {
					_, text := job.Reason(err)
					err = cmp.Or(a.printJSON(check.Report{Problems: []check.Problem{{Path: "/", Problem: words.OneLine(text)}}}), err)
				}
				return err
			}
			defer s.Close()
			bar := a.newProgress("chunks")
			if of > 0 {
				p, err := r.Part(cmd.Context(), a.kinds, s, n, of, bar.tell())
				bar.end()
				if err != nil {
					return fmt.Errorf("verify %s: %w", s.Node.URL(), err)
				}
				return a.printJSON(p)
			}
			report, err := r.Run(cmd.Context(), a.kinds, s, 0, 0, bar.tell())
			if err != nil {
				bar.end()
				return fmt.Errorf("verify %s: %w", s.Node.URL(), err)
			}
			bar.done("", "ok", report.OK, "problems", len(report.Problems))
			return a.verified(s.Node.URL(), report, asJSON)
		},
	}
	cmd.Flags().StringVar(&part, "part", "", "verify part i of n, and print JSON for --merge: 3/16")
	cmd.Flags().BoolVar(&merge, "merge", false, "join what --part printed, in files: omnizarr verify --merge part-*.json")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	cmd.Flags().StringVar(&sample, "sample", "", "read a part of the chunks, such as 5%")
	cmd.Flags().BoolVar(&missing, "missing", false, "chunks that are not stored are a problem")
	cmd.Flags().BoolVar(&strict, "strict", false, "also check bytes that decoding passes over")
	a.openFlags(cmd)
	return cmd
}

// verified prints a report, and is an error if not all is well.
func (a *app) verified(url string, report check.Report, asJSON bool) (err error) {
	if asJSON {
		err = a.printJSON(report)
	} else {
		a.printReport(report)
	}
	if err == nil && !report.OK {
		err = fmt.Errorf("verify %s: %s", url, words.Counted(len(report.Problems), "problem"))
	}
	return err
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
