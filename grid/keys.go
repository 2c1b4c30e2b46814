package grid

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/omnizarr/zarr/internal/strictjson"
)

// DefaultKeys is the encoding "default": "c/0/1", and "c" for an array without
// dimensions.
type DefaultKeys struct {
	Sep byte // '/' or '.'; 0 is '/'
}

// V2Keys is the encoding "v2": "0.1", and "0" for an array without dimensions.
type V2Keys struct {
	Sep byte // '.' or '/'; 0 is '.'
}

func (k DefaultKeys) sep() byte {
	if k.Sep == 0 {
		return '/'
	}
	return k.Sep
}

func (k V2Keys) sep() byte {
	if k.Sep == 0 {
		return '.'
	}
	return k.Sep
}

// Name is "default".
func (k DefaultKeys) Name() string { return "default" }

// Name is "v2".
func (k V2Keys) Name() string { return "v2" }

// MarshalJSON gives the chunk_key_encoding member of Zarr v3 metadata.
func (k DefaultKeys) MarshalJSON() ([]byte, error) { return marshalKeys(k.Name(), k.sep()) }

// MarshalJSON gives the chunk_key_encoding member of Zarr v3 metadata.
func (k V2Keys) MarshalJSON() ([]byte, error) { return marshalKeys(k.Name(), k.sep()) }

func marshalKeys(name string, sep byte) ([]byte, error) {
	if sep != '/' && sep != '.' {
		return nil, strictjson.At("configuration.separator", errSeparator)
	}
	return fmt.Appendf(nil, `{"name":%q,"configuration":{"separator":"%c"}}`, name, sep), nil
}

// Append appends the key of the chunk at index to dst.
func (k DefaultKeys) Append(dst []byte, index []int) []byte {
	dst = append(dst, 'c')
	for _, i := range index {
		dst = append(dst, k.sep())
		dst = strconv.AppendInt(dst, int64(i), 10)
	}
	return dst
}

// Append appends the key of the chunk at index to dst.
func (k V2Keys) Append(dst []byte, index []int) []byte {
	if len(index) == 0 {
		return append(dst, '0')
	}
	for n, i := range index {
		if n > 0 {
			dst = append(dst, k.sep())
		}
		dst = strconv.AppendInt(dst, int64(i), 10)
	}
	return dst
}

// Parse reads a key back and reports whether it is the key of a chunk.
func (k DefaultKeys) Parse(key string, index []int) bool {
	if len(index) == 0 {
		return key == "c"
	}
	if len(key) < 2 || key[0] != 'c' || key[1] != k.sep() {
		return false
	}
	return parseIndex(key[2:], k.sep(), index)
}

// Parse reads a key back and reports whether it is the key of a chunk.
func (k V2Keys) Parse(key string, index []int) bool {
	if len(index) == 0 {
		return key == "0"
	}
	return parseIndex(key, k.sep(), index)
}

// parseIndex reads exactly len(index) numbers, spelled as Append spells them.
func parseIndex(key string, sep byte, index []int) bool {
	for n := range index {
		part := key
		if n < len(index)-1 {
			end := strings.IndexByte(key, sep)
			if end < 0 {
				return false
			}
			part, key = key[:end], key[end+1:]
		}
		if part == "" || part[0] == '0' && part != "0" || part[0] < '0' || part[0] > '9' {
			return false
		}
		i, err := strconv.Atoi(part)
		if err != nil {
			return false
		}
		index[n] = i
	}
	return true
}

var errSeparator = errors.New(`must be "/" or "."`)

func parseDefaultKeys(config json.RawMessage) (Keys, error) {
	sep, err := parseSeparator(config, '/')
	return DefaultKeys{sep}, err
}

func parseV2Keys(config json.RawMessage) (Keys, error) {
	sep, err := parseSeparator(config, '.')
	return V2Keys{sep}, err
}

// parseSeparator reads the configuration that both encodings share.
func parseSeparator(config json.RawMessage, sep byte) (byte, error) {
	members, err := members(config)
	if err != nil {
		return 0, err
	}
	for _, m := range members {
		if m.Name != "separator" {
			return 0, strictjson.AtMember(m.Name, errUnknownMember)
		}
		s, err := strictjson.String(m.Raw)
		if err == nil && s != "/" && s != "." {
			err = errSeparator
		}
		if err != nil {
			return 0, strictjson.At(m.Name, err)
		}
		sep = s[0]
	}
	return sep, nil
}
