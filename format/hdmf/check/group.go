package check

import (
	"context"
	"errors"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/format/hdmf/schema"
)

// member is what a group holds, and what is asked of it.
type member struct {
	hdmf.Member
	target *target // of a link; else of the object itself
	specs  []any   // expanded
	known  bool    // some spec has a place for it, or it was told that none has
}

func (m *member) isDataset() bool { return m.target.dataset }

// held is one of what a group holds, or why it cannot be read.
type held struct {
	hdmf.Member
	err error
}

func list(ctx context.Context, g *hdmf.Group) (all []held) {
	for m, err := range g.Members(ctx) {
		all = append(all, held{m, err})
	}
	return all
}

// slot is one place of a spec and how many members took it.
type slot struct {
	name     string
	typ      string // "" if objects need none
	spec     any    // *schema.DatasetSpec, *schema.GroupSpec, *schema.LinkSpec
	quantity schema.Quantity
	count    int
	mistaken bool // a link of the name leads to another type, which is told as such
}

// group checks what a group holds.
func (c *checker) group(ctx context.Context, g *hdmf.Group, v visit, open bool) error {
	for _, err := range g.Problems() {
		c.tell(v.at, DanglingLink, "%v", err)
	}
	hidden, err := g.Hidden(ctx)
	for _, l := range hidden {
		c.tell(v.at, DanglingLink, "link %s leads to %s, and the group holds something else of that name, which hides it", quote(l.Name), l.Reference)
	}
	if err != nil {
		if err := c.unreadable(ctx, v.at, err); err != nil {
			return err
		}
	}
	members, err := c.members(ctx, g, v)
	if err != nil {
		return err
	}
	for _, s := range v.specs {
		c.match(members, s.(*schema.GroupSpec), v.at)
	}
	for _, m := range members {
		at := join(v.at, m.Name)
		switch {
		case m.known || open || c.catalog == nil:
		case at == "/specifications" && c.file.SchemaPath() == "":
			c.tell("/", MissingSpec, "says nowhere (it has no .specloc) that /specifications are its schemas")
		default:
			what := word(m.isDataset())
			if m.Link != nil {
				what = "link"
			}
			c.tell(at, ExtraField, "no schema has a place for this %s%s in %s", what, ofType(m.target), v.at)
		}
		if c.opt.Inspect && strings.ContainsAny(m.Name, `/\`) {
			c.tell(at, "check_name_slashes", "the name has a slash in it")
		}
		var err error
		switch {
		case m.Link == nil:
			err = c.object(ctx, m.Object, visit{at: at, specs: m.specs, depth: v.depth + 1, again: v.again})
		case m.target.err == nil:
			err = c.linkedObject(ctx, m, visit{at: at, specs: m.specs, depth: v.depth + 1})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func join(at, name string) string {
	if name == "" {
		return at
	}
	return strings.TrimSuffix(at, "/") + "/" + name
}

func ofType(t *target) string {
	if t.kind == nil || t.kind.said.Name == "" {
		return ""
	}
	return " of type " + t.kind.said.String()
}

// members lists what a group holds: datasets, then groups, then links, as hdmf's
// validator takes them.
func (c *checker) members(ctx context.Context, g *hdmf.Group, v visit) ([]*member, error) {
	var lists [3][]*member
	at := v.at
	own := c.nodes[at]
	if g.File() != c.file || g.Path() != at {
		own = nil // what lies here is behind a link
	}
	for _, m := range v.held {
		if m.err != nil {
			if err := c.unreadable(ctx, join(at, nameIn(g, m.err)), m.err); err != nil {
				return nil, err
			}
			continue
		}
		out := &member{Member: m.Member}
		switch o := m.Object.(type) {
		case *hdmf.Dataset:
			out.target = &target{kind: c.kind(o.Type()), dataset: true}
			lists[0] = append(lists[0], out)
		case *hdmf.Group:
			out.target = &target{kind: c.kind(o.Type())}
			lists[1] = append(lists[1], out)
		default:
			if own != nil {
				own.link(m.Name)
			}
			out.target = c.resolve(ctx, g.File(), m.Link.Reference)
			c.tellTarget(at, "link "+quote(m.Name), DanglingLink, m.Link.Reference, out.target)
			lists[2] = append(lists[2], out)
		}
	}
	return append(append(lists[0], lists[1]...), lists[2]...), ctx.Err()
}

// nameIn is the name of the node of a group that an error is about, "" if it is
// about the group itself. Whatever failed about the node, its URL tells.
func nameIn(g *hdmf.Group, err error) string {
	var known *zarr.Error
	if !errors.As(err, &known) {
		return ""
	}
	name, below := strings.CutPrefix(known.URL, strings.TrimSuffix(g.Zarr().URL(), "/")+"/")
	if !below {
		return ""
	}
	return strings.Trim(name, "/")
}

// match gives every member a place in a spec, as hdmf's validator does: the first
// of those that fit its name and type and lack members, else the first that fits.
func (c *checker) match(members []*member, spec *schema.GroupSpec, at string) {
	slots := slotsOf(spec)
	for _, m := range members {
		var best, wrong *slot
		for i := range slots {
			s := &slots[i]
			if s.name != "" && s.name != m.Name {
				continue
			}
			switch {
			case m.target.err != nil && s.name == "":
			case m.target.err != nil || s.typ == "" || m.target.kind.is(s.typ):
				if best == nil || best.count >= best.quantity.Min && s.count < s.quantity.Min {
					best = s
				}
			case s.name != "":
				wrong = s
			}
		}
		switch {
		case best != nil:
			best.count++
			m.known = true
			c.take(m, best, at)
		case m.target.err != nil:
			m.known = true
		case wrong != nil:
			// What hdmf's validator calls missing, where it is a link to something else.
			wrong.mistaken = m.Link != nil && (m.target.kind.typ != nil || m.target.kind.said.Name == "")
			if m.known = true; wrong.mistaken || wrong.quantity.Min == 0 && m.target.kind.typ != nil {
				c.tell(join(at, m.Name), BadType, "is %s, must be of type %s or one that inherits from it", described(m.target), wrong.typ)
			}
		case m.target.kind.typ == nil && m.target.kind.said.Name != "":
			m.known = true // told as a type that no schema has
		}
	}
	for i := range slots {
		c.quantity(&slots[i], at)
	}
}

func described(t *target) string {
	if t.kind.said.Name == "" {
		return "of no type"
	}
	return "of type " + t.kind.said.String()
}

func slotsOf(spec *schema.GroupSpec) []slot {
	slots := make([]slot, 0, len(spec.Datasets)+len(spec.Groups)+len(spec.Links))
	for _, s := range spec.Datasets {
		slots = append(slots, slot{name: s.Name, typ: s.TypeName(), spec: s, quantity: s.Quantity})
	}
	for _, s := range spec.Groups {
		slots = append(slots, slot{name: s.Name, typ: s.TypeName(), spec: s, quantity: s.Quantity})
	}
	for _, s := range spec.Links {
		slots = append(slots, slot{name: s.Name, typ: s.TargetType, spec: s, quantity: s.Quantity})
	}
	return slots
}

// take adds what a place asks of the member that took it.
func (c *checker) take(m *member, s *slot, at string) {
	var spec any
	var linkable, dataset bool
	var err error
	switch one := s.spec.(type) {
	case *schema.DatasetSpec:
		linkable, dataset = one.Linkable, true
		spec, err = expanded(c.datasets, one, one.Expand)
	case *schema.GroupSpec:
		linkable = one.Linkable
		spec, err = expanded(c.groups, one, one.Expand)
	default:
		return
	}
	switch {
	case m.Link != nil && !linkable:
		c.tell(at, BadLink, "%q is a link, and must be there itself", m.Name)
	case m.target.err != nil:
	case m.isDataset() != dataset && (m.target.kind.typ == nil || (m.target.kind.typ.Kind == schema.DatasetKind) == m.isDataset()):
		c.tell(join(at, m.Name), BadType, "is a %s, must be a %s", word(!dataset), word(dataset))
	case m.isDataset() != dataset: // told of its own type
	case err != nil && m.target.kind.typ == nil && m.target.kind.said.Name != "": // told of its own type
	case err != nil:
		c.tell(join(at, m.Name), MissingSpec, "what is asked of it cannot be used: %v", err)
	default:
		m.specs = append(m.specs, spec)
	}
}

// expanded expands a spec once: objects of one place share what is asked of them.
func expanded[S comparable](known map[S]S, spec S, expand func() (S, error)) (S, error) {
	if s, ok := known[spec]; ok {
		return s, nil
	}
	s, err := expand()
	if err == nil {
		known[spec] = s
	}
	return s, err
}

// quantity tells if too few or too many members took a place.
func (c *checker) quantity(s *slot, at string) {
	what := "group"
	switch s.spec.(type) {
	case *schema.DatasetSpec:
		what = "dataset"
	case *schema.LinkSpec:
		what = "link"
	}
	if s.name != "" {
		what += " " + quote(s.name)
	}
	switch {
	case s.quantity.Fits(s.count), s.mistaken && s.count == 0:
	case s.count == 0 && s.typ == "":
		c.tell(at, Missing, "%s is missing", what)
	case s.count == 0:
		c.tell(at, MissingType, "%s of type %s is missing", what, s.typ)
	default:
		c.tell(at, BadQuantity, "holds %d of %s of type %s, must be %s", s.count, what, s.typ, s.quantity)
	}
}

// linkedObject checks an object that a link leads to as the place of the link asks.
// One in another file is checked as a whole too: nobody else does.
func (c *checker) linkedObject(ctx context.Context, m *member, v visit) error {
	o, err := m.Link.Target(ctx)
	if err != nil {
		return c.unreadable(ctx, v.at, err)
	}
	if o.File() == c.file {
		v.at, v.again = o.Path(), true
		return c.object(ctx, o, v)
	}
	whole := linked{o.File(), o.Path(), nil}
	v.again = c.linked[whole]
	c.linked[whole] = true
	return c.object(ctx, o, v)
}
