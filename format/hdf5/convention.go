package hdf5

import (
	"encoding/json"
	"strings"

	"github.com/omnizarr/zarr/hdf5"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/meta"
)

// convention is what programs mean by what they store in HDF5 files. Everything else
// in this package shows a file as it is, and asks the convention of the file where
// that may not be what is meant.
type convention interface {
	// stored is the name of the link that a name in a group stands for.
	stored(g *node, name string) string
	// shown is the name under which the object of a link is listed, if it is.
	shown(g *node, l hdf5.Link) (string, bool)
	// show says how a dataset is shown, where that is not as it is stored.
	show(n *node)
	// hides reports whether an attribute is bookkeeping of the format.
	hides(n *node, attribute string) bool
	// group and array say in a document what is meant.
	group(n *node, m *meta.Group) error
	array(n *node, m *meta.Array) error
	// composes are the names of arrays that a group has beside its links, and compose
	// is the one of a name, nil if there is none.
	composes(g *node) []string
	compose(g *node, name string) *mosaic
}

// convention finds out which one the file follows.
func (s *Store) convention() convention {
	s.meant.Do(func() {
		s.means = plain{}
		if s.raw {
			return
		}
		root := &node{o: s.f.Root(), path: "/"}
		if c := s.imaris(root); c != nil {
			s.means = c
		} else if c := s.bigDataViewer(root); c != nil {
			s.means = c
		} else if s.isMATLAB() {
			s.means = &matlab{s: s}
		} else {
			s.means = &scales{s: s, netcdf: isNetCDF(root, s.key)}
		}
	})
	return s.means
}

// plain takes everything for what it is.
type plain struct{}

func (plain) stored(_ *node, name string) string          { return name }
func (plain) shown(_ *node, l hdf5.Link) (string, bool)   { return l.Name, true }
func (plain) show(*node)                                  {}
func (plain) hides(*node, string) bool                    { return false }
func (plain) group(*node, *meta.Group) error              { return nil }
func (plain) array(*node, *meta.Array) error              { return nil }
func (plain) composes(*node) []string                     { return nil }
func (plain) compose(g *node, name string) (none *mosaic) { return nil }

// of gives the attributes of an object that can be read; its document tells of others.
func of(o *hdf5.Object) []hdf5.Attribute {
	list, _ := o.Attributes()
	return list
}

// said gives the attribute of a name, nil if there is none.
func said(list []hdf5.Attribute, name string) *hdf5.Attribute {
	for i := range list {
		if list[i].Name == name {
			return &list[i]
		}
	}
	return nil
}

// maxText is how long the text of an attribute may be that a convention goes by.
const maxText = 1 << 16

// text gives an attribute that is text, or an array of letters, as Imaris has it.
func (s *Store) text(list []hdf5.Attribute, name string) string {
	a := said(list, name)
	if a == nil || a.Type.Class != hdf5.String || a.Space.Kind == hdf5.Null {
		return ""
	}
	var b strings.Builder
	for raw := a.Raw; len(raw) >= a.Type.Size; raw = raw[a.Type.Size:] {
		v, err := s.f.Decode(a.Type, raw[:a.Type.Size])
		if err != nil {
			return ""
		}
		text, _ := v.(string)
		if b.Len()+len(text) > maxText { // texts of many elements may be the same one
			return ""
		}
		b.WriteString(text)
	}
	return b.String()
}

// find follows a path of hard links from an object, nil if it leads nowhere.
func find(o *hdf5.Object, path ...string) *hdf5.Object {
	for _, name := range path {
		if o.Kind != hdf5.KindGroup {
			return nil
		}
		l, err := o.Link(name)
		if err != nil || l.Kind != hdf5.Hard {
			return nil
		}
		if o, err = o.Follow(l); err != nil {
			return nil
		}
	}
	return o
}

// change makes other values of attributes; nil leaves one as it is.
func change(attrs *meta.Attributes, how func(raw json.RawMessage) json.RawMessage) error {
	for _, name := range attrs.Names() {
		if v := how(attrs.Raw(name)); v != nil {
			if err := attrs.Set(name, v); err != nil {
				return err
			}
		}
	}
	return nil
}

// listed gives the elements of a list, false for what is none.
func listed(raw json.RawMessage) (list []json.RawMessage, ok bool) {
	if len(raw) == 0 || raw[0] != '[' {
		return nil, false
	}
	err := strictjson.Each(raw, func(_ int, elem json.RawMessage) error {
		list = append(list, elem)
		return nil
	})
	return list, err == nil
}
