package ngff

import (
	"fmt"
	"path"
	"slices"

	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/meta"
)

// Zarr2 and Zarr3 say what the attributes of a group tell of OME-NGFF in the version
// that readers expect in that version of Zarr, 0.4 or 0.5, and are what
// format.Format.Restate is. Nothing else in attributes changes. names are those of the
// axes for the arrays of images, which version 0.5 demands.
func Zarr2(groups map[string]*meta.Group, at string) (done, kept string, names map[string][]string) {
	return restate(groups, at, Version, Old, func(attrs *meta.Attributes) (*Metadata, Members, error) {
		raw := attrs.Raw(keyOME)
		if !isObject(attrs, keyOME, keyVersion) {
			// ome-zarr-py leaves the version out of lists of labels.
			if !slices.ContainsFunc(members, func(name string) bool { return isObject(attrs, keyOME, name) }) {
				return nil, nil, nil // of somebody else
			}
			var o object
			own, _ := strictjson.Split(raw)
			o.set(keyVersion, Version)
			raw, _ = o.end(own)
		}
		m, err := parseMetadata(raw)
		err = strictjson.At(keyOME, err)
		if err != nil {
			return nil, nil, err
		}
		m.Version = Old
		parts, err := m.parts()
		for _, p := range slices.Concat(parts, m.Rest) {
			if err == nil && attrs.Raw(p.Name) != nil {
				err = fmt.Errorf("there is an attribute %s already", p.Name)
			}
		}
		if err != nil || len(parts) == 0 {
			return nil, nil, err
		}
		return m, m.Rest, nil
	})
}

// Zarr3 is Zarr2 the other way.
func Zarr3(groups map[string]*meta.Group, at string) (done, kept string, names map[string][]string) {
	return restate(groups, at, Old, Version, func(attrs *meta.Attributes) (*Metadata, Members, error) {
		own := &meta.Attributes{}
		for _, name := range members {
			if attrs.Raw(keyOME) == nil && isMember(name, groups, at) {
				if err := own.Set(name, attrs.Raw(name)); err != nil {
					return nil, nil, err
				}
			}
		}
		if own.Len() == 0 {
			return nil, nil, nil
		}
		m, err := Read(own)
		if err != nil {
			return nil, nil, err
		}
		m.Version = ""
		return m, nil, nil
	})
}

// restate writes what read gives, if anything, and members that have to become
// attributes.
func restate(groups map[string]*meta.Group, at, from, to string, read func(*meta.Attributes) (*Metadata, Members, error)) (done, kept string, names map[string][]string) {
	g := groups[at]
	if g.Attributes == nil {
		return "", "", nil
	}
	attrs := g.Attributes.Clone()
	m, rest, err := read(attrs)
	if err == nil && m == nil {
		return "", "", nil
	}
	if err == nil {
		err = m.Write(attrs)
	}
	for _, member := range rest {
		if err == nil {
			err = attrs.Set(member.Name, member.Raw)
		}
	}
	if err != nil {
		return "", fmt.Sprintf("what it says of OME-NGFF stays as it is, not as version %s: %v", to, err), nil
	}
	g.Attributes = attrs
	done = fmt.Sprintf("OME-NGFF %s became %s", from, to)
	if to == Old {
		return done, "", nil
	}
	names = map[string][]string{}
	for _, img := range m.Images {
		axes := make([]string, len(img.Axes))
		for i, a := range img.Axes {
			axes[i] = a.Name
		}
		for _, l := range img.Levels {
			names[path.Join(at, l.Path)] = axes
		}
	}
	return done, "", names
}

// isMember reports whether an attribute is a part of version 0.4, and not one that
// another program calls the same.
func isMember(name string, groups map[string]*meta.Group, at string) bool {
	attrs := groups[at].Attributes
	raw := attrs.Raw(name)
	if raw == nil || strictjson.IsNull(raw) {
		return false
	}
	switch name {
	case keyOMERO:
		return isMember(keyImages, groups, at)
	case keyImageLabel:
		return isObject(attrs, name)
	case keyPlate:
		return isObject(attrs, name, "wells")
	case keyWell:
		return isObject(attrs, name, "images")
	case keySeries:
		return path.Base(at) == "OME"
	case keyLabels:
		// The specification has one name for such a group, which the copy of it alone
		// has not.
		var paths []string
		_, err := attrs.Get(name, &paths)
		return err == nil && (path.Base(at) == keyLabels || slices.ContainsFunc(paths, func(p string) bool {
			g := groups[path.Join(at, p)]
			return g != nil && (g.Attributes.Raw(keyImages) != nil || g.Attributes.Raw(keyOME) != nil)
		}))
	}
	return true
}

// isObject reports whether an attribute is an object that has some members.
func isObject(attrs *meta.Attributes, name string, has ...string) bool {
	members, err := strictjson.Split(attrs.Raw(name))
	for _, h := range has {
		if !slices.ContainsFunc(members, func(m meta.Member) bool { return m.Name == h }) {
			return false
		}
	}
	return err == nil
}
