package hdmf

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/meta"
)

// Reference points at an object, or at a region of a dataset, in this file or in
// another.
type Reference struct {
	// Source is the file, "." for the one that holds the reference. Names in it are
	// apart by slashes, also where a file has the backslashes of Windows.
	Source string
	// Path is where the object is in it.
	Path string
	// ObjectID and SourceObjectID are the ids of the object and of its file, ""
	// where the reference does not tell.
	ObjectID, SourceObjectID string
	// Region is the part that is meant, nil for all of the object.
	Region *Region
}

// String is the path, behind the source unless that is the same file.
func (r Reference) String() string {
	s := r.Path
	if r.Source != "." && r.Source != "" {
		s = r.Source + ":" + r.Path
	}
	if r.Region != nil {
		s += r.Region.String()
	}
	return s
}

// Link is a name in a group that stands for an object elsewhere.
type Link struct {
	Name string
	Reference
	group *Group
}

// Group is the group that has the link.
func (l *Link) Group() *Group { return l.group }

// At is the path of the link itself, in its file.
func (l *Link) At() string {
	if l.group == nil {
		return l.Name // that of no group
	}
	return strings.TrimSuffix(l.group.path, "/") + "/" + l.Name
}

// Target finds what the link stands for, through other links.
func (l *Link) Target(ctx context.Context) (Object, error) {
	if l.group == nil {
		return nil, ErrNoReference
	}
	o, err := l.group.file.resolve(ctx, l.Reference)
	return o, l.group.file.failed("link", l.At(), err)
}

// Resolve finds the object that a reference which this file holds points at. The
// region of one, Select reads.
func (f *File) Resolve(ctx context.Context, r Reference) (Object, error) {
	o, err := f.resolve(ctx, r)
	if err != nil {
		err = f.failed("resolve", r.Path, err)
	}
	return o, err
}

func (f *File) resolve(ctx context.Context, r Reference) (Object, error) {
	other, err := f.source(ctx, r.Source)
	if err != nil {
		return nil, err
	}
	return other.find(ctx, r.Path, new(int))
}

// maxListed bounds the links of a group.
const maxListed = 1 << 20

// links are those of the group by name; the list must not be changed. What is no
// link is passed over; Problems tells of it.
func (g *Group) links() []*Link {
	g.parse.Do(func() { g.linked, g.problems = g.file.linksOf(g) })
	return g.linked
}

// maxKnown is how many groups a file remembers the links of.
const maxKnown = 16

// known are the links of a group, and the attributes that say so.
type known struct {
	raw      [2]json.RawMessage
	links    []*Link
	problems []error
}

// linksOf parses the links of a group, unless that was done for one that says the same at
// the same place: a path through many links comes by the groups that hold them again and
// again.
func (f *File) linksOf(g *Group) ([]*Link, []error) {
	raw := [2]json.RawMessage{g.attrs().Raw(linksV2), g.attrs().Raw(linksV3)}
	if raw[0] == nil && raw[1] == nil {
		return nil, nil
	}
	f.mu.Lock()
	k := f.known[g.path]
	f.mu.Unlock()
	if k != nil && bytes.Equal(k.raw[0], raw[0]) && bytes.Equal(k.raw[1], raw[1]) {
		return k.links, k.problems
	}
	k = &known{raw: raw}
	k.links, k.problems = g.parseLinks()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.known == nil || len(f.known) >= maxKnown {
		f.known = map[string]*known{}
	}
	f.known[g.path] = k
	return k.links, k.problems
}

// link finds a link by its name, nil if there is none.
func (g *Group) link(name string) *Link {
	links := g.links()
	i, ok := slices.BinarySearchFunc(links, name, func(l *Link, name string) int { return strings.Compare(l.Name, name) })
	if !ok {
		return nil
	}
	return links[i]
}

// Problems tells what is wrong with the links of the group: what is none, and a name
// that two of them have, of which the first counts. Hidden tells of more.
func (g *Group) Problems() []error {
	g.links()
	return slices.Clone(g.problems)
}

// Hidden are the links of the group that nobody can follow, as it holds something
// else under their names. It looks for a node for every link.
func (g *Group) Hidden(ctx context.Context) ([]*Link, error) {
	var out []*Link
	for _, l := range g.links() {
		switch _, err := g.group.Open(ctx, l.Name); {
		case err == nil:
			out = append(out, l)
		case ctx.Err() != nil:
			return out, g.file.failed("open", l.At(), err)
		}
	}
	return out, nil
}

func (g *Group) parseLinks() (links []*Link, problems []error) {
	for _, name := range []string{linksV2, linksV3} {
		raw := g.attrs().Raw(name)
		if raw == nil {
			continue
		}
		err := strictjson.Each(raw, func(i int, elem json.RawMessage) error {
			if i == maxListed {
				return fmt.Errorf("more than %d links", maxListed)
			}
			l := &Link{group: g}
			members, err := strictjson.Split(elem)
			if err == nil {
				l.Reference, err = parseReference(members)
			}
			if err == nil {
				l.Name, err = linkName(members)
			}
			if err != nil {
				problems = append(problems, strictjson.At(name, strictjson.AtIndex(i, err)))
				return nil
			}
			links = append(links, l)
			return nil
		})
		if err != nil {
			problems = append(problems, strictjson.At(name, err))
		}
	}
	slices.SortStableFunc(links, func(a, b *Link) int { return strings.Compare(a.Name, b.Name) })
	kept := links[:0]
	for _, l := range links {
		if n := len(kept); n > 0 && kept[n-1].Name == l.Name {
			problems = append(problems, fmt.Errorf("two links named %s: to %s, and to %s, which is passed over", strictjson.Quote(l.Name), kept[n-1].Reference, l.Reference))
			continue
		}
		kept = append(kept, l)
	}
	return kept, problems
}

// linkName is the name of a link, which must be one that a member of a group can
// have.
func linkName(members []meta.Member) (string, error) {
	raw := member(members, "name")
	if raw == nil {
		return "", errors.New("has no name")
	}
	name, err := strictjson.String(raw)
	switch {
	case err != nil:
		return "", strictjson.At("name", err)
	case name == "":
		return "", errors.New("has an empty name")
	case name == "." || name == ".." || strings.ContainsAny(name, "/\x00"):
		return "", fmt.Errorf("is called %s, which nothing in a group can be", strictjson.Quote(name))
	}
	return name, nil
}

func member(members []meta.Member, name string) json.RawMessage {
	for _, m := range members {
		if m.Name == name {
			return m.Raw
		}
	}
	return nil
}

// parseReference reads the members that links and references have in common.
func parseReference(members []meta.Member) (Reference, error) {
	var r Reference
	for name, to := range map[string]*string{"source": &r.Source, "path": &r.Path, "object_id": &r.ObjectID, "source_object_id": &r.SourceObjectID} {
		raw := member(members, name)
		if raw == nil || strictjson.IsNull(raw) {
			continue
		}
		var err error
		if *to, err = strictjson.String(raw); err != nil {
			return r, strictjson.At(name, err)
		}
	}
	if r.Path == "" {
		return r, errors.New(`has no "path"`)
	}
	if r.Source = slashed(r.Source); r.Source == "" {
		r.Source = "."
	}
	raw := member(members, "region")
	if raw == nil || strictjson.IsNull(raw) {
		return r, nil
	}
	var err error
	r.Region, err = parseRegion(raw)
	return r, strictjson.At("region", err)
}

// ParseReference reads the JSON of a reference: an object with source and path, or,
// as a text, a path in the same file.
func ParseReference(raw json.RawMessage) (Reference, error) {
	if s, err := strictjson.String(raw); err == nil {
		return ParseText(s)
	}
	members, err := strictjson.Split(raw)
	if err != nil {
		return Reference{}, err
	}
	return parseReference(members)
}

// ParseText reads a reference that is an element of a dataset of text: a path, or
// the JSON of a reference.
func ParseText(s string) (Reference, error) {
	if strings.HasPrefix(strings.TrimSpace(s), "{") {
		members, err := strictjson.Object([]byte(s), strictjson.Options{})
		if err == nil {
			return parseReference(members)
		}
	}
	if s == "" {
		return Reference{}, errors.New("is empty")
	}
	return Reference{Source: ".", Path: s}, nil
}

// ParseAttribute finds the references in an attribute: only in the forms that are
// reserved for them.
func ParseAttribute(name string, raw json.RawMessage) Attribute {
	a := Attribute{Name: name, Raw: raw}
	if r, ok, err := attributeReference(raw); ok {
		if a.Err = err; err == nil {
			a.References = []Reference{r}
		}
		return a
	}
	if len(raw) == 0 || raw[0] != '[' {
		a.Nested = nested(raw)
		return a
	}
	a.List = true
	var list []Reference
	err := strictjson.Each(raw, func(i int, elem json.RawMessage) error {
		r, ok, err := attributeReference(elem)
		if !ok {
			return errOther
		}
		list = append(list, r)
		return strictjson.AtIndex(i, err)
	})
	switch {
	case err == nil:
		a.References = list
	case errors.Is(err, errOther):
		a.Nested = nested(raw)
	default:
		a.Err = err
	}
	return a
}

// Regions reports which of the references of an attribute say that they are some to
// parts of datasets, whether they have a region or not. Only the layout V2 says so.
func (a Attribute) Regions() []bool {
	out := make([]bool, len(a.References))
	said := func(i int, raw json.RawMessage) error {
		members, err := strictjson.Split(raw)
		if i < len(out) && err == nil {
			out[i] = kindOf(text(member(members, dtypeV2))) == RegionRef
		}
		return nil
	}
	if !a.List && len(out) > 0 {
		_ = said(0, a.Raw)
	} else if len(out) > 0 {
		_ = strictjson.Each(a.Raw, said) // it was read before
	}
	return out
}

// errOther ends the look at a list that holds other things.
var errOther = errors.New("holds other things than references")

// attributeReference reads {"zarr_dtype":"object","value":{…}} or
// {"_REFERENCE":{…}}. ok says that it has one of these forms.
func attributeReference(raw json.RawMessage) (r Reference, ok bool, err error) {
	if len(raw) == 0 || raw[0] != '{' {
		return r, false, nil
	}
	members, err := strictjson.Split(raw)
	if err != nil {
		return r, false, nil
	}
	inner := member(members, referenceV3)
	if kind := kindOf(text(member(members, dtypeV2))); kind == ObjectRef || kind == RegionRef {
		inner = member(members, "value")
	}
	if inner == nil {
		return r, false, nil
	}
	if r, err = ParseReference(inner); err != nil {
		return Reference{}, true, fmt.Errorf("%w: %w", ErrNoReference, err)
	}
	return r, true, nil
}
