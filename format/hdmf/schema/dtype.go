package schema

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/omnizarr/zarr/internal/strictjson"
)

// Primitive is a data type without its details.
type Primitive uint8

// The data types of the language.
const (
	Unspecified Primitive = iota // every type is allowed
	Bool
	Int8
	Int16
	Int32
	Int64
	Uint8
	Uint16
	Uint32
	Uint64
	Float32
	Float64
	Numeric  // any integer or float
	Text     // UTF-8
	ASCII    // bytes
	ISOTime  // a date or a date and time as text, see DateTime
	Object   // a reference to an object
	Region   // a reference to a part of a dataset
	Compound // several fields
)

// spellings has for each type the name that String gives, then the other ones
// that schemas use.
var spellings = [...][]string{
	Unspecified: {"any"},
	Bool:        {"bool"},
	Int8:        {"int8"},
	Int16:       {"int16", "short"},
	Int32:       {"int32", "int"},
	Int64:       {"int64", "long"},
	Uint8:       {"uint8"},
	Uint16:      {"uint16"},
	Uint32:      {"uint32", "uint"},
	Uint64:      {"uint64"},
	Float32:     {"float32", "float"},
	Float64:     {"float64", "double"},
	Numeric:     {"numeric"},
	Text:        {"text", "utf", "utf8", "utf-8"},
	ASCII:       {"ascii", "bytes", "str"},
	ISOTime:     {"isodatetime", "datetime", "date"},
	Object:      {"object", "ref", "reference"},
	Region:      {"region"},
	Compound:    {"compound"},
}

var bySpelling = func() map[string]Primitive {
	m := map[string]Primitive{}
	for p := Bool; p < Compound; p++ {
		for _, s := range spellings[p] {
			m[s] = p
		}
	}
	return m
}()

// ParsePrimitive reads any spelling of a type, such as "float" and "float32",
// "text" and "utf8". It knows neither "any" nor "compound", which no schema writes.
func ParsePrimitive(name string) (Primitive, bool) {
	p, ok := bySpelling[name]
	return p, ok
}

// String is one spelling, the same for all spellings of a type.
func (p Primitive) String() string {
	if int(p) < len(spellings) {
		return spellings[p][0]
	}
	return "unknown"
}

// Allows reports whether data of the stored type may be where a schema asks for
// p: the same type or a wider one of the same sort, ASCII for text, any integer or
// float for numeric. Nothing but isodatetime itself is one; whether a text may
// stand for it is for DateTime to say.
func (p Primitive) Allows(stored Primitive) bool {
	switch {
	case p == Unspecified || p == stored:
		return true
	case p == Numeric:
		return stored >= Int8 && stored <= Float64
	case p == Text:
		return stored == ASCII
	}
	for _, sort := range [...][2]Primitive{{Int8, Int64}, {Uint8, Uint64}, {Float32, Float64}} {
		if p >= sort[0] && p <= sort[1] {
			return stored > p && stored <= sort[1]
		}
	}
	return false
}

// DType is the data type that a schema asks for. Its zero value asks for none.
type DType struct {
	Primitive Primitive
	Spelling  string  // as the schema writes it; "" for references that name a target, and for compounds
	Target    string  // the type that references point to, "" if it is not given
	Fields    []Field // of a compound
}

// Field is one field of a compound.
type Field struct {
	Name, Doc string
	DType     DType
}

// String describes the type for people: "int32", "object reference to Thing",
// "compound of idx int32, name text".
func (d DType) String() string {
	switch {
	case d.Primitive == Compound:
		var b strings.Builder
		b.WriteString("compound of ")
		for i, f := range d.Fields {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(f.Name + " " + f.DType.String())
		}
		return b.String()
	case d.Target != "":
		return d.Primitive.String() + " reference to " + d.Target
	}
	return d.Primitive.String()
}

// Allows reports whether data of the stored type may be where a schema asks for
// d. Fields of compounds are compared by position, whatever their names; the stored
// compound may have more of them. Targets of references are not looked at: only the
// objects that they point to tell their types.
func (d DType) Allows(stored DType) bool {
	if d.Primitive != Compound || stored.Primitive != Compound {
		return d.Primitive.Allows(stored.Primitive)
	}
	if len(stored.Fields) < len(d.Fields) {
		return false
	}
	for i, f := range d.Fields {
		if !f.DType.Allows(stored.Fields[i].DType) {
			return false
		}
	}
	return true
}

// maxFields is how many fields a compound may have.
const maxFields = 4096

// parseDType reads a type's name, a reference or the fields of a compound.
func parseDType(raw json.RawMessage) (DType, error) {
	switch {
	case strictjson.IsNull(raw):
		return DType{}, nil
	case raw[0] == '{':
		return parseReference(raw)
	case raw[0] == '[':
		return parseCompound(raw)
	}
	name, err := strictjson.String(raw)
	if err != nil {
		return DType{}, fmt.Errorf("must be a name, a reference or fields, not %s", strictjson.Describe(raw))
	}
	p, ok := ParsePrimitive(name)
	if !ok {
		return DType{}, fmt.Errorf("unknown data type %s", strictjson.Quote(name))
	}
	return DType{Primitive: p, Spelling: name}, nil
}

func parseReference(raw json.RawMessage) (DType, error) {
	d := DType{Primitive: Object}
	members, err := strictjson.Split(raw)
	if err != nil {
		return d, err
	}
	for _, m := range members {
		switch m.Name {
		case "target_type":
			d.Target, err = strictjson.String(m.Raw)
		case "reftype":
			var name string
			if name, err = strictjson.String(m.Raw); err == nil {
				if d.Primitive = bySpelling[name]; d.Primitive != Object && d.Primitive != Region {
					err = fmt.Errorf("unknown kind of reference %s", strictjson.Quote(name))
				}
			}
		}
		if err != nil {
			return DType{}, strictjson.AtMember(m.Name, err)
		}
	}
	if d.Target == "" {
		return DType{}, fmt.Errorf("a reference without target_type")
	}
	return d, nil
}

func parseCompound(raw json.RawMessage) (DType, error) {
	d := DType{Primitive: Compound}
	seen := map[string]bool{}
	err := strictjson.Each(raw, func(i int, elem json.RawMessage) error {
		if i >= maxFields {
			return fmt.Errorf("more than %d fields", maxFields)
		}
		f, err := parseField(elem)
		if err == nil && seen[f.Name] {
			err = fmt.Errorf("two fields named %s", strictjson.Quote(f.Name))
		}
		seen[f.Name] = true
		d.Fields = append(d.Fields, f)
		return err
	})
	if err == nil && len(d.Fields) == 0 {
		err = fmt.Errorf("a compound without fields")
	}
	if err != nil {
		return DType{}, err
	}
	return d, nil
}

func parseField(raw json.RawMessage) (Field, error) {
	var f Field
	members, err := strictjson.Split(raw)
	if err != nil {
		return f, err
	}
	for _, m := range members {
		switch m.Name {
		case "name":
			f.Name, err = strictjson.String(m.Raw)
		case "doc":
			f.Doc, err = optionalText(m.Raw)
		case "dtype":
			f.DType, err = parseDType(m.Raw)
		}
		if err != nil {
			return f, strictjson.AtMember(m.Name, err)
		}
	}
	if f.Name == "" {
		return f, fmt.Errorf("a field without a name")
	}
	if f.DType.Primitive == Unspecified {
		return f, strictjson.Errorf("dtype", "is missing")
	}
	return f, nil
}
