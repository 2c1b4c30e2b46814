package dtype

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/omnizarr/zarr/nd"
)

type boolType struct{ base }

func newBool() Type {
	return canonical(&boolType{plain("bool", Bool, Unit{Width: 1, Count: 1, Bits: 1})})
}

func (t *boolType) ParseFill(raw json.RawMessage, _ *nd.Heap) ([]byte, error) {
	switch string(trim(raw)) {
	case "true":
		return []byte{1}, nil
	case "false", "0": // some writers take NumPy's zero of every type
		return []byte{0}, nil
	}
	return nil, badFill(t.name, raw, "must be true or false")
}

func (t *boolType) AppendFill(dst, elem []byte, h nd.Blobs) ([]byte, error) {
	return t.AppendValue(dst, elem, h)
}

func (t *boolType) AppendValue(dst, elem []byte, _ nd.Blobs) ([]byte, error) {
	if elem[0] > 1 {
		return dst, fmt.Errorf("value %d for bool: must be 0 or 1", elem[0])
	}
	return strconv.AppendBool(dst, elem[0] == 1), nil
}

type intType struct {
	base
	bits   int
	signed bool
}

func newInt(name string, bits int, signed bool) Type {
	kind := Uint
	if signed {
		kind = Int
	}
	unit := Unit{Width: max(bits/8, 1), Count: 1, Bits: bits, Signed: signed}
	return canonical(&intType{plain(name, kind, unit), bits, signed})
}

func (t *intType) ParseFill(raw json.RawMessage, _ *nd.Heap) ([]byte, error) {
	n, err := parseInt(t.name, raw, t.bits, t.signed)
	if err != nil {
		return nil, err
	}
	return binary.LittleEndian.AppendUint64(nil, n)[:t.size:t.size], nil
}

// parseInt reads an integer exactly, as two's complement of 64 bits.
func parseInt(name string, raw json.RawMessage, bits int, signed bool) (uint64, error) {
	raw = trim(raw)
	if !isInteger(raw) {
		return 0, badFill(name, raw, "must be an integer without fraction or exponent")
	}
	if signed {
		n, err := strconv.ParseInt(string(raw), 10, bits)
		if err != nil {
			half := int64(-1) << (bits - 1)
			return 0, badFill(name, raw, "out of range %d to %d", half, ^half)
		}
		return uint64(n), nil
	}
	if string(raw) == "-0" {
		return 0, nil
	}
	n, err := strconv.ParseUint(string(raw), 10, bits)
	if err != nil {
		return 0, badFill(name, raw, "out of range 0 to %d", ^uint64(0)>>(64-bits))
	}
	return n, nil
}

func (t *intType) AppendFill(dst, elem []byte, h nd.Blobs) ([]byte, error) {
	return t.AppendValue(dst, elem, h)
}

func (t *intType) AppendValue(dst, elem []byte, _ nd.Blobs) ([]byte, error) {
	n := load(elem, t.size)
	if t.signed {
		unused := 64 - t.bits
		return strconv.AppendInt(dst, int64(n<<unused)>>unused, 10), nil
	}
	return strconv.AppendUint(dst, n&(^uint64(0)>>(64-t.bits)), 10), nil
}

// load reads a little-endian number of 1, 2, 4 or 8 bytes.
func load(b []byte, width int) uint64 {
	switch width {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(b))
	case 4:
		return uint64(binary.LittleEndian.Uint32(b))
	default:
		return binary.LittleEndian.Uint64(b)
	}
}
