package meta

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"unicode/utf8"

	"github.com/omnizarr/zarr/internal/strictjson"
)

// Attributes are what users say about a node. Order and spelling are kept; bare
// NaN, Infinity and -Infinity, which are no JSON but are found in files, are
// read and written as such. The zero value and a nil pointer are empty; a nil
// pointer cannot be set.
type Attributes struct {
	members []Member
}

// ParseAttributes reads a JSON object. The attributes refer to raw, which must
// not be changed afterwards.
func ParseAttributes(raw []byte) (*Attributes, error) {
	members, err := strictjson.Object(raw, strictjson.Options{NaN: true})
	if err != nil {
		return nil, err
	}
	return &Attributes{members}, nil
}

// Len is the number of attributes.
func (a *Attributes) Len() int {
	if a == nil {
		return 0
	}
	return len(a.members)
}

// Names lists the attributes in order.
func (a *Attributes) Names() []string {
	names := make([]string, a.Len())
	for i := range names {
		names[i] = a.members[i].Name
	}
	return names
}

// Raw returns the JSON of an attribute as it is written, nil if there is none.
// It may hold bare tokens.
func (a *Attributes) Raw(name string) json.RawMessage {
	if i := a.find(name); i >= 0 {
		return a.members[i].Raw
	}
	return nil
}

func (a *Attributes) find(name string) int {
	if a == nil {
		return -1
	}
	return slices.IndexFunc(a.members, func(m Member) bool { return m.Name == name })
}

// Get stores an attribute in what v points to, as encoding/json does, and
// reports whether there is one of this name. Bare tokens become floats.
func (a *Attributes) Get(name string, v any) (bool, error) {
	i := a.find(name)
	if i < 0 {
		return false, nil
	}
	return true, strictjson.AtMember(name, strictjson.Decode(a.members[i].Raw, v))
}

// Set gives an attribute the value v in its JSON form, a json.RawMessage as it
// is. A new attribute comes last. Floats that JSON lacks become bare tokens.
func (a *Attributes) Set(name string, v any) error {
	raw, err := encodeAttribute(v)
	if err == nil && !utf8.ValidString(name) {
		err = errNotUTF8
	}
	if err != nil {
		return strictjson.AtMember(name, err)
	}
	if i := a.find(name); i >= 0 {
		a.members[i].Raw = raw
	} else {
		a.members = append(a.members, Member{Name: name, Raw: raw})
	}
	return nil
}

var errNotUTF8 = errors.New("not UTF-8")

func encodeAttribute(v any) (json.RawMessage, error) {
	raw, spelled := v.(json.RawMessage)
	if !spelled {
		var err error
		if raw, err = strictjson.Marshal(v, true); err != nil {
			return nil, err
		}
	}
	if err := strictjson.Validate(raw, strictjson.Options{NaN: true}); err != nil {
		return nil, err
	}
	return slices.Clone(bytes.TrimSpace(raw)), nil
}

// Delete removes an attribute and reports whether it was there.
func (a *Attributes) Delete(name string) bool {
	i := a.find(name)
	if i >= 0 {
		a.members = slices.Delete(a.members, i, i+1)
	}
	return i >= 0
}

// Map returns all attributes decoded as encoding/json does, numbers as float64
// and bare tokens too.
func (a *Attributes) Map() (map[string]any, error) {
	m := make(map[string]any, a.Len())
	for i := range a.Len() {
		var v any
		if _, err := a.Get(a.members[i].Name, &v); err != nil {
			return nil, err
		}
		m[a.members[i].Name] = v
	}
	return m, nil
}

// Clone returns a copy that can be changed by itself.
func (a *Attributes) Clone() *Attributes {
	if a == nil {
		return nil
	}
	return &Attributes{slices.Clone(a.members)}
}

// Append appends the JSON object of all attributes to dst. It may hold bare
// tokens.
func (a *Attributes) Append(dst []byte) []byte {
	dst = append(dst, '{')
	for i := range a.Len() {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(strictjson.AppendString(dst, a.members[i].Name), ':')
		dst = append(dst, a.members[i].Raw...)
	}
	return append(dst, '}')
}

// MarshalJSON gives an object that every JSON reader takes: bare tokens become
// the strings "NaN", "Infinity" and "-Infinity".
func (a *Attributes) MarshalJSON() ([]byte, error) {
	return strictjson.QuoteBare(a.Append(nil)), nil
}

// UnmarshalJSON reads an object.
func (a *Attributes) UnmarshalJSON(text []byte) error {
	read, err := ParseAttributes(bytes.Clone(text)) // which belongs to the caller
	if err == nil {
		*a = *read
	}
	return err
}
