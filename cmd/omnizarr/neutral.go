package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/meta"
)

// mostValues is up to how many elements a dataset's values are in the document.
const mostValues = 64

// neutralNode is a node as dump describes it.
type neutralNode struct {
	Kind         string          `json:"kind"`
	Target       *neutralTarget  `json:"target,omitempty"`      // of links
	TargetKind   string          `json:"target_kind,omitempty"` // likewise
	Attributes   attributes      `json:"attributes,omitzero"`
	Members      *[]string       `json:"members,omitempty"`    // of groups
	HDMFDType    json.RawMessage `json:"hdmf_dtype,omitempty"` // and all that follows: of datasets
	Scalar       *bool           `json:"scalar,omitempty"`
	StoredShape  []int           `json:"stored_shape,omitzero"`
	StoredChunks []int           `json:"stored_chunks,omitzero"`
	Shape        []int           `json:"shape,omitzero"`
	column
	Error string `json:"error,omitempty"` // why the elements cannot be read, or the link not followed
}

// neutralTarget is an object, or a region of one, in a file as the dumped one sees
// it.
type neutralTarget struct {
	File   string       `json:"file"`
	Path   string       `json:"path"`
	Region *hdmf.Region `json:"region,omitempty"`
}

// column is a dataset's elements, or a field of them.
type column struct {
	Name   string          `json:"name,omitempty"`
	DType  string          `json:"dtype,omitempty"`
	SHA256 string          `json:"sha256,omitempty"`
	Values json.RawMessage `json:"values,omitempty"` // flat, in C order
	Fields []column        `json:"fields,omitempty"` // of compounds
}

// attributes keep their order in JSON.
type attributes []meta.Member

// MarshalJSON gives an object.
func (a attributes) MarshalJSON() ([]byte, error) {
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

// neutralAttributes spells floats that JSON lacks as {"$float": …}, and what HDMF
// files have of references as {"$ref": …}.
func neutralAttributes(ctx context.Context, t treeNode) (attributes, error) {
	out := attributes{}
	add := func(name string, raw json.RawMessage) error {
		raw, err := neutralFloats(raw)
		if err != nil {
			return fmt.Errorf("attribute %s: %w", strictjson.Quote(name), err)
		}
		out = append(out, meta.Member{Name: name, Raw: raw})
		return nil
	}
	if t.object == nil {
		attrs := t.node.Attributes()
		for _, name := range attrs.Names() {
			if err := add(name, attrs.Raw(name)); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	for _, attr := range t.object.Attributes() {
		raw := attr.Raw
		if len(attr.References) > 0 {
			raw = neutralReferences(ctx, t.object.File(), attr)
		}
		if err := add(attr.Name, raw); err != nil {
			return nil, err
		}
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
