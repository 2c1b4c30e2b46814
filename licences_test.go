package zarr_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// ownModules are those of this repository.
var ownModules = []string{".", "bench", "interop", "beam"}

// How licences are known by their words.
var licences = []struct{ name, words string }{
	{"Apache-2.0", "Apache License"},
	{"MPL-2.0", "Mozilla Public License"},
	{"BSD-3-Clause", "Neither the name"},
	{"BSD-3-Clause", "names of its contributors may be used"},
	{"BSD-2-Clause", "Redistributions in binary form"},
	{"MIT", "Permission is hereby granted, free of charge"},
	{"ISC", "Permission to use, copy, modify, and/or distribute"},
	{"ISC", "Permission to use, copy, modify, and distribute"},
}

// licenceOf names the licence of a module by its file.
func licenceOf(dir string) string {
	files, _ := filepath.Glob(filepath.Join(dir, "[LC]*"))
	for _, f := range files {
		name := strings.ToUpper(filepath.Base(f))
		if !strings.HasPrefix(name, "LICEN") && !strings.HasPrefix(name, "COPYING") {
			continue
		}
		text, err := os.ReadFile(f)
		if err != nil {
			continue
		}
		plain := strings.Join(strings.Fields(string(text)), " ")
		var found []string // some files hold more than one, for parts of the module
		for _, l := range licences {
			if strings.Contains(plain, l.words) && !slices.Contains(found, l.name) && !(l.name == "BSD-2-Clause" && slices.Contains(found, "BSD-3-Clause")) {
				found = append(found, l.name)
			}
		}
		return strings.Join(found, "+")
	}
	return ""
}

// docs/licences.md lists every module that is built or tested with, by its licence. -update
// writes it anew.
func TestLicencesAreListed(t *testing.T) {
	have, err := os.ReadFile("docs/licences.md")
	if err != nil && !*updateAPI {
		t.Fatal(err)
	}
	known := map[string]string{} // licences of modules whose files are not on this machine
	for _, m := range regexp.MustCompile("(?m)^\\| `(\\S+)` \\| (\\S+) \\|").FindAllSubmatch(have, -1) {
		known[string(m[1])] = string(m[2])
	}
	var text strings.Builder
	text.WriteString("# Licences\n\nOmnizarr is under Apache-2.0. These are the modules of others that it, its measurements, its tests and its jobs on Beam are built of; only those of the first list are in the command.\n" +
		"`go test -run TestLicencesAreListed . -update` writes this page, and the test fails when it is not current.\n")
	for _, dir := range ownModules {
		fmt.Fprintf(&text, "\n## %s\n\n| module | licence |\n|---|---|\n", map[string]string{".": "The library and the command", "bench": "`bench`", "interop": "`interop`", "beam": "`beam`"}[dir])
		for _, m := range required(t, dir) {
			licence := known[m]
			if dirOf := moduleDir(m); dirOf != "" {
				licence = licenceOf(dirOf)
			}
			if licence == "" {
				t.Errorf("%s: the licence of %s is not known", dir, m)
			}
			fmt.Fprintf(&text, "| `%s` | %s |\n", m, licence)
		}
	}
	if *updateAPI {
		if err := os.WriteFile("docs/licences.md", []byte(text.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	} else if text.String() != string(have) {
		t.Error("docs/licences.md is not current: go test -run TestLicencesAreListed . -update")
	}
}

var requirement = regexp.MustCompile(`(?m)^(?:require )?\s*([\w.\-/~]+\.[\w.\-/~]+) v\S+`)

// required are the modules that a go.mod names, which are all that packages are taken from.
func required(t *testing.T, dir string) (list []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range requirement.FindAllStringSubmatch(string(text), -1) {
		if !strings.HasPrefix(m[1], "github.com/omnizarr/") {
			list = append(list, m[1])
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// moduleDir is where some version of a module lies on this machine, "" if it does not.
func moduleDir(path string) string {
	cache := os.Getenv("GOMODCACHE")
	if cache == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return ""
		}
		cache = filepath.Join(home, "go", "pkg", "mod")
	}
	escaped := regexp.MustCompile(`[A-Z]`).ReplaceAllStringFunc(path, func(s string) string { return "!" + strings.ToLower(s) })
	found, _ := filepath.Glob(filepath.Join(cache, filepath.FromSlash(escaped)) + "@*")
	if len(found) == 0 {
		return ""
	}
	return found[len(found)-1]
}

// No module stands in for another. Those beside the library find it by their go.work.
func TestNothingIsReplaced(t *testing.T) {
	for _, dir := range ownModules {
		for _, name := range []string{"go.mod", "go.work"} {
			text, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil && !(dir == "." && name == "go.work") {
				t.Fatal(err)
			}
			if strings.Contains(string(text), "=>") {
				t.Errorf("%s/%s replaces a module:\n%s", dir, name, text)
			}
		}
	}
}
