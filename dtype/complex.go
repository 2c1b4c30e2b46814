package dtype

import (
	"encoding/json"

	"github.com/omnizarr/zarr/nd"
)

type complexType struct {
	base
	format *Format
}

func newComplex(name string, f *Format) Type {
	unit := Unit{Width: f.width(), Count: 2, Bits: f.bits}
	return canonical(&complexType{plain(name, Complex, unit), f})
}

func (t *complexType) ParseFill(raw json.RawMessage, _ *nd.Heap) ([]byte, error) {
	parts, ok := list(raw)
	if !ok || len(parts) != 2 {
		return nil, badFill(t.name, raw, "must be an array of two numbers")
	}
	elem, err := t.format.parseFill(make([]byte, 0, t.size), t.name, parts[0])
	if err != nil {
		return nil, err
	}
	return t.format.parseFill(elem, t.name, parts[1])
}

func (t *complexType) AppendFill(dst, elem []byte, _ nd.Blobs) ([]byte, error) {
	dst = t.format.appendFill(append(dst, '['), elem)
	dst = t.format.appendFill(append(dst, ',', ' '), elem[t.size/2:])
	return append(dst, ']'), nil
}

func (t *complexType) AppendValue(dst, elem []byte, _ nd.Blobs) ([]byte, error) {
	dst = t.format.appendValue(append(dst, '['), elem)
	dst = t.format.appendValue(append(dst, ',', ' '), elem[t.size/2:])
	return append(dst, ']'), nil
}
