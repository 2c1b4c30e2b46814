package command

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"github.com/omnizarr/zarr/internal/words"
	"github.com/omnizarr/zarr/job/request"
	"github.com/omnizarr/zarr/stats"
)

// statBins is how many bins the histograms have, and statLines how many lines of
// them people see.
const (
	statBins  = 64
	statLines = 8
)

func (a *app) statsCommand() *cobra.Command {
	var slice, part string
	var asJSON, merge bool
	cmd := &cobra.Command{
		Use:   "stats URL",
		Short: "Say how the numbers of an array are distributed",
		Long: `Say how the numbers of an array are distributed: least, largest, mean, deviation,
percentiles, a histogram, how many are NaN or the fill value, and how many chunks are
not stored. It is read once, in parallel, and may be larger than memory. Of a group,
every array of numbers below it has a line.

The count is that of all elements; NaN and missing values are counted among them, and
left out of everything else. Packed values are unpacked first, unless --plain.

Percentiles are those of NumPy, by linear interpolation. They are exact up to two
million elements, and for integers that are few or close to each other, such as all of
16 bits; otherwise they are known to within 0.2 % of their size.

With --part i/n this is one of n processes, each of which reads a part and prints JSON;
--merge joins what all have printed, in files in any order, to what one process says.`,
		Example: `  omnizarr stats em.zarr/s0
  omnizarr stats --json --slice '0, :, ::4' em.zarr/s0`,
		Args: oneURL(&merge),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			if merge {
				parts, err := readParts("stats", args)
				if err != nil {
					return err
				}
				all, err := request.MergeStats(parts)
				if err != nil {
					return fmt.Errorf("merge: %w", err)
				}
				return a.printStats(all, asJSON)
			}
			n, of, err := partFlag(cmd, part)
			if err != nil {
				return err
			}
			r := request.Stats{Open: a.opening(), URL: args[0], Slice: slice}
			if a.executor != nil {
				r.Flags = flagValues(cmd, a.openFlagNames())
				var all request.Statistics
				if err := a.run(ctx, r.Spec, &all); err != nil {
					return usageOf(cmd, err)
				}
				return a.printStats(all, asJSON)
			}
			s, err := a.findElements(ctx, args[0])
			if err != nil {
				return err
			}
			defer s.Close()
			bar := a.newProgress("blocks")
			defer bar.end()
			if of > 0 {
				p, err := r.Part(ctx, a.kinds, s, n, of, bar.tell())
				if err != nil {
					return usageOf(cmd, err)
				}
				bar.end()
				return a.printJSON(p)
			}
			all, err := r.Run(ctx, a.kinds, s, 0, 0, bar.tell())
			if err != nil {
				return usageOf(cmd, err)
			}
			bar.end()
			return a.printStats(all, asJSON)
		},
	}
	cmd.Flags().StringVar(&part, "part", "", "statistics of part i of n, as JSON for --merge: 3/16")
	cmd.Flags().BoolVar(&merge, "merge", false, "join what --part printed, in files: omnizarr stats --merge part-*.json")
	cmd.Flags().StringVar(&slice, "slice", "", "which elements, as cat has it")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	a.openFlags(cmd)
	a.plainFlag(cmd)
	a.help(cmd, "stats")
	return cmd
}

// printStats prints the statistics of an array, or of those below a group.
func (a *app) printStats(all request.Statistics, asJSON bool) error {
	if !all.Group && len(all.Arrays) == 1 {
		if asJSON {
			return a.printJSON(all.Arrays[0].Stats.Summary(statBins))
		}
		return a.statWords(all.Arrays[0])
	}
	type below struct {
		Path string `json:"path"`
		stats.Summary
	}
	list := []below{}
	for _, m := range all.Arrays {
		list = append(list, below{m.Path, m.Stats.Summary(statBins)})
	}
	var broken []error
	for _, text := range all.Broken {
		broken = append(broken, errors.New(text))
	}
	if asJSON {
		if err := a.printJSON(struct {
			Arrays []below `json:"arrays"`
		}{list}); err != nil {
			return err
		}
		return errors.Join(broken...)
	}
	lines := [][]string{{"array", "elements", "min", "median", "max", "mean", "std", "NaN", "fill"}}
	for _, b := range list {
		lines = append(lines, []string{words.Visible(b.Path), fmt.Sprint(b.Count), short(b.Min.Float64()), short(float64(b.Percentiles["50"])), short(b.Max.Float64()),
			short(float64(b.Mean)), short(float64(b.Std)), share(b.NaN, b.Count), share(b.Fill, b.Count)})
	}
	a.printColumns(lines)
	return errors.Join(broken...)
}

// printColumns prints lines whose cells stand below each other, numbers to the right.
func (a *app) printColumns(lines [][]string) {
	widths := make([]int, len(lines[0]))
	for _, line := range lines {
		for k, c := range line {
			widths[k] = max(widths[k], len([]rune(c)))
		}
	}
	for _, line := range lines {
		text := words.Padded(line[0], widths[0])
		for k, c := range line[1:] {
			text += "  " + strings.Repeat(" ", widths[k+1]-len([]rune(c))) + c
		}
		a.printf("%s\n", strings.TrimRight(text, " "))
	}
}

// statWords tells the statistics of an array to people.
func (a *app) statWords(m request.Measured) error {
	s := m.Stats.Summary(statLines)
	line := func(name, form string, args ...any) {
		a.printf("%-12s %s\n", name, fmt.Sprintf(form, args...))
	}
	line("elements", "%d", s.Count)
	if s.NaN > 0 {
		line("NaN", "%d (%s)", s.NaN, share(s.NaN, s.Count))
	}
	if s.Fill > 0 {
		line("fill value", "%d (%s)", s.Fill, share(s.Fill, s.Count))
	}
	if s.Missing != nil && *s.Missing > 0 {
		line("chunks", "%d of %d are not stored", *s.Missing, m.Chunks)
	}
	if s.Min == "" {
		line("numbers", "none")
		return nil
	}
	line("min", "%s", s.Min)
	line("max", "%s", s.Max)
	line("mean", "%s", short(float64(s.Mean)))
	line("std", "%s", short(float64(s.Std)))
	head, row := []string{"percentile"}, []string{""}
	for _, q := range stats.Percentiles {
		name := fmt.Sprintf("%g", q)
		head, row = append(head, name), append(row, short(float64(s.Percentiles[name])))
	}
	a.printf("\n")
	a.printColumns([][]string{head, row})
	if s.Error > 0 {
		a.printf("to within %.1f %%\n", 100*float64(s.Error))
	}
	a.printf("\n")
	return a.statHistogram(s.Histogram)
}

// statHistogram draws a bar for every bin.
func (a *app) statHistogram(h stats.Histogram) error {
	most := int64(1)
	lines := make([]string, len(h.Counts))
	wide := 0
	for i, n := range h.Counts {
		most = max(most, n)
		lines[i] = short(h.Edges[i])
		wide = max(wide, len(lines[i]))
	}
	room := max(min(columns(), 100)-wide-14, 8)
	for i, n := range h.Counts {
		a.printf("%*s ┤%s %d\n", wide, lines[i], bar(float64(n)/float64(most), room), n)
	}
	return nil
}

// bar is a bar of a part of a width in characters, of which one is an eighth at least.
func bar(part float64, width int) string {
	eighths := int(math.Ceil(part * float64(8*width)))
	text := strings.Repeat("█", eighths/8)
	if rest := eighths % 8; rest > 0 {
		text += string([]rune("▏▎▍▌▋▊▉")[rest-1])
	}
	return text
}

// short is a number in a few digits.
func short(v float64) string { return fmt.Sprintf("%.6g", v) }

// share is a part in percent, nothing for none.
func share(n, of int64) string {
	if n == 0 || of == 0 {
		return "0"
	}
	return fmt.Sprintf("%.3g%%", 100*float64(n)/float64(of))
}
