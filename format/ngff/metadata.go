package ngff

import (
	"encoding/json"
	"errors"
	"slices"

	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/meta"
)

// Old is the version that is written into the attributes of Zarr v2, where every
// part of the metadata is an attribute of its own.
const Old = "0.4"

// Metadata is what the attributes of a node say of OME-NGFF: it is an image, a list
// of label images, a label image, a plate, a well, or a collection of images.
type Metadata struct {
	// Version is "0.5", or "0.4" for what is written to and was read from attributes of
	// their own; "" is "0.5".
	Version string
	// Images are the multiscales.
	Images []Multiscales
	// OMERO is how the channels of an image are shown, nil if it is not said.
	OMERO *OMERO
	// Labels are the paths of label images below the group, nil if it is none of labels.
	Labels []string
	// ImageLabel says what the values of a label image mean, nil for other images.
	ImageLabel *ImageLabel
	Plate      *Plate // nil if the group is none
	Well       *Well  // likewise
	// Layout is the version of bioformats2raw's layout, 0 without; Series are the paths
	// of its images, nil if they are not listed.
	Layout int
	Series []string
	// Rest are the members of the attribute "ome" that are not known, in version 0.5.
	Rest Members
}

// The members, in the order in which they are written.
const (
	keyOME        = "ome"
	keyVersion    = "version"
	keyImages     = "multiscales"
	keyOMERO      = "omero"
	keyLabels     = "labels"
	keyImageLabel = "image-label"
	keyPlate      = "plate"
	keyWell       = "well"
	keyLayout     = "bioformats2raw.layout"
	keySeries     = "series"
)

var members = []string{keyImages, keyOMERO, keyLabels, keyImageLabel, keyPlate, keyWell, keyLayout, keySeries}

// ErrNone says that attributes have no metadata of OME-NGFF.
var ErrNone = errors.New("no metadata of OME-NGFF")

// Read finds the metadata in the attributes of a node: version 0.5 in the attribute
// "ome", 0.4 and older in attributes of their own. Errors name the member that is
// wrong.
func Read(attrs *meta.Attributes) (*Metadata, error) {
	if raw := attrs.Raw(keyOME); raw != nil {
		m, err := parseMetadata(raw)
		return m, strictjson.At(keyOME, err)
	}
	m := &Metadata{Version: Old}
	known, found := m.readers(true), false
	for _, name := range members {
		raw := attrs.Raw(name)
		if raw == nil || strictjson.IsNull(raw) {
			continue
		}
		found = true
		err := strictjson.Validate(raw, strictjson.Options{})
		if err == nil {
			err = known[name](raw)
		}
		if err != nil {
			return nil, strictjson.AtMember(name, err)
		}
	}
	if !found {
		return nil, ErrNone
	}
	return m, nil
}

// parseMetadata reads the attribute "ome".
func parseMetadata(raw json.RawMessage) (*Metadata, error) {
	if err := strictjson.Validate(raw, strictjson.Options{}); err != nil {
		return nil, err
	}
	m := &Metadata{}
	// The version says how to read the rest, and may come last.
	if _, err := split(raw, map[string]reader{keyVersion: text(&m.Version)}); err != nil {
		return nil, err
	}
	if err := checkVersion(m.Version); err != nil {
		return nil, err
	}
	known := m.readers(false)
	known[keyVersion] = func(json.RawMessage) error { return nil }
	var err error
	if m.Rest, err = split(raw, known); err != nil {
		return nil, err
	}
	return m, nil
}

// readers are those of the members; versioned says that images tell their version.
func (m *Metadata) readers(versioned bool) map[string]reader {
	path := func(raw json.RawMessage) (string, error) {
		s, err := strictjson.String(raw)
		if err == nil {
			err = checkPath(s)
		}
		return s, err
	}
	return map[string]reader{
		keyImages:     func(raw json.RawMessage) (err error) { m.Images, err = parseImages(raw, versioned); return err },
		keyOMERO:      func(raw json.RawMessage) (err error) { m.OMERO, err = parseOMERO(raw); return err },
		keyLabels:     list(&m.Labels, path),
		keyImageLabel: func(raw json.RawMessage) (err error) { m.ImageLabel, err = parseImageLabel(raw); return err },
		keyPlate:      func(raw json.RawMessage) (err error) { m.Plate, err = parsePlate(raw); return err },
		keyWell:       func(raw json.RawMessage) (err error) { m.Well, err = parseWell(raw); return err },
		keyLayout:     integer(&m.Layout, 1),
		keySeries:     list(&m.Series, path),
	}
}

// Write puts the metadata into the attributes of a node, in place of what they said
// of the same in either version. Other attributes stay. The same metadata gives the
// same bytes.
func (m *Metadata) Write(attrs *meta.Attributes) error {
	parts, err := m.parts()
	if err != nil {
		return err
	}
	attrs.Delete(keyOME)
	for _, p := range parts {
		attrs.Delete(p.Name) // in the other version
	}
	if m.Version == Old {
		for _, p := range parts {
			if err := attrs.Set(p.Name, p.Raw); err != nil {
				return err
			}
		}
		return nil
	}
	raw, err := m.document(parts)
	if err != nil {
		return err
	}
	return attrs.Set(keyOME, raw)
}

// document is the attribute "ome".
func (m *Metadata) document(parts Members) (json.RawMessage, error) {
	var o object
	version := m.Version
	if version == "" {
		version = Version
	}
	o.set(keyVersion, version)
	return o.end(slices.Concat(parts, m.Rest))
}

// parts are the members that there are, which pass their checks.
func (m *Metadata) parts() (out Members, err error) {
	inner := "" // the version that every part says
	if m.Version == Old {
		inner = Old
	}
	add := func(name string, there bool, marshal func() (json.RawMessage, error)) {
		if !there || err != nil {
			return
		}
		var raw json.RawMessage
		if raw, err = marshal(); err != nil {
			err = strictjson.AtMember(name, err)
			return
		}
		out = append(out, meta.Member{Name: name, Raw: raw})
	}
	plain := func(v any) func() (json.RawMessage, error) {
		return func() (json.RawMessage, error) { return strictjson.Marshal(v, false) }
	}
	paths := func(list []string) func() (json.RawMessage, error) {
		return func() (json.RawMessage, error) {
			for i, p := range list {
				if err := checkPath(p); err != nil {
					return nil, strictjson.AtIndex(i, err)
				}
			}
			return strictjson.Marshal(list, false)
		}
	}
	add(keyImages, m.Images != nil, func() (json.RawMessage, error) {
		list, err := raws(m.Images, func(image *Multiscales) (json.RawMessage, error) { return image.marshal(inner) })
		if err != nil {
			return nil, err
		}
		return strictjson.Marshal(list, false)
	})
	add(keyOMERO, m.OMERO != nil, func() (json.RawMessage, error) { return m.OMERO.marshal() })
	add(keyLabels, m.Labels != nil, paths(m.Labels))
	add(keyImageLabel, m.ImageLabel != nil, func() (json.RawMessage, error) { return m.ImageLabel.marshal(inner) })
	add(keyPlate, m.Plate != nil, func() (json.RawMessage, error) { return m.Plate.marshal(inner) })
	add(keyWell, m.Well != nil, func() (json.RawMessage, error) { return m.Well.marshal(inner) })
	add(keyLayout, m.Layout > 0, plain(m.Layout))
	add(keySeries, m.Series != nil, paths(m.Series))
	if err == nil && m.Version != "" && m.Version != Old {
		err = checkVersion(m.Version)
	}
	return out, err
}
