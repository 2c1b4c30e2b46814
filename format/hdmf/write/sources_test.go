package write_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/format/hdmf/write"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/internal/zerotest"
	"github.com/omnizarr/zarr/store/mem"
)

// In the layout V2 links and references have the ids of what they lead to, and of the
// file that holds it, wherever that can be looked into, and slashes in their sources.
func TestReferencesHaveTheIDsThatCanBeKnown(t *testing.T) {
	dir := t.TempDir()
	other := filepath.Join(dir, "other.zarr")
	check(t, write.Create(ctx, other, &write.Group{Object: write.Object{Type: hdmf.Type{Namespace: "n", Name: "Root"}, ID: "other-file"},
		Groups: map[string]*write.Group{"x": {Object: write.Object{Type: hdmf.Type{Namespace: "n", Name: "X"}, ID: "other-x"}}}}, write.Options{}))
	into := func(path string) hdmf.Reference { return hdmf.Reference{Source: `..\other.zarr`, Path: path} }
	holder := func() *write.Group {
		return &write.Group{
			Object: write.Object{Attributes: map[string]any{"one": into("/x"), "list": []hdmf.Reference{into("/x"), into("/nothing"), to1("/nothing")}}},
			Links:  map[string]hdmf.Reference{"far": into("/x"), "lost": into("/nothing"), "near": to1("/g"), "gone": {Source: "../gone.zarr", Path: "/"}},
			Datasets: map[string]*write.Dataset{"refs": {Data: write.References([]hdmf.Reference{into("/x"), {Path: "/g"}})},
				"fields": {Data: write.Compounds(write.Field{Name: "r", Data: write.References([]hdmf.Reference{into("/x")})})}},
		}
	}
	a := filepath.Join(dir, "a.zarr")
	root := &write.Group{Object: write.Object{Type: hdmf.Type{Namespace: "n", Name: "Root"}, ID: "own-file"}, Groups: map[string]*write.Group{"g": holder()}}
	root.Groups["g"].Type, root.Groups["g"].ID = hdmf.Type{Namespace: "n", Name: "G"}, "own-g"
	check(t, write.Create(ctx, a, root, write.Options{Layout: hdmf.V2}))
	e, err := write.Edit(ctx, a, write.Options{})
	check(t, err)
	check(t, e.AddGroup(ctx, "/added", holder()))
	check(t, e.SetAttribute(ctx, "/added", "set", into("/x")))
	check(t, e.Link(ctx, "/added/linked", into("/x")))
	check(t, e.Link(ctx, "/added/dangling", to1("/nothing")))
	check(t, e.Commit(ctx))
	check(t, e.Close())
	f := open(t, a)
	n := 0
	for m, err := range hdmf.References(ctx, f.Root(), false) {
		check(t, err)
		check(t, m.Err)
		n++
		want := hdmf.Reference{Source: m.To.Source, Path: m.To.Path}
		switch m.To.Source {
		case ".":
			want.SourceObjectID = "own-file"
		case "../other.zarr":
			want.SourceObjectID = "other-file"
		case "../gone.zarr":
		default:
			t.Errorf("%s: source %q", m.Path(), m.To.Source)
		}
		switch {
		case m.To.Path == "/x" && m.To.Source != ".":
			want.ObjectID = "other-x"
		case m.To.Path == "/g":
			want.ObjectID = "own-g"
		}
		if m.To != want {
			t.Errorf("%s %s: got %+v, want %+v", m.Path(), m.Attribute, m.To, want)
		}
	}
	if n != 2*(4+4+3)+3 {
		t.Errorf("%d links and references", n)
	}
	check(t, filepath.WalkDir(a, func(path string, d os.DirEntry, err error) error {
		if err == nil && strings.HasPrefix(d.Name(), ".z") {
			text, err := os.ReadFile(path)
			if strings.Contains(string(text), `\\`) {
				t.Errorf("%s has backslashes", path)
			}
			return err
		}
		return err
	}))
}

// What is left out is an error or nothing, and never a panic.
func TestZeroValuesDoNotPanic(t *testing.T) {
	for name, f := range map[string]any{"Create": write.Create, "Copy": write.Copy, "Edit": write.Edit, "Numbers": write.Numbers[int8], "Text": write.Text, "Bytes": write.Bytes,
		"References": write.References, "Compounds": write.Compounds, "Scalar": write.Scalar, "Array": write.Array} {
		zerotest.Func(t, name, f)
	}
	for _, d := range []write.Data{{}, write.Array(nil), write.Scalar(nil), write.Compounds(write.Field{}), write.Compounds()} {
		if err := write.Create(ctx, "test://", &write.Group{Datasets: map[string]*write.Dataset{"d": {Data: d}}}, to(mem.New(), write.Options{})); err == nil {
			t.Errorf("a dataset without data was made")
		}
	}
	for _, name := range []string{"session_v2.nwb", "session_v3.nwb"}[:thorough.Least(1, 2, 2)] {
		methods := reflect.TypeFor[*write.Editor]()
		s := memory(t, name)
		for i := range methods.NumMethod() {
			e, err := write.Edit(ctx, "test://", to(s, write.Options{}))
			check(t, err)
			zerotest.Func(t, "Editor."+methods.Method(i).Name, reflect.ValueOf(e).Method(i).Interface())
			if methods.Method(i).Name != "Close" {
				check(t, e.Close())
			}
		}
	}
}
