package schema

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"sync"
	"testing"
)

// golden is testdata/resolved.json.gz: the texts that files of hdmf_zarr 0.14 and
// 0.10 cache, without the documentation, and what hdmf 6.2.0 with pynwb 4.2.0 makes of
// them. The older texts hold types that are resolved already.
type golden struct {
	Sets []struct {
		Namespaces []goldenNamespace
	}
	Allowable map[string][]string // stored types by the type asked for
	Times     [][3]any            // text, whether it is an isodatetime, whether with a time zone
}

type goldenNamespace struct {
	Name, Version string
	Sources       map[string]string
	Types         map[string]struct {
		Hierarchy []string
		Group     any
		Dataset   any
	}
}

var loadGolden = sync.OnceValues(func() (golden, error) {
	var g golden
	raw, err := os.ReadFile("testdata/resolved.json.gz")
	if err != nil {
		return g, err
	}
	z, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		return g, err
	}
	return g, json.NewDecoder(z).Decode(&g)
})

// goldenCatalogs gives a catalog of each set of namespaces.
func goldenCatalogs(tb testing.TB) (golden, []*Catalog) {
	tb.Helper()
	g, err := loadGolden()
	if err != nil {
		tb.Fatal(err)
	}
	var out []*Catalog
	for _, set := range g.Sets {
		c := &Catalog{}
		for i := len(set.Namespaces) - 1; i >= 0; i-- { // those that are included come last
			n := set.Namespaces[i]
			if err := c.Add(n.Name, n.Version, n.Sources); err != nil {
				tb.Fatal(err)
			}
		}
		out = append(out, c)
	}
	return g, out
}

type object = map[string]any

// plain turns a value into what encoding/json would read of it.
func plain(tb testing.TB, v any) any {
	tb.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		tb.Fatal(err)
	}
	var out any
	if err := json.Unmarshal(raw, &out); err != nil {
		tb.Fatal(err)
	}
	return out
}

// The functions below write specs as the golden data has them: defaults are left
// out.

func showDType(d DType) any {
	switch {
	case d.Primitive == Unspecified:
		return nil
	case d.Primitive == Compound:
		var fields []any
		for _, f := range d.Fields {
			fields = append(fields, []any{f.Name, showDType(f.DType)})
		}
		return fields
	case d.Target != "":
		return object{"reftype": d.Primitive.String(), "target_type": d.Target}
	}
	return d.Spelling
}

func showShapes(shapes []Shape) any {
	var out []any
	for _, s := range shapes {
		var one []any
		for _, n := range s {
			if n == Any {
				one = append(one, nil)
			} else {
				one = append(one, n)
			}
		}
		out = append(out, one)
	}
	return single(out)
}

func showDims(dims [][]string) any {
	var out []any
	for _, names := range dims {
		out = append(out, names)
	}
	return single(out)
}

// single is the only element of a list, or the list itself.
func single(list []any) any {
	if len(list) == 1 {
		return list[0]
	}
	return list
}

func showValue(o object, d DType, shapes []Shape, dims [][]string, value, initial json.RawMessage) object {
	if d := showDType(d); d != nil {
		o["dtype"] = d
	}
	if shapes != nil {
		o["shape"] = showShapes(shapes)
	}
	if dims != nil {
		o["dims"] = showDims(dims)
	}
	if value != nil {
		o["value"] = value
	}
	if initial != nil {
		o["default"] = initial
	}
	return o
}

func put(o object, key, text string) {
	if text != "" {
		o[key] = text
	}
}

func showKey(name, def, inc string, q Quantity) object {
	o := object{}
	put(o, "name", name)
	put(o, "def", def)
	put(o, "inc", inc)
	switch {
	case q == ExactlyOne:
	case q.Min == q.Max:
		o["quantity"] = q.Min
	default:
		o["quantity"] = q.String()
	}
	return o
}

func showCommon(name, defaultName, def, inc string, q Quantity, linkable bool, attributes []*AttributeSpec) object {
	o := showKey(name, def, inc, q)
	put(o, "default_name", defaultName)
	if !linkable {
		o["linkable"] = false
	}
	var list []any
	for _, a := range attributes {
		one := object{"name": a.Name}
		if !a.Required {
			one["required"] = false
		}
		list = append(list, showValue(one, a.DType, a.Shapes, a.Dims, a.Value, a.Default))
	}
	if list != nil {
		o["attributes"] = list
	}
	return o
}

func showDataset(d *DatasetSpec) object {
	o := showCommon(d.Name, d.DefaultName, d.TypeDef, d.TypeInc, d.Quantity, d.Linkable, d.Attributes)
	return showValue(o, d.DType, d.Shapes, d.Dims, d.Value, d.Default)
}

func showLink(l *LinkSpec) object {
	o := showKey(l.Name, "", "", l.Quantity)
	o["target"] = l.TargetType
	return o
}

// showGroup writes a group: of a type, with what is inside expanded; without a type,
// as it is; a spec that includes a type, with what is inside by name and type only.
func showGroup(tb testing.TB, g *GroupSpec, top bool) object {
	o := showCommon(g.Name, g.DefaultName, g.TypeDef, g.TypeInc, g.Quantity, g.Linkable, g.Attributes)
	brief := !top && g.TypeName() != ""
	var datasets, groups, links []any
	for _, d := range g.Datasets {
		if brief {
			datasets = append(datasets, showKey(d.Name, d.TypeDef, d.TypeInc, d.Quantity))
			continue
		}
		if top {
			var err error
			if d, err = d.Expand(); err != nil {
				tb.Error(err)
				continue
			}
		}
		datasets = append(datasets, showDataset(d))
	}
	for _, s := range g.Groups {
		if brief {
			groups = append(groups, showKey(s.Name, s.TypeDef, s.TypeInc, s.Quantity))
			continue
		}
		if top {
			var err error
			if s, err = s.Expand(); err != nil {
				tb.Error(err)
				continue
			}
		}
		groups = append(groups, showGroup(tb, s, false))
	}
	for _, l := range g.Links {
		links = append(links, showLink(l))
	}
	for name, list := range map[string][]any{"datasets": datasets, "groups": groups, "links": links} {
		if list != nil {
			o[name] = list
		}
	}
	return o
}

// departures are where hdmf says something else than the language does, and we
// follow the language. All are in a namespace made up to find them; none in real ones.
var departures = map[string]string{
	// An attribute with a fixed value is required and one with a default is not. hdmf
	// forgets it where the value is inherited, and remembers it one type further down.
	"SmallBox.attributes.kind.required":              "value is inherited",
	"SmallBox.datasets.raw.attributes.unit.required": "default is inherited",
	// A member that refines the type of an inherited one has the attributes of its
	// new type in hdmf only one type further down, and behind the others.
	"SmallBox.datasets.first.attributes": "attribute e is missing",
	"TinyBox.datasets.first.attributes":  "attribute e comes last",
}

func departs(path string) bool {
	for at := range departures {
		if path == at || strings.HasPrefix(path, at+".") {
			return true
		}
	}
	return false
}

func TestTypesResolveAsInHDMF(t *testing.T) {
	g, catalogs := goldenCatalogs(t)
	for i, set := range g.Sets {
		c := catalogs[i]
		for _, err := range c.Problems() {
			t.Error(err)
		}
		for _, n := range set.Namespaces {
			if got := c.Latest(n.Name).Types(); len(got) != len(n.Types) {
				t.Errorf("%s has %d types, %d by hdmf", n.Name, len(got), len(n.Types))
			}
			for name, want := range n.Types {
				typ, err := c.Type(n.Name, name)
				if err != nil {
					t.Error(err)
					continue
				}
				var hierarchy []string
				for b := typ; b != nil; b = b.Base {
					hierarchy = append(hierarchy, b.Name)
				}
				if !reflect.DeepEqual(hierarchy, want.Hierarchy) {
					t.Errorf("%s inherits %v, by hdmf %v", name, hierarchy, want.Hierarchy)
				}
				if want.Group != nil {
					if typ.Kind != GroupKind {
						t.Errorf("%s is a %v", name, typ.Kind)
						continue
					}
					differ(t, name, plain(t, showGroup(t, typ.Group, true)), want.Group)
				} else {
					if typ.Kind != DatasetKind {
						t.Errorf("%s is a %v", name, typ.Kind)
						continue
					}
					differ(t, name, plain(t, showDataset(typ.Dataset)), want.Dataset)
				}
			}
		}
	}
}

// differ reports the smallest parts in which two values differ.
func differ(tb testing.TB, path string, got, want any) {
	tb.Helper()
	if departs(path) {
		if reflect.DeepEqual(got, want) {
			tb.Errorf("%s: as by hdmf, which is not expected", path)
		}
		return
	}
	switch w := want.(type) {
	case map[string]any:
		if g, ok := got.(map[string]any); ok {
			for k := range w {
				differ(tb, path+"."+k, g[k], w[k])
			}
			for k := range g {
				if _, ok := w[k]; !ok {
					differ(tb, path+"."+k, g[k], nil)
				}
			}
			return
		}
	case []any:
		if g, ok := got.([]any); ok && len(g) == len(w) {
			for i := range w {
				at := path + "[]"
				if o, ok := w[i].(map[string]any); ok {
					if name, ok := o["name"].(string); ok {
						at = path + "." + name
					}
				}
				differ(tb, at, g[i], w[i])
			}
			return
		}
	}
	if !reflect.DeepEqual(got, want) {
		a, _ := json.Marshal(got)
		b, _ := json.Marshal(want)
		tb.Errorf("%s: %s, by hdmf %s", path, a, b)
	}
}

func BenchmarkResolveNWB(b *testing.B) {
	for b.Loop() {
		_, catalogs := goldenCatalogs(b)
		for _, c := range catalogs {
			if p := c.Problems(); len(p) > 0 {
				b.Fatal(p)
			}
		}
	}
}
