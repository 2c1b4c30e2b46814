package nwb_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/format/hdmf/nwb"
	"github.com/omnizarr/zarr/format/hdmf/schema"
	"github.com/omnizarr/zarr/format/hdmf/write"
)

// inventor makes up what only a caller can know.
type inventor struct {
	t       testing.TB
	f       *nwb.File
	catalog *schema.Catalog
	count   int
}

// Every type of container that NWB has can be made, of nothing but made-up values for
// what the schema asks for and does not know.
func TestEveryType(t *testing.T) {
	catalog := hdmf.Catalog(schemas(t), func(_ hdmf.SchemaText, err error) { t.Error(err) })
	made := 0
	v := &inventor{t: t, f: begin(t), catalog: catalog}
	for _, name := range catalog.Latest("core").Types() {
		typ, err := catalog.Type("core", name)
		must(t, err)
		if typ.Kind != schema.GroupKind || name == "NWBFile" || !typ.Is("core", "NWBContainer") && !typ.Is("", "DynamicTable") {
			continue
		}
		v.object(typ)
		made++
	}
	if made < 60 {
		t.Errorf("%d types", made)
	}
	err := v.f.Create(ctx, "mem:"+t.Name(), write.Options{})
	if invalid, ok := errors.AsType[*write.Invalid](err); ok {
		for _, f := range invalid.Findings {
			t.Error(f)
		}
		return
	}
	must(t, err)
}

// object makes one of a type, where any may be.
func (v *inventor) object(typ *schema.Type) hdmf.Reference {
	v.count++
	at := fmt.Sprintf("/analysis/%d", v.count)
	return v.f.Add(at, typ.Namespace+"."+typ.Name, v.fields(typ.Group, typ.Is("", "DynamicTable")))
}

// fields are those that a group must be given.
func (v *inventor) fields(spec *schema.GroupSpec, table bool) nwb.Fields {
	out := nwb.Fields{}
	for _, a := range spec.Attributes {
		if a.Required && a.Value == nil && a.Default == nil && !(table && (a.Name == "colnames" || a.Name == "categories")) {
			out[a.Name] = v.attribute(a)
		}
	}
	for i, s := range spec.Datasets {
		if !s.Quantity.Required() || s.Value != nil || s.Default != nil || table && s.Name == "id" {
			continue
		}
		whole, err := s.Expand()
		must(v.t, err)
		name := s.Name
		if name == "" {
			name = fmt.Sprint("d", i)
		}
		value := v.value(whole.DType, whole.Shapes)
		ragged := slices.ContainsFunc(spec.Datasets, func(other *schema.DatasetSpec) bool {
			return other.Name == s.Name+"_index" && other.Quantity.Required()
		})
		switch typ, _ := s.Type(); {
		case table && typ != nil && typ.Is("", "VectorIndex"):
			continue
		case typ != nil && typ.Is("", "DynamicTableRegion") && ragged:
			value = nwb.Rows(v.f.Table(fmt.Sprintf("/analysis/t%d%d", v.count, i), "DynamicTable", "made up", nwb.Col("x", []int{1, 2}, "made up")), [][]int{{0}, {1}})
		case ragged:
			value = nwb.Column{Name: name, Data: value, Ends: []int{1, 2}}
		case typ != nil && typ.Is("", "DynamicTableRegion"):
			value = nwb.Rows(v.f.Table(fmt.Sprintf("/analysis/t%d%d", v.count, i), "DynamicTable", "made up", nwb.Col("x", []int{1, 2}, "made up")), []int{0, 1})
		case s.Name == "" && typ != nil:
			value = nwb.Object{Type: typ.Namespace + "." + typ.Name, Fields: nwb.Fields{"data": value}}
		}
		out[name] = value
		for _, a := range whole.Attributes {
			if _, region := value.(nwb.Region); a.Required && a.Value == nil && a.Default == nil && !region && !(table && a.Name == "description") {
				out[name+"."+a.Name] = v.attribute(a)
			}
		}
	}
	for i, s := range spec.Groups {
		if !s.Quantity.Required() {
			continue
		}
		whole, err := s.Expand()
		must(v.t, err)
		name := s.Name
		if name == "" {
			name = fmt.Sprint("g", i)
		}
		if s.TypeName() == "" {
			out[name] = v.fields(whole, false)
			continue
		}
		typ, err := s.Type()
		must(v.t, err)
		out[name] = nwb.Object{Type: typ.Namespace + "." + typ.Name, Fields: v.fields(whole, typ.Is("", "DynamicTable"))}
	}
	for i, l := range spec.Links {
		if l.Quantity.Required() {
			name := l.Name
			if name == "" {
				name = fmt.Sprint("l", i)
			}
			typ, err := l.Target()
			must(v.t, err)
			out[name] = v.object(typ)
		}
	}
	return out
}

// attribute is the value of an attribute, in a list if it has axes.
func (v *inventor) attribute(a *schema.AttributeSpec) any {
	one := v.value(a.DType, nil)
	if a.Shapes == nil {
		return one
	}
	return []any{one, one}
}

// value is one of a type and a shape.
func (v *inventor) value(want schema.DType, shapes []schema.Shape) any {
	shape := []int{}
	n := 1
	if shapes != nil {
		least := slices.MinFunc(shapes, func(a, b schema.Shape) int { return len(a) - len(b) })
		for _, extent := range least {
			if extent == schema.Any {
				extent = 2
			}
			shape = append(shape, extent)
			n *= extent
		}
	}
	pick := func(one any, data write.Data) any {
		if shapes == nil {
			return one
		}
		return data
	}
	switch p := want.Primitive; {
	case p == schema.Text || p == schema.ASCII:
		return pick("made up", write.Text(slices.Repeat([]string{"made up"}, n), shape...))
	case p == schema.ISOTime:
		return start
	case p == schema.Object:
		ref := hdmf.Reference{Path: "/analysis"}
		if want.Target != "" {
			for _, space := range []string{"core", "hdmf-common"} {
				if typ, err := v.catalog.Type(space, want.Target); err == nil && typ.Kind == schema.GroupKind {
					ref = v.object(typ)
					break
				}
			}
		}
		return pick(ref, write.References(slices.Repeat([]hdmf.Reference{ref}, n), shape...))
	case p == schema.Bool:
		return pick(true, write.Numbers(make([]bool, n), shape...))
	case p >= schema.Uint8 && p <= schema.Uint64:
		return pick(1, write.Numbers(make([]uint64, n), shape...))
	case p >= schema.Int8 && p <= schema.Int64:
		return pick(1, write.Numbers(make([]int64, n), shape...))
	case p == schema.Compound:
		var fields []write.Field
		for _, f := range want.Fields {
			data, _ := v.value(f.DType, []schema.Shape{{2}}).(write.Data)
			fields = append(fields, write.Field{Name: f.Name, Data: data})
		}
		return write.Compounds(fields...)
	}
	return pick(1.5, write.Numbers(make([]float64, n), shape...))
}
