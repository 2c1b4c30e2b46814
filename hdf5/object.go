package hdf5

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Kind is what an object is.
type Kind uint8

// The kinds of objects.
const (
	KindGroup Kind = iota
	KindDataset
	KindDatatype
)

// Object is a group, a dataset or a committed datatype.
type Object struct {
	Kind   Kind
	file   *File
	header *header

	mu    sync.Mutex
	known bool
	links []Link
}

// Object opens the object whose header is at an address.
func (f *File) Object(at uint64) (*Object, error) {
	h, err := f.header(at)
	if err != nil {
		return nil, err
	}
	o := &Object{file: f, header: h}
	var group, space, typ bool
	for _, m := range h.messages {
		switch m.kind {
		case msgSymbols, msgLinkInfo:
			group = true
		case msgSpace:
			space = true
		case msgType:
			typ = true
		}
	}
	switch {
	case group:
	case space && typ:
		o.Kind = KindDataset
	case typ:
		o.Kind = KindDatatype
	case space:
		return nil, wrong("object header", at, "a dataset without a datatype message")
	default:
		return nil, wrong("object header", at, "no message says what the object is")
	}
	return o, nil
}

// Address is where its header is. Two links lead to the same object if this is
// the same, in one file.
func (o *Object) Address() uint64 { return o.header.at }

// File is the file that has the object.
func (o *Object) File() *File { return o.file }

// Datatype is the type of a committed datatype.
func (o *Object) Datatype() (*Type, error) {
	m, ok := o.header.find(msgType)
	if !ok {
		return nil, wrong("object header", o.header.at, "the object has no datatype")
	}
	t, err := o.file.datatype(m)
	if err == nil && o.Kind == KindDatatype {
		t.Committed = o.header.at
	}
	return t, err
}

// Links gives the links of a group by name, without opening what they lead to.
// They must not be changed.
func (o *Object) Links() ([]Link, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.known {
		return o.links, nil
	}
	links, err := o.readLinks()
	if err != nil {
		return nil, err
	}
	slices.SortFunc(links, func(a, b Link) int { return strings.Compare(a.Name, b.Name) })
	o.links, o.known = links, true
	return links, nil
}

func (o *Object) readLinks() ([]Link, error) {
	if o.Kind != KindGroup {
		return nil, wrong("object header", o.header.at, "the object is no group")
	}
	var links []Link
	for _, m := range o.header.messages {
		var more []Link
		var err error
		switch m.kind {
		case msgSymbols:
			more, err = o.file.symbols(m)
		case msgLinkInfo:
			more, err = o.file.denseLinks(m)
		case msgLink:
			m, _, err = o.file.resolve(m, "link", 0)
			if err == nil {
				c := o.file.body(m, "link")
				more = []Link{parseLink(&c)}
				err = c.err
			}
		}
		if err != nil {
			return nil, err
		}
		links = append(links, more...)
	}
	return links, nil
}

// Link gives the link of a name.
func (o *Object) Link(name string) (Link, error) {
	links, err := o.Links()
	if err != nil {
		return Link{}, err
	}
	i, ok := slices.BinarySearchFunc(links, name, func(l Link, name string) int { return strings.Compare(l.Name, name) })
	if !ok {
		return Link{}, fmt.Errorf("%q: %w", name, ErrNotFound)
	}
	return links[i], nil
}

// maxLinks is how many soft and external links a path may lead through.
const maxLinks = 64

// Lookup opens the object at a path, through links.
func (f *File) Lookup(path string) (*Object, error) {
	return f.top.Lookup(path)
}

// Lookup opens the object at a path, which begins at this group unless it begins
// with a slash.
func (o *Object) Lookup(path string) (*Object, error) {
	left := maxLinks
	x, err := o.lookup(path, &left)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return x, nil
}

// Follow opens what a link of this group leads to.
func (o *Object) Follow(l Link) (*Object, error) {
	left := maxLinks
	return o.follow(l, &left)
}

func (o *Object) lookup(path string, left *int) (*Object, error) {
	if strings.HasPrefix(path, "/") {
		o = o.file.top
	}
	for name := range strings.SplitSeq(path, "/") {
		if name == "" || name == "." {
			continue
		}
		if o.Kind != KindGroup {
			return nil, fmt.Errorf("%q: %w", name, ErrNotFound)
		}
		l, err := o.Link(name)
		if err != nil {
			return nil, err
		}
		if o, err = o.follow(l, left); err != nil {
			return nil, err
		}
	}
	return o, nil
}

func (o *Object) follow(l Link, left *int) (*Object, error) {
	if l.Kind == Hard {
		return o.file.Object(l.Address)
	}
	if *left--; *left < 0 {
		return nil, errLinks
	}
	switch l.Kind {
	case Soft:
		return o.lookup(l.Target, left)
	case External:
		g, err := o.file.other(l.File)
		if err != nil {
			return nil, fmt.Errorf("external link %q: %w", l.Name, err)
		}
		x, err := g.top.lookup(l.Target, left)
		if err != nil {
			return nil, fmt.Errorf("external link %q to file %q: %w", l.Name, l.File, err)
		}
		return x, nil
	}
	return nil, fmt.Errorf("link %q is of the user-defined type %d, which leads nowhere", l.Name, l.Number)
}

// Walk calls do for all objects below a group that hard links lead to, each
// once, by the first path to it in the order of names, and for all other links,
// with no object. An error of an object or of its links is given to do, which
// decides whether the walk goes on.
func (o *Object) Walk(do func(path string, l Link, x *Object, err error) error) error {
	return o.walk("", 0, map[uint64]bool{o.Address(): true}, do)
}

// How deep groups may lie in each other for a walk, and how long paths may be: those of
// all groups above are held.
const (
	maxDepth = 4096
	maxPath  = 1 << 14
)

func (o *Object) walk(path string, depth int, seen map[uint64]bool, do func(string, Link, *Object, error) error) error {
	links, err := o.Links()
	if err == nil && depth == maxDepth {
		err = wrong("object header", o.Address(), "groups are nested more than %d levels deep", maxDepth)
	}
	if err == nil && len(path) > maxPath {
		err = wrong("object header", o.Address(), "a path has more than %d bytes", maxPath)
	}
	if err != nil {
		return do(path, Link{}, o, err)
	}
	for _, l := range links {
		var x *Object
		var err error
		if l.Kind == Hard && !seen[l.Address] {
			seen[l.Address] = true
			x, err = o.file.Object(l.Address)
		}
		p := path + "/" + l.Name
		if err := do(p, l, x, err); err != nil {
			return err
		}
		if x != nil && x.Kind == KindGroup {
			if err := x.walk(p, depth+1, seen, do); err != nil {
				return err
			}
		}
	}
	return nil
}
