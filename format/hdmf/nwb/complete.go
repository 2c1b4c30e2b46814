package nwb

import (
	"encoding/json"
	"maps"
	"math"
	"path"
	"slices"

	"github.com/omnizarr/zarr/format/hdmf/schema"
	"github.com/omnizarr/zarr/format/hdmf/write"
	"github.com/omnizarr/zarr/internal/strictjson"
)

// complete fills in what the schemas fix or have a default for, in a group and all
// that it holds. What only the caller can know stays missing, and the check tells.
func (f *File) complete(at string, g *write.Group) error {
	for _, spec := range f.specs[at] {
		if err := fillAttributes(&g.Object, spec.Attributes); err != nil {
			return err
		}
		for _, s := range spec.Datasets {
			if s.Name == "" || !s.Quantity.Required() || g.Datasets[s.Name] != nil {
				continue
			}
			if _, link := g.Links[s.Name]; link {
				continue
			}
			if raw := constant(s.Value, s.Default); raw != nil {
				v, err := goValue(raw)
				if err != nil {
					return err
				}
				if err := f.namedDataset(at, g, s.Name, s, v); err != nil {
					return err
				}
			}
		}
		for _, s := range spec.Groups {
			if s.Name != "" && s.Quantity.Required() && s.TypeName() == "" && g.Groups[s.Name] == nil {
				if _, err := f.group(path.Join(at, s.Name)); err != nil {
					return err
				}
			}
		}
	}
	if isTable(f.specs[at]) {
		if err := f.completeTable(at, g); err != nil {
			return err
		}
	}
	for name, d := range g.Datasets {
		if err := f.completeDataset(path.Join(at, name), d); err != nil {
			return err
		}
	}
	for name, sub := range g.Groups {
		if err := f.complete(path.Join(at, name), sub); err != nil {
			return err
		}
	}
	return nil
}

// completeTable gives a table the numbers of its rows, and tells what it is where
// the schema does.
func (f *File) completeTable(at string, g *write.Group) error {
	if g.Attributes["colnames"] == nil {
		g.Attributes["colnames"] = []string{}
	}
	f.align(at, g)
	if g.Datasets["id"] == nil {
		ids := make([]int, f.rows[at])
		for i := range ids {
			ids[i] = i
		}
		if err := f.member(at, g, "id", ids); err != nil {
			return err
		}
	}
	if g.Attributes["description"] == nil {
		above, name := path.Split(at)
		for _, s := range groupSlots(f.specs[path.Clean(above)], name, nil) {
			g.Attributes["description"] = s.Doc
		}
	}
	return nil
}

// align gives a table that is made of others their names, and as many rows as they
// have.
func (f *File) align(at string, g *write.Group) {
	if !slices.ContainsFunc(f.specs[at], func(s *schema.GroupSpec) bool { return attributeIn(s.Attributes, "categories") != nil }) {
		return
	}
	var names []string
	for _, name := range slices.Sorted(maps.Keys(g.Groups)) {
		if below := path.Join(at, name); isTable(f.specs[below]) {
			names = append(names, name)
			if _, known := f.rows[at]; !known {
				f.rows[at] = f.rows[below]
			}
		}
	}
	if g.Attributes["categories"] == nil && names != nil {
		g.Attributes["categories"] = names
	}
}

// completeDataset fills in attributes and the names of axes.
func (f *File) completeDataset(at string, d *write.Dataset) error {
	t := f.typed(d)
	for _, s := range f.datasetSpecs(at, t) {
		if err := fillAttributes(&d.Object, s.Attributes); err != nil {
			return err
		}
		if d.Attributes["description"] == nil && t != nil && t.Is("", "VectorData") && s.Name != "" {
			d.Attributes["description"] = s.Doc
		}
		if d.Dims == nil {
			d.Dims = axes(s, d.Data.Shape())
		}
	}
	return nil
}

// axes are the names that a schema has for those of a shape, nil if it has none.
func axes(s *schema.DatasetSpec, shape []int) []string {
	for i, names := range s.Dims {
		if len(names) != len(shape) || i >= len(s.Shapes) || !s.Shapes[i].Fits(shape) {
			continue
		}
		for _, name := range names {
			if name == "" {
				return nil
			}
		}
		return names
	}
	return nil
}

// constant is the value that a schema fixes, or its default.
func constant(value, fallback json.RawMessage) json.RawMessage {
	if value != nil {
		return value
	}
	return fallback
}

// fillAttributes gives an object the attributes that it lacks and the schema knows.
func fillAttributes(o *write.Object, specs []*schema.AttributeSpec) error {
	if o.Attributes == nil {
		o.Attributes = map[string]any{}
	}
	for _, a := range specs {
		raw := constant(a.Value, a.Default)
		if _, given := o.Attributes[a.Name]; given || raw == nil {
			continue
		}
		v, err := goValue(raw)
		if err == nil {
			o.Attributes[a.Name], err = attributeValue(v, a.DType)
		}
		if err != nil {
			return strictjson.AtMember(a.Name, err)
		}
	}
	return nil
}

// goValue is a value of a schema as a program would give it: a number without a
// fraction is an int.
func goValue(raw json.RawMessage) (any, error) {
	if string(raw) == "NaN" {
		return math.NaN(), nil
	}
	if strictjson.IsNumber(raw) {
		if n, err := strictjson.Int(raw); err == nil && n == int64(int(n)) {
			return int(n), nil
		}
	}
	if len(raw) > 0 && raw[0] == '[' {
		var list []any
		err := strictjson.Each(raw, func(_ int, elem json.RawMessage) error {
			v, err := goValue(elem)
			list = append(list, v)
			return err
		})
		return list, err
	}
	var v any
	err := strictjson.Decode(raw, &v)
	return v, err
}
