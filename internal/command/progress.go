package command

import (
	"fmt"
	"strings"
	"time"

	"github.com/omnizarr/zarr/internal/words"
	"github.com/omnizarr/zarr/job"
)

// progress tells on standard error how far a job is: a bar on a terminal, lines with
// --progress, records with --log-format json, else nothing.
type progress struct {
	tells func(now job.Progress, spent time.Duration) // nil: nobody is looking
	every time.Duration
	clear string // what takes the bar away
	a     *app
	unit  string
	began time.Time
	shown time.Time
	last  job.Progress
}

// newProgress begins to tell of a job whose items are of a unit, such as chunks. Its
// end must be told by end, or by done.
func (a *app) newProgress(unit string) *progress {
	p := &progress{a: a, unit: unit, began: time.Now(), every: time.Second}
	switch {
	case a.quiet:
	case a.logger != nil:
		p.tells = func(now job.Progress, spent time.Duration) {
			a.logger.Info("progress", "unit", unit, "done", now.Done, "total", now.Total, "bytes", now.Bytes, "path", now.Path, "seconds", spent.Seconds())
		}
	case isTerminal(a.err):
		p.every, p.clear = 100*time.Millisecond, "\r\x1b[K"
		p.tells = func(now job.Progress, spent time.Duration) {
			fmt.Fprint(a.err, p.clear+progressLine(now, unit, spent, columns()))
		}
	case a.progress:
		p.tells = func(now job.Progress, spent time.Duration) {
			fmt.Fprintf(a.err, "%s: %s\n", a.name, strings.TrimSpace(progressText(now, unit, spent)))
		}
	}
	return p
}

// tell gives the function that a job calls, nil if nobody is looking.
func (p *progress) tell() func(job.Progress) {
	if p.tells == nil {
		return nil
	}
	return func(now job.Progress) {
		p.last = now
		if time.Since(p.shown) < p.every && now.Done < now.Total {
			return
		}
		p.shown = time.Now()
		p.tells(now, time.Since(p.began))
	}
}

// end is for a job that failed or has nothing to add.
func (p *progress) end() {
	if p.clear != "" && !p.shown.IsZero() {
		fmt.Fprint(p.a.err, p.clear)
		p.clear = ""
	}
}

// done ends with a line that sums the job up. Without a text it says what was done and
// how fast. attrs are names and values that go with it into a log.
func (p *progress) done(text string, attrs ...any) {
	p.end()
	if p.tells == nil {
		return
	}
	spent := time.Since(p.began)
	if p.a.logger != nil {
		p.a.logger.Info("done", append([]any{"unit", p.unit, "done", p.last.Done, "bytes", p.last.Bytes, "seconds", spent.Seconds()}, attrs...)...)
		return
	}
	if text == "" {
		text = fmt.Sprintf("%d %s, %s in %s", p.last.Done, p.unit, size(float64(p.last.Bytes)), shortly(spent))
		if s := spent.Seconds(); s > 0.5 {
			text += ", " + size(float64(p.last.Bytes)/s) + "/s"
		}
	}
	fmt.Fprintf(p.a.err, "%s: %s\n", p.a.name, words.OneLine(text))
}

// shortly writes a time as people say it.
func shortly(d time.Duration) string {
	if d < time.Minute {
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return d.Round(time.Second).String()
}

// part is how much is done, from 0 to 1.
func part(now job.Progress) float64 {
	if now.Total <= 0 {
		return 0
	}
	return min(float64(now.Done)/float64(now.Total), 1)
}

// progressLine is a bar and what it means.
func progressLine(now job.Progress, unit string, spent time.Duration, width int) string {
	const bar = 24
	full := int(part(now) * bar)
	line := strings.Repeat("█", full) + strings.Repeat("░", bar-full) + progressText(now, unit, spent)
	return words.Cut(line, max(width-1, bar))
}

// progressText is what a bar means.
func progressText(now job.Progress, unit string, spent time.Duration) string {
	part := part(now)
	line := fmt.Sprintf(" %3.0f%%  %d of %d %s", 100*part, now.Done, now.Total, unit)
	if s := spent.Seconds(); s > 0.5 {
		line += "  " + size(float64(now.Bytes)/s) + "/s"
		if part > 0 && part < 1 {
			left := time.Duration(s * (1 - part) / part * float64(time.Second))
			line += "  " + left.Round(time.Second).String() + " left"
		}
	}
	return line + "  " + words.Visible(now.Path)
}
