package meta

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/grid"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/nd"
)

// Array is the document of an array.
type Array struct {
	Shape     []int
	DataType  dtype.Type
	Grid      grid.Grid
	Keys      grid.Keys
	FillValue json.RawMessage // as DataType.ParseFill reads it
	// NoFill says that the format has no fill value for the array: a chunk that
	// is not stored has no defined elements, so that all chunks are stored. Zarr
	// v3 cannot say it.
	NoFill bool
	Codecs []Extension // at least one; names need not be known
	// Transformers stand between the array and its store; all are known.
	Transformers []Extension
	// DimensionNames has one entry per dimension, nil for one without a name;
	// it is nil if the document has no names at all.
	DimensionNames []*string
	Attributes     *Attributes // nil if the document has none
	// Extra are unknown members that may be ignored, in the order of the
	// document.
	Extra []Member
}

// arrayMembers are the names that the core text knows, in the order in which
// they are written.
var arrayMembers = []string{
	"zarr_format", "node_type", "shape", "data_type", "chunk_grid", "chunk_key_encoding",
	"fill_value", "codecs", "storage_transformers", "dimension_names", "attributes",
}

// NodeType is "array".
func (a *Array) NodeType() string { return "array" }

// Attrs returns the attributes, which it makes if there are none.
func (a *Array) Attrs() *Attributes {
	if a.Attributes == nil {
		a.Attributes = &Attributes{}
	}
	return a.Attributes
}

// Clone returns a copy whose fields can be changed without changing a. Types,
// grids and raw JSON are shared, since nobody changes them in place.
func (a *Array) Clone() *Array {
	c := *a
	c.Shape = slices.Clone(a.Shape)
	c.Codecs = slices.Clone(a.Codecs)
	c.Transformers = slices.Clone(a.Transformers)
	c.DimensionNames = slices.Clone(a.DimensionNames)
	c.Attributes = a.Attributes.Clone()
	c.Extra = slices.Clone(a.Extra)
	return &c
}

// parseArray reads the members of an array's document in an order in which
// each finds what it depends on.
func parseArray(members []Member, reg Registry) (*Array, error) {
	a := &Array{}
	raw := make(map[string]json.RawMessage, len(arrayMembers))
	for _, m := range members {
		if slices.Contains(arrayMembers, m.Name) {
			raw[m.Name] = m.Raw
			continue
		}
		if err := checkUnknown(m); err != nil {
			return nil, err
		}
		a.Extra = append(a.Extra, m)
	}
	steps := []struct {
		name     string
		required bool
		parse    func(raw json.RawMessage) error
	}{
		{"shape", true, func(raw json.RawMessage) (err error) {
			a.Shape, err = strictjson.Lengths(raw, 0, nd.MaxRank)
			return err
		}},
		{"data_type", true, func(raw json.RawMessage) (err error) {
			a.DataType, err = reg.dataType(raw)
			return err
		}},
		{"chunk_grid", true, func(raw json.RawMessage) (err error) {
			a.Grid, err = reg.grids().Parse(raw, a.Shape)
			return err
		}},
		{"chunk_key_encoding", true, func(raw json.RawMessage) (err error) {
			a.Keys, err = reg.grids().ParseKeys(raw)
			return err
		}},
		{"fill_value", true, func(raw json.RawMessage) error {
			a.FillValue = raw
			return a.checkFill()
		}},
		{"codecs", true, func(raw json.RawMessage) (err error) {
			a.Codecs, err = parseCodecs(raw)
			return err
		}},
		{"storage_transformers", false, func(raw json.RawMessage) (err error) {
			a.Transformers, err = parseTransformers(raw, reg)
			return err
		}},
		{"dimension_names", false, func(raw json.RawMessage) (err error) {
			a.DimensionNames, err = parseDimensionNames(raw, len(a.Shape))
			return err
		}},
		{"attributes", false, func(raw json.RawMessage) (err error) {
			a.Attributes, err = splitAttributes(raw)
			return err
		}},
	}
	for _, s := range steps {
		if s.required && raw[s.name] == nil {
			return nil, missing(s.name)
		}
	}
	for _, s := range steps {
		if raw[s.name] == nil {
			continue
		}
		if err := s.parse(raw[s.name]); err != nil {
			return nil, strictjson.At(s.name, err)
		}
	}
	return a, nil
}

// checkFill checks that the fill value is one of the data type. Null says that
// there is none, which Zarr v3 does not have, unless it is a value of the type.
func (a *Array) checkFill() error {
	if k := a.DataType.Kind(); strictjson.IsNull(a.FillValue) && k != dtype.Object && k != dtype.Optional {
		return errors.New("must not be null")
	}
	_, err := a.DataType.ParseFill(a.FillValue, &nd.Heap{})
	return err
}

// parseTransformers reads the list, whose members must all be known: data behind
// an unknown one cannot be read.
func parseTransformers(raw json.RawMessage, reg Registry) ([]Extension, error) {
	var list []Extension
	err := strictjson.Each(raw, func(_ int, elem json.RawMessage) error {
		named, err := strictjson.ParseNamed(elem)
		if err != nil {
			return err
		}
		if !slices.Contains(reg.Transformers, named.Name) {
			return fmt.Errorf("unknown storage transformer %s", strictjson.Quote(named.Name))
		}
		list = append(list, Extension(named))
		return nil
	})
	return list, err
}

// parseDimensionNames reads the names; null, which some writers use for none,
// is like an absent member.
func parseDimensionNames(raw json.RawMessage, rank int) ([]*string, error) {
	if strictjson.IsNull(raw) {
		return nil, nil
	}
	names := make([]*string, 0, rank)
	err := strictjson.Each(raw, func(i int, elem json.RawMessage) error {
		if i >= rank {
			return fmt.Errorf("one more than the %d of the array's shape", rank)
		}
		if strictjson.IsNull(elem) {
			names = append(names, nil)
			return nil
		}
		name, err := strictjson.String(elem)
		if err != nil {
			return fmt.Errorf("must be a string or null, not %s", strictjson.Describe(elem))
		}
		names = append(names, &name)
		return nil
	})
	if err == nil && len(names) != rank {
		err = fmt.Errorf("%d names for %d dimensions", len(names), rank)
	}
	return names, err
}

// splitAttributes reads attributes that are part of a checked document.
func splitAttributes(raw json.RawMessage) (*Attributes, error) {
	members, err := strictjson.Split(raw)
	if err != nil {
		return nil, err
	}
	return &Attributes{members}, nil
}

// Marshal gives the document as indented JSON. It refuses an array that Parse
// would not read back.
func (a *Array) Marshal() ([]byte, error) {
	return indent(a.append(nil, false))
}

func (a *Array) append(dst []byte, _ bool) ([]byte, error) {
	if err := a.check(); err != nil {
		return nil, err
	}
	d := start(dst, "array")
	d.name("shape")
	d.json = strictjson.AppendInts(d.json, a.Shape)
	d.value("data_type", a.DataType)
	d.value("chunk_grid", a.Grid)
	d.value("chunk_key_encoding", a.Keys)
	d.raw("fill_value", a.FillValue)
	d.extensions("codecs", a.Codecs)
	if len(a.Transformers) > 0 {
		d.extensions("storage_transformers", a.Transformers)
	}
	if a.DimensionNames != nil {
		d.name("dimension_names")
		d.json = append(d.json, '[')
		for i, name := range a.DimensionNames {
			if i > 0 {
				d.json = append(d.json, ',')
			}
			if name == nil {
				d.json = append(d.json, "null"...)
			} else {
				d.json = strictjson.AppendString(d.json, *name)
			}
		}
		d.json = append(d.json, ']')
	}
	d.attributes(a.Attributes)
	return d.finish(a.Extra, func(name string) bool {
		return slices.Contains(arrayMembers, name)
	})
}

// check looks for what would make the document unreadable.
func (a *Array) check() error {
	switch {
	case a.DataType == nil:
		return missing("data_type")
	case a.Grid == nil:
		return missing("chunk_grid")
	case a.Keys == nil:
		return missing("chunk_key_encoding")
	case a.FillValue == nil:
		return missing("fill_value")
	case len(a.Codecs) == 0:
		return strictjson.At("codecs", errNoCodecs)
	case len(a.Shape) > nd.MaxRank:
		return strictjson.Errorf("shape", "%d dimensions, at most %d are possible", len(a.Shape), nd.MaxRank)
	case len(a.Grid.Count()) != len(a.Shape):
		return strictjson.Errorf("chunk_grid", "%d dimensions for an array of %d", len(a.Grid.Count()), len(a.Shape))
	case a.DimensionNames != nil && len(a.DimensionNames) != len(a.Shape):
		return strictjson.Errorf("dimension_names", "%d names for %d dimensions", len(a.DimensionNames), len(a.Shape))
	}
	for i, n := range a.Shape {
		if n < 0 {
			return strictjson.At("shape", strictjson.AtIndex(i, fmt.Errorf("%d is less than 0", n)))
		}
		if !fits(a.Grid, i, n) {
			return strictjson.Errorf("chunk_grid", "made for another shape than %v", a.Shape)
		}
	}
	for i, name := range a.DimensionNames {
		if name != nil && !utf8.ValidString(*name) {
			return strictjson.At("dimension_names", strictjson.AtIndex(i, errNotUTF8))
		}
	}
	return strictjson.At("fill_value", a.checkFill())
}

// fits reports whether the chunks of an axis end where n elements end.
func fits(g grid.Grid, axis, n int) bool {
	count := g.Count()[axis]
	if n == 0 || count == 0 {
		return n == count
	}
	start, length := g.Span(axis, count-1)
	return start < n && n-start <= length
}
