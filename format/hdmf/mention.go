package hdmf

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/dtype"
)

// Mention is a link or a reference at the place where it stands.
type Mention struct {
	// To is what it refers to.
	To Reference
	// Holder is the group that has the link, or the object that refers.
	Holder Object
	// Link is nil for a reference.
	Link *Link
	// Attribute is the name of the attribute that refers, "" if none does, and Inside
	// where in its value, "" if it is the reference, or a list of nothing else.
	Attribute, Inside string
	// Field is the part of a compound that refers, "" for whole elements.
	Field string
	// Index is where in a list or in a dataset the reference is, nil if it is neither.
	// It is good until the next one.
	Index []int
	// Region says that it is a reference to a part of a dataset, or should be.
	Region bool
	// Empty says that it is an element in which there is no reference, as where
	// nothing was written.
	Empty bool
	// Err says why it is none, though it is where one should be.
	Err error
}

// References yields every link and reference of an object and of all below it: in
// attributes, in the elements of datasets, and in fields of them; written says that
// elements which were never written are of no interest.
// What is no reference although it should be has an Err. What cannot be read is
// yielded as its error, and the iteration goes on.
func References(ctx context.Context, o Object, written bool) iter.Seq2[Mention, error] {
	return func(yield func(Mention, error) bool) {
		g, ok := o.(*Group)
		if o == nil || !mentions(ctx, o, written, yield) || !ok {
			return
		}
		for member, err := range g.Walk(ctx) {
			switch {
			case err != nil:
				ok = yield(Mention{Holder: o}, err)
			case member.Link != nil:
				ok = yield(Mention{To: member.Link.Reference, Holder: member.Link.group, Link: member.Link}, nil)
			default:
				ok = mentions(ctx, member.Object, written, yield)
			}
			if !ok || ctx.Err() != nil {
				return
			}
		}
	}
}

// mentions yields what an object itself holds. The links of a group come with its
// members; here is what is wrong with them.
func mentions(ctx context.Context, o Object, written bool, yield func(Mention, error) bool) bool {
	for _, a := range o.Attributes() {
		if !a.mentions(o, yield) {
			return false
		}
	}
	switch o := o.(type) {
	case *Dataset:
		for m, err := range o.References(ctx, written) {
			if !yield(m, err) {
				return false
			}
		}
	case *Group:
		for _, problem := range o.Problems() {
			if !yield(Mention{Holder: o, Err: problem}, nil) {
				return false
			}
		}
	}
	return true
}

// mentions yields the references of an attribute.
func (a *Attribute) mentions(o Object, yield func(Mention, error) bool) bool {
	if a.Err != nil && !yield(Mention{Holder: o, Attribute: a.Name, Err: a.Err}, nil) {
		return false
	}
	regions := a.Regions()
	for i, r := range a.References {
		m := Mention{To: r, Holder: o, Attribute: a.Name, Region: r.Region != nil || regions[i]}
		if a.List {
			m.Index = []int{i}
		}
		if !yield(m, nil) {
			return false
		}
	}
	for _, n := range a.Nested {
		if !yield(Mention{To: n.Reference, Holder: o, Attribute: a.Name, Inside: n.At, Region: n.Region != nil, Err: n.Err}, nil) {
			return false
		}
	}
	return true
}

// Refers reports whether elements of the type are references, and not only fields of
// them.
func (t DType) Refers() bool { return t.Kind == ObjectRef || t.Kind == RegionRef }

// referring are the fields of a type that are references; "" stands for the element.
func (t DType) referring() (fields []string) {
	if t.Refers() {
		return []string{""}
	}
	for _, f := range t.Fields {
		if f.Refers() {
			fields = append(fields, f.Name)
		}
	}
	return fields
}

// References yields the references that the elements of a dataset are, or that fields
// of them are; all such fields if none is named. written says that elements which
// were never written are of no interest. An error ends the iteration.
func (d *Dataset) References(ctx context.Context, written bool, fields ...string) iter.Seq2[Mention, error] {
	return func(yield func(Mention, error) bool) {
		if fields == nil {
			fields = d.dtype.referring()
		}
		if fields == nil {
			return
		}
		for b, err := range d.Blocks(ctx, written) {
			if err != nil {
				yield(Mention{Holder: d}, err)
				return
			}
			for _, name := range fields {
				v, err := b.part(name)
				if err != nil {
					yield(Mention{Holder: d}, &zarr.Error{Op: "read", URL: d.array.URL(), Err: err})
					return
				}
				if !d.mentions(v, name, b.Start, yield) {
					return
				}
			}
		}
	}
}

// part is a field of elements, or the elements.
func (b Block) part(field string) (*Values, error) {
	if field == "" {
		return b.Values, nil
	}
	return b.Field(field)
}

// mentions yields the references of a block.
func (d *Dataset) mentions(v *Values, field string, start []int, yield func(Mention, error) bool) bool {
	m := Mention{Holder: d, Field: field}
	if !d.scalar {
		m.Index = slices.Clone(start)
	}
	for i := range v.Len() {
		m.To, m.Err = v.Reference(i)
		m.Empty = m.Err != nil && v.empty(i)
		m.Region = m.To.Region != nil || v.Kind == RegionRef
		if !yield(m, nil) {
			return false
		}
		for k := len(m.Index) - 1; k >= 0; k-- {
			if m.Index[k]++; m.Index[k] < start[k]+v.Shape[k] {
				break
			}
			m.Index[k] = start[k]
		}
	}
	return true
}

// empty reports whether an element says that there is no reference.
func (v *Values) empty(i int) bool {
	if v.json == nil && v.typ.Kind() == dtype.Object && len(v.blobs.Value(v.elem(i))) == 0 {
		return true
	}
	raw, err := v.JSON(i)
	if err != nil {
		return false
	}
	switch string(raw) {
	case "null", "0", `""`:
		return true
	}
	return false
}

// Kind is what stands there: "link", "object" or "region".
func (m *Mention) Kind() string {
	switch {
	case m.Link != nil, m.isLink():
		return "link"
	case m.Region:
		return "region"
	}
	return "object"
}

// isLink reports whether it is what should be a link and is none.
func (m *Mention) isLink() bool {
	_, group := m.Holder.(*Group)
	return group && m.Err != nil && m.Attribute == ""
}

// Path is where it stands: the path of the link, or that of the object that refers.
func (m *Mention) Path() string {
	if m.Link != nil {
		return m.Link.At()
	}
	if m.Holder == nil {
		return ""
	}
	return m.Holder.Path()
}

// errNoRegion says that a reference to a part of a dataset does not tell which.
var errNoRegion = errors.New("is a reference to a region, and has no region")

// Target finds what it leads to. A region must be there if there should be one, and
// fit what it is a part of.
func (m *Mention) Target(ctx context.Context) (Object, error) {
	if m.Err != nil || m.Holder == nil {
		return nil, cmp.Or(m.Err, ErrNoReference)
	}
	o, err := m.Holder.File().Resolve(ctx, m.To)
	switch {
	case err != nil:
		return o, err
	case m.To.Region == nil && m.Region:
		return o, errNoRegion
	case m.To.Region == nil:
		return o, nil
	}
	d, ok := o.(*Dataset)
	if !ok {
		return o, fmt.Errorf("a region of a group")
	}
	_, err = m.To.Region.Selection(d.array.Shape())
	return o, err
}
