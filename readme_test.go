package zarr_test

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

	"github.com/omnizarr/zarr/internal/thorough"
)

// exported lists the names that a package has, methods too.
func exported(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	check(t, err)
	var names []string
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		check(t, err)
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				names = append(names, n.Name.Name)
			case *ast.TypeSpec:
				names = append(names, n.Name.Name)
			case *ast.ValueSpec:
				for _, id := range n.Names {
					names = append(names, id.Name)
				}
			}
			return true
		})
	}
	return names
}

// What the README names is there.
func TestTheReadmeNamesWhatIsThere(t *testing.T) {
	if thorough.Least(true, false, false) {
		t.Skip("nothing runs but a parser")
	}
	page, err := os.ReadFile("README.md")
	check(t, err)
	for name, dir := range map[string]string{
		"zarr": ".", "pad": "codec/pad", "std": "codec/std", "codec": "codec", "nd": "nd", "hdmf": "format/hdmf", "n5": "format/n5", "tiff": "format/tiff",
	} {
		names := exported(t, dir)
		for _, m := range regexp.MustCompile(`\b`+name+`\.([A-Z]\w*)`).FindAllStringSubmatch(string(page), -1) {
			if !slices.Contains(names, m[1]) {
				t.Errorf("%s is not there", m[0])
			}
		}
	}
	for _, m := range regexp.MustCompile(`\]\(([^)#:, ]+)\)`).FindAllStringSubmatch(string(page), -1) {
		if _, err := os.Stat(m[1]); err != nil {
			t.Error(err)
		}
	}
}

// The code about headers is that of the example, which is run.
func TestTheReadmeShowsTheExampleOfHeaders(t *testing.T) {
	page, err := os.ReadFile("README.md")
	check(t, err)
	example, err := os.ReadFile("example_header_test.go")
	check(t, err)
	code := ""
	for _, block := range strings.Split(string(page), "```go\n")[1:] {
		if block, _, _ = strings.Cut(block, "```"); strings.Contains(block, "pad.Parser") {
			code = block
		}
	}
	if !strings.Contains(strings.ReplaceAll(string(example), "\n\t", "\n"), code) || code == "" {
		t.Errorf("the example is another than\n%s", code)
	}
}
