package schema

import (
	"errors"
	"fmt"
)

// merger puts the members of a spec over those of the one it includes. What both
// have is the spec's own, completed by what only the included one says. Lists are
// shared where nothing is added to them, and what is not is counted.
type merger struct {
	used int
	path string
	odd  []oddity
}

// oddity is a member that contradicts what it inherits.
type oddity struct {
	member string
	err    error
}

func (m *merger) warn(member, name string, err error) {
	if len(m.odd) < maxOdd {
		at := member
		if name != "" {
			at += "." + name
		}
		if m.path != "" {
			at = m.path + "." + at
		}
		m.odd = append(m.odd, oddity{at, err})
	}
}

// down runs f with a member's name on the path.
func (m *merger) down(list, name string, f func()) {
	before := m.path
	if m.path != "" {
		m.path += "."
	}
	m.path += list + "." + name
	f()
	m.path = before
}

// spend counts members that are about to be copied and reports whether there may
// be so many.
func (m *merger) spend(n int) bool {
	m.used += n
	return m.used <= maxMembers
}

// limit is the error if there were too many.
func (m *merger) limit() error {
	if m.used > maxMembers {
		return fmt.Errorf("%w: resolved types have more than %d members", ErrLimit, maxMembers)
	}
	return nil
}

func (m *merger) group(own, inc *GroupSpec) *GroupSpec {
	out := *own
	out.Attributes = m.attributes(own.Attributes, inc.Attributes)
	unnamed := map[string]bool{}
	for _, d := range own.Datasets {
		if d.Name == "" {
			unnamed[d.TypeName()] = true
		}
	}
	for _, g := range own.Groups {
		if g.Name == "" {
			unnamed[g.TypeName()] = true
		}
	}
	out.Datasets = members(m, own.Datasets, inc.Datasets, unnamed, func(own, inc *DatasetSpec) *DatasetSpec {
		m.down("datasets", own.Name, func() {
			m.sameType(own.home, own.TypeInc, inc.TypeInc)
			own = m.dataset(own, inc)
		})
		return own
	})
	out.Groups = members(m, own.Groups, inc.Groups, unnamed, func(own, inc *GroupSpec) *GroupSpec {
		m.down("groups", own.Name, func() {
			m.sameType(own.home, own.TypeInc, inc.TypeInc)
			own = m.group(own, inc)
		})
		return own
	})
	targets := map[string]bool{}
	for _, l := range own.Links {
		if l.Name == "" {
			targets[l.TargetType] = true
		}
	}
	out.Links = members(m, own.Links, inc.Links, targets, func(own, inc *LinkSpec) *LinkSpec {
		m.down("links", own.Name, func() { m.sameType(own.home, own.TargetType, inc.TargetType) })
		return own
	})
	return &out
}

func (m *merger) dataset(own, inc *DatasetSpec) *DatasetSpec {
	out := *own
	out.Attributes = m.attributes(own.Attributes, inc.Attributes)
	out.DType = m.dtype(own.DType, inc.DType)
	out.Shapes, out.Dims = m.shapes(own.Shapes, own.Dims, inc.Shapes, inc.Dims)
	if own.Value == nil {
		out.Value = inc.Value
	}
	if own.Default == nil {
		out.Default = inc.Default
	}
	if out.Value != nil {
		out.Default = nil
	}
	return &out
}

// sameType notes a member whose type does not inherit from the type that the
// inherited member of the same name has.
func (m *merger) sameType(home *Namespace, own, inc string) {
	if own == inc {
		return
	}
	if own == "" || inc == "" || !home.inherits(own, inc) {
		m.warn("type", "", fmt.Errorf("is %q, but %q is inherited", own, inc))
	}
}

// inherits reports whether one type inherits from another, from what is written
// down alone: types need not be resolved for it.
func (n *Namespace) inherits(name, base string) bool {
	for range maxChain + 1 {
		if name == base {
			return true
		}
		d := n.definition(name)
		if d == nil || d.inc == "" {
			return false
		}
		n, name = d.ns, d.inc
	}
	return false
}

// attributes puts attributes over the included ones of the same name.
func (m *merger) attributes(own, inc []*AttributeSpec) []*AttributeSpec {
	if len(own) == 0 {
		return inc
	}
	if len(inc) == 0 {
		return own
	}
	if !m.spend(len(own) + len(inc)) {
		return own
	}
	at := make(map[string]int, len(own))
	for i, a := range own {
		at[a.Name] = i
	}
	out := append(make([]*AttributeSpec, 0, len(own)+len(inc)), own...)
	for _, a := range inc {
		if i, both := at[a.Name]; both {
			m.down("attributes", a.Name, func() { out[i] = m.attribute(out[i], a) })
		} else {
			out = append(out, a)
		}
	}
	return out
}

func (m *merger) attribute(own, inc *AttributeSpec) *AttributeSpec {
	out := *own
	out.DType = m.dtype(own.DType, inc.DType)
	out.Shapes, out.Dims = m.shapes(own.Shapes, own.Dims, inc.Shapes, inc.Dims)
	if own.Value == nil {
		out.Value = inc.Value
	}
	if own.Default == nil {
		out.Default = inc.Default
	}
	out.settle()
	return &out
}

// dtype is the spec's own type if it has one. Compounds take in the included
// fields, whose order holds.
func (m *merger) dtype(own, inc DType) DType {
	if own.Primitive == Unspecified {
		return inc
	}
	if inc.Primitive == Unspecified {
		return own
	}
	if own.Primitive != Compound || inc.Primitive != Compound {
		if !inc.Allows(own) {
			m.warn("dtype", "", fmt.Errorf("is %v, but %v is inherited", own.Primitive, inc.Primitive))
		}
		return own
	}
	if !m.spend(len(own.Fields) + len(inc.Fields)) {
		return own
	}
	at := make(map[string]int, len(inc.Fields))
	fields := append(make([]Field, 0, len(own.Fields)+len(inc.Fields)), inc.Fields...)
	for i, f := range fields {
		at[f.Name] = i
	}
	for _, f := range own.Fields {
		i, both := at[f.Name]
		if !both {
			fields = append(fields, f)
			continue
		}
		if !fields[i].DType.Allows(f.DType) {
			m.warn("dtype", f.Name, fmt.Errorf("is %v, but %v is inherited", f.DType.Primitive, fields[i].DType.Primitive))
		}
		fields[i] = f
	}
	own.Fields = fields
	return own
}

// shapes are the spec's own if it has any, and so are the names of their axes.
func (m *merger) shapes(own []Shape, dims [][]string, inc []Shape, incDims [][]string) ([]Shape, [][]string) {
	if own == nil {
		return inc, incDims
	}
	if len(inc) == 0 || len(own)*len(inc) > 1<<12 {
		return own, dims
	}
	for _, s := range own {
		if !s.narrows(inc) {
			m.warn("shape", "", errors.New(s.String()+" is not among the inherited ones"))
			break
		}
	}
	return own, dims
}
