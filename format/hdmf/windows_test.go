package hdmf_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
)

// Files that were written on Windows have backslashes in their sources. They lead to
// the same files: in links, in attributes, in lists of them, and in datasets, in every
// layout, also from one such file to the next. What they may not reach stays out of
// reach.
func TestSourcesWithBackslashes(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	check(t, err)
	home := filepath.Join(top, "home")
	doc := func(layout, dir, attrs string) {
		if layout == "v3" {
			put(t, dir, attrs)
			return
		}
		check(t, os.MkdirAll(dir, 0o755))
		check(t, os.WriteFile(filepath.Join(dir, ".zgroup"), []byte(`{"zarr_format":2}`), 0o644))
		check(t, os.WriteFile(filepath.Join(dir, ".zattrs"), []byte(attrs), 0o644))
	}
	for _, layout := range []string{"v2", "v3", "legacy"} {
		dir := filepath.Join(home, layout)
		up := `..\\` // in JSON
		if layout == "legacy" {
			up = "" // relative to the folder around the file
		}
		ref := func(source string) string {
			if layout == "v3" {
				return fmt.Sprintf(`{"_REFERENCE":{"source":"%s","path":"/"}}`, source)
			}
			return fmt.Sprintf(`{"zarr_dtype":"object","value":{"source":"%s","path":"/","object_id":null,"source_object_id":null}}`, source)
		}
		links := "zarr_link"
		if layout == "v3" {
			links = "_LINKS"
		}
		link := func(name, source, path string) string {
			return fmt.Sprintf(`{"name":"%s","source":"%s","path":"%s"}`, name, source, path)
		}
		doc(layout, filepath.Join(dir, "a.nwb.zarr"), `{"one":`+ref(up+`sub\\b.nwb.zarr`)+`,"list":[`+ref(up+`sub\\b.nwb.zarr`)+`],"out":`+ref(`..\\..\\..\\secret.zarr`)+`,"`+links+`":[`+
			link("b", up+`sub\\b.nwb.zarr`, "/")+`,`+link("far", up+`sub\\b.nwb.zarr`, "/c/")+`,`+link("out", `..\\..\\..\\secret.zarr`, "/")+`]}`)
		back := `..\\..\\c.nwb.zarr`
		if layout == "legacy" {
			back = `..\\c.nwb.zarr`
		}
		doc(layout, filepath.Join(dir, "sub", "b.nwb.zarr"), `{"name":"b","`+links+`":[`+link("c", back, "/")+`]}`)
		doc(layout, filepath.Join(dir, "c.nwb.zarr"), `{"name":"c"}`)
		f := open(t, filepath.Join(dir, "a.nwb.zarr"))
		called := func(what string, o hdmf.Object, err error, want string) {
			t.Helper()
			if err != nil {
				t.Errorf("%s: %s: %v", layout, what, err)
			} else if a, _ := o.Attribute("name"); string(a.Raw) != `"`+want+`"` {
				t.Errorf("%s: %s leads to %s, not to %s", layout, what, a.Raw, want)
			}
		}
		o, err := f.Object(ctx, "/b")
		called("link", o, err, "b")
		o, err = f.Object(ctx, "/far")
		called("a link behind it", o, err, "c")
		for _, name := range []string{"one", "list"} {
			a, _ := f.Root().Attribute(name)
			if len(a.References) != 1 || strings.Contains(a.References[0].Source, `\`) {
				t.Fatalf("%s: %s is %+v", layout, name, a)
			}
			o, err = f.Resolve(ctx, a.References[0])
			called(name, o, err, "b")
		}
		// An element of a dataset.
		r, err := hdmf.ParseText(`{"source":"` + up + `sub\\b.nwb.zarr","path":"/"}`)
		check(t, err)
		o, err = f.Resolve(ctx, r)
		called("element", o, err, "b")
		o, err = f.Resolve(ctx, hdmf.Reference{Source: strings.ReplaceAll(up, `\\`, `\`) + `sub\b.nwb.zarr`, Path: "/"})
		called("reference of a program", o, err, "b")
		if _, err := f.Object(ctx, "/out"); !errors.Is(err, zarr.ErrNotAllowed) {
			t.Errorf("%s: %v", layout, err)
		}
		a, _ := f.Root().Attribute("out")
		if _, err := f.Resolve(ctx, a.References[0]); !errors.Is(err, zarr.ErrNotAllowed) {
			t.Errorf("%s: %v", layout, err)
		}
	}
	put(t, filepath.Join(top, "secret.zarr"), `{}`)
	f := open(t, filepath.Join(home, "v3", "a.nwb.zarr"))
	for _, source := range []string{`..\..\..\secret.zarr`, `\` + top + `\secret.zarr`, `..\..\home\..\..\secret.zarr`, `..\/..\/..\/secret.zarr`, `\\server\share\x.zarr`, `C:\secret.zarr`, `\\?\C:\secret.zarr`} {
		if o, err := f.Resolve(ctx, hdmf.Reference{Source: source, Path: "/"}); err == nil {
			t.Errorf("%s was opened: %s", source, o.File().URL())
		}
	}
}
