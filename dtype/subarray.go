package dtype

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/omnizarr/zarr/nd"
)

// subarrayType is a small array as one element: what NumPy calls a sub-array,
// which Zarr v2 has as the type of a field. Zarr v3 has no name for it.
type subarrayType struct {
	base
	elem  Type
	shape []int
	count int
}

const subarrayName = "omnizarr.subarray"

// maxUnits bounds the runs of scalars of one element, which hostile metadata
// could otherwise multiply.
const maxUnits = 1 << 16

// NewSubarray returns the type of elements that are arrays of a shape
// themselves, in C order.
func NewSubarray(elem Type, shape []int) (Type, error) {
	if len(shape) == 0 || len(shape) > nd.MaxRank {
		return nil, fmt.Errorf("a sub-array of %d dimensions", len(shape))
	}
	if len(elem.Refs()) > 0 {
		return nil, fmt.Errorf("a sub-array of %s, which has no fixed length", elem.Name())
	}
	size, ok := nd.Bytes(shape, elem.Size())
	if !ok || size > maxSize || size == 0 {
		return nil, fmt.Errorf("a sub-array of shape %v and %d bytes per element", shape, elem.Size())
	}
	t := &subarrayType{elem: elem, shape: shape, count: size / elem.Size()}
	units, err := repeat(elem, t.count)
	if err != nil {
		return nil, err
	}
	spelling, err := elem.MarshalJSON()
	if err != nil {
		return nil, err
	}
	dims, err := json.Marshal(shape)
	if err != nil {
		return nil, err
	}
	t.base = configured(subarrayName, Subarray, `{"data_type":`+string(spelling)+`,"shape":`+string(dims)+`}`, units...)
	return canonical(t), nil
}

// repeat gives the units of n elements, as one run where they touch.
func repeat(elem Type, n int) ([]Unit, error) {
	in := elem.Units()
	if len(in) == 1 && in[0].Width*in[0].Count == elem.Size() {
		u := in[0]
		u.Count *= n
		return []Unit{u}, nil
	}
	if len(in)*n > maxUnits {
		return nil, errors.New("a sub-array of more structs than are supported")
	}
	out := make([]Unit, 0, len(in)*n)
	for i := range n {
		for _, u := range in {
			u.Offset += i * elem.Size()
			out = append(out, u)
		}
	}
	return out, nil
}

// Elements returns the type and shape of the elements of a sub-array type, nil
// for other types. The shape must not be changed.
func Elements(t Type) (elem Type, shape []int) {
	if s, ok := unwrap(t).(*subarrayType); ok {
		return s.elem, s.shape
	}
	return nil, nil
}

func (r *Registry) parseSubarray(_ string, config json.RawMessage) (Type, error) {
	o, err := configuration(config, "data_type", "shape")
	if err != nil {
		return nil, err
	}
	elem, err := r.Parse(o.get("data_type"))
	if err != nil {
		return nil, err
	}
	shape, err := subshape(o.get("shape"))
	if err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	return NewSubarray(elem, shape)
}

// subshape reads the shape of a sub-array; NumPy also takes a single number.
func subshape(raw json.RawMessage) ([]int, error) {
	if isInteger(trim(raw)) {
		raw = json.RawMessage("[" + string(raw) + "]")
	}
	items, ok := list(raw)
	if !ok || len(items) > nd.MaxRank {
		return nil, fmt.Errorf("shape is %s, not a list of lengths", short(string(raw)))
	}
	shape := make([]int, len(items))
	for i, item := range items {
		if !isInteger(item) || json.Unmarshal(item, &shape[i]) != nil || shape[i] < 1 || shape[i] > maxSize {
			return nil, fmt.Errorf("shape is %s, not a list of lengths", short(string(raw)))
		}
	}
	return shape, nil
}

// ParseFill reads nested lists, or base64 of the little-endian bytes, which is
// shorter for large ones.
func (t *subarrayType) ParseFill(raw json.RawMessage, h *nd.Heap) ([]byte, error) {
	if first(raw) == '"' {
		elem, err := byteString(raw)
		if err == nil && len(elem) != t.size {
			err = fmt.Errorf("%d bytes, the type has %d", len(elem), t.size)
		}
		if err != nil {
			return nil, badFill(t.name, raw, "%w", err)
		}
		return elem, nil
	}
	out, err := t.parseLists(make([]byte, 0, t.size), raw, t.shape, h)
	if err != nil {
		return nil, badFill(t.name, raw, "%w", err)
	}
	return out, nil
}

func (t *subarrayType) parseLists(dst []byte, raw json.RawMessage, shape []int, h *nd.Heap) ([]byte, error) {
	if len(shape) == 0 {
		elem, err := t.elem.ParseFill(raw, h)
		return append(dst, elem...), err
	}
	items, ok := list(raw)
	if !ok || len(items) != shape[0] {
		return nil, fmt.Errorf("must be nested lists of shape %v", t.shape)
	}
	for _, item := range items {
		var err error
		if dst, err = t.parseLists(dst, item, shape[1:], h); err != nil {
			return nil, err
		}
	}
	return dst, nil
}

func (t *subarrayType) AppendFill(dst, elem []byte, h nd.Blobs) ([]byte, error) {
	return t.append(dst, elem, t.shape, h, t.elem.AppendFill)
}

func (t *subarrayType) AppendValue(dst, elem []byte, h nd.Blobs) ([]byte, error) {
	return t.append(dst, elem, t.shape, h, t.elem.AppendValue)
}

func (t *subarrayType) append(dst, elem []byte, shape []int, h nd.Blobs, one func(dst, elem []byte, h nd.Blobs) ([]byte, error)) ([]byte, error) {
	if len(shape) == 0 {
		return one(dst, elem, h)
	}
	step := len(elem) / shape[0]
	dst = append(dst, '[')
	for i := range shape[0] {
		if i > 0 {
			dst = append(dst, ',', ' ')
		}
		var err error
		if dst, err = t.append(dst, elem[i*step:(i+1)*step], shape[1:], h, one); err != nil {
			return dst, err
		}
	}
	return append(dst, ']'), nil
}
