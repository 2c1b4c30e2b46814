package command

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/internal/race"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/kind/std"
)

// TestPageOfNWB runs all that docs/nwb.md shows: its commands, one after the other in
// a folder with sessions of pynwb's, and its Go, which is taken from programs that
// tests run.
func TestPageOfNWB(t *testing.T) {
	if race.Enabled && !thorough.Enabled {
		t.Skip("scripts run the same commands")
	}
	page, err := os.ReadFile("../../docs/nwb.md")
	if err != nil {
		t.Fatal(err)
	}
	var programs []string
	for _, file := range []string{"../../examples/record/main.go", "../../format/hdmf/nwb/example_test.go"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		programs = append(programs, string(text))
	}
	record := "" // the program takes its time to be built, and has a test of its own
	if thorough.Enabled {
		record = filepath.Join(t.TempDir(), "record")
		if text, err := exec.Command("go", "build", "-o", record, "../../examples/record").CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
	}
	t.Chdir(t.TempDir())
	sessionIn(t, "session_v3", "session.nwb.zarr")
	sessionIn(t, thorough.Of("session_v3", "session_v3_plain"), "good.nwb.zarr")
	for _, video := range []string{"clip_0.avi", "clip_1.avi"} { // that the session refers to
		if err := os.WriteFile(video, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	commands, snippets := 0, 0
	for _, m := range regexp.MustCompile("(?ms)^```(\\w*)\n(.*?)^```$").FindAllStringSubmatch(string(page), -1) {
		switch m[1] {
		case "sh":
			for line := range strings.Lines(m[2]) {
				runLine(t, record, strings.TrimSpace(line))
				commands++
			}
		case "go":
			if !strings.Contains(programs[0], m[2]) && !strings.Contains(programs[1], m[2]) {
				t.Errorf("no program that is run has\n%s", m[2])
			}
			snippets++
		default:
			t.Errorf("nobody runs %q", m[2])
		}
	}
	if commands < 15 || snippets < 6 {
		t.Errorf("%d commands and %d pieces of Go were found", commands, snippets)
	}
}

// runLine runs a command of a page.
func runLine(t *testing.T, record, line string) {
	t.Helper()
	if record == "" && strings.Contains(line, "m17.nwb.zarr") {
		return
	}
	words := shellWords(line)
	if rest, ok := strings.CutPrefix(line, "go run ./examples/record "); ok {
		if text, err := exec.Command(record, strings.Fields(rest)...).CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", line, err, text)
		}
		return
	}
	if words[0] != "omnizarr" {
		t.Errorf("%q is no command", line)
		return
	}
	var out, errs bytes.Buffer
	if code := Run(std.Kinds(), words[1:], strings.NewReader(""), &out, &errs); code != exitOK {
		t.Errorf("%s: exit code %d, %s%s", line, code, &out, &errs)
	}
}
