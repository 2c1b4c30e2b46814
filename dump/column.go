package dump

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"strings"

	"github.com/omnizarr/zarr/convention"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/nd"
)

// columnReader sums up the elements of a column.
type columnReader struct {
	name   string
	typ    dtype.Type
	offset int
	sum    hash.Hash
	values []byte
	count  int
	fields []*columnReader

	// In files of conventions:
	kind  convention.Kind
	list  bool // elements are JSON lists, of which this is one value:
	index int
	said  string // and its type
	refer func(reference json.RawMessage) json.RawMessage
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

// columnOf is for elements of which a convention says what they are.
func columnOf(ctx context.Context, t dtype.Type, e *convention.Elements) *columnReader {
	return meantColumn("", t, 0, e.Type, func(raw json.RawMessage) json.RawMessage { return e.Refer(ctx, raw) })
}

// meantColumn is for elements, or for the values of a field of them.
func meantColumn(name string, t dtype.Type, offset int, is convention.Type, refer func(json.RawMessage) json.RawMessage) *columnReader {
	c := &columnReader{name: name, typ: t, offset: offset, kind: is.Kind, refer: refer}
	known := dtype.Fields(t)
	for i, f := range is.Fields {
		if known == nil { // a value of JSON lists
			field := &columnReader{name: f.Name, typ: t, offset: offset, kind: f.Kind, refer: refer, list: true, index: i, said: f.Stored}
			if f.Kind.Refers() {
				field.said = ""
			}
			c.fields = append(c.fields, field)
			continue
		}
		c.fields = append(c.fields, meantColumn(f.Name, known[i].Type, offset+known[i].Offset, f, refer))
	}
	// References have no sum.
	if c.fields == nil && !is.Kind.Refers() && is.Kind != convention.Anything {
		c.sum = sha256.New()
	}
	return c
}

// isText reports whether elements are summed up one by one behind their length.
func (c *columnReader) isText() bool {
	if c.kind == convention.Text || c.kind == convention.Bytes {
		return true
	}
	switch c.typ.Kind() {
	case dtype.String, dtype.Bytes, dtype.UTF32, dtype.Raw:
		return true
	}
	return false
}

// dtype is NumPy's name, or the Zarr name of a type that NumPy lacks.
func (c *columnReader) dtype() string {
	name := c.typ.Name()
	if c.said != "" {
		return c.said
	}
	switch c.kind {
	case convention.Objects:
		return "reference"
	case convention.Regions:
		return "region"
	case convention.Compound:
		return "compound"
	case convention.Text:
		return "string"
	case convention.Anything:
		return "object"
	}
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
	if whole && c.sum != nil {
		c.sum.Write(v.Data)
	}
	for k := range v.Len() {
		if (whole || c.sum == nil) && c.count > mostValues {
			return nil
		}
		c.count++
		elem := v.At(k)[c.offset : c.offset+c.typ.Size()]
		switch {
		case c.sum == nil:
		case c.isText():
			text, err := c.content(elem, blobs)
			if err != nil {
				return err
			}
			var length [4]byte
			binary.LittleEndian.PutUint32(length[:], uint32(len(text)))
			c.sum.Write(length[:])
			c.sum.Write(text)
		case !whole:
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
			err = strictjson.Unmarshal(raw, &text)
		}
		return []byte(text), err
	case dtype.Object:
		if text, err := strictjson.String(blobs.Value(elem)); err == nil {
			return []byte(text), nil
		}
		return blobs.Value(elem), nil
	}
	if descr, err := dtype.Numpy(c.typ); err == nil && strings.HasPrefix(descr, "'|S") {
		elem = bytes.TrimRight(elem, "\x00")
	}
	return elem, nil
}

// appendValue spells an element so that its type can be told.
func (c *columnReader) appendValue(dst, elem []byte, blobs nd.Blobs) ([]byte, error) {
	if c.list || c.kind.Refers() {
		return c.appendJSON(dst, elem, blobs)
	}
	switch c.typ.Kind() {
	case dtype.Bytes, dtype.Raw:
		b, err := c.content(elem, blobs)
		return fmt.Appendf(dst, `{"$bytes": %q}`, hex.EncodeToString(b)), err
	case dtype.Time, dtype.Duration:
		return fmt.Append(dst, int64(binary.LittleEndian.Uint64(elem))), nil
	}
	raw, err := dtype.AppendExact(c.typ, nil, elem, blobs)
	if err != nil {
		return nil, err
	}
	switch c.typ.Kind() {
	case dtype.Float:
		return appendFloat(dst, raw), nil
	case dtype.Complex:
		var parts [2]json.RawMessage
		if err := strictjson.Unmarshal(raw, &parts); err != nil {
			return nil, err
		}
		dst = append(appendFloat(append(dst, `{"$complex": [`...), parts[0]), ", "...)
		return append(appendFloat(dst, parts[1]), "]}"...), nil
	}
	return append(dst, raw...), nil
}

// appendJSON spells a value of a JSON list, or a reference.
func (c *columnReader) appendJSON(dst, elem []byte, blobs nd.Blobs) ([]byte, error) {
	raw, err := dtype.AppendExact(c.typ, nil, elem, blobs)
	if err == nil && c.list {
		raw, err = listed(raw, c.index)
	}
	switch {
	case err != nil:
		return nil, err
	case c.kind == convention.Plain:
		return appendFloat(dst, raw), nil
	case !c.kind.Refers():
		return append(dst, raw...), nil
	}
	return append(dst, c.refer(raw)...), nil
}

// listed is a value of a JSON list.
func listed(raw json.RawMessage, index int) (value json.RawMessage, err error) {
	err = strictjson.Each(raw, func(i int, v json.RawMessage) error {
		if i == index {
			value = v
		}
		return nil
	})
	if err == nil && value == nil {
		err = fmt.Errorf("a list without value %d", index)
	}
	return value, err
}

// appendFloat marks the floats that JSON spells as strings.
func appendFloat(dst, raw []byte) []byte {
	if raw[0] == '"' {
		return fmt.Appendf(dst, `{"$float": %s}`, raw)
	}
	return append(dst, raw...)
}

// result gives the sums; values only of small datasets.
func (c *columnReader) result(small bool) Column {
	out := Column{Name: c.name, DType: c.dtype()}
	for _, f := range c.fields {
		out.Fields = append(out.Fields, f.result(small))
	}
	if c.sum != nil {
		out.SHA256 = hex.EncodeToString(c.sum.Sum(nil))
	}
	if c.fields == nil && small {
		out.Values = json.RawMessage("[" + string(c.values) + "]")
	}
	return out
}
