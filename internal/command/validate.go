package command

import (
	"cmp"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/convention"
	"github.com/omnizarr/zarr/internal/words"
	"github.com/omnizarr/zarr/job"
	"github.com/omnizarr/zarr/job/check"
	"github.com/omnizarr/zarr/kind"
	"github.com/omnizarr/zarr/store"
)

func (a *app) validateCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "validate URL",
		Short: "Check metadata against the rules of the format, of codecs and of conventions",
		Long: `Check the metadata of a node and of everything below it: documents, the
configurations of codecs against their schemas, and consolidated metadata against
the nodes' own documents, and what attributes mean by the conventions that are known.
No chunks are read but those of coordinates; verify reads all. Every problem has
the name of the rule that is broken, and the exit code is 1 if there are any.
Warnings are of what the rules allow and readers may take differently; they do not
change the exit code.`,
		Example: `  omnizarr validate em.zarr
  omnizarr validate --json em.zarr | jq '.problems[].rule'`,
		Args: names("one URL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			l, err := zarr.Find(cmd.Context(), args[0], a.options(zarr.ReadOnly())...)
			if err != nil {
				if asJSON {
					_, text := job.Reason(err)
					problem := check.Violation{Path: "/", Rule: "metadata", Problem: words.OneLine(text)}
					err = cmp.Or(a.printJSON(check.Validation{Problems: []check.Violation{problem}, Warnings: []check.Violation{}}), err)
				}
				return err
			}
			defer l.Close()
			url := store.JoinURL(l.Store.URL(), l.Path)
			opts := check.ValidateOptions{Open: a.options(), Rules: a.kinds.Rules(), Format: l.Format}
			further, end, isObject, err := a.further(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			defer end()
			if opts.Further = further; !isObject && !a.plain {
				opts.File = a.furtherOfFile
			}
			report, failed := check.Validate(cmd.Context(), l.Store, l.Path, opts)
			// What was found counts also where the work could not be done to its end.
			if failed != nil && len(report.Problems) == 0 && asJSON {
				_, text := job.Reason(failed)
				report.OK, report.Problems = false, append(report.Problems, check.Violation{Path: "/", Rule: "metadata", Problem: words.OneLine(text)})
			}
			if failed == nil || len(report.Problems)+len(report.Warnings) > 0 {
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
	for _, k := range kind.All[kind.Checker](a.kinds) {
		addFlags(cmd.Flags(), k.CheckFlags)
	}
	a.plainFlag(cmd)
	a.help(cmd, "validate")
	return cmd
}

// further gives the check of what a URL names by the convention that it is an object of,
// if it is one, and what gives the object up. What does not open is told by its documents.
func (a *app) further(ctx context.Context, url string) (check.Further, func(), bool, error) {
	var object convention.Object
	end := func() {}
	if found, err := a.find(ctx, url); err == nil {
		object, end = found.Object, func() { found.Close() }
	}
	var further check.Further
	for _, k := range kind.All[kind.Checker](a.kinds) {
		f, err := k.Further(ctx, url, object, a.options())
		if err != nil {
			end()
			return nil, nil, false, err
		}
		if f != nil {
			further = f
		}
	}
	return further, end, object != nil, nil
}

// furtherOfFile gives the check of a group that is a file of a convention.
func (a *app) furtherOfFile(ctx context.Context, g *zarr.Group) (check.Further, func(), error) {
	for _, c := range a.kinds.Conventions() {
		looks, _, err := c.IsFile(ctx, g)
		if err != nil {
			return nil, nil, err
		}
		if looks {
			further, end, _, err := a.further(ctx, store.JoinURL(g.Store().URL(), g.Path()))
			return further, end, err
		}
	}
	return nil, func() {}, nil
}

func (a *app) printValidation(r check.Validation) {
	for _, p := range r.Problems {
		a.printf("✗ %s %s: %s\n", p.Path, p.Rule, words.OneLine(p.Problem))
	}
	for _, p := range r.Warnings {
		a.printf("! %s %s: %s\n", p.Path, p.Rule, words.OneLine(p.Problem))
	}
	switch {
	case !r.OK:
	case len(r.Warnings) > 0:
		a.printf("✓ no problems, %s\n", words.Counted(len(r.Warnings), "warning"))
	default:
		a.printf("%s\n", "✓ no problems")
	}
}
