package view_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/format/hdmf/view"
	"github.com/omnizarr/zarr/internal/nwbtest"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

var ctx = context.Background()

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// file opens a fixture in memory.
func file(t testing.TB, name string) *hdmf.File {
	t.Helper()
	s := mem.New()
	for key, data := range nwbtest.Files(t, name) {
		_, err := s.Put(ctx, key, data, store.PutOptions{})
		check(t, err)
	}
	n, err := zarr.OpenStore(ctx, s, "")
	check(t, err)
	return hdmf.Of(ctx, n.(*zarr.Group))
}

func open(t testing.TB, f *hdmf.File) *zarr.Group {
	t.Helper()
	n, err := zarr.OpenStore(ctx, view.New(f), "")
	check(t, err)
	return n.(*zarr.Group)
}

func array(t testing.TB, g *zarr.Group, at string) *zarr.Array {
	t.Helper()
	a, err := g.Array(ctx, at)
	check(t, err)
	return a
}

// bare is JSON without white space.
func bare(raw json.RawMessage) string { return strings.Join(strings.Fields(string(raw)), "") }

func TestEveryNodeOfASessionIsPlainZarr(t *testing.T) {
	for _, name := range []string{"session_v2.nwb", "session_v2_plain.nwb", "session_v2_json_compound.nwb", "session_v3.nwb", "custom_v2_pickle", "custom_v2_json", "custom_v3", "custom_cycle_v2", "custom_cycle_v3"} {
		f := file(t, name+".zarr")
		g := open(t, f)
		seen := map[string]bool{}
		for n, err := range g.Walk(ctx) {
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			seen["/"+n.Path()] = true
			o, err := f.Object(ctx, n.Path())
			check(t, err)
			for _, a := range o.Attributes() {
				raw := n.Attributes().Raw(a.Name)
				if len(a.References) == 1 && !a.List {
					if want, _ := json.Marshal(a.References[0].Path); string(want) != string(raw) {
						t.Errorf("%s %s.%s: %s, want %s", name, n.Path(), a.Name, raw, want)
					}
				} else if bare(raw) != bare(a.Raw) {
					t.Errorf("%s %s.%s: %s, want %s", name, n.Path(), a.Name, raw, a.Raw)
				}
			}
			if a, ok := n.(*zarr.Array); ok {
				same(t, name+"/"+n.Path(), a, o.(*hdmf.Dataset))
			}
		}
		for m, err := range f.Root().Walk(ctx) {
			check(t, err)
			at := ""
			if m.Link != nil {
				at = m.Link.At()
			} else {
				at = m.Object.Path()
			}
			if !seen[at] {
				t.Errorf("%s: %s is not in the view", name, at)
			}
		}
	}
}

// same compares an array of the view with what it shows.
func same(t *testing.T, at string, a *zarr.Array, d *hdmf.Dataset) {
	t.Helper()
	want, err := d.Read(ctx, zarr.All())
	check(t, err)
	if a.DataType().Kind() == dtype.Object {
		t.Errorf("%s: only Python can read it", at)
	}
	switch a.DataType().Kind() {
	case dtype.String:
		got, err := zarr.Read[string](ctx, a, zarr.All())
		check(t, err)
		if len(got.Data) != want.Len() {
			t.Errorf("%s: %d texts, want %d", at, len(got.Data), want.Len())
			return
		}
		for i, s := range got.Data {
			w := want.Text(i)
			switch want.Kind {
			case hdmf.ObjectRef:
				r, err := want.Reference(i)
				check(t, err)
				w = r.Path
			case hdmf.Compound:
				checkCompound(t, at, s, want, i)
				continue
			}
			if s != w {
				t.Errorf("%s[%d]: %q, want %q", at, i, s, w)
			}
		}
	default:
		got, err := a.Make(a.Shape()...)
		check(t, err)
		check(t, a.ReadInto(ctx, zarr.All(), got))
		if mem, _, ok := want.Memory(); ok && !slices.Equal(mem, got.Data) {
			t.Errorf("%s: values differ", at)
		}
	}
}

func checkCompound(t *testing.T, at, s string, want *hdmf.Values, i int) {
	t.Helper()
	var got map[string]any
	check(t, json.Unmarshal([]byte(s), &got))
	for _, f := range want.Fields {
		v, err := want.Field(f.Name)
		check(t, err)
		var w any
		switch f.Kind {
		case hdmf.ObjectRef:
			r, err := v.Reference(i)
			check(t, err)
			w = r.Path
		case hdmf.Text:
			w = v.Text(i)
		default:
			w, err = v.Float(i)
			check(t, err)
		}
		if !reflect.DeepEqual(got[f.Name], w) {
			t.Errorf("%s[%d].%s: %v, want %v", at, i, f.Name, got[f.Name], w)
		}
	}
}

func TestAViewTakesNothing(t *testing.T) {
	s := view.New(file(t, "custom_v3.zarr"))
	if _, err := s.Put(ctx, "x", nil, store.PutOptions{}); err == nil {
		t.Error("it was written to")
	}
	if err := s.Delete(ctx, "zarr.json"); err == nil {
		t.Error("a document was deleted")
	}
	for _, key := range []string{".zattrs", "types/.zgroup", "nothing/zarr.json", "types/nothing/0", "types/zarr.json/zarr.json", "holder/thing_refs/c.7", "holder/thing_refs/c.-1", "holder/thing_refs/x"} {
		if _, _, err := s.Get(ctx, key, store.All(), nil); !errors.Is(err, store.ErrNotExist) {
			t.Errorf("%s: %v", key, err)
		}
	}
	if _, _, err := s.Get(ctx, "../x", store.All(), nil); !errors.Is(err, store.ErrBadKey) {
		t.Errorf("%v", err)
	}
}

// TestKeysThatAreListedAreThere also looks that they are sorted and differ.
func TestKeysThatAreListedAreThere(t *testing.T) {
	for _, name := range []string{"session_v2.nwb.zarr", "session_v3.nwb.zarr"} {
		s := view.New(file(t, name))
		all := map[string]bool{}
		last := ""
		for e, err := range s.List(ctx, "", "") {
			check(t, err)
			if e.Key <= last {
				t.Errorf("%s: %s comes behind %s", name, e.Key, last)
			}
			last = e.Key
			all[e.Key] = true
			b, _, err := s.Get(ctx, e.Key, store.All(), nil)
			check(t, err)
			if e.Size >= 0 && e.Size != int64(len(b)) {
				t.Errorf("%s: %s has %d bytes, not %d", name, e.Key, len(b), e.Size)
			}
			o, err := store.Open(ctx, s, e.Key)
			check(t, err)
			c, _, err := o.Get(ctx, store.All(), nil)
			check(t, err)
			check(t, o.Close())
			if !slices.Equal(b, c) {
				t.Errorf("%s: %s differs when it is held open", name, e.Key)
			}
		}
		// The same by folders.
		flat := map[string]bool{}
		var walk func(prefix string)
		walk = func(prefix string) {
			for e, err := range s.List(ctx, prefix, "/") {
				check(t, err)
				if e.IsPrefix {
					walk(e.Key)
				} else {
					flat[e.Key] = true
				}
			}
		}
		walk("")
		if !maps.Equal(all, flat) {
			t.Errorf("%s: %d keys, %d by folders", name, len(all), len(flat))
		}
	}
}

func TestManyReadersOfAView(t *testing.T) {
	g := open(t, file(t, "session_v2.nwb.zarr"))
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for n, err := range g.Walk(ctx) {
				if err != nil {
					t.Error(err)
					continue
				}
				if a, ok := n.(*zarr.Array); ok && a.DataType().Kind() == dtype.String {
					if _, err := zarr.Read[string](ctx, a, zarr.All()); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	all.Wait()
}

func TestTextsOfManyChunks(t *testing.T) {
	s := mem.New()
	root, err := zarr.CreateGroupIn(ctx, s, "")
	check(t, err)
	var attrs meta.Attributes
	check(t, attrs.Set("_DTYPE", "object_reference"))
	want := make([]string, 70*13)
	for i := range want {
		want[i] = fmt.Sprint("/node/", i)
	}
	a, err := root.CreateArray(ctx, "refs", zarr.ArraySpec{Shape: []int{70, 13}, DataType: "string", Chunks: []int{16, 5}, Attributes: &attrs})
	check(t, err)
	check(t, zarr.Write(ctx, a, zarr.All(), want))
	attrs.Delete("_DTYPE")
	check(t, attrs.Set("_DTYPE", "region_reference"))
	_, err = root.CreateArray(ctx, "huge", zarr.ArraySpec{Shape: []int{1 << 40}, DataType: "string", Chunks: []int{1 << 30}, Attributes: &attrs})
	check(t, err)
	g := open(t, hdmf.Of(ctx, root))
	got, err := zarr.Read[string](ctx, array(t, g, "refs"), zarr.All())
	check(t, err)
	if !slices.Equal(got.Data, want) {
		t.Error("the texts differ")
	}
	huge := array(t, g, "huge")
	if c := huge.ChunkShape(); c[0] > 1<<16 {
		t.Errorf("chunks of %v", c)
	}
	if some, err := zarr.Read[string](ctx, huge, zarr.Slice("99999:100001")); err != nil || some.Data[0] != "" {
		t.Errorf("%v %v", some, err)
	}
	for _, err := range view.New(hdmf.Of(ctx, root)).List(ctx, "huge/", "/") {
		if err == nil || !strings.Contains(err.Error(), "chunks") {
			t.Errorf("%v", err)
		}
		break
	}
}
