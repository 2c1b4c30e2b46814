package zarr_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// layers are the packages from the bottom to the top: each may import those
// below it, and those that share its line only where the line says so. A name
// that ends in "/*" stands for every package below a folder that has no line of
// its own.
var layers = []struct {
	names  []string
	beside bool // packages of this line may import each other
}{
	{names: []string{"internal/disk"}},
	{names: []string{"nd", "store", "viewer", "hdf5", "internal/*"}},
	{names: []string{"store/storetest", "internal/remote", "internal/bucket"}},
	{names: []string{"internal/bearer"}},
	{names: []string{"dtype"}},
	{names: []string{"grid", "internal/number"}},
	{names: []string{"meta", "codec", "schemas", "rows"}},
	{names: []string{"format/tiff/tag", "format/tiff/jpeg", "format/tiff/packbits", "format/tiff/pixel", "format/tiff/tiletest", "format/ngff", "format/hdmf/schema"}},
	{names: []string{"codec/*", "format/n5/convention", "format/tiff/ome", "format/tiff/imagej", "format/tiff/geo", "format/tiff/writer", "downsample"}},
	{names: []string{"format/tiff/tile"}},
	{names: []string{"codec/tifftile"}},
	{names: []string{"codec/std", "codec/internal/basic", "store/*"}},
	{names: []string{"format/translate", "store/held"}},
	{names: []string{"format", "store/journal"}},
	{names: []string{"format/xarray"}},
	{names: []string{"codec/codectest", "format/*"}},
	{names: []string{"format/std"}},
	{names: []string{"locate"}},
	{names: []string{"store/s3", "store/gcs", "store/azblob"}},
	{names: []string{"internal/reach"}},
	{names: []string{"."}},
	{names: []string{"format/cf"}},
	{names: []string{"coordinates"}},
	{names: []string{"raster"}},
	{names: []string{"job/landing", "convention", "elements", "format/hdmf", "measure", "picture", "stats", "pyramid"}},
	{names: []string{"job"}},
	{names: []string{"job/spread"}},
	{names: []string{"job/jobtest", "job/copying", "job/diff", "job/check"}},
	{names: []string{"dump", "format/anndata", "format/hdmf/check", "format/hdmf/view"}},
	{names: []string{"format/hdmf/write"}},
	{names: []string{"format/hdmf/describe", "format/hdmf/nwb", "format/hdmf/record"}},
	{names: []string{"job/virtual", "job/repair"}},
	{names: []string{"kind", "format/tiff/export"}},
	{names: []string{"format/anndata/jobs", "format/n5/jobs", "format/ngff/jobs", "format/zarr2/jobs", "format/tiff/jobs", "format/hdmf/jobs", "format/xarray/jobs", "format/cf/jobs"}},
	{names: []string{"kind/std"}},
	{names: []string{"job/request"}},
	{names: []string{"serve/source", "serve/servetest"}},
	{names: []string{"serve/*"}, beside: true},
	{names: []string{"serve/api"}},
	{names: []string{"serve"}},
	{names: []string{"internal/command/*"}, beside: true},
	{names: []string{"cmd/*", "examples/*"}, beside: true},
}

// layer finds the line of a package, -1 if it has none.
func layer(pkg string) int {
	at := -1
	for i, l := range layers {
		for _, name := range l.names {
			if name == pkg {
				return i
			}
			if folder, all := strings.CutSuffix(name, "/*"); all && (pkg == folder || strings.HasPrefix(pkg, folder+"/")) {
				at = i
			}
		}
	}
	return at
}

const module = "github.com/omnizarr/zarr"

// imports lists what every package of this module imports of it.
func imports(t *testing.T) map[string][]string {
	t.Helper()
	out, err := readImports()
	check(t, err)
	return out
}

var readImports = sync.OnceValues(func() (map[string][]string, error) {
	out := map[string][]string{}
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
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		pkg := path.Dir(filepath.ToSlash(file))
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		out[pkg] = append(out[pkg], "")
		for _, i := range f.Imports {
			name, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				return err
			}
			if name == module {
				out[pkg] = append(out[pkg], ".")
			} else if below, ok := strings.CutPrefix(name, module+"/"); ok {
				out[pkg] = append(out[pkg], below)
			}
		}
		return nil
	})
	return out, err
})

// statModule reports whether a folder below is a module of its own.
func statModule(dir string) (string, bool) {
	matches, err := filepath.Glob(filepath.Join(dir, "go.mod"))
	return dir, err == nil && len(matches) > 0
}

func TestImportsPointDownwards(t *testing.T) {
	for pkg, list := range imports(t) {
		from := layer(pkg)
		if from < 0 {
			t.Errorf("package %s has no layer: put it into the table", pkg)
			continue
		}
		slices.Sort(list)
		for _, other := range slices.Compact(list) {
			if other == "" {
				continue
			}
			to := layer(other)
			if to > from || to == from && other != pkg && !layers[from].beside && !within(pkg, other) {
				t.Errorf("%s (layer %d) imports %s (layer %d)", pkg, from, other, to)
			}
		}
	}
}

// within says whether one of two packages of the lowest line is for the other:
// internal packages may use each other and nd, as long as there is no cycle.
func within(pkg, other string) bool {
	return strings.HasPrefix(pkg, "internal/") || strings.HasPrefix(other, "internal/")
}

// Codecs ask their Chunk for memory, which knows the limit: they do not lend or make
// any themselves.
func TestCodecsAllocateThroughTheGate(t *testing.T) {
	for pkg, uses := range imports(t) {
		if !strings.HasPrefix(pkg, "codec/") || pkg == "codec/codectest" {
			continue
		}
		for _, name := range []string{"internal/buf", "internal/bigmem"} {
			if slices.Contains(uses, name) {
				t.Errorf("%s imports %s: codec.Chunk lends memory", pkg, name)
			}
		}
		files, err := filepath.Glob(filepath.Join(filepath.FromSlash(pkg), "*.go"))
		check(t, err)
		for _, file := range files {
			text, err := os.ReadFile(file)
			check(t, err)
			if !strings.HasSuffix(file, "_test.go") && strings.Contains(string(text), "nd.Make(") {
				t.Errorf("%s calls nd.Make: codec.Chunk has Make", file)
			}
		}
	}
}
