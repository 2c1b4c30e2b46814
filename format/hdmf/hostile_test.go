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
	"github.com/omnizarr/zarr/internal/alloctest"
	"github.com/omnizarr/zarr/internal/fuzzlong"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

// groups makes a file of groups with attributes.
func groups(t testing.TB, attrs map[string]string) *hdmf.File {
	t.Helper()
	values := map[string]string{}
	for at, text := range attrs {
		values[strings.TrimPrefix(at+"/zarr.json", "/")] = `{"zarr_format":3,"node_type":"group","attributes":` + text + `}`
	}
	return byHand(t, values)
}

func linkTo(name, source, path string) string {
	return fmt.Sprintf(`{"_LINKS":[{"name":%q,"source":%q,"path":%q}]}`, name, source, path)
}

func TestLinksThatLeadRoundAreFound(t *testing.T) {
	f := groups(t, map[string]string{
		"":  `{}`,
		"a": linkTo("x", ".", "/b/x"),
		"b": linkTo("x", ".", "/a/x"),
		"c": linkTo("c", ".", "/c/c"),
		"d": linkTo("up", ".", "/d/up/up"),
		"e": linkTo("down", ".", "/e/down/down/down"),
	})
	for _, at := range []string{"/a/x", "/b/x", "/c/c", "/d/up", "/e/down", "/a/x/y/z", "/e/down/more"} {
		used := alloctest.Bytes(func() {
			if _, err := f.Object(ctx, at); !errors.Is(err, hdmf.ErrLinks) {
				t.Errorf("%s: %v", at, err)
			}
		})
		if used > 1<<20 {
			t.Errorf("%s: %d bytes were allocated", at, used)
		}
	}
	for m, err := range f.Root().Walk(ctx) {
		check(t, err)
		if m.Link == nil {
			continue
		}
		if _, err := m.Link.Target(ctx); !errors.Is(err, hdmf.ErrLinks) {
			t.Errorf("%s: %v", m.Link.At(), err)
		}
	}
}

func TestALinkThroughItsOwnGroupIsFine(t *testing.T) {
	f := groups(t, map[string]string{"": `{}`, "a": linkTo("up", ".", "/"), "b": linkTo("b", ".", "/nowhere")})
	if o := object(t, f, "/a/up/a/up/a"); o.Path() != "/a" {
		t.Errorf("%s", o.Path())
	}
	long := strings.Repeat("/a/up", 60)
	if _, err := f.Object(ctx, long); err == nil {
		t.Error("a path through 60 links was followed")
	}
	_, err := f.Object(ctx, "/b/b")
	if !errors.Is(err, zarr.ErrNoNode) || !strings.Contains(err.Error(), "/nowhere") {
		t.Errorf("%v", err)
	}
	if _, err := f.Object(ctx, "/../../etc"); !errors.Is(err, zarr.ErrNoNode) {
		t.Errorf("%v", err)
	}
}

func TestLinksThatDoubleEachTimeAreBounded(t *testing.T) {
	// l0 leads through l1 twice, l1 through l2 twice, and so on.
	var list []string
	for i := range 39 {
		list = append(list, fmt.Sprintf(`{"name":"l%d","source":".","path":"/g/l%d/l%d"}`, i, i+1, i+1))
	}
	list = append(list, `{"name":"l39","source":".","path":"/g"}`)
	f := groups(t, map[string]string{"": `{}`, "g": `{"_LINKS":[` + strings.Join(list, ",") + `]}`})
	used := alloctest.Bytes(func() {
		if _, err := f.Object(ctx, "/g/l0"); !errors.Is(err, hdmf.ErrLinks) {
			t.Errorf("%v", err)
		}
	})
	if used > 4<<20 {
		t.Errorf("%d bytes were allocated", used)
	}
	if o := object(t, f, "/g/l36"); o.Path() != "/g" {
		t.Errorf("%s", o.Path())
	}
}

func TestLinksThatAreNoneAreToldAndPassedOver(t *testing.T) {
	f := groups(t, map[string]string{"": `{"_LINKS":[7,{"name":"a/b","source":".","path":"/x"},{"source":".","path":"/x"},{"name":"y"},{"name":"good","source":".","path":"/x"}],"zarr_link":"none"}`, "x": `{}`})
	if got := members(t, f.Root()); len(got) != 2 || got[0] != "good" {
		t.Errorf("%v", got)
	}
	if p := f.Root().Problems(); len(p) != 5 {
		t.Errorf("%d problems: %v", len(p), p)
	}
}

func TestWhatIsThereHidesALinkOfItsName(t *testing.T) {
	attrs := map[string]string{"": `{"_LINKS":[{"name":"a","path":"/b"},{"name":"a-b","path":"/b"},{"name":"a.c","path":"/b"},{"name":"z","path":"/b"}]}`}
	for _, at := range []string{"a", "a-b", "b"} {
		attrs[at] = `{}`
	}
	f := groups(t, attrs)
	for m, err := range f.Root().Members(ctx) {
		check(t, err)
		if (m.Link != nil) != (m.Name == "a.c" || m.Name == "z") {
			t.Errorf("%s: a link: %v", m.Name, m.Link != nil)
		}
	}
	if got := members(t, f.Root()); len(got) != 5 {
		t.Errorf("%v", got)
	}
}

func TestManyLinks(t *testing.T) {
	var list []string
	n := thorough.Of(3_000, 20_000)
	for i := range n {
		list = append(list, fmt.Sprintf(`{"name":"l%05d","source":".","path":"/g"}`, i))
	}
	f := groups(t, map[string]string{"": `{"_LINKS":[` + strings.Join(list, ",") + `]}`, "g": `{}`})
	found := 0
	root := f.Root()
	used := alloctest.Bytes(func() {
		for m, err := range root.Members(ctx) {
			check(t, err)
			o, err := root.Object(ctx, m.Name)
			check(t, err)
			if o.Path() == "/g" {
				found++
			}
		}
	})
	if found != n+1 {
		t.Errorf("%d found", found)
	}
	if used /= int64(n); used > 5000 {
		t.Errorf("%d bytes were allocated per link", used)
	}
}

func TestGroupsInsideEachOther(t *testing.T) {
	attrs := map[string]string{"": `{}`}
	at := ""
	for range 300 {
		at = strings.TrimPrefix(at+"/g", "/")
		attrs[at] = `{}`
	}
	f := groups(t, attrs)
	var failed error
	n := 0
	for _, err := range f.Root().Walk(ctx) {
		if err != nil {
			failed = err
			continue
		}
		n++
	}
	if failed == nil || !strings.Contains(failed.Error(), "256") || n > 300 {
		t.Errorf("%d groups, %v", n, failed)
	}
	long := "/" + strings.Repeat("g/", 1<<20)
	used := alloctest.Bytes(func() {
		if _, err := f.Resolve(ctx, hdmf.Reference{Source: ".", Path: long}); !errors.Is(err, zarr.ErrNoNode) {
			t.Errorf("%v", err)
		}
	})
	if used > 20*int64(len(long)) {
		t.Errorf("%d bytes were allocated", used)
	}
}

func TestAnAttributeOfManyReferences(t *testing.T) {
	var list []string
	for i := range 10_000 {
		list = append(list, fmt.Sprintf(`{"_REFERENCE":{"source":"../file%d.zarr","path":"/%s"}}`, i, strings.Repeat("x", 50)))
	}
	f := groups(t, map[string]string{"": `{"all":[` + strings.Join(list, ",") + `]}`})
	a, ok := f.Root().Attribute("all")
	if !ok || len(a.References) != len(list) {
		t.Fatalf("%d references", len(a.References))
	}
	failed := 0
	for _, r := range a.References {
		if _, err := f.Resolve(ctx, r); err != nil {
			failed++
		}
	}
	if failed != len(list) {
		t.Errorf("%d of %d failed", failed, len(list))
	}
	_, err := f.Resolve(ctx, a.References[len(list)-1])
	if err == nil || !strings.Contains(err.Error(), "more than 4096 other files") {
		t.Errorf("%v", err)
	}
}

func TestDeepNesting(t *testing.T) {
	deep := strings.Repeat(`[`, 200) + strings.Repeat(`]`, 200)
	f := groups(t, map[string]string{"": `{"deep":` + deep + `,"ref":{"_REFERENCE":{"_REFERENCE":{"path":"/x"}}},"odd":{"_REFERENCE":[]}}`})
	for _, a := range f.Root().Attributes() {
		if len(a.References) > 0 {
			t.Errorf("%s was taken for a reference", a.Name)
		}
	}
	bottomless := strings.Repeat(`{"a":`, 10_000) + `1` + strings.Repeat(`}`, 10_000)
	if _, err := hdmf.ParseText(bottomless); err != nil && !strings.Contains(err.Error(), "deep") {
		t.Errorf("%v", err)
	}
	at := strings.Repeat("/g", 5000)
	if _, err := f.Object(ctx, at); !errors.Is(err, zarr.ErrNoNode) {
		t.Errorf("%v", err)
	}
}

func TestADatasetThatClaimsToBeEndless(t *testing.T) {
	w := newWriter(t)
	array[string](w, "refs", "string", []int{1 << 50}, []int{1 << 20}, nil, "_DTYPE", "object_reference")
	array[float64](w, "data", "float64", []int{1 << 40, 1 << 20}, []int{1000, 10}, nil)
	f := w.file()
	for _, at := range []string{"/refs", "/data"} {
		if _, err := dataset(t, f, at).Read(ctx, zarr.All()); err == nil {
			t.Errorf("%s was read", at)
		}
	}
	v, err := dataset(t, f, "/refs").Read(ctx, zarr.Slice("5:8"))
	check(t, err)
	if _, err := v.Reference(0); !errors.Is(err, hdmf.ErrNoReference) {
		t.Errorf("%v", err)
	}
}

func TestPicklesThatCallThingsAreRefused(t *testing.T) {
	mark := filepath.Join(t.TempDir(), "mark")
	for name, pickle := range map[string]string{
		"a call":        "cos\nsystem\n(S'touch " + mark + "'\ntR.",
		"another name":  "\x80\x02cnumpy.core.multiarray\nscalar\nq\x00.",
		"another code":  "\x80\x05(ios\nsystem\n.",
		"cut off":       "\x80\x05\x95\xff\x00\x00\x00\x00\x00\x00\x00",
		"deep":          "\x80\x05" + strings.Repeat("](", 100_000) + ".",
		"a huge number": "\x80\x05\x8d\xff\xff\xff\xff\xff\xff\xff\x7f.",
	} {
		f := byHand(t, map[string]string{
			".zgroup":   `{"zarr_format":2}`,
			"x/.zarray": `{"zarr_format":2,"shape":[2],"chunks":[2],"dtype":"|O","compressor":null,"filters":[{"id":"pickle","protocol":5}],"fill_value":0,"order":"C"}`,
			"x/.zattrs": `{"zarr_dtype":"object"}`,
			"x/0":       pickle,
		})
		// The engine refuses to open such an array already.
		o, err := f.Object(ctx, "/x")
		if err == nil {
			_, err = o.(*hdmf.Dataset).Read(ctx, zarr.All())
		}
		if err == nil || !strings.Contains(err.Error(), "pickle") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := os.Stat(mark); err == nil {
		t.Fatal("a pickle ran a command")
	}
}

func TestSchemasThatCannotBeUsed(t *testing.T) {
	w := newWriter(t)
	w.group("", ".specloc", map[string]any{"_REFERENCE": map[string]any{"source": ".", "path": "/specs"}}, "namespace", "good", "data_type", "A")
	text := func(at, text string) { array(w, at, "string", []int{}, []int{}, []string{text}) }
	text("specs/good/1.0/namespace", `{"namespaces":[{"name":"good","version":"1.0","doc":"d","author":"a","contact":"c","schema":[{"source":"types"}]}]}`)
	text("specs/good/1.0/types", `{"groups":[{"data_type_def":"A","data_type_inc":"B","doc":"d"},{"data_type_def":"B","doc":"d"}]}`)
	text("specs/bad/1.0/namespace", `{"namespaces":`)
	array(w, "specs/odd/1.0/namespace", "int8", []int{}, []int{}, []int8{1})
	text("specs/too/deep/in/here", `{}`)
	f := w.file()
	texts, err := f.SchemaTexts(ctx)
	check(t, err)
	if at := f.SchemaPath(); at != "/specs" {
		t.Errorf("schemas at %q", at)
	}
	if len(texts) != 4 {
		t.Errorf("%d texts", len(texts))
	}
	c, err := f.Schemas(ctx)
	if err == nil || !strings.Contains(err.Error(), "odd") || !strings.Contains(err.Error(), "bad") {
		t.Errorf("%v", err)
	}
	if _, err := c.Type("good", "A"); err != nil {
		t.Error(err)
	}
	for o, err := range f.All(ctx, "B") {
		if err != nil || o.Path() != "/" {
			t.Errorf("%v", err)
		}
	}
	if got := members(t, f.Root()); len(got) != 0 {
		t.Errorf("schemas are members: %v", got)
	}
	for attrs, says := range map[string]string{`{".specloc":"nowhere"}`: "cached schemas", `{".specloc":"/../.."}`: "", `{".specloc":7}`: "", `{}`: ""} {
		_, err := groups(t, map[string]string{"": attrs}).SchemaTexts(ctx)
		if (err != nil) != (says != "") || err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", attrs, err)
		}
	}
}

func FuzzAttributes(f *testing.F) {
	f.Add(`{"_LINKS":[{"name":"x","source":".","path":"/x"}],"r":{"_REFERENCE":{"source":".","path":"/"}}}`)
	f.Add(`{"zarr_link":[{"name":"x","source":"../a","path":"/x"}],"r":[{"zarr_dtype":"object","value":{"source":".","path":"/"}}]}`)
	f.Add(`{".specloc":{"_REFERENCE":{"path":"/specs"}},"colnames":["a"],"_DTYPE":[{"name":"a","dtype":"int"}],"n":NaN}`)
	fuzzlong.Fuzz(f, func(t *testing.T, attrs string) {
		s := mem.New()
		_, err := s.Put(ctx, "zarr.json", []byte(`{"zarr_format":3,"node_type":"group","attributes":`+attrs+`}`), store.PutOptions{})
		check(t, err)
		n, err := zarr.OpenStore(ctx, s, "")
		if err != nil {
			return
		}
		g, ok := n.(*zarr.Group)
		if !ok {
			return
		}
		file := hdmf.Of(ctx, g)
		root := file.Root()
		root.Problems()
		for m, err := range root.Walk(ctx) {
			if err == nil && m.Link != nil {
				m.Link.Target(ctx)
			}
		}
		for _, a := range root.Attributes() {
			for _, r := range a.References {
				file.Resolve(ctx, r)
			}
		}
		hdmf.OpenTable(ctx, root)
		hdmf.OpenSeries(ctx, root)
		file.Schemas(ctx)
	})
}
