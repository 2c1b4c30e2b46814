package zarr_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/omnizarr/zarr/internal/thorough"
)

const module = "github.com/omnizarr/zarr"

// source is a package of this module as it is written, for all systems.
type source struct {
	files   []*ast.File // without tests
	example bool        // one is run
}

// sources are all packages, by their folders.
func sources(t *testing.T) map[string]*source {
	t.Helper()
	if thorough.Least(true, false, false) {
		t.Skip("nothing runs but a parser")
	}
	return must[map[string]*source](t)(readSources())
}

var readSources = sync.OnceValues(func() (map[string]*source, error) {
	out := map[string]*source{}
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			_, nested := statModule(file)
			if file != "." && (strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || name == "testdata" || nested) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		pkg := path.Dir(filepath.ToSlash(file))
		if out[pkg] == nil {
			out[pkg] = &source{}
		}
		if strings.HasSuffix(name, "_test.go") {
			_, example, _ := bytes.Cut(text, []byte("\nfunc Example"))
			if bytes.Contains(example, []byte("// Output:")) || bytes.Contains(example, []byte("// Unordered output:")) {
				out[pkg].example = true
			}
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, text, parser.ParseComments|parser.SkipObjectResolution)
		out[pkg].files = append(out[pkg].files, f)
		return err
	})
	return out, err
})

// statModule reports whether a folder below is a module of its own.
func statModule(dir string) (string, bool) {
	matches, err := filepath.Glob(filepath.Join(dir, "go.mod"))
	return dir, err == nil && len(matches) > 0
}

// imports lists what every package of this module imports of it.
func imports(t *testing.T) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	for pkg, s := range sources(t) {
		list := []string{}
		for _, f := range s.files {
			for _, i := range f.Imports {
				name := must[string](t)(strconv.Unquote(i.Path.Value))
				if name == module {
					list = append(list, ".")
				} else if below, ok := strings.CutPrefix(name, module+"/"); ok {
					list = append(list, below)
				}
			}
		}
		out[pkg] = list
	}
	return out
}
