package dtype

import (
	"encoding/json"
	"errors"

	"github.com/omnizarr/zarr/internal/pyjson"
	"github.com/omnizarr/zarr/nd"
)

// objectType is omnizarr.json: every element is a JSON value of its own, what
// NumPy calls an array of objects. The heap holds its text without white space;
// the empty reference is null. Floats that JSON lacks stand in it as the bare
// words NaN, Infinity and -Infinity, as Python writes them, so that they stay
// apart from text.
type objectType struct{ base }

const objectName = "omnizarr.json"

func newObject() Type {
	t := &objectType{plain(objectName, Object)}
	t.size, t.refs = nd.RefSize, []int{0}
	return t
}

// ParseFill takes any JSON value.
func (t *objectType) ParseFill(raw json.RawMessage, h *nd.Heap) ([]byte, error) {
	text, err := pyjson.Compact(nil, raw)
	if err != nil {
		return nil, badFill(t.name, raw, "%w", err)
	}
	elem := make([]byte, nd.RefSize)
	if string(text) == "null" {
		return elem, nil
	}
	if h == nil {
		return nil, badFill(t.name, raw, "there is no heap to hold it")
	}
	nd.PutRef(elem, h.Add(text), 0, len(text))
	return elem, nil
}

func (t *objectType) AppendFill(dst, elem []byte, h nd.Blobs) ([]byte, error) {
	if text := h.Value(elem); pyjson.HasBare(text) {
		return dst, badFill(t.name, text, "JSON has no such number")
	}
	return t.AppendValue(dst, elem, h)
}

var errNotJSON = errors.New("an element is not a JSON value")

// AppendValue appends the value itself.
func (t *objectType) AppendValue(dst, elem []byte, h nd.Blobs) ([]byte, error) {
	text := h.Value(elem)
	if len(text) == 0 {
		return append(dst, "null"...), nil
	}
	out := pyjson.AppendQuotingBare(dst, text)
	if !json.Valid(out[len(dst):]) {
		return dst, errNotJSON
	}
	return out, nil
}
