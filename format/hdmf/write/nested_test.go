package write_test

import (
	"strings"
	"testing"

	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/format/hdmf/write"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

func TestReferencesInsideOfAttributesAreWrittenAndConverted(t *testing.T) {
	value := map[string]any{
		"list":   []any{1, to1("/g"), "text", map[string]any{"deep": hdmf.Reference{Path: "/g/d", Region: part}}},
		"typed":  map[string]hdmf.Reference{"other": {Source: "../other.zarr", Path: "/x", ObjectID: "5"}},
		"number": 1.0,
	}
	tree := func() *write.Group {
		return &write.Group{
			Object: write.Object{Type: hdmf.Type{Namespace: "test", Name: "Root"}, ID: "0", Attributes: map[string]any{"v": value}},
			Groups: map[string]*write.Group{"g": {Object: write.Object{Type: hdmf.Type{Namespace: "test", Name: "G"}, ID: "1"},
				Datasets: map[string]*write.Dataset{"d": {Object: write.Object{ID: "2"}, Data: write.Numbers([]int8{1, 2, 3, 4})}}}},
		}
	}
	forms := map[hdmf.Layout]string{
		hdmf.V2: `"v":{"list":[1,{"value":{"object_id":"1","path":"/g","source":".","source_object_id":"0"},"zarr_dtype":"object"},"text",` +
			`{"deep":{"value":{"object_id":"2","path":"/g/d","source":".","source_object_id":"0","region":[{"start":1,"stop":3}]},"zarr_dtype":"region"}}],` +
			`"number":1.0,"typed":{"other":{"value":{"object_id":"5","path":"/x","source":"../other.zarr","source_object_id":null},"zarr_dtype":"object"}}}`,
		hdmf.V3: `"v":{"list":[1,{"_REFERENCE":{"source":".","path":"/g"}},"text",{"deep":{"_REFERENCE":{"source":".","path":"/g/d","region":[{"start":1,"stop":3}]}}}],` +
			`"number":1.0,"typed":{"other":{"_REFERENCE":{"source":"../other.zarr","path":"/x"}}}}`,
	}
	keys := map[hdmf.Layout]string{hdmf.V2: ".zattrs", hdmf.V3: "zarr.json"}
	holds := func(what string, s store.Store, layout hdmf.Layout, want string) {
		t.Helper()
		text, _, err := s.Get(ctx, keys[layout], store.All(), nil)
		check(t, err)
		if got := squeeze(text); !strings.Contains(got, want) {
			t.Errorf("%s in %v: %.900s, want %s", what, layout, got, want)
		}
	}
	for from, form := range forms {
		s := mem.New()
		check(t, write.Create(ctx, "test://", tree(), to(s, write.Options{Layout: from})))
		holds("Create", s, from, form)
		for layout, want := range forms {
			if from == hdmf.V3 { // which has no ids; those of another file nobody knows
				want = strings.Replace(want, `"object_id":"5"`, `"object_id":null`, 1)
			}
			copied := mem.New()
			check(t, copyFile(ctx, "test://", in(t, s), to(copied, write.Options{Layout: layout})))
			holds("Copy", copied, layout, want)
		}
		e, err := write.Edit(ctx, "test://", to(s, write.Options{}))
		check(t, err)
		check(t, e.SetAttribute(ctx, "/", "w", []any{0, value}))
		check(t, e.Commit(ctx))
		check(t, e.Close())
		holds("Edit", s, from, `"w":[0,`+strings.TrimPrefix(form, `"v":`)+`]`)
	}
}
