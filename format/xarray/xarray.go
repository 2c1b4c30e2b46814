// Package xarray knows how xarray says on Zarr what elements mean: the names of
// dimensions, and which stored value stands for a missing one. Zarr v2 has the
// attribute _ARRAY_DIMENSIONS and fill_value, which is null where nothing is missing;
// Zarr v3 has dimension_names and the attribute _FillValue, in a form of xarray's own
// (xarray.backends.zarr.FillValueCoder, since version 2024.10), while fill_value only
// says what chunks hold that are not stored. It does no I/O.
//
// xarray has no form of _FillValue for text, whose missing value is the attribute
// missing_value then, nor for bytes and times. Complex numbers have one in version
// 2026.4, while 2026.2 refuses arrays with it.
package xarray

import (
	"encoding/json"
	"slices"

	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/format"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/internal/words"
	"github.com/omnizarr/zarr/meta"
)

// The attributes that xarray goes by.
const (
	DimensionsAttribute = "_ARRAY_DIMENSIONS"
	FillAttribute       = "_FillValue"
	missingAttribute    = "missing_value"
)

// Zarr2 and Zarr3 are how xarray says it in the versions of Zarr.
var (
	Zarr2 format.Terms = two{}
	Zarr3 format.Terms = three{}
)

// Missing is the stored value that stands for a missing one to xarray, in an array
// of the named format, all of which but Zarr v2 are shown as Zarr v3. It is spelled as
// a fill value of format.MissingType.
func Missing(m *meta.Array, formatName string) (fill json.RawMessage, ok bool) {
	if formatName == "zarr2" {
		what, ok := Zarr2.Read(m.Clone(), nil)
		return what.Missing, ok && what.Missing != nil
	}
	fill, err := missing3(m)
	return fill, err == nil && fill != nil
}

// two are the terms of Zarr v2.
type two struct{}

// Read takes an array for xarray's that has as many names as dimensions.
func (two) Read(m *meta.Array, _ []*meta.Array) (format.Meaning, bool) {
	names, err := Dimensions(m)
	if names == nil || err != nil {
		return format.Meaning{}, false
	}
	var what format.Meaning
	if m.NoFill {
		what.Missing, _ = plainFill(m.DataType, m.Attributes.Raw(FillAttribute))
	} else if kind := m.DataType.Kind(); kind != dtype.Object {
		what.Missing, _ = widen(m.DataType, m.FillValue)
	}
	m.DimensionNames, m.NoFill = names, false
	m.Attributes.Delete(DimensionsAttribute)
	m.Attributes.Delete(FillAttribute)
	return what, true
}

// Write makes the missing value that of chunks which are not stored too. One that
// the type does not have is an attribute, which counts where there is no fill value.
func (two) Write(m *meta.Array, what format.Meaning) string {
	names := m.DimensionNames
	if names == nil {
		names = []*string{}
	}
	// Marshalling names cannot fail.
	_ = m.Attrs().Set(DimensionsAttribute, names)
	if m.DataType.Kind() == dtype.Object {
		return "" // null is a value
	}
	m.NoFill = true
	if what.Missing == nil {
		return ""
	}
	if fill, ok := narrow(m.DataType, what.Missing); ok {
		m.FillValue, m.NoFill = fill, false
		return ""
	}
	if err := m.Attrs().Set(FillAttribute, what.Missing); err != nil {
		return unsaid(what.Missing, "Zarr v2")
	}
	return ""
}

// three are the terms of Zarr v3.
type three struct{}

// Read takes an array for xarray's whose dimensions all have names. One without
// dimensions is like those beside it.
func (three) Read(m *meta.Array, beside []*meta.Array) (format.Meaning, bool) {
	if !named(m) && (len(m.Shape) > 0 || m.Attributes.Raw(FillAttribute) == nil && !allNamed(beside)) {
		return format.Meaning{}, false
	}
	fill, err := missing3(m)
	if err != nil {
		return format.Meaning{}, false // xarray refuses it
	}
	m.Attributes.Delete(FillAttribute)
	if isText(m.DataType) && fill != nil {
		m.Attributes.Delete(missingAttribute)
	}
	return format.Meaning{Missing: fill}, true
}

func named(m *meta.Array) bool {
	return m.DimensionNames != nil && !slices.Contains(m.DimensionNames, nil)
}

// allNamed reports whether xarray can open a group of arrays.
func allNamed(group []*meta.Array) bool {
	return len(group) > 0 && !slices.ContainsFunc(group, func(m *meta.Array) bool { return len(m.Shape) > 0 && !named(m) })
}

// missing3 is the missing value of an array of Zarr v3, nil if there is none. For
// text it is what Write makes of it.
func missing3(m *meta.Array) (json.RawMessage, error) {
	if raw := m.Attributes.Raw(FillAttribute); raw != nil {
		return DecodeFill(m.DataType, raw)
	}
	if isText(m.DataType) {
		fill, err := plainFill(m.DataType, m.Attributes.Raw(missingAttribute))
		if own, ok := widen(m.DataType, m.FillValue); err == nil && ok && string(fill) == string(own) {
			return fill, nil
		}
	}
	return nil, nil
}

// Write gives the missing value as an attribute.
func (three) Write(m *meta.Array, what format.Meaning) string {
	m.NoFill = false
	if m.DimensionNames == nil {
		m.DimensionNames = []*string{}
	}
	if what.Missing == nil {
		return ""
	}
	switch kind := m.DataType.Kind(); {
	case kind == dtype.Time || kind == dtype.Duration:
		return "" // xarray masks none of these in Zarr v2 either
	case isText(m.DataType):
		old := m.Attributes.Raw(missingAttribute)
		if old != nil && string(old) != string(what.Missing) || m.Attrs().Set(missingAttribute, what.Missing) != nil {
			return unsaid(what.Missing, "Zarr v3")
		}
		return ""
	}
	raw, err := EncodeFill(m.DataType, what.Missing)
	if err != nil || m.Attrs().Set(FillAttribute, raw) != nil {
		return unsaid(what.Missing, "Zarr v3")
	}
	return ""
}

func unsaid(fill json.RawMessage, version string) string {
	return "elements that are " + words.Cut(string(fill), 60) + " are missing ones to xarray, which has no way to say it in " + version
}

func isText(t dtype.Type) bool { return t.Kind() == dtype.UTF32 || t.Kind() == dtype.String }

// Dimensions are the names of dimensions that an array of Zarr v2 has by its
// attributes: nil if it has none, not nil for an array without dimensions. xarray
// refuses arrays for which there is an error.
func Dimensions(m *meta.Array) ([]*string, error) {
	raw := m.Attributes.Raw(DimensionsAttribute)
	if raw == nil {
		return nil, nil
	}
	names := []*string{}
	err := strictjson.Each(raw, func(_ int, elem json.RawMessage) error {
		name, err := strictjson.String(elem)
		names = append(names, &name)
		return err
	})
	if err != nil {
		return nil, strictjson.At(DimensionsAttribute, err)
	}
	if len(names) != len(m.Shape) {
		return nil, strictjson.Errorf(DimensionsAttribute, "%d names for %d dimensions", len(names), len(m.Shape))
	}
	return names, nil
}
