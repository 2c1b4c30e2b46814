package dtype

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/omnizarr/zarr/nd"
)

// utf32Type is fixed_length_utf32: n code points, zeros after the text.
type utf32Type struct{ base }

func newUTF32(n int) Type {
	return &utf32Type{configured("fixed_length_utf32", UTF32, lengthBytes(4*n), Unit{Width: 4, Count: n, Bits: 32})}
}

func parseUTF32(_ string, config json.RawMessage) (Type, error) {
	o, err := configuration(config, "length_bytes")
	if err != nil {
		return nil, err
	}
	n, err := o.intMember("length_bytes", 4, maxSize)
	if err != nil {
		return nil, err
	}
	if n%4 != 0 {
		return nil, fmt.Errorf("configuration: length_bytes is %d, not a multiple of 4", n)
	}
	return newUTF32(int(n / 4)), nil
}

func (t *utf32Type) ParseFill(raw json.RawMessage, _ *nd.Heap) ([]byte, error) {
	s, err := text(raw)
	if err != nil {
		return nil, badFill(t.name, raw, "%w", err)
	}
	if n := utf8.RuneCountInString(s); n > t.size/4 {
		return nil, badFill(t.name, raw, "%d code points, the type has room for %d", n, t.size/4)
	}
	elem := make([]byte, 0, t.size)
	for _, r := range s {
		elem = binary.LittleEndian.AppendUint32(elem, uint32(r))
	}
	return elem[:t.size], nil
}

func (t *utf32Type) AppendFill(dst, elem []byte, h nd.Blobs) ([]byte, error) {
	for i := 0; i < t.size; i += 4 {
		if c := binary.LittleEndian.Uint32(elem[i:]); c > utf8.MaxRune || !utf8.ValidRune(rune(c)) {
			return dst, fmt.Errorf("fill value for %s: 0x%x is not a code point", t.name, c)
		}
	}
	return t.AppendValue(dst, elem, h)
}

// AppendValue appends the text without the zeros at its end; what is no code
// point becomes U+FFFD.
func (t *utf32Type) AppendValue(dst, elem []byte, _ nd.Blobs) ([]byte, error) {
	end := t.size
	for end > 0 && binary.LittleEndian.Uint32(elem[end-4:]) == 0 {
		end -= 4
	}
	dst = append(dst, '"')
	for i := 0; i < end; i += 4 {
		c := binary.LittleEndian.Uint32(elem[i:])
		if c > utf8.MaxRune {
			c = utf8.RuneError
		}
		dst = appendRune(dst, rune(c))
	}
	return append(dst, '"'), nil
}
