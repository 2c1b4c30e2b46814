package schema

import (
	"fmt"
	"maps"
	"slices"

	"github.com/omnizarr/zarr/internal/strictjson"
)

// The functions here run while the catalog is locked.

// lookup finds a type as a namespace sees it. The entries of its schema count in
// their order, and so the first of two types with one name. A namespace of which
// only some types are included has the others too if nothing else has them, since
// the included ones may need them.
func (n *Namespace) lookup(name string, seen map[*Namespace]bool) *definition {
	if seen[n] {
		return nil
	}
	seen[n] = true
	own := n.types[name]
	for _, listed := range [...]bool{true, false} {
		for i, e := range n.schema {
			if own != nil && own.entry <= i {
				return own
			}
			if e.namespace == "" || (e.only == nil || e.only[name]) != listed {
				continue
			}
			if other := n.included(e); other != nil {
				if d := other.lookup(name, seen); d != nil {
					return d
				}
			}
		}
		if own != nil {
			return own
		}
	}
	return nil
}

// included is the namespace that an entry names, nil if it is not there.
func (n *Namespace) included(e include) *Namespace {
	if e.version != "" {
		if exact := n.catalog.find(e.namespace, e.version); exact != nil {
			return exact
		}
	}
	return n.catalog.latest(e.namespace)
}

// definition finds a type as lookup does, and remembers it.
func (n *Namespace) definition(name string) *definition {
	if d := n.found[name]; d != nil {
		return d
	}
	d := n.lookup(name, map[*Namespace]bool{})
	if d != nil {
		if n.found == nil {
			n.found = map[string]*definition{}
		}
		n.found[name] = d
	}
	return d
}

// resolve gives a type with inheritance resolved.
func (n *Namespace) resolve(name string) (*Type, error) {
	d := n.definition(name)
	if d == nil {
		return nil, &Error{Namespace: n.Name, Version: n.Version, Type: name, Err: ErrUnknown}
	}
	return d.resolve()
}

// check resolves all types of a namespace and tells what is wrong with them.
func (n *Namespace) check(out *problems) {
	for _, e := range n.schema {
		if e.namespace == "" {
			continue
		}
		other := n.included(e)
		if other == nil {
			out.add(n.described(e.place,
				fmt.Errorf("includes namespace %s, which is %w", strictjson.Quote(e.namespace), ErrUnknown)))
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(e.only)) {
			if other.definition(name) == nil {
				out.add(n.described(e.place,
					fmt.Errorf("includes type %s of namespace %s, which is %w", strictjson.Quote(name), strictjson.Quote(e.namespace), ErrUnknown)))
			}
		}
	}
	for _, d := range n.twice {
		out.add(d.error(fmt.Errorf("is defined before, in source %s, which holds", strictjson.Quote(n.types[d.name].source))))
	}
	for _, name := range n.names {
		d := n.types[name]
		if first := n.definition(name); first != d {
			out.add(d.error(fmt.Errorf("is in the included namespace %s too, whose type holds", strictjson.Quote(first.ns.Name))))
		}
		if _, err := d.resolve(); err != nil {
			out.add(err)
		}
		for _, e := range d.odd {
			out.add(e)
		}
		for _, e := range d.inherited {
			out.add(e)
		}
	}
}
