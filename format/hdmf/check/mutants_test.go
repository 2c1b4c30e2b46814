package check_test

import (
	"bytes"
	"compress/gzip"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"github.com/omnizarr/zarr/internal/thorough"
	"maps"
	"path"
	"slices"
	"testing"

	"github.com/omnizarr/zarr/format/hdmf/check"
)

// mutants are changes of session_v2_plain and session_v3_plain at random, and what
// pynwb.validate(io=) of pynwb 4.2.0 and hdmf 6.2.0 says about each: with hdmf_zarr
// 0.13.0 on zarr 2.18.7, and with hdmf_zarr 0.14.0 on zarr 3.4.2. Those on which it
// throws have an error.
//
//go:embed testdata/mutants.json.gz
var mutants []byte

type mutant struct {
	Edits [][]any     `json:"edits"` // what, node and more
	Says  [][2]string `json:"says"`  // class and path
	Error string      `json:"error"`
}

// apply does an edit.
func (f files) apply(edit []any) {
	node, _ := edit[1].(string)
	if node == "." {
		node = ""
	}
	switch edit[0] {
	case "drop":
		f.attributes(node, func(a map[string]any) { delete(a, edit[2].(string)) })
	case "change":
		f.attributes(node, func(a map[string]any) { a[edit[2].(string)] = edit[3] })
	case "type":
		f.attributes(node, func(a map[string]any) { a["neurodata_type"] = edit[2] })
	case "rename":
		f.move(node, node+"_x")
	case "delete":
		f.move(node, "")
	case "dtype":
		f.array(node, func(doc map[string]any) {
			doc["fill_value"] = 0
			if edit[2] == "|b1" || edit[2] == "bool" {
				doc["fill_value"] = false
			}
			if !f.v3() {
				doc["dtype"] = edit[2]
				return
			}
			doc["data_type"] = edit[2]
			doc["attributes"].(map[string]any)["_DTYPE"] = edit[2]
		})
	case "shape":
		shape := edit[2].([]any)
		f.array(node, func(doc map[string]any) {
			doc["shape"] = shape
			grid, key := doc, "chunks"
			if f.v3() {
				grid, key = doc["chunk_grid"].(map[string]any)["configuration"].(map[string]any), "chunk_shape"
			}
			grid[key] = append(grid[key].([]any), shape[len(shape)-1])
		})
	case "unlink":
		name := "zarr_link"
		if f.v3() {
			name = "_LINKS"
		}
		f.attributes(node, func(a map[string]any) {
			a[name] = slices.DeleteFunc(a[name].([]any), func(l any) bool { return l.(map[string]any)["name"] == edit[2] })
		})
	case "scalar":
		f.attributes(node, func(a map[string]any) {
			if f.load(f.key(node, false))["dtype"] == "|O" {
				a["zarr_dtype"] = "str"
			} else {
				a["zarr_dtype"] = "float64"
			}
		})
	case "kind":
		delete(f, node+"/.zarray")
		f[node+"/.zgroup"] = []byte(`{"zarr_format":2}`)
		f.attributes(node, func(a map[string]any) { delete(a, "zarr_dtype") })
	default:
		panic(fmt.Sprint(edit[0]))
	}
}

// What pynwb's validator finds is found, with the same rule at the same object, and
// something is found wherever it finds something or throws.
func TestFindingsAreThoseOfPynwb(t *testing.T) {
	z, err := gzip.NewReader(bytes.NewReader(mutants))
	if err != nil {
		t.Fatal(err)
	}
	var all map[string][]mutant
	if err := json.NewDecoder(z).Decode(&all); err != nil {
		t.Fatal(err)
	}
	for layout, list := range all {
		if len(list) < 50 {
			t.Errorf("%s: %d mutants", layout, len(list))
		}
		good := unpacked(t, "session_"+layout+"_plain.nwb.zarr")
		// All have the same schemas, which are read once.
		schema, err := in(t, good).Schemas(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		good.move("specifications", "")
		had := map[any]bool{} // kinds of edits, and of what pynwb says
		for i, m := range list {
			isFirst := false
			for _, e := range m.Edits {
				isFirst, had[e[0]] = isFirst || !had[e[0]], true
			}
			for _, says := range m.Says {
				isFirst, had[says[0]] = isFirst || !had[says[0]], true
			}
			if i%thorough.Of(len(list), 1) != 0 && !isFirst {
				continue
			}
			f := maps.Clone(good)
			for _, e := range m.Edits {
				f.apply(e)
			}
			found := findings(t, in(t, f), check.Options{Schema: schema})
			for _, says := range m.Says {
				if !slices.ContainsFunc(found, func(f check.Finding) bool {
					// A link that leads to another type is told as such, which pynwb calls missing.
					linked := says[0] == check.MissingType && f.Rule == check.BadType && path.Dir(f.Path) == says[1]
					return f.Rule == says[0] && f.Path == says[1] || linked
				}) {
					t.Errorf("%s mutant %d %v: no %s at %s, but %v", layout, i, m.Edits, says[0], says[1], found)
				}
			}
			if m.Error != "" && len(found) == 0 {
				t.Errorf("%s mutant %d %v: pynwb fails with %s, nothing is found", layout, i, m.Edits, m.Error)
			}
		}
	}
}
