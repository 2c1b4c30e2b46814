package main

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/omnizarr/zarr/rows"
)

// How many lines a plot has, of one channel and of more.
const (
	plotLines     = 12
	plotLinesMany = 4
)

// plot draws curves, a channel below the other.
func (a *app) plot(ctx context.Context, c *rows.Curves) error {
	const label = 11 // of an axis
	width := max(columns()-label-1, 16)
	d, err := c.Read(ctx, 2*width)
	if err != nil {
		return err
	}
	lines := plotLines
	if len(d.Traces) > 1 {
		lines = plotLinesMany
	}
	a.printf("%s\n", c.Title)
	for i, t := range d.Traces {
		if d.Channels != nil {
			a.printf("channel %d\n", d.Channels[i])
		}
		low, high, ok := t.Bounds()
		if !ok {
			a.printf("%*s no finite numbers\n", label, "┤")
			continue
		}
		t.Join()
		for k, line := range t.Draw(low, high, lines) {
			name := ""
			switch k {
			case 0:
				name = fmt.Sprintf("%.4g", high)
			case lines - 1:
				name = fmt.Sprintf("%.4g", low)
			}
			mark := "│"
			if name != "" {
				mark = "┤"
			}
			a.printf("%*s%s%s\n", label-1, name, mark, strings.TrimRight(line, " "))
		}
	}
	a.printf("%s└%s\n", strings.Repeat(" ", label-1), strings.Repeat("─", width))
	first, last := fmt.Sprintf("%.6g s", d.From), fmt.Sprintf("%.6g s", d.To)
	gap := max(width-utf8.RuneCountInString(first)-utf8.RuneCountInString(last), 1)
	a.printf("%s%s%s%s\n", strings.Repeat(" ", label), first, strings.Repeat(" ", gap), last)
	if d.More > 0 {
		a.printf("%d more channels, select with --slice ':, %d:'\n", d.More, d.Channels[len(d.Channels)-1]+1)
	}
	return nil
}
