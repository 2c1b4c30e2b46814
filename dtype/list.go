package dtype

import (
	"encoding/json"
	"fmt"

	"github.com/omnizarr/zarr/nd"
)

// listType is omnizarr.list: every element is a list of any length, whose items
// all have one type of fixed length. The heap holds the items one after the
// other, as they lie in memory.
type listType struct {
	base
	item Type
}

const listName = "omnizarr.list"

// NewList returns the type of elements that are lists of items of a type of
// fixed length.
func NewList(item Type) (Type, error) {
	if len(item.Refs()) > 0 {
		return nil, fmt.Errorf("a list of %s, which has no fixed length", item.Name())
	}
	spelling, err := item.MarshalJSON()
	if err != nil {
		return nil, err
	}
	t := &listType{configured(listName, List, `{"data_type":`+string(spelling)+`}`), item}
	t.size, t.refs = nd.RefSize, []int{0}
	return t, nil
}

func (r *Registry) parseList(_ string, config json.RawMessage) (Type, error) {
	o, err := configuration(config, "data_type")
	if err != nil {
		return nil, err
	}
	item, err := r.Parse(o.get("data_type"))
	if err != nil {
		return nil, err
	}
	return NewList(item)
}

// Inner returns the type of the items of a list type, or that which an optional
// type has values of; nil for other types.
func Inner(t Type) Type {
	switch t := t.(type) {
	case *listType:
		return t.item
	case *optionalType:
		return t.inner
	}
	return nil
}

// ParseFill reads a list with a fill value of the inner type for every item;
// null is the empty list.
func (t *listType) ParseFill(raw json.RawMessage, h *nd.Heap) ([]byte, error) {
	elem := make([]byte, nd.RefSize)
	if string(trim(raw)) == "null" {
		return elem, nil
	}
	items, ok := list(raw)
	if !ok {
		return nil, badFill(t.name, raw, "must be a list")
	}
	if len(items) == 0 {
		return elem, nil
	}
	if h == nil {
		return nil, badFill(t.name, raw, "there is no heap to hold it")
	}
	var blob []byte
	for _, raw := range items {
		item, err := t.item.ParseFill(raw, nil)
		if err != nil {
			return nil, err
		}
		blob = append(blob, item...)
	}
	nd.PutRef(elem, h.Add(blob), 0, len(blob))
	return elem, nil
}

func (t *listType) AppendFill(dst, elem []byte, h nd.Blobs) ([]byte, error) {
	return t.append(dst, h.Value(elem), t.item.AppendFill)
}

func (t *listType) AppendValue(dst, elem []byte, h nd.Blobs) ([]byte, error) {
	return t.append(dst, h.Value(elem), t.item.AppendValue)
}

func (t *listType) append(dst, items []byte, one func(dst, elem []byte, h nd.Blobs) ([]byte, error)) ([]byte, error) {
	size := t.item.Size()
	if len(items)%size != 0 {
		return dst, fmt.Errorf("a list of %d bytes with items of %d", len(items), size)
	}
	dst = append(dst, '[')
	for at := 0; at < len(items); at += size {
		if at > 0 {
			dst = append(dst, ',', ' ')
		}
		var err error
		if dst, err = one(dst, items[at:at+size], nil); err != nil {
			return dst, err
		}
	}
	return append(dst, ']'), nil
}
