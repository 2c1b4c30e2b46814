package dtype

import (
	"encoding/json"
	"unicode/utf8"

	"github.com/omnizarr/zarr/nd"
)

// variableType is string or bytes: a reference to the heap.
type variableType struct{ base }

func newVariable(name string, kind Kind) Type {
	t := &variableType{plain(name, kind)}
	t.size, t.refs = nd.RefSize, []int{0}
	return t
}

func (t *variableType) ParseFill(raw json.RawMessage, h *nd.Heap) ([]byte, error) {
	var b []byte
	var err error
	if t.kind == String {
		var s string
		if s, err = text(raw); err != nil && isInteger(trim(raw)) {
			s, err = string(trim(raw)), nil // the number as text, as zarr-python has it
		}
		b = []byte(s)
	} else {
		b, err = byteString(raw)
	}
	if err != nil {
		return nil, badFill(t.name, raw, "%w", err)
	}
	elem := make([]byte, nd.RefSize)
	if len(b) > 0 {
		if h == nil {
			return nil, badFill(t.name, raw, "there is no heap to hold it")
		}
		nd.PutRef(elem, h.Add(b), 0, len(b))
	}
	return elem, nil
}

func (t *variableType) AppendFill(dst, elem []byte, h nd.Blobs) ([]byte, error) {
	if b := h.Value(elem); t.kind == String && !utf8.Valid(b) {
		return dst, badFill(t.name, appendString(nil, b), "not valid UTF-8, which JSON cannot hold")
	}
	return t.AppendValue(dst, elem, h)
}

func (t *variableType) AppendValue(dst, elem []byte, h nd.Blobs) ([]byte, error) {
	if t.kind == String {
		return appendString(dst, h.Value(elem)), nil
	}
	return appendBase64(dst, h.Value(elem)), nil
}
