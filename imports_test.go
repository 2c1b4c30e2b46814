package zarr_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	brackets = regexp.MustCompile(`\([^)]*\)`)
	quoted   = regexp.MustCompile("`([^`]+)`")
)

// rows gives the row of every package in the table of ARCHITECTURE.md, from the top.
func rows(t *testing.T) map[string]int {
	_, text, _ := strings.Cut(string(must[[]byte](t)(os.ReadFile("ARCHITECTURE.md"))), "\n| package | holds |\n|---|---|\n")
	table, _, _ := strings.Cut(text, "\n\n")
	rows := map[string]int{}
	for line := range strings.Lines(table) {
		var name []string
		row := len(rows) // below all that are above
		for _, found := range quoted.FindAllStringSubmatch(brackets.ReplaceAllString(strings.Split(line, "|")[1], ""), -1) {
			end := strings.Split(found[1], "/")
			name = slices.Concat(name[:max(len(name)-len(end), 0)], end)
			pkg := strings.Join(name, "/")
			if _, twice := rows[pkg]; twice {
				t.Errorf("package %s is in the table twice", pkg)
			}
			rows[pkg] = row
		}
	}
	return rows
}

func TestImportsPointDownwards(t *testing.T) {
	uses, rows := imports(t), rows(t)
	for pkg, list := range uses {
		from, ok := rows[pkg]
		if !ok {
			t.Errorf("package %s is not in the table of ARCHITECTURE.md", pkg)
		}
		slices.Sort(list)
		for _, other := range slices.Compact(list) {
			if to, known := rows[other]; ok && known && to <= from {
				t.Errorf("%s imports %s, which is not below it in the table of ARCHITECTURE.md", pkg, other)
			}
		}
	}
	for pkg := range rows {
		if uses[pkg] == nil {
			t.Errorf("the table of ARCHITECTURE.md has %s, which is no package", pkg)
		}
	}
}
