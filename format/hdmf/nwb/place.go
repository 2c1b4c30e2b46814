package nwb

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/format/hdmf/schema"
	"github.com/omnizarr/zarr/format/hdmf/write"
)

// group finds a group of the tree. Those without a type that the schema has by name
// are made where they are missing.
func (f *File) group(at string) (*write.Group, error) {
	g, here := f.root, "/"
	for name := range strings.SplitSeq(strings.Trim(at, "/"), "/") {
		if name == "" {
			break
		}
		next := path.Join(here, name)
		sub := g.Groups[name]
		if sub == nil {
			var specs []*schema.GroupSpec
			for _, s := range groupSlots(f.specs[here], name, nil) {
				if s.TypeName() == "" {
					specs = append(specs, s)
				}
			}
			if specs == nil {
				return nil, fmt.Errorf("there is no group %s: what holds an object is added before it", next)
			}
			sub = newGroup(nil)
			g.Groups[name], f.specs[next] = sub, specs
		}
		g, here = sub, next
	}
	return g, nil
}

// groupSlots are the places that specs have for a group of a name and a type, nil
// for any.
func groupSlots(specs []*schema.GroupSpec, name string, t *schema.Type) []*schema.GroupSpec {
	var out []*schema.GroupSpec
	for _, spec := range specs {
		for _, s := range spec.Groups {
			if fits(s.Name, s.TypeName(), name, t) {
				out = append(out, s)
			}
		}
	}
	return out
}

// datasetSlots are the places that specs have for a dataset.
func datasetSlots(specs []*schema.GroupSpec, name string, t *schema.Type) []*schema.DatasetSpec {
	var out []*schema.DatasetSpec
	for _, spec := range specs {
		for _, s := range spec.Datasets {
			if fits(s.Name, s.TypeName(), name, t) {
				out = append(out, s)
			}
		}
	}
	return out
}

// fits says whether a place is one for an object: it has its name, or none and its
// type.
func fits(slot, typ, name string, t *schema.Type) bool {
	if slot != "" {
		return slot == name && (t == nil || typ == "" || t.Is("", typ))
	}
	return t != nil && t.Is("", typ)
}

func hasLink(specs []*schema.GroupSpec, name string) bool {
	return slices.ContainsFunc(specs, func(spec *schema.GroupSpec) bool {
		return slices.ContainsFunc(spec.Links, func(l *schema.LinkSpec) bool { return l.Name == name })
	})
}

func attributeIn(list []*schema.AttributeSpec, name string) *schema.AttributeSpec {
	for _, a := range list {
		if a.Name == name {
			return a
		}
	}
	return nil
}

var errThere = errors.New("there is one already")

// add makes an object.
func (f *File) add(at, typ string, fields Fields) error {
	above, name := path.Split(at)
	if above = path.Clean(above); at == "/" {
		return errThere
	}
	parent, err := f.group(above)
	if err != nil {
		return err
	}
	t, err := f.typeAt(above, name, typ)
	if err != nil {
		return err
	}
	if _, link := parent.Links[name]; link || parent.Datasets[name] != nil || parent.Groups[name] != nil {
		return errThere
	}
	if t.Kind == schema.DatasetKind {
		return f.addDataset(at, parent, t, fields)
	}
	specs := []*schema.GroupSpec{t.Group}
	for _, s := range groupSlots(f.specs[above], name, t) {
		whole, err := s.Expand()
		if err != nil {
			return err
		}
		specs = append(specs, whole)
	}
	g := newGroup(t)
	parent.Groups[name], f.specs[at] = g, specs
	return f.set(at, g, fields)
}

// addDataset makes a dataset of a type.
func (f *File) addDataset(at string, parent *write.Group, t *schema.Type, fields Fields) error {
	rest := maps.Clone(fields)
	delete(rest, "data")
	d, err := f.dataset(f.datasetSpecs(at, t), t, fields["data"])
	if err != nil {
		return err
	}
	parent.Datasets[path.Base(at)] = d
	for _, name := range slices.Sorted(maps.Keys(rest)) {
		if err := setAttribute(&d.Object, f.attributesOf(at, t), name, rest[name]); err != nil {
			return err
		}
	}
	return nil
}

// typeAt is the type of an object that is to be made: the one named, or that of the
// place.
func (f *File) typeAt(above, name, typ string) (*schema.Type, error) {
	if typ != "" {
		return f.typeOf(typ)
	}
	for _, s := range groupSlots(f.specs[above], name, nil) {
		if s.TypeName() != "" {
			return s.Type()
		}
	}
	for _, s := range datasetSlots(f.specs[above], name, nil) {
		if s.TypeName() != "" {
			return s.Type()
		}
	}
	return nil, errors.New("the schema has no type for this place: name one")
}

// set gives fields to a group: first those that are members, then attributes of
// these.
func (f *File) set(at string, g *write.Group, fields Fields) error {
	var late []string
	for _, name := range f.ordered(at, fields) {
		err := f.member(at, g, name, fields[name])
		if errors.Is(err, errNoMember) {
			late = append(late, name)
		} else if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	for _, name := range late {
		if err := f.attribute(at, g, name, fields[name]); err != nil {
			return err
		}
	}
	return nil
}

// ordered are the names of fields, datasets in the order of the schema before all
// else: columns of tables have an order.
func (f *File) ordered(at string, fields Fields) []string {
	var names []string
	for _, spec := range f.specs[at] {
		for _, s := range spec.Datasets {
			if _, ok := fields[s.Name]; ok && !slices.Contains(names, s.Name) {
				names = append(names, s.Name)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

var errNoMember = errors.New("no member is called so")

// member gives a group a field that is a member of its own, or an attribute.
func (f *File) member(at string, g *write.Group, name string, v any) error {
	if dir, base := path.Split(name); dir != "" {
		sub, err := f.group(path.Join(at, dir))
		if err != nil {
			return err
		}
		return f.set(path.Join(at, dir), sub, Fields{base: v})
	}
	specs, here := f.specs[at], path.Join(at, name)
	if o, ok := v.(Object); ok {
		return f.add(here, o.Type, o.Fields)
	}
	for _, spec := range specs {
		if a := attributeIn(spec.Attributes, name); a != nil {
			return setAttribute(&g.Object, spec.Attributes, name, v)
		}
	}
	ref, isRef := v.(hdmf.Reference)
	if slots := datasetSlots(specs, name, nil); slots != nil {
		if isRef && slots[0].DType.Primitive != schema.Object && slots[0].DType.Primitive != schema.Region {
			g.Links[name] = ref
			return nil
		}
		return f.namedDataset(at, g, name, slots[0], v)
	}
	if slots := groupSlots(specs, name, nil); slots != nil {
		fields, ok := v.(Fields)
		switch {
		case isRef:
			g.Links[name] = ref
			return nil
		case ok && slots[0].TypeName() != "":
			return f.add(here, slots[0].TypeName(), fields)
		case ok:
			sub, err := f.group(here)
			if err != nil {
				return err
			}
			return f.set(here, sub, fields)
		}
		return fmt.Errorf("is a group: its value is Fields, an Object or a reference, not a %v", reflect.TypeOf(v))
	}
	if isRef && (hasLink(specs, name) || !strings.Contains(name, ".")) {
		g.Links[name] = ref
		return nil
	}
	if c, ok := v.(Column); ok {
		return f.column(at, g, c)
	}
	return errNoMember
}

// namedDataset makes a dataset that the schema has by name.
func (f *File) namedDataset(at string, g *write.Group, name string, slot *schema.DatasetSpec, v any) error {
	var t *schema.Type
	if slot.TypeName() != "" {
		var err error
		if t, err = slot.Type(); err != nil {
			return err
		}
	}
	if c, ok := v.(Column); ok {
		return f.column(at, g, c)
	}
	if t != nil && t.Is("", "VectorData") && isTable(f.specs[at]) && !t.Is("", "VectorIndex") {
		if _, given := v.(*write.Dataset); !given {
			return f.column(at, g, Column{Name: name, Data: v})
		}
	}
	d, err := f.dataset(f.datasetSpecs(path.Join(at, name), t), t, v)
	if err == nil {
		g.Datasets[name] = d
	}
	return err
}

// datasetSpecs are what is asked of the dataset at a path: by its type, and by its
// place.
func (f *File) datasetSpecs(at string, t *schema.Type) []*schema.DatasetSpec {
	above, name := path.Split(at)
	var out []*schema.DatasetSpec
	for _, s := range datasetSlots(f.specs[path.Clean(above)], name, t) {
		if whole, err := s.Expand(); err == nil { // else the check tells
			out = append(out, whole)
		}
	}
	if t != nil {
		out = append(out, t.Dataset)
	}
	return out
}

func (f *File) attributesOf(at string, t *schema.Type) []*schema.AttributeSpec {
	var out []*schema.AttributeSpec
	for _, s := range f.datasetSpecs(at, t) {
		out = append(out, s.Attributes...)
	}
	return out
}

// attribute gives a member of a group an attribute: "data.unit", or "unit" where one
// dataset alone has it to give.
func (f *File) attribute(at string, g *write.Group, name string, v any) error {
	member, attr, dotted := cutLast(name)
	if !dotted {
		attr = name
		var who []string
		for _, spec := range f.specs[at] {
			for _, s := range spec.Datasets {
				whole, err := s.Expand()
				if s.Name == "" || err != nil {
					continue
				}
				if a := attributeIn(whole.Attributes, attr); a != nil && a.Value == nil && !slices.Contains(who, s.Name) {
					who = append(who, s.Name)
				}
			}
		}
		switch len(who) {
		case 0:
			return f.unknown(at, g, name)
		case 1:
			member = who[0]
		default:
			return fmt.Errorf("%s: %s have such an attribute: say %s.%s", name, strings.Join(who, " and "), who[0], attr)
		}
	}
	switch d, sub := g.Datasets[member], g.Groups[member]; {
	case d != nil:
		return setAttribute(&d.Object, f.attributesOf(path.Join(at, member), f.typed(d)), attr, v)
	case sub != nil:
		return f.set(path.Join(at, member), sub, Fields{attr: v})
	case !dotted || datasetSlots(f.specs[at], member, nil) != nil:
		return fmt.Errorf("%s: is said of %q, which is not given", name, member)
	}
	return f.unknown(at, g, name)
}

// typed is the type of a dataset of the tree, nil if it has none.
func (f *File) typed(d *write.Dataset) *schema.Type {
	if d.Type.Name == "" {
		return nil
	}
	t, err := f.catalog.Type(d.Type.Namespace, d.Type.Name)
	if err != nil {
		return nil
	}
	return t
}

func cutLast(name string) (before, after string, found bool) {
	i := strings.LastIndexByte(name, '.')
	if i < 0 {
		return "", "", false
	}
	return name[:i], name[i+1:], true
}

// unknown is the error of a field that the schema does not have.
func (f *File) unknown(at string, g *write.Group, name string) error {
	var has []string
	for _, spec := range f.specs[at] {
		for _, a := range spec.Attributes {
			has = append(has, a.Name)
		}
		for _, s := range spec.Datasets {
			has = append(has, s.Name)
		}
		for _, s := range spec.Groups {
			has = append(has, s.Name)
		}
		for _, s := range spec.Links {
			has = append(has, s.Name)
		}
	}
	slices.Sort(has)
	has = slices.DeleteFunc(slices.Compact(has), func(name string) bool { return name == "" })
	what := "the group"
	if g.Type.Name != "" {
		what = g.Type.Name
	}
	return fmt.Errorf("%s has no field %q; it has %s", what, name, strings.Join(has, ", "))
}

// setAttribute gives an object an attribute, in the type that specs ask for.
func setAttribute(o *write.Object, specs []*schema.AttributeSpec, name string, v any) error {
	var want schema.DType
	for _, a := range specs {
		if a.Name == name && a.DType.Primitive != schema.Unspecified {
			want = a.DType
			break
		}
	}
	value, err := attributeValue(v, want)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	o.Attributes[name] = value
	return nil
}
