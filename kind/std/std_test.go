package std_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/internal/leaktest"
	"github.com/omnizarr/zarr/kind"
	"github.com/omnizarr/zarr/kind/std"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

const module = "github.com/omnizarr/zarr"

// nameless are the folders whose code knows no kind in particular: a new one touches
// none of them.
var nameless = []string{"job", "job/copying", "job/check", "job/virtual", "kind", "convention", "rows", "internal/command", "cmd/omnizarr"}

// Jobs and the command name neither a format nor a convention, in imports or in what
// they say, but for Zarr v3, which all others are shown as.
func TestJobsAndTheCommandNameNoKind(t *testing.T) {
	words := []string{"nwb", "ngff"}
	for _, k := range std.Kinds() {
		words = append(words, k.Name())
	}
	words = append(words, std.Kinds().Formats()...)
	words = slices.DeleteFunc(words, func(w string) bool { return w == kind.Zarr3{}.Name() })
	named := regexp.MustCompile(`(?i)(^|[^a-z0-9])(` + strings.Join(words, "|") + `)([^a-z0-9]|$)`)
	allowed := []string{module + "/format", module + "/format/std", module + "/format/translate"}
	for _, dir := range nameless {
		files, err := filepath.Glob(filepath.Join("..", "..", dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Errorf("%s holds no code (%v)", dir, err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			set := token.NewFileSet()
			f, err := parser.ParseFile(set, file, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(f, func(n ast.Node) bool {
				text, ok := n.(*ast.BasicLit)
				if !ok || text.Kind != token.STRING {
					return true
				}
				value, err := strconv.Unquote(text.Value)
				if err != nil {
					t.Fatal(err)
				}
				if strings.HasPrefix(value, module+"/format") && !slices.Contains(allowed, value) || named.MatchString(value) {
					t.Errorf("%s: %s", set.Position(text.Pos()), named.FindString(value))
				}
				return true
			})
		}
	}
}

func TestEveryNameOfAFormatIsOfOneKind(t *testing.T) {
	kinds := std.Kinds()
	formats := kinds.Formats()
	if len(slices.Compact(slices.Sorted(slices.Values(formats)))) != len(formats) {
		t.Errorf("two kinds have the same name: %v", formats)
	}
	for _, name := range formats {
		f, err := kinds.Target(name).Format(name)
		if err != nil || f.Name() != name {
			t.Errorf("%s: %v, %v", name, f, err)
		}
	}
}

func Example() {
	kinds := std.Kinds()
	fmt.Println(kinds.Formats())
	for _, url := range []string{"em.n5", "scan.ome.tif", "em|zarr2:raw", "em.zarr"} {
		fmt.Printf("%s: %q %q\n", url, kinds.Piped(url), kinds.Named(url))
	}
	// Output:
	// [zarr3 zarr2 n5 tiff cog]
	// em.n5: "" "n5"
	// scan.ome.tif: "" "tiff"
	// em|zarr2:raw: "zarr2" ""
	// em.zarr: "" ""
}
