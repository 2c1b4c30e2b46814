package table_test

import (
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/convention"
	"github.com/omnizarr/zarr/format/hdmf/describe"
	"github.com/omnizarr/zarr/kind/std"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/serve/table"
	"github.com/omnizarr/zarr/store/mem"
)

// attributes reads those of a node.
func attributes(t testing.TB, text string) *meta.Attributes {
	t.Helper()
	out, err := meta.ParseAttributes([]byte(text))
	check(t, err)
	return out
}

func TestNumbersThatStandForTextsAreThese(t *testing.T) {
	root, err := zarr.CreateGroupIn(t.Context(), mem.New(), "")
	check(t, err)
	check(t, root.SetAttributes(t.Context(), attributes(t, `{"namespace":"core","neurodata_type":"NWBFile",".specloc":"specifications"}`)))
	g, err := root.CreateGroup(t.Context(), "cells")
	check(t, err)
	check(t, g.SetAttributes(t.Context(), attributes(t, `{"namespace":"hdmf-common","neurodata_type":"DynamicTable","colnames":["type"]}`)))
	put := func(name, attrs, typ string, data any) {
		t.Helper()
		a, err := g.CreateArray(t.Context(), name, zarr.ArraySpec{Shape: []int{4}, DataType: typ, Attributes: attributes(t, attrs)})
		check(t, err)
		switch data := data.(type) {
		case []uint8:
			err = zarr.Write(t.Context(), a, zarr.All(), data)
		case []string:
			err = zarr.Write(t.Context(), a, zarr.All(), data)
		}
		check(t, err)
	}
	put("type", `{"namespace":"hdmf-experimental","neurodata_type":"EnumData","elements":{"zarr_dtype":"object","value":{"source":".","path":"/cells/type_elements"}}}`, "uint8", []uint8{2, 0, 9, 2})
	put("type_elements", `{"namespace":"hdmf-common","neurodata_type":"VectorData"}`, "string", []string{"granule", "basket", "Purkinje", ""})
	o, err := new(describe.Convention).Open(t.Context(), root, "/cells")
	check(t, err)
	defer o.Close()
	set, err := table.Of(t.Context(), &convention.Subject{Node: o.Node(), Object: o}, std.Kinds())
	check(t, err)
	tab := table.New(set, table.Options{})
	p, err := tab.Page(t.Context(), table.Query{Limit: 10, Sort: "-type", Filter: "type~E"})
	check(t, err)
	if got := text(t, p); !strings.Contains(got, `"rows":[["granule"],["Purkinje"],["Purkinje"]],"index":[1,0,3]`) || !strings.Contains(text(t, tab.Columns()), `"type":"enum"`) {
		t.Errorf("%s %s", got, text(t, tab.Columns()))
	}
}

func TestFramesOfAnnData(t *testing.T) {
	for _, file := range []string{"frame_v2.zip", "frame_v3.zip"} {
		root, err := zarr.OpenGroup(t.Context(), "../../format/anndata/testdata/"+file)
		check(t, err)
		defer root.Close()
		obs, err := root.Group(t.Context(), "obs")
		check(t, err)
		set, err := table.Of(t.Context(), &convention.Subject{Node: obs}, std.Kinds())
		check(t, err)
		tab := table.New(set, table.Options{})
		for _, c := range tab.Columns() {
			if c.Sortable {
				for _, by := range []string{c.Name, "-" + c.Name} {
					p, err := tab.Page(t.Context(), table.Query{Sort: by, Limit: 100})
					if err != nil || len(p.Rows) != tab.Rows() {
						t.Errorf("%s by %s: %+v, %v", file, by, p, err)
					}
				}
			}
		}
		p, err := tab.Page(t.Context(), table.Query{Limit: 3, Filter: "cell_type!=, size<3", Sort: "-cell_type", Columns: []string{"index", "cell_type", "n", "ok", "score"}})
		check(t, err)
		if got, want := text(t, p.Rows), `[["c2","T",null,false,"NaN"],["c1","B",1,true,0.5]]`; got != want {
			t.Errorf("%s: %s, want %s", file, got, want)
		}
	}
}
