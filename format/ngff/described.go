package ngff

import (
	"github.com/omnizarr/zarr/meta"
)

// Described reads what an array that is no part of multiscales says of where its
// elements are, in attributes of its own: "scale", and possibly "translation" and
// "units", with an entry for every axis. Its axes are called as names says, which are
// those of its dimensions, or by the attribute "axes", a list of objects with the name,
// type and unit of each, as format/tiff has it. It has one level without a path; nil if
// the array says nothing of the kind. The axes need not be those of an image.
func Described(attrs *meta.Attributes, names []string) *Multiscales {
	l := Level{}
	if ok, err := attrs.Get("scale", &l.Scale); !ok || err != nil {
		return nil
	}
	var axes []struct{ Name, Type, Unit string }
	if ok, err := attrs.Get("axes", &axes); !ok || err != nil || len(axes) != len(l.Scale) {
		var units []string
		if ok, err := attrs.Get("units", &units); !ok || err != nil || len(units) != len(names) {
			units = make([]string, len(names))
		}
		axes = axes[:0]
		for i, name := range names {
			axes = append(axes, struct{ Name, Type, Unit string }{name, "", units[i]})
		}
	}
	if checkVector(l.Scale, len(axes)) != nil || len(axes) == 0 {
		return nil
	}
	if ok, err := attrs.Get("translation", &l.Translation); ok && (err != nil || checkVector(l.Translation, len(axes)) != nil) {
		l.Translation = nil
	}
	m := &Multiscales{Levels: []Level{l}}
	for _, a := range axes {
		if a.Type == "" {
			a.Type = AxisType(a.Name)
		}
		m.Axes = append(m.Axes, Axis{Name: a.Name, Type: a.Type, Unit: a.Unit})
	}
	return m
}

// Describe sets the attributes that Described reads, of the first level of an image,
// for an array whose dimensions have the names of its axes.
func Describe(attrs *meta.Attributes, m *Multiscales) error {
	units, some := make([]string, len(m.Axes)), false
	for i, a := range m.Axes {
		units[i] = a.Unit
		some = some || a.Unit != ""
	}
	if some {
		if err := attrs.Set("units", units); err != nil {
			return err
		}
	}
	if t := m.Levels[0].Translation; t != nil {
		if err := attrs.Set("translation", t); err != nil {
			return err
		}
	}
	return attrs.Set("scale", m.Levels[0].Scale)
}
