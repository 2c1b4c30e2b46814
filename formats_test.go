package zarr_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format"
	"github.com/omnizarr/zarr/format/n5"
	formats "github.com/omnizarr/zarr/format/std"
	"github.com/omnizarr/zarr/format/zarr3"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/locate"
	"github.com/omnizarr/zarr/store/mem"
)

// nameless are the folders whose code knows no format in particular: a new one
// touches none of them.
var nameless = []string{".", "locate", "format", "format/translate", "internal/reach", "job", "job/check", "job/copying", "job/diff", "job/landing", "job/repair", "job/request", "job/spread", "job/virtual", "kind", "internal/command", "cmd/omnizarr"}

// The names of formats, of their documents and of their files are those of the
// registry, but for Zarr v3, which all others are shown as.
func TestEngineNamesNoFormat(t *testing.T) {
	if thorough.Least(true, false, false) {
		t.Skip("nothing runs but a parser")
	}
	var names, parts []string
	for _, f := range formats.Registry().All() {
		if f.Name == "zarr3" {
			continue
		}
		names = append(names, f.Name)
		if f.Folder != nil {
			parts = append(parts, slices.Concat(f.Folder.Documents.Nodes, f.Folder.Documents.Others, f.Folder.Endings)...)
		} else {
			parts = append(parts, f.File.Endings...)
		}
	}
	parts = slices.DeleteFunc(parts, func(part string) bool { return part == ".zarr" })
	allowed := []string{module + "/format", module + "/format/std", module + "/format/translate"}
	for _, dir := range nameless {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		check(t, err)
		if len(files) == 0 {
			t.Errorf("%s holds no code", dir)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			set := token.NewFileSet()
			f, err := parser.ParseFile(set, file, nil, parser.SkipObjectResolution)
			check(t, err)
			ast.Inspect(f, func(n ast.Node) bool {
				text, ok := n.(*ast.BasicLit)
				if !ok || text.Kind != token.STRING {
					return true
				}
				value, err := strconv.Unquote(text.Value)
				check(t, err)
				if strings.HasPrefix(value, module+"/format") && !slices.Contains(allowed, value) || slices.Contains(names, value) ||
					slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(value, part) }) {
					t.Errorf("%s: %s", set.Position(text.Pos()), text.Value)
				}
				return true
			})
		}
	}
}

func TestFormatsThatAreNotKnown(t *testing.T) {
	_, err := zarr.OpenStore(ctx, mem.New(), "", zarr.As("fog"))
	wantError(t, err, "unknown format fog, only zarr3, zarr2, n5")
	_, err = zarr.CreateGroup(ctx, t.TempDir()+"/x", zarr.As("fog"))
	wantError(t, err, "unknown format fog")
	_, err = zarr.OpenStore(ctx, mem.New(), "", zarr.With(n5.Option(9)))
	wantError(t, err, "unknown format n5, or none with this option")
	_, err = zarr.Open(ctx, t.TempDir(), zarr.With(n5.Reversed), zarr.Formats(format.NewRegistry(zarr3.Describe())))
	wantError(t, err, "option reversed: unknown format n5")
	_, err = zarr.Open(ctx, t.TempDir(), zarr.As("tiff"))
	wantError(t, err, "a folder, no file of format tiff")
	_, err = locate.Open(ctx, "mem:|fog:", locate.Options{})
	wantError(t, err, "unknown format")
	_, err = zarr.OpenStore(ctx, mem.New(), "", zarr.Formats(format.NewRegistry(zarr3.Describe())))
	wantError(t, err, "no Zarr node here (no zarr.json)")
}
