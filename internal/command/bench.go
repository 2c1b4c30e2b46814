package command

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/words"
	"github.com/omnizarr/zarr/measure"
)

func (a *app) benchCommand() *cobra.Command {
	var asJSON bool
	opt := measure.Options{}
	cmd := &cobra.Command{
		Use:   "bench URL",
		Short: "Measure how fast an array reads here",
		Long: `Measure how fast an array reads from where it lies: whole, by slabs of one position
along each axis, and in boxes at random. Of each way, the speed with all workers, in
bytes of elements and of what is stored, and the number of requests; and of one worker,
how its time is made up of I/O, decoding, and copying elements into place.

Of an array that takes longer than --seconds a sample is read. What the operating system
keeps in memory is read from there: the second time may be faster than the first.`,
		Example: `  omnizarr bench --seconds 0.1 em.zarr/s0
  omnizarr bench --seconds 0.1 --json https://example.org/em.zarr/s0`,
		Args: names("one URL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !(opt.Seconds > 0) {
				return badUsage(cmd, "--seconds %g: must be more than 0", opt.Seconds)
			}
			opt.Open = func(ctx context.Context, workers int) (*zarr.Array, error) {
				opts := append(a.options(), zarr.ReadOnly(), zarr.NoPartCache())
				if workers > 0 {
					opts = append(opts, zarr.Workers(workers))
				}
				return zarr.OpenArray(ctx, args[0], opts...)
			}
			ways, err := measure.Array(cmd.Context(), opt)
			if err != nil {
				return err
			}
			if asJSON {
				return a.printJSON(struct {
					Ways []measure.Way `json:"ways"`
				}{ways})
			}
			return a.benchWords(ways)
		},
	}
	cmd.Flags().Float64Var(&opt.Seconds, "seconds", 3, "how long each way of reading is measured, about")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	a.openFlags(cmd)
	a.help(cmd, "bench")
	return cmd
}

// benchWords tells people what was measured.
func (a *app) benchWords(ways []measure.Way) error {
	lines := [][]string{{"read", "at once", "elements/s", "stored/s", "requests", "I/O", "decode", "copy"}}
	for _, w := range ways {
		part := func(seconds float64) string {
			if w.Split.Seconds <= 0 {
				return "-"
			}
			return fmt.Sprintf("%.0f%%", 100*seconds/w.Split.Seconds)
		}
		name := w.Name
		if name == "whole" && !w.Fast.Whole {
			name = "in order (a sample)"
		}
		lines = append(lines, []string{name, words.Times(w.Box), size(w.Fast.Rate) + "/s", size(w.Fast.StoredRate) + "/s",
			fmt.Sprintf("%.3g per read", float64(w.Fast.Requests)/float64(max(w.Fast.Reads, 1))), part(w.Split.Fetch), part(w.Split.Decode), part(w.Split.Copy)})
	}
	a.printColumns(lines)
	return a.printf("\nI/O, decode and copy are shares of the time of one worker.\n")
}
