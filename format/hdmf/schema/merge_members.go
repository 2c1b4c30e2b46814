package schema

// spec is a spec of a group, a dataset or a link.
type spec interface {
	comparable
	name() string
	typeName() string
}

func (g *GroupSpec) name() string       { return g.Name }
func (g *GroupSpec) typeName() string   { return g.TypeName() }
func (d *DatasetSpec) name() string     { return d.Name }
func (d *DatasetSpec) typeName() string { return d.TypeName() }
func (l *LinkSpec) name() string        { return l.Name }
func (l *LinkSpec) typeName() string    { return l.TargetType }

// members puts specs over the included ones of the same name, which both merges. An
// included spec without a name is hidden if one of the types in unnamed is its own:
// then there is a spec for them already. The result has the own specs in their
// order, then the included ones, those without a name last.
func members[T spec](m *merger, own, inc []T, unnamed map[string]bool, both func(own, inc T) T) []T {
	if len(inc) == 0 {
		return own
	}
	if len(own) == 0 && ordered(inc, unnamed) {
		return inc
	}
	if !m.spend(len(own) + len(inc)) {
		return own
	}
	at := make(map[string]int, len(own))
	for i, s := range own {
		if s.name() != "" {
			at[s.name()] = i
		}
	}
	out := append(make([]T, 0, len(own)+len(inc)), own...)
	for _, s := range inc {
		if s.name() == "" {
			continue
		}
		if i, there := at[s.name()]; there {
			out[i] = both(out[i], s)
		} else {
			out = append(out, s)
		}
	}
	for _, s := range inc {
		if s.name() == "" && !unnamed[s.typeName()] {
			out = append(out, s)
		}
	}
	return out
}

// ordered reports whether included specs can be taken as they are.
func ordered[T spec](inc []T, unnamed map[string]bool) bool {
	tail := false
	for _, s := range inc {
		if s.name() != "" && tail || s.name() == "" && unnamed[s.typeName()] {
			return false
		}
		tail = tail || s.name() == ""
	}
	return true
}
