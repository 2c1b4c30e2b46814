package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/omnizarr/zarr/internal/strictjson"
)

// parser reads the specs of one source. It goes on behind an error, so that one
// broken type does not hide what is nested in it or comes behind it.
type parser struct {
	ns     *Namespace
	source string
	only   map[string]bool // the types to take; nil takes all
	entry  int             // which entry of the namespace's schema this is

	defs  []*definition
	path  []string // to the spec at hand, inside the outermost type
	first *Error   // what went wrong first in the type at hand
	odd   []*Error // what the type at hand can live with
	full  bool     // there were too many specs
}

// maxOdd is how many oddities of one type are kept.
const maxOdd = 16

// fail notes what is wrong with the member at the current path.
func (p *parser) fail(member string, err error) {
	if p.first == nil {
		p.first = p.at(member, err)
	}
}

// warn notes what is odd about it but does no harm.
func (p *parser) warn(member string, err error) {
	if len(p.odd) < maxOdd {
		p.odd = append(p.odd, p.at(member, err))
	}
}

// open starts a spec of a group, a dataset, a link or an attribute, of which a
// catalog takes a bounded number: a short text can have very many.
func (p *parser) open(raw json.RawMessage) ([]strictjson.Member, bool) {
	c := p.ns.catalog
	if c.specs >= maxSpecs {
		p.full = true
		p.fail("", fmt.Errorf("%w: more than %d specs", ErrLimit, maxSpecs))
		return nil, false
	}
	members, err := strictjson.Split(raw)
	if err != nil {
		p.fail("", err)
		return nil, false
	}
	c.specs++
	return members, true
}

func (p *parser) at(member string, err error) *Error {
	member, err = under(member, err)
	e := &Error{Namespace: p.ns.Name, Version: p.ns.Version, Source: p.source, Err: err}
	steps := p.path
	if member != "" {
		steps = append(steps[:len(steps):len(steps)], member)
	}
	e.Member = strings.Join(steps, ".")
	return e
}

// parse reads a whole source and returns an error if it is no document of specs.
func (p *parser) parse(text string) error {
	doc, err := strictjson.Object([]byte(text), strictjson.Options{MaxBytes: maxSource, MaxDepth: maxNesting, NaN: true})
	if err != nil {
		return err
	}
	// Datasets come first, as in hdmf: of two types of one name the first is taken.
	for _, list := range [...]struct {
		name string
		kind Kind
	}{{"datasets", DatasetKind}, {"groups", GroupKind}} {
		for _, m := range doc {
			if m.Name != list.name || strictjson.IsNull(m.Raw) {
				continue
			}
			err := strictjson.Each(m.Raw, func(i int, elem json.RawMessage) error {
				if p.full {
					return fmt.Errorf("%w: more than %d specs", ErrLimit, maxSpecs)
				}
				p.top(fmt.Sprintf("%s[%d]", list.name, i), elem, list.kind)
				return nil
			})
			if err != nil {
				p.path = p.path[:0]
				p.ns.problem(p.at(list.name, err))
			}
		}
	}
	return nil
}

// top reads one spec of the outermost list, which has to define a type.
func (p *parser) top(place string, raw json.RawMessage, kind Kind) {
	p.path, p.first, p.odd = p.path[:0], nil, nil
	before := len(p.defs)
	name := ""
	if kind == GroupKind {
		if g := p.group(raw); g != nil {
			name = g.TypeDef
		}
	} else if d := p.dataset(raw); d != nil {
		name = d.TypeDef
	}
	if name == "" {
		err := errors.New("defines no type")
		if p.first != nil {
			err = fmt.Errorf("defines no type that can be read: %w", p.first.Err)
		}
		p.ns.problem(p.at(place, err))
	} else if p.only != nil && !p.only[name] {
		p.defs = p.defs[:before]
	}
}

// define notes the type that a spec defines, with what went wrong in it.
func (p *parser) define(name, inc string, kind Kind) *definition {
	d := &definition{ns: p.ns, source: p.source, name: name, inc: inc, kind: kind, entry: p.entry}
	if p.first != nil {
		e := *p.first
		e.Type = name
		d.err = &e
	}
	for _, e := range p.odd {
		e.Type = name
	}
	d.odd = p.odd
	p.odd = nil
	p.defs = append(p.defs, d)
	return d
}

// inside reads a spec with its own account of what goes wrong. Afterwards the
// spec around it has failed too if this one has.
func (p *parser) inside(read func()) {
	first, odd := p.first, p.odd
	p.first, p.odd = nil, nil
	read()
	if first != nil {
		p.first = first
	}
	odd = append(odd, p.odd...)
	p.odd = odd[:min(len(odd), maxOdd)]
}

// common are the members that groups and datasets share.
type common struct {
	name, defaultName, doc string
	def, inc               string
	quantity               Quantity
	linkable               bool
	attributes             []*AttributeSpec
	nwb                    bool
}

// member reads a member that groups and datasets share; known is false if it is none.
func (p *parser) member(c *common, m strictjson.Member) (known bool) {
	var err error
	switch m.Name {
	case "name":
		c.name, err = objectName(m.Raw)
	case "default_name":
		c.defaultName, err = objectName(m.Raw)
	case "doc":
		c.doc, err = optionalText(m.Raw)
	case defKey, nwbDefKey:
		c.def, err = optionalText(m.Raw)
		c.nwb = c.nwb || m.Name == nwbDefKey
	case incKey, nwbIncKey:
		c.inc, err = optionalText(m.Raw)
	case "quantity":
		if !strictjson.IsNull(m.Raw) {
			c.quantity, err = parseQuantity(m.Raw)
		}
	case "linkable":
		c.linkable, err = strictjson.Bool(m.Raw)
	case "attributes":
		c.attributes = p.attributes(m.Raw)
	default:
		return false
	}
	if err != nil {
		p.fail(m.Name, err)
	}
	return true
}

// finish checks the shared members against each other.
func (p *parser) finish(c *common) {
	if c.name != "" {
		c.defaultName = ""
		if c.quantity.Many() {
			p.fail("quantity", fmt.Errorf("%v objects cannot all have the name %s", c.quantity, strictjson.Quote(c.name)))
		}
	}
	if c.name == "" && c.def == "" && c.inc == "" {
		p.fail("", errors.New("has neither a name nor a type"))
	}
	if c.def != "" && c.def == c.inc {
		p.warn("", errors.New("includes the type that it defines, which is ignored"))
		c.inc = ""
	}
}

// nwbRoots inherit from nothing although NWB's types do so by default.
var nwbRoots = map[string]bool{"Container": true, "Data": true, "NWBContainer": true, "NWBData": true, "CSRMatrix": true}

// base is what a type inherits from: NWB's own types never from nothing.
func (c *common) base(usual string) string {
	if c.inc == "" && c.def != "" && c.nwb && !nwbRoots[c.def] {
		return usual
	}
	return c.inc
}

func (p *parser) group(raw json.RawMessage) *GroupSpec {
	c := common{quantity: ExactlyOne, linkable: true}
	g := &GroupSpec{home: p.ns}
	members, ok := p.open(raw)
	if !ok {
		return nil
	}
	for _, m := range members {
		switch m.Name {
		case "groups":
			p.each(m, func(raw json.RawMessage) { g.Groups = keep(g.Groups, p.group(raw)) })
		case "datasets":
			p.each(m, func(raw json.RawMessage) { g.Datasets = keep(g.Datasets, p.dataset(raw)) })
		case "links":
			p.each(m, func(raw json.RawMessage) { g.Links = keep(g.Links, p.link(raw)) })
		default:
			p.member(&c, m)
		}
	}
	p.finish(&c)
	p.twice(g)
	g.Name, g.DefaultName, g.Doc, g.TypeDef = c.name, c.defaultName, c.doc, c.def
	g.TypeInc, g.Quantity, g.Linkable, g.Attributes = c.base("NWBContainer"), c.quantity, c.linkable, c.attributes
	if g.TypeDef != "" {
		p.define(g.TypeDef, g.TypeInc, GroupKind).group = g
	}
	return g
}

// twice refuses two specs for the same type of which neither has a name: nothing
// would say which of them an object belongs to.
func (p *parser) twice(g *GroupSpec) {
	if len(g.Groups)+len(g.Datasets)+len(g.Links) < 2 {
		return
	}
	types, targets := map[string]bool{}, map[string]bool{}
	check := func(seen map[string]bool, what, name, typ string) {
		if name == "" && typ != "" && seen[typ] {
			p.fail(what, fmt.Errorf("two of type %s without a name", strictjson.Quote(typ)))
		}
		if name == "" {
			seen[typ] = true
		}
	}
	for _, d := range g.Datasets {
		check(types, "datasets", d.Name, d.TypeName())
	}
	for _, s := range g.Groups {
		check(types, "groups", s.Name, s.TypeName())
	}
	for _, l := range g.Links {
		check(targets, "links", l.Name, l.TargetType)
	}
}

func (p *parser) dataset(raw json.RawMessage) *DatasetSpec {
	c := common{quantity: ExactlyOne, linkable: true}
	d := &DatasetSpec{home: p.ns}
	members, ok := p.open(raw)
	if !ok {
		return nil
	}
	var v value
	for _, m := range members {
		if !p.member(&c, m) {
			p.value(&v, m)
		}
	}
	p.finish(&c)
	p.finishValue(&v)
	d.Name, d.DefaultName, d.Doc, d.TypeDef = c.name, c.defaultName, c.doc, c.def
	d.TypeInc, d.Quantity, d.Linkable, d.Attributes = c.base("NWBData"), c.quantity, c.linkable, c.attributes
	d.DType, d.Shapes, d.Dims, d.Value, d.Default = v.dtype, v.shapes, v.dims, v.value, v.initial
	if d.TypeDef != "" {
		p.define(d.TypeDef, d.TypeInc, DatasetKind).dataset = d
	}
	return d
}

func (p *parser) link(raw json.RawMessage) *LinkSpec {
	l := &LinkSpec{home: p.ns, Quantity: ExactlyOne}
	members, ok := p.open(raw)
	if !ok {
		return nil
	}
	for _, m := range members {
		var err error
		switch m.Name {
		case "name":
			l.Name, err = objectName(m.Raw)
		case "doc":
			l.Doc, err = optionalText(m.Raw)
		case "target_type":
			l.TargetType, err = strictjson.String(m.Raw)
		case "quantity":
			if !strictjson.IsNull(m.Raw) {
				l.Quantity, err = parseQuantity(m.Raw)
			}
		}
		if err != nil {
			p.fail(m.Name, err)
		}
	}
	if l.TargetType == "" {
		p.fail("target_type", errors.New("is missing"))
	}
	return l
}

// each reads the specs of a list; the path names them by name, type or index.
func (p *parser) each(m strictjson.Member, one func(json.RawMessage)) {
	depth := len(p.path)
	err := strictjson.Each(m.Raw, func(i int, elem json.RawMessage) error {
		if p.full {
			return fmt.Errorf("%w: more than %d specs", ErrLimit, maxSpecs)
		}
		p.path = append(p.path, m.Name+label(i, elem))
		p.inside(func() { one(elem) })
		p.path = p.path[:depth]
		return nil
	})
	if err != nil && !strictjson.IsNull(m.Raw) {
		p.fail(m.Name, err)
	}
}

// keep appends a spec unless it could not be read at all.
func keep[T any](list []*T, spec *T) []*T {
	if spec == nil {
		return list
	}
	return append(list, spec)
}

// label is how a path names element i of a list of specs.
func label(i int, elem json.RawMessage) string {
	name := ""
	if members, err := strictjson.Split(elem); err == nil {
		for _, m := range members {
			switch m.Name {
			case "name", defKey, nwbDefKey, incKey, nwbIncKey, "target_type":
				if text, err := strictjson.String(m.Raw); err == nil && (name == "" || m.Name == "name") {
					name = text
				}
			}
		}
	}
	if name == "" {
		return fmt.Sprintf("[%d]", i)
	}
	return "." + strictjson.Step(name)
}

func objectName(raw json.RawMessage) (string, error) {
	name, err := optionalText(raw)
	if err == nil && strings.Contains(name, "/") {
		err = fmt.Errorf("the name %s has a slash", strictjson.Quote(name))
	}
	return name, err
}

func optionalText(raw json.RawMessage) (string, error) {
	if strictjson.IsNull(raw) {
		return "", nil
	}
	return strictjson.String(raw)
}

// constant keeps a value apart from the text that it came in; null is none.
func constant(raw json.RawMessage) json.RawMessage {
	if strictjson.IsNull(raw) {
		return nil
	}
	return bytes.Clone(raw)
}
