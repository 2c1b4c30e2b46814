package conformance_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/codec/std"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/grid"
	"github.com/omnizarr/zarr/internal/thorough"
)

const featuresPage = "../../docs/features.md"

// engines are the columns of the tables of the page.
var engines = []string{"Omnizarr", "Tests", "zarrs", "tensorstore", "zarr-python", "zarr-java", "zarrita", "zarr-go"}

var (
	cellBorder = regexp.MustCompile(`(?:^|[^\\])\|`)
	codeSpan   = regexp.MustCompile("`([^`]+)`")
	testLink   = regexp.MustCompile(`\[((?:Test|Example|Fuzz)\w*)\]\[([^\]]+)\]`)
	anyLink    = regexp.MustCompile(`\]\[([^\]]+)\]`)
	linkTarget = regexp.MustCompile(`(?m)^\[([^\]]+)\]: (\S+)$`)
	verdict    = regexp.MustCompile(`^(?:[YRWPX](?:/[YRWPX])?|\?)(?: |$)`)
)

// featureRow is a row of a table that has a column for Omnizarr.
type featureRow struct {
	name, ours, tests string
	others            []string
}

// featureRows reads the tables of the page.
func featureRows(t *testing.T, page string) []featureRow {
	t.Helper()
	var rows []featureRow
	inside := false
	for line := range strings.Lines(page) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "|") {
			inside = false
			continue
		}
		cells := splitCells(line)
		switch {
		case slices.Contains(cells, engines[0]):
			if !slices.Equal(cells[1:], engines) {
				t.Errorf("columns %q", cells)
			}
			inside = true
		case !inside || strings.HasPrefix(cells[0], "---"):
		case len(cells) != len(engines)+1:
			t.Errorf("%s has %d cells", cells[0], len(cells))
		default:
			rows = append(rows, featureRow{cells[0], cells[1], cells[2], cells[3:]})
		}
	}
	return rows
}

func splitCells(line string) []string {
	line = strings.TrimSuffix(strings.TrimPrefix(line, "|"), "|")
	var cells []string
	for {
		at := cellBorder.FindStringIndex(line)
		if at == nil {
			return append(cells, strings.TrimSpace(line))
		}
		cells = append(cells, strings.TrimSpace(line[:at[1]-1]))
		line = line[at[1]:]
	}
}

// features is the page with what it can name.
type features struct {
	page    string
	targets map[string]string          // of links, by label
	funcs   map[string]map[string]bool // of test files, by path
	corpus  []string                   // STORE/ARRAY
	interop string                     // the sources of its cases
}

func readFeatures(t *testing.T) *features {
	t.Helper()
	f := &features{page: string(must[[]byte](t)(os.ReadFile(featuresPage))), targets: map[string]string{}, funcs: map[string]map[string]bool{}}
	for _, m := range linkTarget.FindAllStringSubmatch(f.page, -1) {
		if f.targets[m[1]] != "" {
			t.Errorf("[%s] is defined twice", m[1])
		}
		f.targets[m[1]] = filepath.Join(filepath.Dir(featuresPage), filepath.FromSlash(m[2]))
	}
	for store, e := range loadExpected(t) {
		for path := range e.Arrays {
			f.corpus = append(f.corpus, store+"/"+path)
		}
	}
	for _, name := range must[[]string](t)(filepath.Glob("../../interop/*.go")) {
		f.interop += string(must[[]byte](t)(os.ReadFile(name)))
	}
	return f
}

// has reports whether a test file declares a test.
func (f *features) has(t *testing.T, file, test string) bool {
	t.Helper()
	if f.funcs[file] == nil {
		f.funcs[file] = map[string]bool{}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil || !strings.HasSuffix(file, "_test.go") {
			t.Errorf("%s is no file of tests: %v", file, err)
			return false
		}
		for _, d := range parsed.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil {
				f.funcs[file][fn.Name.Name] = true
			}
		}
	}
	return f.funcs[file][test]
}

// count checks what a cell names and returns how many tests that are. Cases of
// interop do not count: they are not run by go test.
func (f *features) count(t *testing.T, row featureRow) int {
	t.Helper()
	n := 0
	for _, m := range testLink.FindAllStringSubmatch(row.tests, -1) {
		if file := f.targets[m[2]]; file != "" && f.has(t, file, m[1]) {
			n++
		} else {
			t.Errorf("%s: there is no %s in %q", row.name, m[1], file)
		}
	}
	for _, m := range codeSpan.FindAllStringSubmatch(row.tests, -1) {
		kind, name, _ := strings.Cut(m[1], ": ")
		switch kind {
		case "corpus":
			if !slices.ContainsFunc(f.corpus, pattern(name).MatchString) {
				t.Errorf("%s: no array of the corpus is %s", row.name, name)
			}
			n++
		case "script":
			if _, err := os.Stat(filepath.Join("../command/testdata", name+".txtar")); err != nil {
				t.Errorf("%s: %v", row.name, err)
			}
			n++
		case "interop":
			if family, _, _ := strings.Cut(name, "*"); !strings.Contains(f.interop, `"`+family) {
				t.Errorf("%s: no case of interop begins with %s", row.name, family)
			}
		default:
			t.Errorf("%s: %q names no test", row.name, m[1])
		}
	}
	return n
}

// pattern matches names in which * stands for anything.
func pattern(text string) *regexp.Regexp {
	return regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(text), `\*`, ".*") + "$")
}

// What the page says that Omnizarr can do is tested, by tests that exist.
func TestFeaturesAreTested(t *testing.T) {
	if thorough.Least(true, false, false) {
		t.Skip("nothing runs but a parser")
	}
	f := readFeatures(t)
	rows := featureRows(t, f.page)
	if len(rows) < 150 {
		t.Errorf("only %d rows", len(rows))
	}
	for _, row := range rows {
		for _, cell := range append([]string{row.ours}, row.others...) {
			if !verdict.MatchString(cell) {
				t.Errorf("%s: %q says neither yes nor no", row.name, cell)
			}
		}
		switch n := f.count(t, row); {
		case strings.HasPrefix(row.ours, "?"):
			t.Errorf("%s: nobody knows whether Omnizarr can", row.name)
		case !strings.HasPrefix(row.ours, "X") && n == 0:
			t.Errorf("%s: no test shows it", row.name)
		case strings.HasPrefix(row.ours, "X") && row.tests != "":
			t.Errorf("%s: cannot be done, and is tested", row.name)
		}
	}
	used := map[string]bool{}
	for _, m := range anyLink.FindAllStringSubmatch(f.page, -1) {
		used[m[1]] = true
	}
	for label := range used {
		if f.targets[label] == "" {
			t.Errorf("[%s] leads nowhere", label)
		}
	}
	for label, file := range f.targets {
		if !used[label] {
			t.Errorf("[%s] is not used", label)
		}
		if _, err := os.Stat(file); err != nil {
			t.Errorf("[%s]: %v", label, err)
		}
	}
}

// Everything that can stand in metadata is on the page.
func TestFeaturesAreComplete(t *testing.T) {
	named := map[string]bool{}
	for _, row := range featureRows(t, string(must[[]byte](t)(os.ReadFile(featuresPage)))) {
		for _, m := range codeSpan.FindAllStringSubmatch(row.name, -1) {
			named[m[1]] = true
		}
	}
	grids, keys := grid.NewRegistry().Names()
	for what, names := range map[string][]string{
		"codec": std.Registry().Names(), "data type": dtype.NewRegistry().Names(), "grid": grids, "key encoding": keys,
	} {
		for _, name := range names {
			if !named[name] {
				t.Errorf("%s %s is not on %s", what, name, featuresPage)
			}
		}
	}
}
