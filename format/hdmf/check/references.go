package check

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/nd"
)

// target is what a link or reference leads to, as far as checks need it.
type target struct {
	kind    *kind
	id      string
	dataset bool
	shape   []int           // of its array
	links   map[string]bool // names of those of a group
	source  string          // object id of the file that the source means, "" if it has none
	err     error           // why there is none
}

// link adds the name of a link of a group.
func (t *target) link(name string) {
	if t.links == nil {
		t.links = map[string]bool{}
	}
	t.links[name] = true
}

// maxRemembered bounds the bytes of what is remembered.
const maxRemembered = 16 << 20

// remembered keeps values by texts that may be long, and forgets all when they are
// too many.
type remembered[T any] struct {
	values map[string]T
	bytes  int
}

func (r *remembered[T]) put(key string, value T) {
	if r.bytes += len(key) + 128; r.bytes > maxRemembered || r.values == nil {
		r.values, r.bytes = map[string]T{}, len(key)+128
	}
	r.values[strings.Clone(key)] = value
}

// errElsewhere is the target of what leads into a file that is not looked into.
var errElsewhere = errors.New("lies in another file")

// resolve finds what a reference leads to that a file holds.
func (c *checker) resolve(ctx context.Context, f *hdmf.File, r hdmf.Reference) *target {
	if c.opt.Alone && r.Source != "." {
		return &target{err: errElsewhere}
	}
	if f == c.file && r.Source == "." {
		if t := c.nodes[r.Path]; t != nil {
			return t
		}
		at := path.Clean("/" + r.Path)
		if t := c.nodes[at]; t != nil {
			return t
		}
		if c.nowhere(at) {
			return &target{err: zarr.ErrNoNode}
		}
	}
	key := f.URL() + "\x00" + r.Source + "\x00" + r.Path
	if t := c.targets.values[key]; t != nil {
		return t
	}
	t := &target{}
	o, err := f.Resolve(ctx, r)
	if err != nil {
		t.err = err
	} else {
		t.kind, t.id = c.kind(o.Type()), o.ID()
		if meant, err := f.Source(ctx, r.Source); err == nil {
			t.source = meant.ID() // the object may lie in yet another one, behind a link
		}
		if d, ok := o.(*hdmf.Dataset); ok {
			t.dataset, t.shape = true, d.Array().Shape()
		}
	}
	c.targets.put(key, t)
	return t
}

// nowhere reports whether all nodes of the file are known and none lies at a path,
// nor behind a link on the way to it. Nothing has to be read then. It looks from the
// top: of a path that leads nowhere most parts need no look.
func (c *checker) nowhere(at string) bool {
	if !c.complete || c.hidden != "" && strings.HasPrefix(at+"/", c.hidden+"/") {
		return false
	}
	above := c.nodes["/"]
	for start := 0; start < len(at) && above != nil; {
		end := partEnd(at, start)
		t := c.nodes[at[:end]]
		if t == nil {
			return !above.links[at[start+1:end]]
		}
		above, start = t, end
	}
	return false
}

// partEnd is where the part of a path ends that begins with the slash at start.
func partEnd(at string, start int) int {
	if n := strings.IndexByte(at[start+1:], '/'); n >= 0 {
		return start + 1 + n
	}
	return len(at)
}

// tellTarget tells if a link or reference leads nowhere, or to another object than
// it was made for. who names it.
func (c *checker) tellTarget(at, who, rule string, r hdmf.Reference, t *target) {
	switch {
	case errors.Is(t.err, errElsewhere):
	case errors.Is(t.err, zarr.ErrNotAllowed):
		c.add(Finding{at, ForeignSource, fmt.Sprintf("%s leads to %s, and was not followed: %v", who, r, reason(t.err)), true})
	case errors.Is(t.err, hdmf.ErrLinks):
		c.tell(at, rule, "%s leads to %s: %v", who, r, hdmf.ErrLinks)
	case errors.Is(t.err, zarr.ErrNoNode):
		c.tell(at, rule, "%s leads to %s, and nothing is there", who, r)
	case t.err != nil:
		c.tell(at, rule, "%s leads to %s: %v", who, r, reason(t.err))
	case r.SourceObjectID != "" && t.source != "" && r.SourceObjectID != t.source:
		c.tell(at, ForeignSource, "%s leads to %s, a file whose object id is %s, and was made for one with %s", who, r, t.source, r.SourceObjectID)
	case r.ObjectID != "" && t.id != "" && r.ObjectID != t.id:
		c.tell(at, rule, "%s leads to %s, an object whose id is %s, and was made for one with %s", who, r, t.id, r.ObjectID)
	}
}

// reference checks one reference; want is the type that its target must have, ""
// if any will do.
func (c *checker) reference(ctx context.Context, f *hdmf.File, at, who string, r hdmf.Reference, want string) {
	t := c.resolve(ctx, f, r)
	c.tellTarget(at, who, DanglingReference, r, t)
	if t.err != nil {
		return
	}
	if want != "" && !t.kind.is(want) && !c.unclear(t.kind) {
		c.tell(at, BadType, "%s leads to %s, which is %s, must be of type %s or one that inherits from it", who, r, described(t), want)
	}
	if r.Region == nil {
		return
	}
	if !t.dataset {
		c.tell(at, BadRegion, "%s leads to a region of %s, which is a group", who, r)
	} else if _, err := r.Region.Selection(t.shape); err != nil {
		c.tell(at, BadRegion, "%s: %v", who, err)
	}
}

// unclear reports whether no schema tells what a type is.
func (c *checker) unclear(k *kind) bool {
	return c.catalog == nil || k.typ == nil && k.said.Namespace != "" && c.catalog.Latest(k.said.Namespace) == nil
}

// references are the elements of a dataset, or of one field of them, that are
// checked when all nodes of the file are known.
type references struct {
	dataset *hdmf.Dataset
	at      string
	field   string // "" if elements are references themselves
	want    string // the type of targets, "" if any will do
}

// putOff puts references off until then.
func (c *checker) putOff(r references) {
	key := r
	key.dataset = nil
	if !c.deferred[key] {
		c.deferred[key] = true
		c.later = append(c.later, r)
	}
}

// maxTold is how many elements of a dataset are told one by one.
const maxTold = 100

// elements checks every element of a dataset of references.
func (c *checker) elements(ctx context.Context, r references) error {
	before, dropped := len(c.findings), 0
	f := r.dataset.File()
	// Neighbours are often the same.
	var last hdmf.Reference
	lastGood := false
	total, _ := nd.Len(r.dataset.Array().Shape())
	var failed error
	foreign := map[string]bool{} // sources that are not opened
	regions := isRegion(r.dataset.DType(), r.field)
	for m, err := range r.dataset.References(ctx, true, r.field) {
		if failed = err; err == nil {
			failed = ctx.Err()
		}
		if failed != nil {
			break
		}
		total--
		if m.Err == nil && lastGood && m.To == last {
			continue
		}
		if len(c.findings)-before >= maxTold {
			// The rest is counted only.
			if m.Err != nil {
				dropped++
			} else if t := c.resolve(ctx, f, m.To); t.err != nil && !errors.Is(t.err, zarr.ErrNotAllowed) {
				dropped++
			}
			continue
		}
		found := len(c.findings)
		who := "element " + place(m.Index)
		if r.field != "" {
			who += ", field " + quote(r.field)
		}
		switch {
		case m.Err != nil:
			c.tell(r.at, DanglingReference, "%s %v", who, hdmf.ErrNoReference)
		case foreign[m.To.Source]: // what was said of one holds for all
		default:
			c.reference(ctx, f, r.at, who, m.To, r.want)
			foreign[m.To.Source] = errors.Is(c.resolve(ctx, f, m.To).err, zarr.ErrNotAllowed)
			if regions && m.To.Region == nil {
				c.tell(r.at, BadRegion, "%s is a reference to a region of %s, and has no region", who, m.To)
			}
		}
		last, lastGood = m.To, m.Err == nil && len(c.findings) == found
	}
	if dropped > 0 {
		c.tell(r.at, DanglingReference, "%d more elements lead nowhere", dropped)
	}
	if failed == nil && total > 0 {
		c.tell(r.at, DanglingReference, "%d elements were never written", total)
	}
	return c.readable(ctx, r.at, failed)
}

// isRegion reports whether elements, or a field of them, are references to regions.
func isRegion(t hdmf.DType, field string) bool {
	if field == "" {
		return t.Kind == hdmf.RegionRef
	}
	return slices.ContainsFunc(t.Fields, func(f hdmf.Field) bool { return f.Name == field && f.Kind == hdmf.RegionRef })
}

func quote(name string) string { return strictjson.Quote(name) }
