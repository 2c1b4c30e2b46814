package zarr_test

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/build"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/internal/thorough"
)

var updateAPI = flag.Bool("update", false, "write api.txt anew")

// TestAPI compares what the public packages export with api.txt, so that no
// name comes, goes or changes unseen.
func TestAPI(t *testing.T) {
	if thorough.Least(true, false, false) {
		t.Skip("nothing runs but a parser")
	}
	var out strings.Builder
	out.WriteString("All that the packages export; go test -run TestAPI . -update writes it anew.\n")
	check(t, filepath.WalkDir(".", func(dir string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		_, nested := statModule(dir)
		if name := d.Name(); dir != "." && (strings.HasPrefix(name, ".") || name == "testdata" || name == "internal" || nested) {
			return filepath.SkipDir
		}
		if lines := apiOf(t, dir); len(lines) > 0 {
			fmt.Fprintf(&out, "\npackage %s\n%s", filepath.ToSlash(filepath.Join(module, dir)), strings.Join(lines, ""))
		}
		return nil
	}))
	if *updateAPI {
		check(t, os.WriteFile("api.txt", []byte(out.String()), 0o666))
	}
	want := strings.Split(string(must[[]byte](t)(os.ReadFile("api.txt"))), "\n")
	got := strings.Split(out.String(), "\n")
	if slices.Equal(got, want) {
		return
	}
	count := map[string]int{}
	for _, line := range want {
		count[line]++
	}
	for _, line := range got {
		if count[line]--; count[line] < 0 {
			t.Errorf("new: %s", line)
		}
	}
	for _, line := range want {
		if count[line]--; count[line] >= 0 {
			t.Errorf("gone: %s", line)
		}
	}
	t.Error("the exported API is not that of api.txt: where it is meant to change, go test -run TestAPI . -update")
}

// apiOf lists the declarations of a package, as Linux on amd64 has them.
func apiOf(t *testing.T, dir string) []string {
	on := build.Default
	on.GOOS, on.GOARCH, on.CgoEnabled = "linux", "amd64", false
	pkg, err := on.ImportDir(dir, 0)
	if err != nil || pkg.Name == "main" {
		return nil
	}
	set := token.NewFileSet()
	var files []*ast.File
	embeds := map[string]bool{}
	for _, name := range pkg.GoFiles {
		name = filepath.Join(dir, name)
		f, err := parser.ParseFile(set, name, bodiless(must[[]byte](t)(os.ReadFile(name))), parser.SkipObjectResolution)
		if err != nil {
			f = must[*ast.File](t)(parser.ParseFile(set, name, nil, parser.SkipObjectResolution))
		}
		files = append(files, f)
		embedded(files[len(files)-1], embeds)
	}
	var lines []string
	for _, file := range files {
		ast.FileExports(file)
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil && !ast.IsExported(methodOf(f)) && !embeds[methodOf(f)] {
				continue
			}
			lines = append(lines, declared(t, set, d)...)
		}
	}
	slices.Sort(lines)
	return lines
}

// bodiless is code, as gofmt writes it, with functions that do nothing: most of it need
// not be parsed. Where a string has a line that looks like the end of one, it is no code.
func bodiless(code []byte) []byte {
	var out []byte
	for {
		begin := bytes.Index(code, []byte("\nfunc "))
		if begin < 0 {
			return append(out, code...)
		}
		line := bytes.IndexByte(code[begin+1:], '\n') + begin + 1
		end := bytes.Index(code[begin:], []byte("\n}\n")) + begin
		out = append(out, code[:max(line, begin+1)]...)
		if line > begin && end >= line && code[line-1] == '{' {
			line = end
		}
		code = code[max(line, begin+1):]
	}
}

func declared(t *testing.T, set *token.FileSet, d ast.Decl) []string {
	show := func(n any) string {
		var b bytes.Buffer
		check(t, format.Node(&b, set, n))
		return b.String()
	}
	switch d := d.(type) {
	case *ast.FuncDecl:
		d.Body, d.Doc = nil, nil
		return []string{show(d) + "\n"}
	case *ast.GenDecl:
		var lines []string
		var typ ast.Expr // of constants that repeat the one before
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				s.Doc, s.Comment = nil, nil
				lines = append(lines, show(&ast.GenDecl{Tok: token.TYPE, Specs: []ast.Spec{s}})+"\n")
			case *ast.ValueSpec:
				if s.Type != nil || len(s.Values) > 0 {
					typ = s.Type
				}
				for _, name := range s.Names {
					line := d.Tok.String() + " " + name.Name
					if typ != nil {
						line += " " + show(typ)
					}
					if name.IsExported() {
						lines = append(lines, line+"\n")
					}
				}
			}
		}
		return lines
	}
	return nil
}

// methodOf is the name of a method's type.
func methodOf(f *ast.FuncDecl) string { return typeName(f.Recv.List[0].Type) }

func typeName(typ ast.Expr) string {
	switch x := typ.(type) {
	case *ast.StarExpr:
		return typeName(x.X)
	case *ast.IndexExpr:
		return typeName(x.X)
	case *ast.IndexListExpr:
		return typeName(x.X)
	case *ast.Ident:
		return x.Name
	}
	return ""
}

// embedded adds the names of types that exported structs of a file embed: their
// methods are the structs' own.
func embedded(file *ast.File, names map[string]bool) {
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok || !spec.Name.IsExported() {
			return true
		}
		if s, ok := spec.Type.(*ast.StructType); ok {
			for _, f := range s.Fields.List {
				if len(f.Names) == 0 {
					names[typeName(f.Type)] = true
				}
			}
		}
		return false
	})
}
