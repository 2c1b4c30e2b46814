package hdmf

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/nd"
)

// Values are elements that were read, in C order, or one field of them.
type Values struct {
	DType
	// Shape is that of the selection.
	Shape []int

	typ    dtype.Type // of the elements in memory
	data   []byte
	stride int
	offset int
	blobs  nd.Blobs
	json   []json.RawMessage // instead, of fields of JSON lists
	holder *File
}

// Read reads a selection of the dataset, all of it if that is nil.
func (d *Dataset) Read(ctx context.Context, sel zarr.Selection) (*Values, error) {
	if sel == nil {
		sel = zarr.All()
	}
	shape, err := d.array.ResultShape(sel)
	if err != nil {
		return nil, err
	}
	v, err := d.array.Make(shape...)
	if err != nil {
		return nil, err
	}
	if err := d.array.ReadInto(ctx, sel, v); err != nil {
		return nil, err
	}
	return d.values(v), nil
}

// maxSingle bounds the memory that a single value takes where its type tells: that
// of its chunk, which may be larger than the dataset.
const maxSingle = 256 << 20

// Single reads a dataset that must have one element. One that has more is an error
// and is not read.
func (d *Dataset) Single(ctx context.Context) (*Values, error) {
	shape := d.array.Shape()
	if n, ok := nd.Len(shape); !ok || n != 1 {
		return nil, d.file.failed("read", d.path, fmt.Errorf("a shape of %v, not a single value", shape))
	}
	if n, ok := nd.Bytes(d.array.ChunkShape(), d.array.DataType().Size()); !ok || n > maxSingle {
		return nil, d.file.failed("read", d.path, fmt.Errorf("a single value in a chunk of %v elements of %d bytes, at most %d bytes are read", d.array.ChunkShape(), d.array.DataType().Size(), maxSingle))
	}
	return d.Read(ctx, zarr.All())
}

// values are elements of the dataset that were read.
func (d *Dataset) values(v nd.View) *Values {
	t := d.array.DataType()
	out := &Values{DType: d.dtype, Shape: v.Shape, typ: t, data: v.Data, stride: t.Size(), holder: d.file}
	if v.Heap != nil {
		out.blobs = v.Heap.Blobs()
	}
	return out
}

// Len is the number of elements.
func (v *Values) Len() int {
	if v.json != nil || v.stride == 0 {
		return len(v.json)
	}
	return len(v.data) / v.stride
}

// has checks that there is an element i.
func (v *Values) has(i int) error {
	if n := v.Len(); i < 0 || i >= n {
		return fmt.Errorf("%w: element %d of %d", zarr.ErrRange, i, n)
	}
	return nil
}

// elem is an element as it lies in memory.
func (v *Values) elem(i int) []byte {
	at := i*v.stride + v.offset
	return v.data[at : at+v.typ.Size()]
}

// Blob is the text or the bytes of element i, nil if it is something else, or none.
func (v *Values) Blob(i int) []byte {
	if v.has(i) != nil {
		return nil
	}
	if v.json != nil {
		if s, err := strictjson.String(v.json[i]); err == nil {
			return []byte(s)
		}
		return nil
	}
	switch e := v.elem(i); v.typ.Kind() {
	case dtype.String, dtype.Bytes:
		return v.blobs.Value(e)
	case dtype.Object:
		if s, err := strictjson.String(v.blobs.Value(e)); err == nil {
			return []byte(s)
		}
	case dtype.UTF32:
		return []byte(utf32(e))
	case dtype.Raw:
		if v.typ.Name() == terminated {
			return bytes.TrimRight(e, "\x00")
		}
		return e
	}
	return nil
}

// terminated is the type of bytes of a fixed length in which zeros at the end do
// not count.
const terminated = "null_terminated_bytes"

// Text is the text of element i, "" if it is something else.
func (v *Values) Text(i int) string { return string(v.Blob(i)) }

// JSON is element i as JSON: numbers, text, lists, objects; bytes in base64.
func (v *Values) JSON(i int) (json.RawMessage, error) {
	if err := v.has(i); err != nil {
		return nil, err
	}
	if v.json != nil {
		return v.json[i], nil
	}
	return dtype.AppendExact(v.typ, nil, v.elem(i), v.blobs)
}

// Append appends element i as JSON for people: floats have the digits that their type
// needs.
func (v *Values) Append(dst []byte, i int) ([]byte, error) {
	if err := v.has(i); err != nil {
		return dst, err
	}
	if v.json != nil {
		return append(dst, v.json[i]...), nil
	}
	return v.typ.AppendValue(dst, v.elem(i), v.blobs)
}

// Part gives the elements from start up to, not including, stop along the first
// axis, without copying them.
func (v *Values) Part(start, stop int) *Values {
	out := *v
	if len(v.Shape) == 0 {
		return &out // a single value has no axis
	}
	out.Shape = slices.Clone(v.Shape)
	out.Shape[0] = stop - start
	each, _ := nd.Len(v.Shape[1:])
	if v.json != nil {
		out.json = v.json[start*each : stop*each]
	} else {
		out.data = v.data[start*each*v.stride : stop*each*v.stride]
	}
	return &out
}

// Memory gives the elements as they lie in memory if they are all of a fixed size
// and nothing lies between them: for numbers, which are little-endian.
func (v *Values) Memory() ([]byte, dtype.Type, bool) {
	if v.json != nil || v.typ == nil || len(v.typ.Refs()) > 0 || v.offset != 0 || v.stride != v.typ.Size() {
		return nil, nil, false
	}
	return v.data, v.typ, true
}

// ErrNoReference says that an element is no reference.
var ErrNoReference = errors.New("is no reference")

// Reference is the reference that element i is. An empty one is what is there
// where nothing was written.
func (v *Values) Reference(i int) (Reference, error) {
	if v.Kind != ObjectRef && v.Kind != RegionRef {
		return Reference{}, ErrNoReference
	}
	if err := v.has(i); err != nil {
		return Reference{}, err
	}
	var r Reference
	var err error
	if v.json == nil && v.typ.Kind() != dtype.Object {
		r, err = ParseText(v.Text(i))
	} else {
		var raw json.RawMessage
		if raw, err = v.JSON(i); err == nil {
			r, err = ParseReference(raw)
		}
	}
	if err != nil {
		err = fmt.Errorf("element %d %w: %w", i, ErrNoReference, err)
	}
	return r, err
}

// Field gives one field of compounds.
func (v *Values) Field(name string) (*Values, error) {
	for k, f := range v.Fields {
		if f.Name != name {
			continue
		}
		out := &Values{DType: f.DType, Shape: v.Shape, typ: f.typ, data: v.data, stride: v.stride, offset: v.offset + f.offset, blobs: v.blobs, holder: v.holder}
		if f.typ != nil {
			return out, nil
		}
		return out, out.split(v, k)
	}
	return nil, fmt.Errorf("no field %q", name)
}

// split takes field k out of JSON lists.
func (v *Values) split(all *Values, k int) error {
	v.json = make([]json.RawMessage, 0, all.Len())
	for i := range all.Len() {
		raw, err := all.JSON(i)
		if err != nil {
			return err
		}
		var field json.RawMessage
		err = strictjson.Each(raw, func(n int, elem json.RawMessage) error {
			if n == k {
				field = elem
			}
			return nil
		})
		if err == nil && field == nil {
			err = errors.New("has too few values")
		}
		if err != nil {
			return fmt.Errorf("element %d: %w", i, err)
		}
		v.json = append(v.json, field)
	}
	return nil
}

// utf32 decodes code points of four bytes. Zeros at the end are no text, others
// are.
func utf32(e []byte) string {
	e = e[:len(e)&^3]
	for len(e) > 0 && binary.LittleEndian.Uint32(e[len(e)-4:]) == 0 {
		e = e[:len(e)-4]
	}
	var b strings.Builder
	for ; len(e) > 0; e = e[4:] {
		b.WriteRune(rune(binary.LittleEndian.Uint32(e)))
	}
	return b.String()
}
