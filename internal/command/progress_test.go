package command

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/omnizarr/zarr/job"
)

func TestProgressLine(t *testing.T) {
	p := job.Progress{Path: "/a", Done: 6, Total: 24, Bytes: 3 << 20}
	got := progressLine(p, "blocks", 3*time.Second, 120)
	if want := "██████░░░░░░░░░░░░░░░░░░  25%  6 of 24 blocks  1 MiB/s  9s left  /a"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := progressLine(job.Progress{}, "blocks", 0, 30); len([]rune(got)) > 29 {
		t.Errorf("too long: %s", got)
	}
}

// Nothing is told of progress through a pipe, unless it is asked for; then it ends
// with a line that sums it up. Records are JSON, one a line, whatever is told.
func TestProgressThroughAPipe(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "s.zarr")
	called(t, "demo", "--no-serve", "--dir", dir) // fails on any word on standard error
	called(t, "verify", "--quiet", dir)
	_, out, errs := ran(t, "verify", "--progress", dir)
	matches(t, errs, `^omnizarr: 100%  35 of 35 chunks`, `^omnizarr: 35 chunks, .* in .* s`)
	if lines := strings.Split(strings.TrimSpace(errs), "\n"); !strings.HasPrefix(lines[len(lines)-1], "omnizarr: 35 chunks, ") || strings.Contains(errs, "\x1b") {
		t.Errorf("%q", errs)
	}
	matches(t, out, `^✓ 6 arrays`)

	for _, c := range []struct {
		args []string
		code int
		want []string // messages, the last one last
	}{
		{[]string{"verify", "--log-format", "json", dir}, exitOK, []string{"progress", "done"}},
		{[]string{"verify", "--log-format=json", "--quiet", dir}, exitOK, nil},
		{[]string{"verify", "--log-format=json", dir + "x"}, exitWrong, []string{"open "}},
		{[]string{"verify", "--jsn", "--log-format", "json", dir}, exitUsage, []string{"unknown flag: --jsn, did you mean --json?"}},
	} {
		code, _, errs := ran(t, c.args...)
		if code != c.code {
			t.Errorf("%q: exit code %d", c.args, code)
		}
		var got []string
		for line := range strings.Lines(errs) {
			var record struct {
				Time, Level, Msg string
				Done, Total      int
				Exit             int
			}
			if err := json.Unmarshal([]byte(line), &record); err != nil || record.Time == "" {
				t.Errorf("%q: %v: %s", c.args, err, line)
			}
			if record.Level == "ERROR" != (record.Exit > 0) || record.Exit > 0 && record.Exit != code {
				t.Errorf("%q: %s", c.args, line)
			}
			got = append(got, record.Msg)
		}
		got = slices.Compact(got)
		if !slices.EqualFunc(got, c.want, strings.HasPrefix) {
			t.Errorf("%q: got %q, want %q", c.args, got, c.want)
		}
	}
	if code, _, errs := ran(t, "verify", "--log-format", "xml", dir); code != exitUsage || !strings.Contains(errs, "must be one of text, json") {
		t.Errorf("%d %s", code, errs)
	}
	if code, _, _ := ran(t, "verify", "--quiet", "--progress", dir); code != exitUsage {
		t.Errorf("exit code %d", code)
	}
}
