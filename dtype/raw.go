package dtype

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/omnizarr/zarr/nd"
)

// rawType is r*, raw_bytes or null_terminated_bytes: bytes without meaning.
type rawType struct {
	base
	form rawForm
}

type rawForm uint8

const (
	rawBits       rawForm = iota // r*: fill values are arrays of integers
	rawBytes                     // zarr-python's: fill values are base64
	rawTerminated                // the same, and zeros at the end do not count
)

func newRaw(name string, form rawForm, size int) Type {
	unit := Unit{Width: 1, Count: size, Bits: 8}
	if form == rawBits {
		return &rawType{plain(name, Raw, unit), form}
	}
	return &rawType{configured(name, Raw, lengthBytes(size), unit), form}
}

// parseRawBits reads r8, r16 and so on.
func parseRawBits(name string, config json.RawMessage) (Type, error) {
	if err := noConfig(config); err != nil {
		return nil, err
	}
	digits := strings.TrimPrefix(name, "r")
	bits, err := strconv.Atoi(digits)
	if err != nil || digits[0] == '0' || bits%8 != 0 || bits > 8*maxSize {
		return nil, fmt.Errorf("number of bits must be a multiple of 8 from 8 to %d", 8*maxSize)
	}
	return newRaw(name, rawBits, bits/8), nil
}

func parseRawBytes(name string, config json.RawMessage) (Type, error) {
	o, err := configuration(config, "length_bytes")
	if err != nil {
		return nil, err
	}
	n, err := o.intMember("length_bytes", 1, maxSize)
	if err != nil {
		return nil, err
	}
	form := rawBytes
	if name == "null_terminated_bytes" {
		form = rawTerminated
	}
	return newRaw(name, form, int(n)), nil
}

func lengthBytes(n int) string { return `{"length_bytes":` + strconv.Itoa(n) + `}` }

func (t *rawType) ParseFill(raw json.RawMessage, _ *nd.Heap) ([]byte, error) {
	b, err := byteString(raw)
	switch {
	case err != nil:
	case len(b) > t.size:
		err = fmt.Errorf("%d bytes, the type has %d", len(b), t.size)
	case len(b) < t.size && t.form != rawTerminated:
		err = fmt.Errorf("only %d bytes, the type has %d", len(b), t.size)
	case len(b) < t.size:
		b = append(b, make([]byte, t.size-len(b))...)
	}
	if err != nil {
		return nil, badFill(t.name, raw, "%w", err)
	}
	return b, nil
}

func (t *rawType) AppendFill(dst, elem []byte, h nd.Blobs) ([]byte, error) {
	if t.form != rawBits {
		return t.AppendValue(dst, elem, h)
	}
	dst = append(dst, '[')
	for i, b := range elem[:t.size] {
		if i > 0 {
			dst = append(dst, ',', ' ')
		}
		dst = strconv.AppendUint(dst, uint64(b), 10)
	}
	return append(dst, ']'), nil
}

// AppendValue appends base64; of null_terminated_bytes without the zeros at
// the end.
func (t *rawType) AppendValue(dst, elem []byte, _ nd.Blobs) ([]byte, error) {
	elem = elem[:t.size]
	if t.form == rawTerminated {
		elem = bytes.TrimRight(elem, "\x00")
	}
	return appendBase64(dst, elem), nil
}
