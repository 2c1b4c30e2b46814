package dtype

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/omnizarr/zarr/nd"
)

// Field is one field of a struct.
type Field struct {
	Name   string
	Type   Type
	Offset int // in bytes, from the start of the struct; set by NewStruct
}

// structType is struct, or structured as older zarr-python spells it.
type structType struct {
	base
	fields []Field
}

// NewStruct returns the type struct with the given fields, one after the other
// without gaps. Fields may hold references. Metadata can spell those to text and
// to JSON values; a struct with others lives in memory only.
func NewStruct(fields []Field) (Type, error) { return newStruct("struct", slices.Clone(fields), false) }

// newStruct takes over fields. With pairs, fields are spelled [name, type].
func newStruct(name string, fields []Field, pairs bool) (Type, error) {
	if len(fields) == 0 {
		return nil, errors.New("struct without fields")
	}
	if len(fields) > maxFields {
		return nil, fmt.Errorf("struct of %d fields, at most %d are supported", len(fields), maxFields)
	}
	t := &structType{fields: fields}
	seen := map[string]bool{}
	config := []byte(`{"fields":[`)
	var units []Unit
	for i := range fields {
		f := &fields[i]
		if f.Name == "" || f.Type == nil {
			return nil, fmt.Errorf("field %d has no name or no type", i)
		}
		if seen[f.Name] {
			return nil, fmt.Errorf("field %s appears twice", short(strconv.Quote(f.Name)))
		}
		seen[f.Name] = true
		f.Offset = t.size
		if t.size += f.Type.Size(); t.size > maxSize {
			return nil, fmt.Errorf("struct of more than %d bytes", maxSize)
		}
		for _, u := range f.Type.Units() {
			u.Offset += f.Offset
			units = append(units, u)
		}
		for _, o := range f.Type.Refs() {
			t.refs = append(t.refs, f.Offset+o)
		}
		spelling, err := f.Type.MarshalJSON()
		if err != nil {
			return nil, fmt.Errorf("field %s: %w", short(strconv.Quote(f.Name)), err)
		}
		if i > 0 {
			config = append(config, ',')
		}
		if pairs {
			config = append(appendString(append(config, '['), f.Name), ',')
			config = append(append(config, spelling...), ']')
		} else {
			config = append(appendString(append(config, `{"name":`...), f.Name), `,"data_type":`...)
			config = append(append(config, spelling...), '}')
		}
	}
	size, refs := t.size, t.refs
	t.base = configured(name, Struct, string(config)+"]}", units...)
	t.size, t.refs = size, refs
	return canonical(t), nil
}

// Fields returns the fields of a struct, nil for other types. The slice must
// not be changed.
func Fields(t Type) []Field {
	if s, ok := unwrap(t).(*structType); ok {
		return s.fields
	}
	return nil
}

// parseStruct reads struct and structured. Both may spell fields as objects or
// as pairs, as in zarr-python; pairs are written back only for structured.
func (r *Registry) parseStruct(name string, config json.RawMessage) (Type, error) {
	o, err := configuration(config, "fields")
	if err != nil {
		return nil, err
	}
	items, ok := list(o.get("fields"))
	if !ok {
		return nil, errors.New("configuration: fields must be an array")
	}
	if len(items) > maxFields {
		return nil, fmt.Errorf("%d fields, at most %d are supported", len(items), maxFields)
	}
	fields := make([]Field, len(items))
	pairs := name == "structured"
	for i, item := range items {
		f, err := r.parseField(item)
		if err != nil {
			return nil, fmt.Errorf("field %d: %w", i, err)
		}
		if k := f.Type.Kind(); len(f.Type.Refs()) > 0 && k != Object && k != String || k == Optional {
			return nil, fmt.Errorf("field %s: %s has no fixed length", short(strconv.Quote(f.Name)), f.Type.Name())
		}
		pairs = pairs && first(item) == '['
		fields[i] = f
	}
	return newStruct(name, fields, pairs)
}

func (r *Registry) parseField(raw json.RawMessage) (Field, error) {
	var name, typ json.RawMessage
	if pair, ok := list(raw); ok {
		if len(pair) != 2 {
			return Field{}, fmt.Errorf("%s is not a pair of name and data type", short(string(raw)))
		}
		name, typ = pair[0], pair[1]
	} else {
		o, err := parseObject(raw)
		if err != nil {
			return Field{}, err
		}
		if err := o.only("name", "data_type"); err != nil {
			return Field{}, err
		}
		name, typ = o.get("name"), o.get("data_type")
		if typ == nil {
			return Field{}, errors.New("no data_type")
		}
	}
	s, err := text(name)
	if err != nil {
		return Field{}, fmt.Errorf("name %w", err)
	}
	if s == "" {
		return Field{}, errors.New("name is empty")
	}
	t, err := r.Parse(typ)
	return Field{Name: s, Type: t}, err
}

// ParseFill reads an object with a value for every field, or base64 of the
// packed little-endian bytes, which zarr-python wrote before it wrote objects.
func (t *structType) ParseFill(raw json.RawMessage, h *nd.Heap) ([]byte, error) {
	if first(raw) == '"' {
		return t.parsePacked(raw)
	}
	o, err := parseObject(raw)
	if err != nil {
		return nil, badFill(t.name, raw, "must be an object with a value for every field")
	}
	elem := make([]byte, t.size)
	values := make(map[string]json.RawMessage, len(o))
	for _, m := range o {
		values[m.name] = m.value
	}
	for _, f := range t.fields {
		value, ok := values[f.Name]
		if !ok {
			return nil, badFill(t.name, raw, "no value for field %s", short(strconv.Quote(f.Name)))
		}
		part, err := f.Type.ParseFill(value, h)
		if err != nil {
			return nil, fmt.Errorf("field %s: %w", short(strconv.Quote(f.Name)), err)
		}
		copy(elem[f.Offset:], part)
		delete(values, f.Name)
	}
	for _, m := range o {
		if _, left := values[m.name]; left {
			return nil, badFill(t.name, raw, "no field is called %s", short(strconv.Quote(m.name)))
		}
	}
	return elem, nil
}

func (t *structType) parsePacked(raw json.RawMessage) ([]byte, error) {
	if len(t.refs) > 0 {
		return nil, badFill(t.name, raw, "must be an object with a value for every field")
	}
	elem, err := byteString(raw)
	if err != nil {
		return nil, badFill(t.name, raw, "%w", err)
	}
	if len(elem) != t.size {
		return nil, badFill(t.name, raw, "%d bytes, the type has %d", len(elem), t.size)
	}
	if c, ok := canonical(t).(Canonicaliser); ok {
		if err := c.Canonicalise(nd.Of(elem, t.size)); err != nil {
			return nil, badFill(t.name, raw, "%w", err)
		}
	}
	return elem, nil
}

// AppendFill always appends an object: base64 would depend on the byte order
// that the codecs use.
func (t *structType) AppendFill(dst, elem []byte, h nd.Blobs) ([]byte, error) {
	return t.append(dst, elem, h, Type.AppendFill)
}

func (t *structType) AppendValue(dst, elem []byte, h nd.Blobs) ([]byte, error) {
	return t.append(dst, elem, h, Type.AppendValue)
}

func (t *structType) append(dst, elem []byte, h nd.Blobs, field func(Type, []byte, []byte, nd.Blobs) ([]byte, error)) ([]byte, error) {
	dst = append(dst, '{')
	for i := range t.fields {
		f := &t.fields[i]
		if i > 0 {
			dst = append(dst, ',', ' ')
		}
		dst = append(appendString(dst, f.Name), ':', ' ')
		var err error
		if dst, err = field(f.Type, dst, elem[f.Offset:f.Offset+f.Type.Size()], h); err != nil {
			return dst, fmt.Errorf("field %s: %w", short(strconv.Quote(f.Name)), err)
		}
	}
	return append(dst, '}'), nil
}
