package zarr_test

import (
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"
)

// Every sentence of docs/reliability.md is proven by tests that it names, and
// they exist.
func TestPromisesAreProven(t *testing.T) {
	known := map[string]bool{}
	declared := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
	err := fs.WalkDir(os.DirFS("."), ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".peers" || d.Name() == ".git" || d.Name() == "testdata"):
			return fs.SkipDir
		case !strings.HasSuffix(path, ".go"):
			return nil
		}
		text, err := os.ReadFile(path)
		for _, m := range declared.FindAllSubmatch(text, -1) {
			known[string(m[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile(`\b(?:Test|Fuzz)[A-Z]\w+`)
	for _, page := range []string{"docs/reliability.md"} {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for paragraph := range strings.SplitSeq(string(text), "\n\n") {
			names := named.FindAllString(paragraph, -1)
			if len(names) == 0 && strings.HasPrefix(paragraph, "**") {
				t.Errorf("%s promises without a test: %.60s", page, paragraph)
			}
			for _, name := range names {
				if !known[name] {
					t.Errorf("%s names %s, which there is not", page, name)
				}
			}
		}
	}
}
