package command

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/omnizarr/zarr/internal/words"
	"github.com/omnizarr/zarr/job/diff"
)

func (a *app) diffCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "diff A B",
		Short: "Compare two arrays or hierarchies by what they hold",
		Long: `Compare two arrays, or two groups with everything below them, by what they hold:
nodes, shapes, types, attributes, names of dimensions and all values. How they are
stored does not count: chunks, shards, codecs and formats may differ. Numbers are equal
by value, and NaN is equal to NaN.

The exit code is 0 if nothing differs and 1 if something does. Of values that differ,
the first ones are told with their place, and how many there are.`,
		Example: `  omnizarr diff em.zarr packed.zip
  omnizarr diff --json em.zarr/s0 em.zarr/s1 | jq .equal`,
		Args: names("two URLs, the first", "the second"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			first, err := a.find(ctx, args[0])
			if err != nil {
				return err
			}
			defer first.Close()
			second, err := a.find(ctx, args[1])
			if err != nil {
				return err
			}
			defer second.Close()
			if first.IsFile() && second.IsFile() { // with what links lead to, however the layouts spell them
				if err := first.Resolve(ctx); err != nil {
					return err
				}
				if err := second.Resolve(ctx); err != nil {
					return err
				}
			}
			bar := a.newProgress("blocks")
			report, err := diff.Nodes(ctx, first.Node, second.Node, diff.Options{Workers: a.workers, Progress: bar.tell()})
			if err != nil {
				bar.end()
				return err
			}
			bar.done("")
			if asJSON {
				err = a.printJSON(report)
			} else {
				a.printDiff(report)
			}
			if err == nil && !report.Equal {
				err = fmt.Errorf("%s and %s differ: %s", args[0], args[1], words.Counted(len(report.Differences), "difference"))
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	a.openFlags(cmd)
	a.plainFlag(cmd)
	a.help(cmd, "diff")
	return cmd
}

// signs stand in front of what differs, as programs that compare files have them.
var signs = map[diff.Kind]string{diff.Missing: "-", diff.Extra: "+"}

func (a *app) printDiff(r diff.Report) {
	for _, d := range r.Differences {
		sign, ok := signs[d.Kind]
		if !ok {
			sign = "*"
		}
		a.printf("%s %s %s: %s\n", sign, d.Path, string(d.Kind), words.OneLine(d.Detail))
	}
	if r.Equal {
		a.printf("%s\n", "= both hold the same")
	}
}
