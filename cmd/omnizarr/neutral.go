package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"strings"

	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/nd"
)

// mostValues is up to how many elements a dataset's values are in the document.
const mostValues = 64

// neutralNode is a node as dump describes it.
type neutralNode struct {
	Kind         string     `json:"kind"`
	Attributes   attributes `json:"attributes"`
	Members      *[]string  `json:"members,omitempty"` // of groups
	Scalar       *bool      `json:"scalar,omitempty"`  // and all that follows: of datasets
	StoredShape  []int      `json:"stored_shape,omitzero"`
	StoredChunks []int      `json:"stored_chunks,omitzero"`
	Shape        []int      `json:"shape,omitzero"`
	column
	Error string `json:"error,omitempty"` // why the elements cannot be read
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

// neutralAttributes spells floats that JSON lacks as {"$float": …}.
func neutralAttributes(attrs *meta.Attributes) (attributes, error) {
	out := attributes{}
	for _, name := range attrs.Names() {
		raw, err := neutralFloats(attrs.Raw(name))
		if err != nil {
			return nil, fmt.Errorf("attribute %s: %w", strictjson.Quote(name), err)
		}
		out = append(out, meta.Member{Name: name, Raw: raw})
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
			for end < len(raw) && raw[end] >= 'A' && raw[end] <= 'z' {
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

// columnReader sums up the elements of a column.
type columnReader struct {
	name   string
	typ    dtype.Type
	offset int
	sum    hash.Hash
	values []byte
	count  int
	fields []*columnReader
}

func newColumn(name string, t dtype.Type, offset int) *columnReader {
	c := &columnReader{name: name, typ: t, offset: offset}
	for _, f := range dtype.Fields(t) {
		c.fields = append(c.fields, newColumn(f.Name, f.Type, offset+f.Offset))
	}
	if c.fields == nil {
		c.sum = sha256.New()
	}
	return c
}

// isText reports whether elements are summed up one by one behind their length.
func (c *columnReader) isText() bool {
	switch c.typ.Kind() {
	case dtype.String, dtype.Bytes, dtype.UTF32, dtype.Raw:
		return true
	}
	return false
}

// dtype is NumPy's name, or the Zarr name of a type that NumPy lacks.
func (c *columnReader) dtype() string {
	name := c.typ.Name()
	switch c.typ.Kind() {
	case dtype.Struct:
		return "compound"
	case dtype.String, dtype.UTF32:
		return "string"
	case dtype.Bytes, dtype.Raw:
		return "bytes"
	case dtype.Time, dtype.Duration:
		return strings.TrimPrefix(name, "numpy.")
	case dtype.Complex:
		if _, err := dtype.Numpy(c.typ); err == nil {
			return fmt.Sprintf("complex%d", 8*c.typ.Size())
		}
	}
	return name
}

// add takes the next elements.
func (c *columnReader) add(v nd.View) error {
	for _, f := range c.fields {
		if err := f.add(v); err != nil {
			return fmt.Errorf("field %s: %w", f.name, err)
		}
	}
	if c.fields != nil {
		return nil
	}
	blobs := v.Heap.Blobs()
	whole := !c.isText() && c.typ.Size() == v.Size
	if whole {
		c.sum.Write(v.Data)
	}
	for k := range v.Len() {
		if whole && c.count > mostValues {
			return nil
		}
		c.count++
		elem := v.At(k)[c.offset : c.offset+c.typ.Size()]
		if c.isText() {
			text, err := c.content(elem, blobs)
			if err != nil {
				return err
			}
			var length [4]byte
			binary.LittleEndian.PutUint32(length[:], uint32(len(text)))
			c.sum.Write(length[:])
			c.sum.Write(text)
		} else if !whole {
			c.sum.Write(elem)
		}
		if c.count > mostValues {
			continue
		}
		if c.count > 1 {
			c.values = append(c.values, ", "...)
		}
		var err error
		if c.values, err = c.appendValue(c.values, elem, blobs); err != nil {
			return err
		}
	}
	return nil
}

// content is the bytes of an element of text or bytes.
func (c *columnReader) content(elem []byte, blobs nd.Blobs) ([]byte, error) {
	switch c.typ.Kind() {
	case dtype.String, dtype.Bytes:
		return blobs.Value(elem), nil
	case dtype.UTF32:
		raw, err := c.typ.AppendValue(nil, elem, blobs)
		var text string
		if err == nil {
			err = json.Unmarshal(raw, &text)
		}
		return []byte(text), err
	}
	if descr, err := dtype.Numpy(c.typ); err == nil && strings.HasPrefix(descr, "'|S") {
		elem = bytes.TrimRight(elem, "\x00")
	}
	return elem, nil
}

// appendValue spells an element so that its type can be told.
func (c *columnReader) appendValue(dst, elem []byte, blobs nd.Blobs) ([]byte, error) {
	switch c.typ.Kind() {
	case dtype.Bytes, dtype.Raw:
		b, err := c.content(elem, blobs)
		return fmt.Appendf(dst, `{"$bytes": %q}`, hex.EncodeToString(b)), err
	case dtype.Time, dtype.Duration:
		return fmt.Append(dst, int64(binary.LittleEndian.Uint64(elem))), nil
	}
	raw, err := c.typ.AppendValue(nil, elem, blobs)
	if err != nil {
		return nil, err
	}
	switch c.typ.Kind() {
	case dtype.Float:
		return appendFloat(dst, raw), nil
	case dtype.Complex:
		var parts [2]json.RawMessage
		if err := json.Unmarshal(raw, &parts); err != nil {
			return nil, err
		}
		dst = append(appendFloat(append(dst, `{"$complex": [`...), parts[0]), ", "...)
		return append(appendFloat(dst, parts[1]), "]}"...), nil
	}
	return append(dst, raw...), nil
}

// appendFloat marks the floats that JSON spells as strings.
func appendFloat(dst, raw []byte) []byte {
	if raw[0] == '"' {
		return fmt.Appendf(dst, `{"$float": %s}`, raw)
	}
	return append(dst, raw...)
}

// result gives the sums; values only of small datasets.
func (c *columnReader) result(small bool) column {
	out := column{Name: c.name, DType: c.dtype()}
	for _, f := range c.fields {
		out.Fields = append(out.Fields, f.result(small))
	}
	if c.sum != nil {
		out.SHA256 = hex.EncodeToString(c.sum.Sum(nil))
		if small {
			out.Values = json.RawMessage("[" + string(c.values) + "]")
		}
	}
	return out
}
