package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/omnizarr/zarr/internal/words"
	"github.com/omnizarr/zarr/job"
)

// progress shows on a terminal how far a job is, on a line of its own.
type progress struct {
	out   io.Writer // nil: nobody is looking
	unit  string
	began time.Time
	shown time.Time
}

// newProgress makes a progress line on standard error.
func (a *app) newProgress(unit string) *progress {
	p := &progress{unit: unit, began: time.Now()}
	if isTerminal(a.err) {
		p.out = a.err
	}
	return p
}

// tell gives the function that a job calls, nil if nobody is looking.
func (p *progress) tell() func(job.Progress) {
	if p.out == nil {
		return nil
	}
	return func(now job.Progress) {
		if time.Since(p.shown) < 100*time.Millisecond && now.Done < now.Total {
			return
		}
		p.shown = time.Now()
		fmt.Fprint(p.out, "\r\x1b[K"+progressLine(now, p.unit, time.Since(p.began), columns()))
	}
}

// end clears the line.
func (p *progress) end() {
	if p.out != nil && !p.shown.IsZero() {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
}

// progressLine is a bar and what it means.
func progressLine(now job.Progress, unit string, spent time.Duration, width int) string {
	const bar = 24
	part := 0.0
	if now.Total > 0 {
		part = float64(now.Done) / float64(now.Total)
	}
	full := int(part * bar)
	line := fmt.Sprintf("%s%s %3.0f%%  %d of %d %s", strings.Repeat("█", full), strings.Repeat("░", bar-full), 100*part, now.Done, now.Total, unit)
	if s := spent.Seconds(); s > 0.5 {
		line += "  " + size(float64(now.Bytes)/s) + "/s"
		if part > 0 && part < 1 {
			left := time.Duration(s * (1 - part) / part * float64(time.Second))
			line += "  " + left.Round(time.Second).String() + " left"
		}
	}
	return words.Cut(line+"  "+now.Path, max(width-1, bar))
}
