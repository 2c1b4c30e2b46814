package n5

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"slices"

	"github.com/omnizarr/zarr/format/n5/convention"
	"github.com/omnizarr/zarr/format/ngff"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/meta"
)

// versionMember is what the root of a container says of its format.
const versionMember = "n5"

// othersMember holds the attributes whose names mean something else in N5: a
// dataset's own members, and what tensorstore reads as its own.
const othersMember = "omnizarr_attributes"

// imageAttribute is where OME-NGFF describes images.
const imageAttribute = "ome"

// users gives the attributes that users see.
func users(attrs *meta.Attributes) (*meta.Attributes, error) {
	out := attrs.Clone()
	for _, name := range own(attrs) {
		out.Delete(name)
	}
	raw := attrs.Raw(othersMember)
	if raw == nil {
		return out, nil
	}
	others, err := meta.ParseAttributes(raw)
	if err != nil {
		return nil, strictjson.At(othersMember, err)
	}
	for _, name := range others.Names() {
		if err := out.Set(name, others.Raw(name)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// own lists the members of attributes.json that are no attributes.
func own(attrs *meta.Attributes) []string {
	names := []string{versionMember, othersMember}
	if isDataset(attrs) {
		names = append(names, datasetMembers...)
	}
	return names
}

// clashes reports whether an attribute would mean something else in
// attributes.json than what its user meant: N5's own members, and names that
// tensorstore takes for the names, units and lengths of dimensions, and refuses
// the whole dataset if they are not. rank is 0 for a group.
func clashes(from *meta.Attributes, name string, rank int) bool {
	raw := from.Raw(name)
	switch name {
	case versionMember, othersMember:
		return true
	case "axes", "units":
		var list []*string
		return rank > 0 && (json.Unmarshal(raw, &list) != nil || len(list) != rank || slices.Contains(list, nil) || name == "axes" && repeats(list))
	case "resolution":
		var list []*float64
		return rank > 0 && (json.Unmarshal(raw, &list) != nil || len(list) != rank || slices.Contains(list, nil))
	}
	if rank > 0 {
		return slices.Contains(datasetMembers, name)
	}
	// The two together would make the group a dataset.
	return (name == dimensionsMember || name == dataTypeMember) && isDataset(from)
}

// repeats reports whether a name that is not empty comes twice.
func repeats(names []*string) bool {
	seen := map[string]bool{}
	for _, name := range names {
		if name != nil && *name != "" && seen[*name] {
			return true
		}
		if name != nil {
			seen[*name] = true
		}
	}
	return false
}

// stored puts attributes of users into those of attributes.json. What old has under
// the same name with the same value stays where it is: other programs mean what
// they wrote there.
func stored(dst, from, old *meta.Attributes, rank int) error {
	others := &meta.Attributes{}
	for _, name := range from.Names() {
		to := dst
		there := !slices.Contains(own(old), name) && old.Raw(name) != nil && compact(old.Raw(name)) == compact(from.Raw(name))
		if clashes(from, name, rank) && !there {
			to = others
		}
		if err := to.Set(name, from.Raw(name)); err != nil {
			return err
		}
	}
	return setOthers(dst, others)
}

// setOthers stores the attributes that have no place of their own.
func setOthers(dst, others *meta.Attributes) error {
	if others.Len() == 0 {
		return nil
	}
	return dst.Set(othersMember, json.RawMessage(others.Append(nil)))
}

// dimensionNames are those that the attributes of a dataset give.
func dimensionNames(attrs *meta.Attributes, rank int) []*string {
	names := convention.Names(attrs, rank)
	if names == nil {
		return nil
	}
	out := make([]*string, rank)
	for i, name := range names {
		if name != "" {
			out[i] = &name
		}
	}
	return out
}

// addImage describes the image that a group is by some convention as OME-NGFF
// does, unless it says so itself, in the order of dimensions.
func (c *container) addImage(ctx context.Context, node string, attrs *meta.Attributes, g *meta.Group) error {
	if attrs.Raw(imageAttribute) != nil {
		return c.turnImage(g.Attributes)
	}
	raw, err := c.image(ctx, node, attrs)
	if err != nil || raw == nil {
		return err
	}
	return g.Attrs().Set(imageAttribute, raw)
}

// turnImage reverses the axes of the image that the attributes of a group have
// themselves, if datasets are shown so.
func (c *container) turnImage(attrs *meta.Attributes) error {
	raw := attrs.Raw(imageAttribute)
	if raw == nil || !c.opt.reversed {
		return nil
	}
	return attrs.Set(imageAttribute, reverseImage(raw))
}

// image is the value of the attribute "ome" that conventions give a group, nil if
// there is none or the group has one of its own.
func (c *container) image(ctx context.Context, node string, attrs *meta.Attributes) (json.RawMessage, error) {
	if attrs.Raw(imageAttribute) != nil {
		return nil, nil
	}
	m, err := convention.Multiscales(node, attrs, func(rel string) (*meta.Attributes, error) {
		at := path.Join("/", node, rel)[1:]
		if rel == ".." && node == "" {
			return nil, nil // above the container there is nothing to know
		}
		attrs, text, _, err := c.read(ctx, at)
		if text != nil && err != nil {
			return nil, nil // what is wrong with it, it says itself
		}
		return attrs, err
	})
	if err != nil {
		return nil, fmt.Errorf("as an image: %w", err)
	}
	if m == nil {
		return nil, nil
	}
	if c.opt.reversed {
		convention.Reverse(m)
	}
	if m.Check() != nil {
		return nil, nil // OME-NGFF wants time and channels first
	}
	return ngff.Attributes(*m)
}
