package hdmf

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/format/hdmf/schema"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/meta"
)

// Kind is what the elements of a dataset are.
type Kind uint8

// The kinds of elements.
const (
	Number    Kind = iota + 1 // integers, floats, complex numbers, bool; times
	Text                      // UTF-8
	Bytes                     // bytes of any length
	ObjectRef                 // references to objects
	RegionRef                 // references to parts of datasets
	Compound                  // fields
	Anything                  // JSON values of other kinds
)

// DType is the type of a dataset's elements.
type DType struct {
	Kind   Kind
	Name   string  // such as "float32", "string", "bytes", "reference", "region", "compound"
	Fields []Field // of compounds
}

// Field is a part of a compound.
type Field struct {
	Name string
	DType
	// Stored is the type that the layout says, "" if it says none.
	Stored string
	typ    dtype.Type // as it lies in memory; nil if elements are JSON lists
	offset int
}

// Dataset is an object with elements.
type Dataset struct {
	object
	array  *zarr.Array
	dtype  DType
	scalar bool
}

// Array is the dataset as the engine has it. The array of a scalar in the layout
// V2 has one element and one axis.
func (d *Dataset) Array() *zarr.Array { return d.array }

// Scalar reports whether the dataset is a single value.
func (d *Dataset) Scalar() bool { return d.scalar }

// Shape is the length along every axis; that of a scalar has none.
func (d *Dataset) Shape() []int {
	if d.scalar {
		return []int{}
	}
	return d.array.Shape()
}

// DType is the type of the elements.
func (d *Dataset) DType() DType { return d.dtype }

// Stored is the type of the elements as the layout's own attribute spells it, nil
// if it has none.
func (d *Dataset) Stored() json.RawMessage {
	if raw := d.attrs().Raw(dtypeV2); raw != nil {
		return raw
	}
	return d.attrs().Raw(dtypeV3)
}

func newDataset(o object, a *zarr.Array) *Dataset {
	d := &Dataset{object: o, array: a}
	attrs := a.Metadata().Attributes
	said := text(d.Stored())
	shape := a.Metadata().Shape
	d.scalar = len(shape) == 0 || said == "scalar" && len(shape) == 1 && shape[0] == 1
	d.dtype = dtypeOf(a.DataType(), said)
	if fields := fieldsOf(a.DataType(), attrs); fields != nil {
		d.dtype = DType{Compound, "compound", fields}
	}
	return d
}

// dtypeOf is what elements of a type are if the layout says so of them.
func dtypeOf(t dtype.Type, said string) DType {
	byReference := t.Kind() == dtype.Object || t.Kind() == dtype.String || t.Kind() == dtype.UTF32
	switch {
	case byReference && kindOf(said) == ObjectRef:
		return DType{Kind: ObjectRef, Name: "reference"}
	case byReference && kindOf(said) == RegionRef:
		return DType{Kind: RegionRef, Name: "region"}
	}
	switch t.Kind() {
	case dtype.String, dtype.UTF32:
		return DType{Kind: Text, Name: "string"}
	case dtype.Bytes, dtype.Raw:
		return DType{Kind: Bytes, Name: "bytes"}
	case dtype.Object:
		if said == "scalar" || said == "" || kindOf(said) == Text {
			// The schemas of a file, and text under a codec for objects.
			return DType{Kind: Text, Name: "string"}
		}
		return DType{Kind: Anything, Name: "object"}
	case dtype.Struct:
		return DType{Kind: Compound, Name: "compound"}
	}
	return DType{Kind: Number, Name: strings.TrimPrefix(t.Name(), "numpy.")}
}

// fieldsOf are the fields of a compound: of a struct, or of JSON lists whose fields
// the layout names. nil if it is none.
func fieldsOf(t dtype.Type, attrs *meta.Attributes) []Field {
	said, names := saidFields(attrs.Raw(dtypeV2))
	var refs []string
	if raw := attrs.Raw(referenceFields); raw != nil {
		strictjson.Decode(raw, &refs)
	}
	var fields []Field
	for _, f := range dtype.Fields(t) {
		stored := said[f.Name]
		if slices.Contains(refs, f.Name) {
			stored = "object"
		}
		fields = append(fields, Field{Name: f.Name, DType: dtypeOf(f.Type, stored), Stored: stored, typ: f.Type, offset: f.Offset})
	}
	if fields != nil || t.Kind() != dtype.Object {
		return fields
	}
	for _, name := range names {
		fields = append(fields, Field{Name: name, DType: jsonType(said[name]), Stored: said[name]})
	}
	return fields
}

// saidFields reads [{"name": …, "dtype": …}, …].
func saidFields(raw json.RawMessage) (said map[string]string, names []string) {
	said = map[string]string{}
	if len(raw) == 0 || raw[0] != '[' {
		return said, nil
	}
	strictjson.Each(raw, func(i int, elem json.RawMessage) error {
		members, err := strictjson.Split(elem)
		if name := text(member(members, "name")); err == nil && name != "" && i < 1<<12 {
			said[name] = text(member(members, "dtype"))
			names = append(names, name)
		}
		return nil
	})
	return said, names
}

// jsonType is the type of a field of JSON lists.
func jsonType(said string) DType {
	switch kindOf(said) {
	case ObjectRef:
		return DType{Kind: ObjectRef, Name: "reference"}
	case RegionRef:
		return DType{Kind: RegionRef, Name: "region"}
	case Text:
		return DType{Kind: Text, Name: "string"}
	case Number:
		return DType{Kind: Number, Name: said}
	}
	return DType{Kind: Anything, Name: "object"}
}

// kindOf is what a layout means by the name of a type: those of schemas, with all
// their spellings, and its own. What is left are numbers of NumPy, such as
// complex64; 0 is no name.
func kindOf(said string) Kind {
	switch said {
	case "":
		return 0
	case "str_":
		return Text
	case "object_reference":
		return ObjectRef
	case "region_reference":
		return RegionRef
	}
	switch p, _ := schema.ParsePrimitive(said); p {
	case schema.Text, schema.ASCII, schema.ISOTime:
		return Text
	case schema.Object:
		return ObjectRef
	case schema.Region:
		return RegionRef
	}
	return Number
}
