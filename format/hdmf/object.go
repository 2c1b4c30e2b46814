package hdmf

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/meta"
)

// Object is a *Group or a *Dataset.
type Object interface {
	// File is the file that holds the object.
	File() *File
	// Path is where, "/" for the root.
	Path() string
	// Name is the last part of the path, "" for the root.
	Name() string
	// Type is what the object says it is.
	Type() Type
	// ID is the object id, "" if it has none.
	ID() string
	// Attributes are what is said about the object, without what the layout
	// reserves.
	Attributes() []Attribute
	// Attribute finds an attribute.
	Attribute(name string) (Attribute, bool)
	// Node is the object as the engine has it.
	Node() zarr.Node
}

// Type names a type of a schema.
type Type struct {
	Namespace, Name string // both "" for an object without a type
}

// String is "namespace.name".
func (t Type) String() string {
	if t.Namespace == "" {
		return t.Name
	}
	return t.Namespace + "." + t.Name
}

type object struct {
	file *File
	node zarr.Node
	path string
}

// File is the file that holds the object.
func (o *object) File() *File { return o.file }

// Path is where, "/" for the root.
func (o *object) Path() string { return o.path }

// Name is the last part of the path, "" for the root.
func (o *object) Name() string {
	if o.path == "/" {
		return ""
	}
	return path.Base(o.path)
}

// Node is the object as the engine has it.
func (o *object) Node() zarr.Node { return o.node }

func (o *object) attrs() *meta.Attributes {
	switch n := o.node.(type) {
	case *zarr.Group:
		return n.Metadata().Attributes
	case *zarr.Array:
		return n.Metadata().Attributes
	}
	return nil
}

// Type is what the object says it is.
func (o *object) Type() Type { return Type{text(o.attrs().Raw("namespace")), typeName(o.attrs())} }

// typeName is the type that attributes give, by the name of NWB or of HDMF.
func typeName(attrs *meta.Attributes) string {
	if name := text(attrs.Raw("neurodata_type")); name != "" {
		return name
	}
	return text(attrs.Raw("data_type"))
}

// ID is the object id, "" if it has none.
func (o *object) ID() string { return text(o.attrs().Raw("object_id")) }

// text is a JSON string, "" if raw is none.
func text(raw json.RawMessage) string {
	if raw == nil {
		return ""
	}
	s, err := strictjson.String(raw)
	if err != nil {
		return ""
	}
	return s
}

// Attribute is something that is said about an object.
type Attribute struct {
	Name string
	// Raw is its value in JSON, which may hold bare NaN and Infinity.
	Raw json.RawMessage
	// References are what it refers to, if it is a reference, or a list of them.
	References []Reference
	// List says that it is a list, also if it has one reference.
	List bool
	// Nested are the references inside of it, where it is something else itself.
	Nested []Nested
	// Err says why it is no reference, though it has the form of one.
	Err error
}

// Attributes are what is said about the object, without what the layout reserves.
func (o *object) Attributes() []Attribute {
	attrs := o.attrs()
	out := make([]Attribute, 0, attrs.Len())
	for _, name := range attrs.Names() {
		if !slices.Contains(reserved, name) {
			out = append(out, ParseAttribute(name, attrs.Raw(name)))
		}
	}
	return out
}

// Attribute finds an attribute.
func (o *object) Attribute(name string) (Attribute, bool) {
	raw := o.attrs().Raw(name)
	if raw == nil || slices.Contains(reserved, name) {
		return Attribute{}, false
	}
	return ParseAttribute(name, raw), true
}

// Group is an object that holds others.
type Group struct {
	object
	group *zarr.Group

	parse    sync.Once
	linked   []*Link // by name
	problems []error
}

// Zarr is the group as the engine has it.
func (g *Group) Zarr() *zarr.Group { return g.group }

// Member is what a group holds under a name: an object, or a link to one.
type Member struct {
	Name   string
	Object Object // nil for a link
	Link   *Link  // nil for an object
}

// Members yields what the group holds by name. The cached schemas of a file are
// no member. What cannot be read is yielded as its error, and the iteration goes
// on.
func (g *Group) Members(ctx context.Context) iter.Seq2[Member, error] {
	return func(yield func(Member, error) bool) {
		links := g.links()
		next := func(name string) bool { // the links before a name; "" is behind all
			for len(links) > 0 && (name == "" || links[0].Name < name) {
				l := links[0]
				links = links[1:]
				// Stores list "a-b/" before "a/", which may be still to come.
				if name != "" && strings.HasPrefix(name, l.Name) && g.has(ctx, l.Name) {
					continue
				}
				if !yield(Member{Name: l.Name, Link: l}, nil) {
					return false
				}
			}
			return true
		}
		hidden := ""
		if g.path == "/" {
			hidden = g.file.SchemaPath()
		}
		for n, err := range g.group.Children(ctx) {
			if err != nil {
				if !yield(Member{}, err) {
					return
				}
				continue
			}
			o := g.file.object(n)
			if o.Path() == hidden {
				continue
			}
			if !next(o.Name()) {
				return
			}
			// What is really there hides a link of the same name.
			if len(links) > 0 && links[0].Name == o.Name() {
				links = links[1:]
			}
			if !yield(Member{Name: o.Name(), Object: o}, nil) {
				return
			}
		}
		next("")
	}
}

// has reports whether something really lies in the group under a name.
func (g *Group) has(ctx context.Context, name string) bool {
	_, err := g.group.Open(ctx, name)
	return err == nil
}

// Object finds what the group holds under a name. A link is followed.
func (g *Group) Object(ctx context.Context, name string) (Object, error) {
	o, err := g.find(ctx, name, new(int))
	return o, g.file.failed("open", path.Join(g.path, name), err)
}

// find counts the links that it follows.
func (g *Group) find(ctx context.Context, name string, links *int) (Object, error) {
	n, err := g.group.Open(ctx, name)
	if err == nil {
		return g.file.object(n), nil
	}
	if !errors.Is(err, zarr.ErrNoNode) {
		return nil, err
	}
	return g.follow(ctx, name, links, err)
}

// follow finds what a link of the group stands for; missing is what to say if there
// is no such link.
func (g *Group) follow(ctx context.Context, name string, links *int, missing error) (Object, error) {
	l := g.link(name)
	if l == nil {
		return nil, missing
	}
	if *links++; *links > maxLinks {
		return nil, ErrLinks
	}
	target, err := g.file.source(ctx, l.Source)
	var o Object
	if err == nil {
		o, err = target.find(ctx, l.Path, links)
	}
	if err != nil && !errors.Is(err, ErrLinks) {
		err = fmt.Errorf("link %s to %s: %w", l.At(), l.Reference, err)
	}
	return o, err
}

// Walk yields all that lies below the group, each before what it holds. Links are
// yielded and not followed.
func (g *Group) Walk(ctx context.Context) iter.Seq2[Member, error] {
	return func(yield func(Member, error) bool) { g.walk(ctx, yield) }
}

// maxDepth ends walks that go in circles, as symbolic links can make them.
const maxDepth = 256

func (g *Group) walk(ctx context.Context, yield func(Member, error) bool) bool {
	if strings.Count(g.path, "/") > maxDepth {
		return yield(Member{}, g.file.failed("walk", g.path, fmt.Errorf("more than %d groups inside each other", maxDepth)))
	}
	for m, err := range g.Members(ctx) {
		if !yield(m, err) || ctx.Err() != nil {
			return false
		}
		if sub, ok := m.Object.(*Group); ok && err == nil && !sub.walk(ctx, yield) {
			return false
		}
	}
	return true
}
