package main

import (
	"context"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/nd"
)

// How many lines a plot has, and how many channels are plotted below each other.
const (
	plotLines     = 12
	plotLinesMany = 4
	plotChannels  = 16
)

// plotBlock is how many elements are read at once.
const plotBlock = 1 << 20

// seriesView is a part of a time series.
type seriesView struct {
	*hdmf.Series
	rows, channels span // channels only of data with two axes
}

// trace is what a channel has between two places of a plot: the least and the
// greatest value in every place, NaN where there is none.
type trace struct{ low, high []float64 }

func newTrace(n int) trace {
	t := trace{make([]float64, n), make([]float64, n)}
	for i := range n {
		t.low[i], t.high[i] = math.NaN(), math.NaN()
	}
	return t
}

func (t trace) add(at int, v float64) {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return
	}
	if !(t.low[at] <= v) {
		t.low[at] = v
	}
	if !(t.high[at] >= v) {
		t.high[at] = v
	}
}

// bounds are the least and the greatest value of all; ok is false without any.
func (t trace) bounds() (low, high float64, ok bool) {
	low, high = math.Inf(1), math.Inf(-1)
	for i := range t.low {
		if !math.IsNaN(t.low[i]) {
			low, high, ok = min(low, t.low[i]), max(high, t.high[i]), true
		}
	}
	return low, high, ok
}

// join fills places without values by a line between their neighbours, and makes
// places touch each other.
func (t trace) join() {
	last := -1
	for i := range t.low {
		if math.IsNaN(t.low[i]) {
			continue
		}
		if last >= 0 && last < i-1 {
			from, to := (t.low[last]+t.high[last])/2, (t.low[i]+t.high[i])/2
			for k := last + 1; k < i; k++ {
				v := from + (to-from)*float64(k-last)/float64(i-last)
				t.low[k], t.high[k] = v, v
			}
		}
		last = i
	}
	for i := 1; i < len(t.low); i++ {
		if t.low[i] > t.high[i-1] {
			t.low[i] = t.high[i-1]
		} else if t.high[i] < t.low[i-1] {
			t.high[i] = t.low[i-1]
		}
	}
}

// plotSeries draws a part of a series, a channel below the other.
func (a *app) plotSeries(ctx context.Context, s *seriesView) error {
	fail := func(format string, args ...any) error {
		return &zarr.Error{Op: "plot", URL: s.Group().Node().URL(), Err: fmt.Errorf(format, args...)}
	}
	shape := s.Data().Shape()
	switch {
	case s.Data().DType().Kind != hdmf.Number:
		return fail("samples are %s, not numbers", s.Data().DType().Name)
	case len(shape) > 2:
		return fail("samples have %d axes, one can be plotted", len(shape)-1)
	case s.rows.count == 0:
		return fail("there are no samples")
	}
	if s.rows.step < 0 {
		s.rows = span{s.rows.start + (s.rows.count-1)*s.rows.step, -s.rows.step, s.rows.count}
	}
	channels := []int{0}
	if len(shape) == 2 {
		channels = s.channels.part(0, min(s.channels.count, plotChannels)).positions()
	}
	const label = 11 // of an axis
	width := max(columns()-label-1, 16)
	from, to, traces, err := s.traces(ctx, channels, 2*width)
	if err != nil {
		return err
	}
	lines := plotLines
	if len(channels) > 1 {
		lines = plotLinesMany
	}
	title := s.Group().Path()
	if unit := unitOf(s.Series); unit != "" {
		title += " (" + unit + ")"
	}
	a.printf("%s\n", title)
	for i, t := range traces {
		if len(shape) == 2 {
			a.printf("channel %d\n", channels[i])
		}
		low, high, ok := t.bounds()
		if !ok {
			a.printf("%*s no finite numbers\n", label, "┤")
			continue
		}
		t.join()
		for k, line := range t.draw(low, high, lines) {
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
	first, last := fmt.Sprintf("%.6g s", from), fmt.Sprintf("%.6g s", to)
	gap := max(width-utf8.RuneCountInString(first)-utf8.RuneCountInString(last), 1)
	a.printf("%s%s%s%s\n", strings.Repeat(" ", label), first, strings.Repeat(" ", gap), last)
	if n := s.channels.count - len(channels); len(shape) == 2 && n > 0 {
		a.printf("%d more channels, select with --slice ':, %d:'\n", n, channels[len(channels)-1]+1)
	}
	return nil
}

// traces sums up samples in a number of places between the first time and the last.
func (s *seriesView) traces(ctx context.Context, channels []int, places int) (from, to float64, out []trace, err error) {
	for range channels {
		out = append(out, newTrace(places))
	}
	end := s.rows.start + (s.rows.count-1)*s.rows.step
	first, err := s.Times(ctx, zarr.Select(zarr.Span(s.rows.start, s.rows.start+1)))
	if err != nil {
		return 0, 0, nil, err
	}
	last, err := s.Times(ctx, zarr.Select(zarr.Span(end, end+1)))
	if err != nil {
		return 0, 0, nil, err
	}
	from, to = first[0], last[0]
	each, _ := nd.Len(s.Data().Shape()[1:])
	count := max(plotBlock/max(each*s.rows.step, 1), 1)
	for done := 0; done < s.rows.count; done += count {
		block := s.rows.part(done, min(count, s.rows.count-done))
		stop := block.start + (block.count-1)*block.step + 1
		clock, err := s.Times(ctx, zarr.Select(zarr.Span(block.start, stop)))
		if err != nil {
			return 0, 0, nil, err
		}
		list, _, err := s.Scaled(ctx, zarr.Select(zarr.Span(block.start, stop)))
		if err != nil {
			return 0, 0, nil, err
		}
		for i := 0; i < len(clock); i += block.step {
			at := 0
			if to > from {
				at = int((clock[i]-from)/(to-from)*float64(places-1) + 0.5)
			}
			if at < 0 || at >= places { // times need not ascend
				continue
			}
			for k, c := range channels {
				out[k].add(at, list[i*each+c])
			}
		}
	}
	return from, to, out, nil
}

// quadrants are the characters for four dots: upper left is 1, upper right 2, lower
// left 4, lower right 8.
var quadrants = []rune(" ▘▝▀▖▌▞▛▗▚▐▜▄▙▟█")

// draw draws the trace in lines of characters, two dots wide and high each.
func (t trace) draw(low, high float64, lines int) []string {
	dots := 2 * lines
	row := func(v float64) int { // of dots, from the top
		if high == low {
			return lines
		}
		return min(max(int((high-v)/(high-low)*float64(dots-1)+0.5), 0), dots-1)
	}
	out := make([][]int, lines)
	for i := range out {
		out[i] = make([]int, (len(t.low)+1)/2)
	}
	for x := range t.low {
		if math.IsNaN(t.low[x]) {
			continue
		}
		for y := row(t.high[x]); y <= row(t.low[x]); y++ {
			out[y/2][x/2] |= 1 << (x%2 + 2*(y%2))
		}
	}
	text := make([]string, lines)
	for i, line := range out {
		r := make([]rune, len(line))
		for x, bits := range line {
			r[x] = quadrants[bits]
		}
		text[i] = string(r)
	}
	return text
}
