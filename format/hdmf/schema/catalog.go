package schema

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// What a catalog takes at most. Real schemas are far below: the core of NWB has
// about a hundred types, 2,000 specs and 15 levels of nesting.
const (
	maxNamespaces = 4096     // versions count
	maxSource     = 16 << 20 // bytes of one text
	maxNesting    = 64       // levels of arrays and objects in a text
	maxSpecs      = 1 << 20  // specs in all texts
	maxChain      = 64       // types that one inherits from
	maxMembers    = 8 << 20  // members of all resolved types, where they are not shared
	maxProblems   = 1000
)

// Catalog holds namespaces by name and version. Its zero value is empty and ready
// to use, by several goroutines at once.
type Catalog struct {
	mu     sync.Mutex
	byName map[string][]*Namespace // by version, the latest last
	count  int
	specs  int
	merge  merger
}

// Add takes the texts of one version of a namespace: sources maps the name of each
// text to it, "namespace" to the one that describes the namespace itself. The error
// says why nothing of it can be used. Where only parts are broken there is none;
// see Problems.
//
// Namespaces may be added in any order. Types that were looked up before remain as
// they were.
func (c *Catalog) Add(name, version string, sources map[string]string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := &Namespace{Name: name, Version: version, catalog: c}
	if c.find(name, version) != nil {
		return n.error("", errors.New("is there already"))
	}
	if c.count >= maxNamespaces {
		return n.error("", fmt.Errorf("%w: more than %d namespaces", ErrLimit, maxNamespaces))
	}
	if err := n.read(sources); err != nil {
		return err
	}
	if c.byName == nil {
		c.byName = map[string][]*Namespace{}
	}
	list := append(slices.Clip(c.byName[name]), n)
	slices.SortFunc(list, func(a, b *Namespace) int { return CompareVersions(a.Version, b.Version) })
	c.byName[name] = list
	c.count++
	c.forget()
	return nil
}

// forget drops what was resolved: a namespace that came later may change what
// names of types mean.
func (c *Catalog) forget() {
	c.merge = merger{}
	for _, list := range c.byName {
		for _, n := range list {
			n.found = nil
			for _, d := range n.types {
				d.done, d.resolved, d.failed = false, nil, nil
			}
		}
	}
}

// Namespaces lists all namespaces and versions, sorted by name, then version.
func (c *Catalog) Namespaces() []*Namespace {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.all()
}

func (c *Catalog) all() []*Namespace {
	out := make([]*Namespace, 0, c.count)
	for _, list := range c.byName {
		out = append(out, list...)
	}
	slices.SortStableFunc(out, func(a, b *Namespace) int {
		if a.Name != b.Name {
			return strings.Compare(a.Name, b.Name)
		}
		return CompareVersions(a.Version, b.Version)
	})
	return out
}

// Latest is the latest version of a namespace, nil if there is none.
func (c *Catalog) Latest(name string) *Namespace {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.latest(name)
}

func (c *Catalog) latest(name string) *Namespace {
	if list := c.byName[name]; len(list) > 0 {
		return list[len(list)-1]
	}
	return nil
}

// Namespace is one version of a namespace, nil if it is not there.
func (c *Catalog) Namespace(name, version string) *Namespace {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.find(name, version)
}

func (c *Catalog) find(name, version string) *Namespace {
	for _, n := range c.byName[name] {
		if n.Version == version {
			return n
		}
	}
	return nil
}

// Type looks up a type in the latest version of a namespace, which may have it
// from another namespace that it includes. The reason is ErrUnknown if there is no
// such namespace or type; any other error tells why the type cannot be used.
func (c *Catalog) Type(namespace, name string) (*Type, error) {
	n := c.Latest(namespace)
	if n == nil {
		return nil, &Error{Namespace: namespace, Type: name, Err: ErrUnknown}
	}
	return n.Type(name)
}

// Problems resolves all types and tells all that is wrong: texts that cannot be
// read, types that cannot be used, and oddities that do no harm, such as a type that
// is defined twice. Each names its place, most of them as an *Error. A broken type
// that many others inherit from is told for each of them. After 1,000 problems the
// last one tells how many more there are.
func (c *Catalog) Problems() []error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out problems
	for _, n := range c.all() {
		out.list = append(out.list, n.problems.list...)
		out.more += n.problems.more
		n.check(&out)
	}
	if extra := len(out.list) - maxProblems; extra > 0 {
		out.list, out.more = out.list[:maxProblems], out.more+extra
	}
	if out.more > 0 {
		out.list = append(out.list, fmt.Errorf("and %d more problems", out.more))
	}
	return out.list
}

// problems is a bounded list of them.
type problems struct {
	list []error
	more int
}

func (p *problems) add(err error) {
	if len(p.list) >= maxProblems {
		p.more++
		return
	}
	p.list = append(p.list, err)
}
