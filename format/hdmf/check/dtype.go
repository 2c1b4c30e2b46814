package check

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/format/hdmf/schema"
	"github.com/omnizarr/zarr/internal/strictjson"
)

// stored is the type of values in a file, in the terms of schemas.
type stored struct {
	prim   schema.Primitive // Unspecified if schemas have no such type
	name   string           // for people
	fields []stored         // of a compound
	// loose says that the layout keeps less than the type: JSON has neither
	// unsigned integers nor bytes, and the layout V3 has no bytes.
	loose bool
}

// storedAs is the type of the elements of a dataset.
func storedAs(d hdmf.DType, layout hdmf.Layout) stored {
	s := stored{name: d.Name}
	switch d.Kind {
	case hdmf.Text:
		s.prim, s.name, s.loose = schema.Text, "text", layout == hdmf.V3
	case hdmf.Bytes:
		s.prim = schema.ASCII
	case hdmf.ObjectRef:
		s.prim, s.name = schema.Object, "a reference"
	case hdmf.RegionRef:
		s.prim, s.name = schema.Region, "a reference to a region"
	case hdmf.Compound:
		s.prim = schema.Compound
		for _, f := range d.Fields {
			s.fields = append(s.fields, storedAs(f.DType, layout))
		}
	case hdmf.Number:
		switch d.Name {
		case "int": // of Python
			s.prim = schema.Int64
		case "float":
			s.prim = schema.Float64
		default:
			s.prim, _ = schema.ParsePrimitive(d.Name)
		}
	}
	return s
}

// fits reports whether values of a type may be where a schema asks for another.
// Whether text is a date, its elements tell.
func (s stored) fits(want schema.DType) bool {
	switch want.Primitive {
	case schema.Unspecified:
		return true
	case schema.ISOTime:
		return s.prim == schema.Text || s.prim == schema.ASCII
	case schema.Compound:
		if s.prim != schema.Compound || len(s.fields) < len(want.Fields) {
			return false
		}
		for i, f := range want.Fields {
			if !s.fields[i].fits(f.DType) {
				return false
			}
		}
		return true
	case schema.ASCII:
		return s.prim == schema.ASCII || s.loose && s.prim == schema.Text
	case schema.Uint8, schema.Uint16, schema.Uint32, schema.Uint64:
		if s.loose && s.prim == schema.Int64 {
			return true
		}
	}
	return s.prim != schema.Unspecified && want.Primitive.Allows(s.prim)
}

func (s stored) String() string {
	if s.prim != schema.Compound || len(s.fields) == 0 {
		return s.name
	}
	var names []string
	for _, f := range s.fields {
		names = append(names, f.String())
	}
	return "compound of " + strings.Join(names, ", ")
}

// value is what an attribute holds, found at its first element as hdmf's validator
// does.
type value struct {
	stored
	shape []int  // nil for a single value
	text  string // the first, if it is text
	empty bool   // a list without elements has no type
}

// valueOf looks at the JSON of an attribute.
func valueOf(a hdmf.Attribute) value {
	var v value
	raw := a.Raw
	for depth := 0; len(raw) > 0 && raw[0] == '[' && depth < 64; depth++ {
		var first json.RawMessage
		n := 0
		strictjson.Each(raw, func(i int, elem json.RawMessage) error {
			if i == 0 {
				first = elem
			}
			n++
			return nil
		})
		v.shape = append(v.shape, n)
		if raw = first; n == 0 {
			v.empty = true
			return v
		}
	}
	switch {
	case len(raw) == 0:
	case len(a.References) > 0:
		v.prim, v.name = schema.Object, "a reference"
		if a.References[0].Region != nil {
			v.prim, v.name = schema.Region, "a reference to a region"
		}
	case raw[0] == '"':
		v.text, _ = strictjson.String(raw)
		v.prim, v.name, v.loose = schema.Text, "text", true
	case raw[0] == 't' || raw[0] == 'f':
		v.prim, v.name = schema.Bool, "bool"
	case raw[0] == '{':
		v.name = "an object of JSON"
	case raw[0] == 'n':
		v.name = "null"
	case strings.ContainsAny(string(raw), ".eENI"): // NaN and Infinity too
		v.prim, v.name = schema.Float64, "float64"
	default:
		v.prim, v.name, v.loose = schema.Int64, "int64", raw[0] != '-'
	}
	return v
}

// sameJSON reports whether two values of JSON mean the same; 1 and 1.0 do.
func sameJSON(a, b json.RawMessage) bool {
	x, errX := plain(a)
	y, errY := plain(b)
	return errX == nil && errY == nil && x == y
}

var errNested = errors.New("is no single value")

// plain is a single value of JSON that can be compared.
func plain(raw json.RawMessage) (any, error) {
	var v any
	if err := strictjson.Unmarshal(strictjson.QuoteBare(raw), &v); err != nil {
		return nil, err
	}
	switch v := v.(type) {
	case []any:
		if len(v) == 1 {
			return v[0], nil
		}
		return nil, errNested
	case map[string]any:
		return nil, errNested
	}
	return v, nil
}
