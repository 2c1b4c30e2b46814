package dtype

import (
	"encoding/json"
	"fmt"

	"github.com/omnizarr/zarr/nd"
)

// optionalType is zarrs.optional: a value of the inner type, or nothing. In
// memory a byte, 1 or 0, says whether there is a value; zeros follow where there
// is none.
type optionalType struct {
	base
	inner Type
}

const optionalName = "zarrs.optional"

// NewOptional returns the type of values of another type that may be missing.
func NewOptional(inner Type) (Type, error) {
	if 1+inner.Size() > maxSize {
		return nil, fmt.Errorf("more than %d bytes", maxSize)
	}
	spelling, err := inner.MarshalJSON()
	if err != nil {
		return nil, err
	}
	name, config, err := split(spelling)
	if err != nil {
		return nil, err
	}
	if config == nil {
		config = json.RawMessage("{}")
	}
	units := []Unit{{Width: 1, Count: 1, Bits: 1}}
	for _, u := range inner.Units() {
		u.Offset++
		units = append(units, u)
	}
	t := &optionalType{inner: inner}
	t.base = configured(optionalName, Optional, `{"name":`+jsonString(name)+`,"configuration":`+string(config)+`}`, units...)
	t.size = 1 + inner.Size()
	for _, o := range inner.Refs() {
		t.refs = append(t.refs, 1+o)
	}
	return t, nil
}

// parseOptional reads the configuration, which spells the inner type with an
// empty configuration if it needs none.
func (r *Registry) parseOptional(_ string, config json.RawMessage) (Type, error) {
	if config == nil {
		return nil, fmt.Errorf("configuration: no name")
	}
	name, inner, err := split(config)
	if err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	spelling := jsonString(name)
	if o, err := parseObject(inner); err != nil && inner != nil {
		return nil, fmt.Errorf("configuration: configuration %w", err)
	} else if len(o) > 0 {
		spelling = `{"name":` + spelling + `,"configuration":` + string(inner) + `}`
	}
	t, err := r.Parse(json.RawMessage(spelling))
	if err != nil {
		return nil, err
	}
	return NewOptional(t)
}

// ParseFill reads null, or a list that holds the fill value of the inner type.
func (t *optionalType) ParseFill(raw json.RawMessage, h *nd.Heap) ([]byte, error) {
	elem := make([]byte, t.size)
	if string(trim(raw)) == "null" {
		return elem, nil
	}
	items, ok := list(raw)
	if !ok || len(items) != 1 {
		return nil, badFill(t.name, raw, "must be null or a list of one value")
	}
	inner, err := t.inner.ParseFill(items[0], h)
	if err != nil {
		return nil, err
	}
	elem[0] = 1
	copy(elem[1:], inner)
	return elem, nil
}

func (t *optionalType) AppendFill(dst, elem []byte, h nd.Blobs) ([]byte, error) {
	if elem[0] == 0 {
		return append(dst, "null"...), nil
	}
	dst, err := t.inner.AppendFill(append(dst, '['), elem[1:], h)
	return append(dst, ']'), err
}

func (t *optionalType) AppendValue(dst, elem []byte, h nd.Blobs) ([]byte, error) {
	if elem[0] == 0 {
		return append(dst, "null"...), nil
	}
	return t.inner.AppendValue(dst, elem[1:], h)
}

// Canonicalise clears what stands behind a missing value, and refuses what is
// neither missing nor there.
func (t *optionalType) Canonicalise(v nd.View) error {
	var err error
	v.Each(func(elem []byte) {
		switch elem[0] {
		case 0:
			clear(elem)
		case 1:
		default:
			err = fmt.Errorf("value %d for whether there is one: must be 0 or 1", elem[0])
		}
	})
	inner, ok := t.inner.(Canonicaliser)
	if err != nil || !ok {
		return err
	}
	v.Offset++
	v.Size--
	return inner.Canonicalise(v)
}
