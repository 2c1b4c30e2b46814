package schema

import "fmt"

// Expand is the spec with the members of its type merged under its own, as an
// object that matches it has to be. Specs inside it are not expanded: types may
// contain each other without end. A spec without a type is returned as it is.
func (g *GroupSpec) Expand() (*GroupSpec, error) {
	if g.TypeName() == "" {
		return g, nil
	}
	t, err := g.Type()
	if err != nil {
		return nil, err
	}
	if t.Group == nil {
		return nil, t.error(fmt.Errorf("is a %v, and the spec of a group includes it", t.Kind))
	}
	g.home.catalog.mu.Lock()
	defer g.home.catalog.mu.Unlock()
	var m merger
	out := m.group(g, t.Group)
	if err := m.limit(); err != nil {
		return nil, t.error(err)
	}
	return out, nil
}

// Expand is the spec with the members of its type merged under its own, as an
// object that matches it has to be. A spec without a type is returned as it is.
func (d *DatasetSpec) Expand() (*DatasetSpec, error) {
	if d.TypeName() == "" {
		return d, nil
	}
	t, err := d.Type()
	if err != nil {
		return nil, err
	}
	if t.Dataset == nil {
		return nil, t.error(fmt.Errorf("is a %v, and the spec of a dataset includes it", t.Kind))
	}
	var m merger
	out := m.dataset(d, t.Dataset)
	if err := m.limit(); err != nil {
		return nil, t.error(err)
	}
	return out, nil
}

func (t *Type) error(err error) error {
	return &Error{Namespace: t.Namespace, Version: t.Version, Source: t.Source, Type: t.Name, Err: err}
}
