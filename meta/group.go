package meta

import (
	"slices"

	"github.com/omnizarr/zarr/internal/strictjson"
)

// Group is the document of a group.
type Group struct {
	Attributes *Attributes // nil if the document has none
	// Consolidated are the documents of the nodes below, nil if there are none.
	Consolidated *Consolidated
	// Extra are unknown members that may be ignored, in the order of the
	// document.
	Extra []Member
}

// groupMembers are the names that groups know, in the order in which they are
// written.
var groupMembers = []string{"zarr_format", "node_type", "attributes", consolidatedMember}

// NodeType is "group".
func (g *Group) NodeType() string { return "group" }

// Attrs returns the attributes, which it makes if there are none.
func (g *Group) Attrs() *Attributes {
	if g.Attributes == nil {
		g.Attributes = &Attributes{}
	}
	return g.Attributes
}

// Clone returns a copy whose fields can be changed without changing g.
func (g *Group) Clone() *Group {
	return &Group{
		Attributes:   g.Attributes.Clone(),
		Consolidated: g.Consolidated.Clone(),
		Extra:        slices.Clone(g.Extra),
	}
}

func parseGroup(members []Member, reg Registry) (*Group, error) {
	g := &Group{}
	for _, m := range members {
		var err error
		switch m.Name {
		case "zarr_format", "node_type": // read already
		case "attributes":
			g.Attributes, err = splitAttributes(m.Raw)
			err = strictjson.At(m.Name, err)
		case consolidatedMember:
			var skipped bool
			g.Consolidated, skipped, err = parseConsolidated(m.Raw, reg)
			err = strictjson.At(m.Name, err)
			if skipped {
				g.Extra = append(g.Extra, m)
			}
		default:
			err = checkUnknown(m)
			g.Extra = append(g.Extra, m)
		}
		if err != nil {
			return nil, err
		}
	}
	return g, nil
}

// Marshal gives the document as indented JSON.
func (g *Group) Marshal() ([]byte, error) {
	return indent(g.append(nil, false))
}

func (g *Group) append(dst []byte, nested bool) ([]byte, error) {
	d := start(dst, "group")
	d.attributes(g.Attributes)
	extra := g.Extra
	if nested {
		extra = slices.DeleteFunc(slices.Clone(extra), func(m Member) bool { return m.Name == consolidatedMember })
	}
	consolidated := g.Consolidated != nil && !nested
	if consolidated {
		d.name(consolidatedMember)
		var err error
		if d.json, err = g.Consolidated.append(d.json); err != nil {
			d.fail(strictjson.At(consolidatedMember, err))
		}
	}
	return d.finish(extra, func(name string) bool {
		return slices.Contains(groupMembers, name) && (name != consolidatedMember || consolidated)
	})
}
