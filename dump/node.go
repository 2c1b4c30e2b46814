// Package dump describes hierarchies by their content, so that two with the same
// content have the same description, however they are stored: for every node its kind
// and attributes; for groups their members; for datasets shape, type, the SHA-256 of
// their elements and, of small ones, the values; for files of conventions links,
// references and schemas.
package dump

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/omnizarr/zarr/convention"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/meta"
)

// mostValues is up to how many elements a dataset's values are in the document.
const mostValues = 64

// Node is a node as it is described.
type Node struct {
	Path         string             `json:"-"`
	Kind         string             `json:"kind"`                  // group, dataset or link; unknown if it cannot be told
	Target       *convention.Target `json:"target,omitempty"`      // of links
	TargetKind   string             `json:"target_kind,omitempty"` // likewise
	Attributes   Attributes         `json:"attributes,omitzero"`
	Members      *[]string          `json:"members,omitempty"`    // of groups
	StoredType   json.RawMessage    `json:"hdmf_dtype,omitempty"` // as a convention spells it; and all that follows: of datasets
	Scalar       *bool              `json:"scalar,omitempty"`
	StoredShape  []int              `json:"stored_shape,omitzero"`
	StoredChunks []int              `json:"stored_chunks,omitzero"`
	Shape        []int              `json:"shape,omitzero"`
	Column
	Error string `json:"error,omitempty"` // why the elements cannot be read, or the link not followed
}

// Column is a dataset's elements, or a field of them.
type Column struct {
	Name   string          `json:"name,omitempty"`
	DType  string          `json:"dtype,omitempty"`
	SHA256 string          `json:"sha256,omitempty"`
	Values json.RawMessage `json:"values,omitempty"` // flat, in C order
	Fields []Column        `json:"fields,omitempty"` // of compounds
}

// Attributes keep their order in JSON.
type Attributes []meta.Member

// MarshalJSON gives an object.
func (a Attributes) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for i, m := range a {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(strictjson.AppendString(out, m.Name), ':')
		out = append(out, m.Raw...)
	}
	return append(out, '}'), nil
}

// attributesOf spells floats that JSON lacks as {"$float": …}, and what files of
// conventions have of references as {"$ref": …}.
func attributesOf(ctx context.Context, e convention.Entry) (Attributes, error) {
	var list []meta.Member
	if e.Object != nil {
		list = e.Object.Attributes(ctx)
	} else {
		attrs := e.Node.Attributes()
		for _, name := range attrs.Names() {
			list = append(list, meta.Member{Name: name, Raw: attrs.Raw(name)})
		}
	}
	out := Attributes{}
	for _, m := range list {
		raw, err := neutralFloats(m.Raw)
		if err != nil {
			return nil, fmt.Errorf("attribute %s: %w", strictjson.Quote(m.Name), err)
		}
		out = append(out, meta.Member{Name: m.Name, Raw: raw})
	}
	return out, nil
}

// neutralFloats replaces bare NaN and Infinity in JSON; everything else stays as
// it is spelled.
func neutralFloats(raw json.RawMessage) (json.RawMessage, error) {
	if strictjson.Validate(raw, strictjson.Options{}) == nil {
		return raw, nil
	}
	var b bytes.Buffer
	for i := 0; i < len(raw); {
		switch c := raw[i]; {
		case c == '"':
			end := i + 1
			for raw[end] != '"' {
				if raw[end] == '\\' {
					end++
				}
				end++
			}
			b.Write(raw[i : end+1])
			i = end + 1
		case c == 'N' || c == 'I' || c == '-' && i+1 < len(raw) && raw[i+1] == 'I':
			end := i + 1
			for end < len(raw) && raw[end]|0x20 >= 'a' && raw[end]|0x20 <= 'z' {
				end++
			}
			fmt.Fprintf(&b, `{"$float":"%s"}`, raw[i:end])
			i = end
		default:
			b.WriteByte(c)
			i++
		}
	}
	return b.Bytes(), strictjson.Validate(b.Bytes(), strictjson.Options{})
}
