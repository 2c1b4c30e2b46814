package command

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/convention"
	"github.com/omnizarr/zarr/internal/words"
	"github.com/omnizarr/zarr/job"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/stats"
)

// statBins is how many bins the histograms have, and statLines how many lines of
// them people see.
const (
	statBins  = 64
	statLines = 8
)

func (a *app) statsCommand() *cobra.Command {
	var slice string
	var asJSON bool
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
16 bits; otherwise they are known to within 0.2 % of their size.`,
		Example: `  omnizarr stats em.zarr/s0
  omnizarr stats --json --slice '0, :, ::4' em.zarr/s0`,
		Args: names("one URL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			s, err := a.findElements(ctx, args[0])
			if err != nil {
				return err
			}
			defer s.Close()
			arr, ok := s.Node.(*zarr.Array)
			if !ok {
				if slice != "" {
					return badUsage(cmd, "--slice is for an array, %s is a group", args[0])
				}
				return a.statsBelow(ctx, s, asJSON)
			}
			sel, err := a.selection(ctx, arr, slice)
			if err != nil {
				return err
			}
			p, err := a.stats(ctx, arr, sel)
			if err != nil {
				return err
			}
			if asJSON {
				return a.printJSON(p.Summary(statBins))
			}
			return a.statWords(arr, p)
		},
	}
	cmd.Flags().StringVar(&slice, "slice", "", "which elements, as cat has it")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	a.openFlags(cmd)
	a.plainFlag(cmd)
	a.help(cmd, "stats")
	return cmd
}

// stats computes the statistics of an array.
func (a *app) stats(ctx context.Context, arr *zarr.Array, sel zarr.Selection) (*stats.Partial, error) {
	bar := a.newProgress("blocks")
	defer bar.end()
	opt := stats.Options{Select: sel, Stored: a.plain, Workers: a.workers}
	if tell := bar.tell(); tell != nil {
		opt.Progress = func(done, total int) { tell(job.Progress{Path: arr.Path(), Done: int64(done), Total: int64(total)}) }
	}
	return stats.Of(ctx, arr, opt)
}

// statsBelow tells of every array of numbers below a group.
func (a *app) statsBelow(ctx context.Context, s *convention.Subject, asJSON bool) error {
	type below struct {
		Path string `json:"path"`
		stats.Summary
	}
	list := []below{}
	entries, broken := convention.Below(ctx, s)
	for _, e := range entries {
		arr, ok := e.Node.(*zarr.Array)
		if !ok || !stats.Can(arr.DataType()) {
			continue
		}
		p, err := a.stats(ctx, arr, zarr.All())
		if err != nil {
			broken = append(broken, err)
			continue
		}
		list = append(list, below{e.Path, p.Summary(statBins)})
	}
	if len(list) == 0 && len(broken) == 0 {
		return &zarr.Error{Op: "compute statistics of", URL: s.Node.URL(), Err: errors.New("is a group without arrays of numbers")}
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
func (a *app) statWords(arr *zarr.Array, p *stats.Partial) error {
	s := p.Summary(statLines)
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
		total, _ := nd.Len(arr.Metadata().Grid.Count())
		line("chunks", "%d of %d are not stored", *s.Missing, total)
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
