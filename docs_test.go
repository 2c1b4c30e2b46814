package zarr_test

import (
	"bytes"
	"go/ast"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Every sentence of docs/reliability.md and docs/threats.md is proven by tests that it names, and
// they exist.
func TestPromisesAreProven(t *testing.T) {
	known := map[string]bool{}
	err := fs.WalkDir(os.DirFS("."), ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules" || d.Name() == "testdata"):
			return fs.SkipDir // also what interop and bench have installed and made: 10^5 files
		case !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		for line := range bytes.Lines(text) {
			if name, ok := bytes.CutPrefix(line, []byte("func ")); ok && (bytes.HasPrefix(name, []byte("Test")) || bytes.HasPrefix(name, []byte("Fuzz"))) {
				name, _, _ = bytes.Cut(name, []byte("("))
				known[string(name)] = true
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile(`\b(?:Test|Fuzz)[A-Z]\w+`)
	for _, page := range []string{"docs/reliability.md", "docs/threats.md"} {
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

// Every exported name has a comment, and every package an example that runs.
func TestNamesAreExplained(t *testing.T) {
	without := []string{ // a command, and what is for tests alone
		"internal/command", "internal/command/internal/heights", "internal/conformance", "internal/leaktest", "internal/race", "internal/wrongjson", "job/jobtest",
	}
	for pkg, s := range sources(t) {
		if len(s.files) == 0 || s.files[0].Name.Name == "main" {
			continue
		}
		if s.example == slices.Contains(without, pkg) {
			t.Errorf("%s: has an example: %v", pkg, s.example)
		}
		for _, f := range s.files {
			for _, d := range f.Decls {
				for _, name := range unexplained(d) {
					t.Errorf("%s: %s has no comment", pkg, name)
				}
			}
		}
	}
}

// unexplained are the exported names of a declaration that no comment belongs to.
func unexplained(d ast.Decl) (out []string) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Doc == nil && d.Name.IsExported() && (d.Recv == nil || ast.IsExported(methodOf(d))) {
			out = append(out, d.Name.Name)
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			var names []*ast.Ident
			switch s := s.(type) {
			case *ast.TypeSpec:
				if s.Doc == nil && s.Comment == nil {
					names = []*ast.Ident{s.Name}
				}
			case *ast.ValueSpec:
				if s.Doc == nil && s.Comment == nil {
					names = s.Names
				}
			}
			for _, name := range names {
				if d.Doc == nil && name.IsExported() {
					out = append(out, name.Name)
				}
			}
		}
	}
	return out
}

// Every parser of what others made has a fuzz target with inputs to begin with.
func TestEveryParserIsFuzzed(t *testing.T) {
	for parser, target := range map[string]string{
		"metadata": "meta FuzzParse", "shard index": "codec/shard FuzzDecode", "blosc": "internal/blosc FuzzDecode", "inflate": "internal/inflate FuzzDecode",
		"LZW": "codec/lzw FuzzDecode", "PackBits": "format/tiff/packbits FuzzDecode", "JPEG": "format/tiff/jpeg FuzzDecode", "TIFF directories": "format/tiff FuzzOpen",
		"N5 headers": "internal/n5block FuzzParse", "vlen": "codec/vlen FuzzDecode", "pickle": "internal/pickle FuzzLoad", "msgpack": "internal/msgpack FuzzValue",
		"zip": "store/zip FuzzZip", "OME-XML": "format/tiff/ome FuzzParse", "HTTP ranges": "serve FuzzRanges", "URL pipelines": "locate FuzzPipeline", "slices": ". FuzzSlice",
		"zstd": "internal/zstddec FuzzDecode", "manifests": "store/refs FuzzParse", "JSON": "internal/strictjson FuzzStrictJSON", "HDF5": "hdf5 FuzzOpen", "HDF5 messages": "hdf5 FuzzMessages", "HDF5 structures": "hdf5 FuzzStructures",
		"HDF5 as Zarr": "format/hdf5 FuzzStore", "nbit": "codec/nbit FuzzDecode", "scaleoffset": "codec/scaleoffset FuzzDecode",
		"szip": "codec/szip FuzzDecode",
		"LZF":  "codec/lzf FuzzDecode", "Blosc 2": "codec/blosc2 FuzzDecode", "bitshuffle": "codec/bitshuffle FuzzDecode", "LZ4 of HDF5": "codec/lz4 FuzzDecodeHDF5",
		"Content-Range": "internal/remote FuzzContentRange",
	} {
		folder, name, _ := strings.Cut(target, " ")
		files, err := fs.Glob(os.DirFS(folder), "*_test.go")
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, f := range files {
			text, err := os.ReadFile(folder + "/" + f)
			if err != nil {
				t.Fatal(err)
			}
			_, body, ok := strings.Cut(string(text), "\nfunc "+name+"(")
			body, _, _ = strings.Cut(body, "\nfunc ")
			found = found || ok && (strings.Contains(body, ".Add(") || strings.Contains(body, "(f)") || strings.Contains(body, "(f,"))
		}
		if !found {
			t.Errorf("%s: no target %s with inputs in %s", parser, name, folder)
		}
	}
}
