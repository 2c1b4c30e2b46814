package command

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/disk"
	"github.com/omnizarr/zarr/internal/disk/disktest"
	"github.com/omnizarr/zarr/internal/thorough"
)

// A power cut at any moment of a command with --sync leaves what was there before, or what
// comes of the command, and the same command run again ends as if nothing had happened.
// When the command had ended, all of it is there.
func TestPowerCut(t *testing.T) {
	from := t.TempDir()
	killSources(t, from, 7)
	source := func(name string) string { return filepath.Join(from, name) }
	into := func(name string, args ...string) func(dir string) []string {
		return func(dir string) []string { return append(args, filepath.Join(dir, name)) }
	}
	made := func(t *testing.T, dir string, args ...string) {
		t.Helper()
		if code, _, errs := ran(t, args...); code != 0 {
			t.Fatal(errs)
		}
	}
	for _, c := range []struct {
		name    string
		prepare func(t *testing.T, dir string)
		args    func(dir string) []string
		target  string
		// old says that the target is there before, and reads as it did, or as it does
		// in the end.
		old bool
	}{
		{name: "zarr3", args: into("new/c.zarr", "copy", "--sync", source("a.zarr")), target: "new/c.zarr"},
		{name: "shards", args: into("c.zarr", "copy", "--sync", "--chunks", "8,8", "--shards", "24,24", source("a.zarr")+"/values"), target: "c.zarr"},
		{name: "zarr2", args: into("c.zarr", "copy", "--sync", "--to", "zarr2", source("a.zarr")), target: "c.zarr"},
		{name: "n5", args: into("c.n5", "copy", "--sync", source("a.zarr")), target: "c.n5"},
		{name: "zip", args: into("new/c.zip", "copy", "--sync", source("a.zarr")), target: "new/c.zip"},
		{name: "tiff", args: into("c.tif", "copy", "--sync", source("a.zarr")+"/values"), target: "c.tif"},
		{name: "hdmf", args: into("c.zarr", "copy", "--sync", "--chunks", "24,24", source("n.zarr")), target: "c.zarr"},
		{name: "inside", prepare: func(t *testing.T, dir string) {
			made(t, dir, "copy", source("a.zarr"), filepath.Join(dir, "c.zarr"))
		}, args: into("c.zarr/more", "copy", "--sync", source("a.zarr")+"/values"), target: "c.zarr", old: true},
		{name: "overwrite", prepare: func(t *testing.T, dir string) {
			made(t, dir, "copy", source("a.zarr")+"/values", filepath.Join(dir, "c.zarr"))
		}, args: into("c.zarr", "copy", "--sync", "--overwrite", source("a.zarr")), target: "c.zarr", old: true},
		{name: "overwrite zip", prepare: func(t *testing.T, dir string) {
			made(t, dir, "copy", source("a.zarr")+"/values", filepath.Join(dir, "c.zip"))
		}, args: into("c.zip", "copy", "--sync", "--overwrite", source("a.zarr")), target: "c.zip", old: true},
		{name: "migrate", prepare: func(t *testing.T, dir string) {
			made(t, dir, "copy", "--to", "zarr2", source("a.zarr"), filepath.Join(dir, "c.zarr"))
		}, args: into("c.zarr", "migrate"), target: "c.zarr", old: true},
		{name: "migrate back", prepare: func(t *testing.T, dir string) {
			made(t, dir, "copy", "--to", "zarr2", source("a.zarr"), filepath.Join(dir, "c.zarr"))
			made(t, dir, "migrate", filepath.Join(dir, "c.zarr"))
		}, args: into("c.zarr", "migrate", "--to", "zarr2"), target: "c.zarr", old: true},
		{name: "adopt", prepare: func(t *testing.T, dir string) {
			made(t, dir, "copy", source("a.zarr"), filepath.Join(dir, "c.n5"))
		}, args: into("c.n5", "adopt"), target: "c.n5", old: true},
		{name: "attrs", prepare: func(t *testing.T, dir string) {
			made(t, dir, "copy", source("a.zarr"), filepath.Join(dir, "c.zarr"))
		}, args: func(dir string) []string {
			return []string{"attrs", "set", filepath.Join(dir, "c.zarr/values"), "unit", `"nm"`}
		},
			target: "c.zarr", old: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			if c.prepare != nil {
				c.prepare(t, dir)
			}
			reads := func(dir string) (string, error) {
				code, out, errs := ran(t, "dump", "--json", filepath.Join(dir, filepath.FromSlash(c.target)))
				if code != 0 {
					return "", fmt.Errorf("%s", errs)
				}
				return out, nil
			}
			var before string
			var err error
			if c.old {
				if before, err = reads(dir); err != nil {
					t.Fatal(err)
				}
			}
			r := disktest.Record(t, dir)
			made(t, dir, c.args(dir)...)
			r.Stop()
			if r.Count(disk.Flush) == 0 || r.Count(disk.FlushFolder) == 0 {
				t.Fatal("nothing was flushed")
			}
			whole := disktest.Files(t, dir)
			after, err := reads(dir)
			if err != nil {
				t.Fatal(err)
			}
			r.Cuts(t, powerStep(), 1, func(t *testing.T, cut disktest.Cut) {
				got, err := reads(cut.Dir)
				switch {
				case cut.Done && got != after:
					t.Errorf("what was done is gone: %v", err)
				case c.old && got != before && got != after:
					t.Errorf("neither the old nor the new: %v\n%s", err, got)
				case err == nil && !c.old && got != after:
					t.Errorf("half of it opens:\n%s", got)
				}
				if code, _, errs := ran(t, c.args(cut.Dir)...); code != 0 {
					t.Errorf("run again: %s", errs)
					return
				}
				if c.old { // what stands in place is not searched for what others left, but by repair
					tidied(t, cut.Dir, filepath.Join(cut.Dir, filepath.FromSlash(c.target)))
				}
				if got := disktest.Files(t, cut.Dir); !maps.Equal(got, whole) {
					t.Errorf("run again, there is %d files, want %d: %s", len(got), len(whole), differing(got, whole))
				}
			})
		})
	}
}

// tidied lets repair remove the temporary files of writers that are dead, if there are any.
func tidied(t *testing.T, dir, target string) {
	t.Helper()
	left := 0
	for path := range disktest.Files(t, dir) {
		if ok, _ := filepath.Match(".omnizarr-????????????????.tmp", filepath.Base(path)); ok {
			left++
			long := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
			must(t, os.Chtimes(filepath.Join(dir, path), long, long))
		}
	}
	if left == 0 {
		return
	}
	if code, _, errs := ran(t, "repair", "--no-chunks", "--yes", target); code != 0 {
		t.Error(errs)
	}
}

// differing tells in which files two folders differ.
func differing(got, want map[string]string) (out []string) {
	for path, text := range want {
		if has, ok := got[path]; !ok {
			out = append(out, "no "+path)
		} else if has != text {
			out = append(out, fmt.Sprintf("%s: %q, want %q", path, cutText(has), cutText(text)))
		}
	}
	for path := range got {
		if _, ok := want[path]; !ok {
			out = append(out, "also "+path)
		}
	}
	return out
}

func cutText(s string) string { return s[:min(len(s), 300)] }

// Without --sync a power cut may take a copy away, and leave documents without chunks when it
// had ended. But a copy that was on its way when the power went does not believe what it
// finds: run again, it ends as if nothing had happened.
func TestPowerCutWithoutSync(t *testing.T) {
	from := t.TempDir()
	killSources(t, from, 7)
	for name, args := range map[string][]string{
		"c.zarr": {"copy", filepath.Join(from, "a.zarr")},
		"s.zarr": {"copy", "--chunks", "8,8", "--shards", "24,24", filepath.Join(from, "a.zarr", "values")},
		"c.zip":  {"copy", filepath.Join(from, "a.zarr")},
		"c.tif":  {"copy", filepath.Join(from, "a.zarr", "values")},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			r := disktest.Record(t, dir)
			if code, _, errs := ran(t, append(args, filepath.Join(dir, name))...); code != 0 {
				t.Fatal(errs)
			}
			r.Stop()
			whole := disktest.Files(t, dir)
			r.Cuts(t, powerStep(), 1, func(t *testing.T, cut disktest.Cut) {
				begun, _ := filepath.Glob(filepath.Join(cut.Dir, "*", "*.json"))
				if len(begun) > 0 || cut.Done { // the root document is the end of the copy
					return
				}
				restarted(t, filepath.Join(cut.Dir, name, zarr.Unfinished))
				again := append(args, filepath.Join(cut.Dir, name))
				code, _, errs := ran(t, again...)
				if code != 0 { // what is not known is not taken for anything, and replaced when that is wanted
					code, _, errs = ran(t, append(again, "--overwrite")...)
				}
				if code != 0 {
					t.Errorf("run again: %s", errs)
				} else if got := disktest.Files(t, cut.Dir); !maps.Equal(got, whole) {
					t.Errorf("run again: %s", differing(got, whole))
				}
			})
		})
	}
}

// restarted makes a mark one of an earlier start of the system.
func restarted(t *testing.T, mark string) {
	t.Helper()
	if text, err := os.ReadFile(mark); err == nil {
		must(t, os.WriteFile(mark, regexp.MustCompile(`"boot":"[^"]*"`).ReplaceAll(text, []byte(`"boot":"earlier"`)), 0o666))
	}
}

// powerStep is behind how many changes the power is cut once: each where OMNIZARR_POWER is
// set, which takes the better part of an hour.
func powerStep() int {
	switch {
	case os.Getenv("OMNIZARR_POWER") != "":
		return 1
	case thorough.Enabled:
		return 32
	}
	return thorough.Least(192, 96, 96)
}

// A zip that is copied twice has the same bytes, whoever comes first among its chunks.
func TestAZipCopiedTwiceIsTheSame(t *testing.T) {
	dir := t.TempDir()
	killSources(t, dir, 3)
	var first []byte
	for i, workers := range []string{"1", "7", "2", "7"} {
		to := filepath.Join(dir, fmt.Sprint(i), "c.zip")
		if code, _, errs := ran(t, "copy", "--workers", workers, filepath.Join(dir, "a.zarr"), to); code != 0 {
			t.Fatal(errs)
		}
		text, err := os.ReadFile(to)
		must(t, err)
		if i == 0 {
			first = text
		}
		if !bytes.Equal(first, text) {
			t.Errorf("with %s workers %d bytes, and others than with one, %d", workers, len(text), len(first))
		}
	}
}
