package schema

import (
	"testing"

	"github.com/omnizarr/zarr/internal/fuzzlong"
)

// FuzzAdd reads a namespace and two sources of it, one of them in a namespace that
// it includes, and walks through all that comes of them.
func FuzzAdd(f *testing.F) {
	g, err := loadGolden()
	if err != nil {
		f.Fatal(err)
	}
	for _, set := range g.Sets {
		for _, n := range set.Namespaces {
			for name, text := range n.Sources {
				if name != descriptor {
					f.Add(namespaceText("n", "1.0", `{"source":"s"},{"namespace":"m"}`), text, n.Sources["base"])
				}
			}
		}
	}
	for _, tt := range bad {
		f.Add(namespaceText("n", "1.0", `{"namespace":"m","data_types":["T"]},{"source":"s"}`), `{"groups":[{"data_type_def":"Bad",`+tt.spec+`}]}`, "{}")
	}
	f.Add(namespaceText("n", "1.0", `{"namespace":"n"},{"source":"s"}`), `{"groups":[{"data_type_def":"A","data_type_inc":"B"}]}`,
		`{"groups":[{"data_type_def":"B","data_type_inc":"A"}]}`)
	fuzzlong.Fuzz(f, func(t *testing.T, namespace, source, other string) {
		c := &Catalog{}
		c.Add("m", "1", map[string]string{"namespace": namespaceText("m", "1", `{"source":"s"},{"namespace":"n"}`), "s": other})
		c.Add("n", "1.0", map[string]string{"namespace": namespace, "s": source})
		broken := len(c.Problems())
		for _, n := range c.Namespaces() {
			for _, name := range n.Types() {
				typ, err := n.Type(name)
				if err != nil {
					if broken == 0 {
						t.Errorf("%v, and no problem", err)
					}
					continue
				}
				depth := 0
				for b := typ; b != nil; b = b.Base {
					depth++
				}
				if depth > maxChain+1 || !typ.Is("", name) {
					t.Errorf("%s inherits from %d types", name, depth)
				}
				if typ.Group != nil {
					walk(t, typ.Group)
				}
			}
		}
	})
}

func walk(t *testing.T, g *GroupSpec) {
	for _, d := range g.Datasets {
		_ = d.DType.String()
		d.Expand()
	}
	for _, s := range g.Groups {
		s.Expand()
		walk(t, s)
	}
	for _, l := range g.Links {
		l.Target()
	}
}
