package check

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/format/hdmf/schema"
)

// maxFindings bounds what is told of one file.
const maxFindings = 100_000

// maxDepth is how deep groups may lie in each other.
const maxDepth = 512

type checker struct {
	file    *hdmf.File
	id      string // of the file
	opt     Options
	catalog *schema.Catalog // nil if there is none

	findings []Finding
	told     map[Finding]bool
	dropped  int

	nodes    map[string]*target  // of the file itself, by path
	complete bool                // nodes has all of them
	broken   bool                // some could not be read
	hidden   string              // where the schemas are
	targets  remembered[*target] // of references that do not lead straight to one
	kinds    map[hdmf.Type]*kind
	strange  map[string]*strange                     // namespaces that have no schema
	groups   map[*schema.GroupSpec]*schema.GroupSpec // expanded
	datasets map[*schema.DatasetSpec]*schema.DatasetSpec
	linked   map[linked]bool
	rows     map[tableAt]int // of tables that were opened
	later    []references
	deferred map[references]bool
}

// strange is a namespace that has no schema.
type strange struct {
	first string // the object that needs it
	count int
}

// linked is an object behind a link that was checked as a spec asks.
type linked struct {
	file *hdmf.File
	path string
	spec any
}

// tableAt is where a table lies.
type tableAt struct {
	file *hdmf.File
	path string
}

// kind is what is known about a type that objects say they have.
type kind struct {
	said hdmf.Type
	typ  *schema.Type // nil if there is none
	err  error
}

// is reports whether the type is one or inherits from one. Without a schema only
// equal names tell.
func (k *kind) is(name string) bool {
	if k.typ == nil {
		return k.said.Name == name
	}
	return k.typ.Is("", name)
}

func newChecker(f *hdmf.File, opt Options) *checker {
	return &checker{
		file: f, id: f.ID(), opt: opt, told: map[Finding]bool{},
		nodes: map[string]*target{}, kinds: map[hdmf.Type]*kind{}, strange: map[string]*strange{},
		groups: map[*schema.GroupSpec]*schema.GroupSpec{}, datasets: map[*schema.DatasetSpec]*schema.DatasetSpec{}, linked: map[linked]bool{}, rows: map[tableAt]int{}, deferred: map[references]bool{},
	}
}

// tell adds a finding unless it is known already: an object may break the same
// rule of several specs.
func (c *checker) tell(path, rule, format string, args ...any) {
	c.add(Finding{Path: path, Rule: rule, Problem: fmt.Sprintf(format, args...)})
}

func (c *checker) add(f Finding) {
	if c.told[f] {
		return
	}
	if len(c.findings) >= maxFindings {
		c.dropped++
		return
	}
	c.told[f] = true
	c.findings = append(c.findings, f)
}

func (c *checker) run(ctx context.Context) error {
	if err := c.schemas(ctx); err != nil {
		return err
	}
	root := c.file.Root()
	if c.catalog != nil && root.Type().Name == "" {
		c.tell("/", Missing, "has no type, so that no schema says what the file must hold")
	}
	if err := c.tree(ctx, root); err != nil {
		return err
	}
	if err := c.consolidated(ctx); err != nil {
		return err
	}
	if c.dropped > 0 {
		c.findings = append(c.findings, Finding{Path: "/", Rule: Unreadable, Problem: fmt.Sprintf("%d more findings are not told", c.dropped)})
	}
	return nil
}

// tree checks an object and all below it.
func (c *checker) tree(ctx context.Context, top hdmf.Object) error {
	if err := c.object(ctx, top, visit{at: top.Path()}); err != nil {
		return err
	}
	c.complete, c.hidden = !c.broken && top.Path() == "/", c.file.SchemaPath()
	for _, r := range c.later {
		if err := c.elements(ctx, r); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.strange)) {
		s := c.strange[name]
		c.tell("/", MissingSpec, "no schema of namespace %q is cached, whose types %d objects have, the first at %s", name, s.count, s.first)
	}
	return nil
}

// kind looks up what an object says it is.
func (c *checker) kind(t hdmf.Type) *kind {
	k := c.kinds[t]
	if k != nil {
		return k
	}
	k = &kind{said: t}
	if c.catalog != nil && t.Name != "" {
		name := t.Namespace
		if name == "" {
			name = c.file.Root().Type().Namespace
		}
		k.typ, k.err = c.catalog.Type(name, t.Name)
		if k.err != nil {
			k.typ = nil
		}
	}
	c.kinds[t] = k
	return k
}

// visit is an object that is looked at.
type visit struct {
	at    string // where it lies, as far as this file is concerned
	specs []any  // what those around it ask of it: *schema.GroupSpec, *schema.DatasetSpec, expanded
	depth int
	// again says that the object is looked at where it lies too, as its own type
	// asks. Only what else is asked of it counts.
	again bool
	held  []held // what a group holds: listed once, whoever looks at it
}

// object checks an object: as its own type says, and as those around it ask.
func (c *checker) object(ctx context.Context, o hdmf.Object, v visit) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if v.depth >= maxDepth {
		c.broken = true
		c.tell(v.at, Unreadable, "groups lie more than %d deep in each other; what is below is not checked", maxDepth)
		return nil
	}
	d, isDataset := o.(*hdmf.Dataset)
	v.specs = slices.DeleteFunc(v.specs, func(s any) bool {
		_, forDataset := s.(*schema.DatasetSpec)
		return forDataset != isDataset
	})
	open := true
	if v.again {
		v.specs = slices.DeleteFunc(v.specs, func(s any) bool {
			at := linked{o.File(), o.Path(), s}
			had := c.linked[at]
			c.linked[at] = true
			return had
		})
		if len(v.specs) == 0 {
			return nil
		}
	} else {
		v.specs, open = c.own(o, v)
	}
	if g, ok := o.(*hdmf.Group); ok {
		v.held = list(ctx, g)
	}
	if !v.again {
		if err := c.lengths(ctx, o, v); err != nil {
			return err
		}
		if c.opt.Inspect {
			if err := c.inspect(ctx, o, v.at); err != nil {
				return err
			}
		}
	}
	c.attributes(ctx, o, v, open)
	if isDataset {
		return c.dataset(ctx, d, v)
	}
	return c.group(ctx, o.(*hdmf.Group), v, open)
}

// own adds what the type of an object asks of it. open says that it may have
// members that nothing asks for.
func (c *checker) own(o hdmf.Object, v visit) (specs []any, open bool) {
	k := c.kind(o.Type())
	d, isDataset := o.(*hdmf.Dataset)
	if o.File() == c.file && v.at == o.Path() {
		t := &target{kind: k, id: o.ID(), source: c.id}
		if isDataset {
			t.shape, t.dataset = d.Array().Shape(), true
		}
		c.nodes[v.at] = t
	}
	switch {
	case k.typ == nil:
		c.untyped(v.at, k)
		// Of an object of an unknown type nobody knows what is too much.
		return v.specs, k.said.Name != "" || listsNothing(v.specs)
	case (k.typ.Kind == schema.DatasetKind) != isDataset:
		c.tell(v.at, BadType, "is a %s, and its type %s is one of %ss", word(isDataset), k.said, k.typ.Kind)
		return v.specs, true
	case isDataset:
		specs = append(v.specs, k.typ.Dataset)
	default:
		specs = append(v.specs, k.typ.Group)
	}
	return specs, listsNothing(specs)
}

// listsNothing reports whether specs ask for an object and say nothing about what
// it holds: then it may hold everything.
func listsNothing(specs []any) bool {
	for _, s := range specs {
		switch s := s.(type) {
		case *schema.GroupSpec:
			if len(s.Attributes)+len(s.Groups)+len(s.Datasets)+len(s.Links) > 0 {
				return false
			}
		case *schema.DatasetSpec:
			if len(s.Attributes) > 0 {
				return false
			}
		}
	}
	return true
}

// untyped tells of an object whose type no schema has.
func (c *checker) untyped(at string, k *kind) {
	if c.catalog == nil || k.said.Name == "" {
		return
	}
	space := k.said.Namespace
	switch {
	case space == "":
		c.tell(at, UnknownType, "is of type %s and does not say of which namespace", k.said)
	case c.catalog.Latest(space) == nil:
		if c.strange[space] == nil {
			c.strange[space] = &strange{first: at}
		}
		c.strange[space].count++
	case errors.Is(k.err, schema.ErrUnknown):
		c.tell(at, UnknownType, "is of type %s, which its namespace does not have", k.said)
	default:
		c.tell(at, MissingSpec, "is of a type that cannot be used: %v", k.err)
	}
}

func word(dataset bool) string {
	if dataset {
		return "dataset"
	}
	return "group"
}

// unreadable tells of what cannot be read, unless nothing can be read any more.
func (c *checker) unreadable(ctx context.Context, at string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	c.broken = true
	c.tell(at, Unreadable, "%v", reason(err))
	return nil
}

// reason is an error without the names that the finding has already.
func reason(err error) error {
	var known *zarr.Error
	for errors.As(err, &known) && known.Err != nil {
		err = known.Err
	}
	return err
}
