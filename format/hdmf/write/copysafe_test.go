package write_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/format/hdmf/write"
	"github.com/omnizarr/zarr/internal/nwbtest"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/job/landing"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

// countingStore counts the values that were asked for.
type countingStore struct {
	*mem.Store
	gets atomic.Int64
}

func (s *countingStore) Get(ctx context.Context, key string, r store.Range, dst []byte) ([]byte, store.Info, error) {
	s.gets.Add(1)
	return s.Store.Get(ctx, key, r, dst)
}

// listing names all files below a folder with their sizes.
func listing(t testing.TB, dir string) string {
	t.Helper()
	var b strings.Builder
	check(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			fmt.Fprintln(&b, path, info.Size())
		}
		return err
	}))
	return b.String()
}

func TestWhatTheSourceRefersToIsNotOverwritten(t *testing.T) {
	other := func(t *testing.T, dir, name string) string {
		at := filepath.Join(dir, name)
		check(t, write.Create(ctx, at, &write.Group{Object: typed("Other"), Datasets: map[string]*write.Dataset{"x": {Data: write.Scalar(5)}}}, write.Options{}))
		return at
	}
	ref := hdmf.Reference{Source: "../b.zarr", Path: "/x"}
	for name, root := range map[string]*write.Group{
		"link":      {Links: map[string]hdmf.Reference{"l": ref}},
		"attribute": {Groups: map[string]*write.Group{"g": {Object: write.Object{Attributes: map[string]any{"r": []hdmf.Reference{ref}}}}}},
		"element":   {Datasets: map[string]*write.Dataset{"d": {Data: write.References([]hdmf.Reference{to1("/"), ref})}}},
		"field": {Datasets: map[string]*write.Dataset{"d": {Data: write.Compounds(write.Field{Name: "n", Data: write.Numbers([]int8{1})},
			write.Field{Name: "r", Data: write.References([]hdmf.Reference{ref})})}}},
		"absolute": {Links: map[string]hdmf.Reference{"l": ref}}, // its source is set below
	} {
		for _, layout := range []hdmf.Layout{hdmf.V2, hdmf.V3} {
			dir := t.TempDir()
			b := other(t, dir, "b.zarr")
			a := filepath.Join(dir, "a.zarr")
			check(t, write.Create(ctx, a, root, write.Options{Layout: layout}))
			if name == "absolute" { // as others may write it
				for _, doc := range []string{"zarr.json", ".zattrs", ".zmetadata"} {
					if text, err := os.ReadFile(filepath.Join(a, doc)); err == nil {
						check(t, os.WriteFile(filepath.Join(a, doc), bytes.ReplaceAll(text, []byte(`"../b.zarr"`), []byte(strconv.Quote(filepath.ToSlash(b)))), 0o644))
					}
				}
			}
			before := listing(t, b)
			err := copyFile(ctx, b, open(t, a), write.Options{Overwrite: true})
			if err == nil || !strings.Contains(err.Error(), "refers to it") || listing(t, b) != before {
				t.Errorf("%s in %v: got %v; there was\n%s, there is\n%s", name, layout, err, before, listing(t, b))
			}
			// Anything else may be overwritten.
			c := other(t, dir, "c.zarr")
			check(t, copyFile(ctx, c, open(t, a), write.Options{Overwrite: true}))
		}
	}
}

func TestOverwriteLooksAtTheSourceFirst(t *testing.T) {
	for name, change := range map[string][2]string{
		"a node":       {"types/array_int8/zarr.json", `{"a":`},
		"a link":       {"holder/zarr.json", `{"zarr_format":3,"node_type":"group","attributes":{"_LINKS":[{"name":"x"}]}}`},
		"a schema":     {"specifications/fixture/0.1.0/namespace/c", "x"},
		"the location": {"zarr.json", `{"zarr_format":3,"node_type":"group","attributes":{".specloc":"nowhere"}}`},
	} {
		s := memory(t, "custom_v3")
		putText(t, s, change[0], change[1])
		dst := memory(t, thorough.Of("custom_v2_json_compound", "session_v2.nwb"))
		want := dump(t, in(t, dst))
		src := in(t, s, zarr.BypassConsolidated())
		for _, layout := range []hdmf.Layout{hdmf.V2, hdmf.V3} {
			if err := copyFile(ctx, "test://", src, to(dst, write.Options{Layout: layout, Overwrite: true})); err == nil {
				t.Fatalf("%s: no error", name)
			}
			same(t, dump(t, in(t, dst)), want)
		}
		// Without anything to lose, a wrong location is still found before all else.
		fresh := mem.New()
		err := copyFile(ctx, "test://", src, to(fresh, write.Options{}))
		if name == "the location" && (err == nil || !strings.Contains(err.Error(), "nowhere") || len(keys(t, fresh, "")) > 0) {
			t.Errorf("got %v, and %v", err, keys(t, fresh, ""))
		}
	}
}

func TestACopyDoesNotGoIntoItsSourceThroughASymbolicLink(t *testing.T) {
	dir := nwbtest.Unpack(t, "custom_v3.zarr")
	src := filepath.Join(dir, "custom_v3.zarr")
	link := filepath.Join(dir, "link")
	if err := os.Symlink(src, link); err != nil {
		t.Skip(err)
	}
	before := listing(t, src)
	for _, dst := range []string{"link", "link/new.zarr", "link/sub/new.zarr", "link/sub/deep/new.zarr"} {
		for _, url := range []string{filepath.Join(dir, dst), "file://" + filepath.ToSlash(filepath.Join(dir, dst))} {
			err := copyFile(ctx, url, open(t, src), write.Options{Overwrite: true})
			if err == nil || !strings.Contains(err.Error(), "the same place") {
				t.Errorf("%s: got %v", url, err)
			}
		}
	}
	if _, err := os.Stat(filepath.Join(src, "sub", "deep", "new.zarr")); listing(t, src) != before || err == nil {
		t.Errorf("the source changed: %v", err)
	}
	check(t, copyFile(ctx, filepath.Join(dir, "beside", "new.zarr"), open(t, src), write.Options{}))
}

func TestAnUnfinishedCopyIsNoFile(t *testing.T) {
	s := failAfter(mem.New(), 20)
	src := in(t, memory(t, "custom_v3"))
	if err := copyFile(ctx, "test://", src, to(s, write.Options{})); !errors.Is(err, errCrash) {
		t.Fatal(err)
	}
	for _, opts := range [][]zarr.Option{nil, {zarr.ImplicitGroup()}} {
		if _, err := zarr.OpenStore(ctx, s.Store, "", opts...); !errors.Is(err, zarr.ErrUnfinished) {
			t.Errorf("got %v", err)
		}
	}
	// Another copy is refused, the same goes on, and once more it is there already.
	for _, other := range []write.Options{{Layout: hdmf.V2}, {Laid: copying.Options{DataType: "float64"}}} {
		if err := copyFile(ctx, "test://", src, to(s.Store, other)); !errors.Is(err, zarr.ErrUnfinished) {
			t.Errorf("got %v", err)
		}
	}
	sum, err := write.Copy(ctx, "test://", src, to(s.Store, write.Options{}))
	if check(t, err); sum.Resumed == 0 || sum.Already {
		t.Errorf("%+v", sum)
	}
	_, err = zarr.OpenStore(ctx, s.Store, "")
	check(t, err)
	if sum, err = write.Copy(ctx, "test://", src, to(failAfter(s.Store, 0), write.Options{})); err != nil || !sum.Already {
		t.Errorf("%+v, %v", sum, err)
	}
	if err := copyFile(ctx, "test://", src, to(s.Store, write.Options{Layout: hdmf.V2})); !errors.Is(err, landing.ErrNotEmpty) {
		t.Errorf("got %v", err)
	}
}

func TestErrorsOfACopyNameTheSourceInOneLine(t *testing.T) {
	for change, want := range map[[2]string]string{
		{"holder/zarr.json", `{"zarr_format":3,"node_type":"group","attributes":{"_LINKS":[{"name":"x"},{"name":1},5]}}`}:              "_LINKS[0]",
		{"holder/zarr.json", `{"zarr_format":3,"node_type":"group","attributes":{"_LINKS":[{"name":"a/b","path":"/","source":"."}]}}`}: "a/b",
	} {
		dir := nwbtest.Unpack(t, "custom_v3.zarr")
		at := filepath.Join(dir, "custom_v3.zarr")
		check(t, os.WriteFile(filepath.Join(at, filepath.FromSlash(change[0])), []byte(change[1]), 0o666))
		src := open(t, at, hdmf.Zarr(zarr.BypassConsolidated()))
		err := copyFile(ctx, "test://", src, to(mem.New(), write.Options{}))
		if err == nil || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), src.URL()+"/holder") {
			t.Errorf("got %v, want %s and %s", err, want, src.URL())
		}
	}
}

func TestSchemaGroupsKeepTheirAttributes(t *testing.T) {
	s := memory(t, "custom_v3")
	src := in(t, s, zarr.BypassConsolidated())
	for _, at := range []string{"specifications", "specifications/fixture/0.1.0"} {
		g, err := src.Zarr().Group(ctx, at)
		check(t, err)
		attrs := g.Attributes()
		check(t, attrs.Set("note", at))
		check(t, g.SetAttributes(ctx, attrs))
	}
	for _, o := range thorough.Of(layouts[1:3], layouts) {
		out := mem.New()
		check(t, copyFile(ctx, "test://", in(t, s, zarr.BypassConsolidated()), to(out, o)))
		for _, at := range []string{"specifications", "specifications/fixture/0.1.0"} {
			g, err := in(t, out).Zarr().Group(ctx, at)
			check(t, err)
			if got := string(g.Attributes().Raw("note")); got != `"`+at+`"` {
				t.Errorf("%v: %s has %s", o.Layout, at, got)
			}
		}
	}
}

func TestManyReferencesThatLeadNowhere(t *testing.T) {
	// Each in another group that is not there, or with a name that is not: they are
	// found to be missing without asking the store for each.
	n := thorough.Least(5000, 20000, 20000)
	refs := make([]hdmf.Reference, n)
	for i := range refs {
		refs[i] = to1(fmt.Sprintf("/things/none%d", i))
		if i%2 == 1 {
			refs[i] = to1(fmt.Sprintf("/no%d/where", i))
		}
	}
	refs[n-1], refs[n-2] = to1("/things/there"), to1("/again/there")
	s := mem.New()
	check(t, write.Create(ctx, "test://", &write.Group{Object: typed("Root"),
		Groups:   map[string]*write.Group{"things": {Datasets: map[string]*write.Dataset{"there": {Object: typed("There"), Data: write.Scalar(1)}}}},
		Links:    map[string]hdmf.Reference{"again": to1("/things")},
		Datasets: map[string]*write.Dataset{"d": {Data: write.References(refs)}}}, to(s, write.Options{Plain: true})))
	counted := &countingStore{Store: s}
	out := mem.New()
	check(t, copyFile(ctx, "test://", in(t, counted), to(out, write.Options{Layout: hdmf.V2})))
	if gets := counted.gets.Load(); gets > int64(n/5) {
		t.Errorf("%d requests for %d references", gets, n)
	}
	f := in(t, out)
	o, err := f.Object(ctx, "/d")
	check(t, err)
	v, err := o.(*hdmf.Dataset).Read(ctx, zarr.All())
	check(t, err)
	there, err := f.Object(ctx, "/things/there")
	check(t, err)
	for i, want := range map[int]string{0: "", 1: "", n - 3: "", n - 2: there.ID(), n - 1: there.ID()} {
		r, err := v.Reference(i)
		check(t, err)
		if r.ObjectID != want || r.Path != refs[i].Path {
			t.Errorf("reference %d: %+v, want the id %q", i, r, want)
		}
	}
}
