package grid

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/omnizarr/zarr/internal/strictjson"
)

// ReversedKeys is the encoding "omnizarr.reversed": the key of a chunk is the one
// that Keys gives its index read backwards. With it an array can be shown with
// its axes the other way round while its chunks stay where they are.
type ReversedKeys struct {
	Keys Keys
}

const reversedName = "omnizarr.reversed"

// Name is "omnizarr.reversed".
func (k ReversedKeys) Name() string { return reversedName }

// MarshalJSON gives the chunk_key_encoding member of Zarr v3 metadata.
func (k ReversedKeys) MarshalJSON() ([]byte, error) {
	inner, err := k.Keys.MarshalJSON()
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, `{"name":%q,"configuration":{"keys":%s}}`, reversedName, inner), nil
}

// Append appends the key of the chunk at index to dst.
func (k ReversedKeys) Append(dst []byte, index []int) []byte {
	back := slices.Clone(index)
	slices.Reverse(back)
	return k.Keys.Append(dst, back)
}

// Parse reads a key back and reports whether it is the key of a chunk.
func (k ReversedKeys) Parse(key string, index []int) bool {
	ok := k.Keys.Parse(key, index)
	slices.Reverse(index)
	return ok
}

// parseReversedKeys reads the configuration of "omnizarr.reversed".
func (r *Registry) parseReversedKeys(config json.RawMessage) (Keys, error) {
	members, err := members(config)
	if err != nil {
		return nil, err
	}
	var k ReversedKeys
	for _, m := range members {
		if m.Name != "keys" {
			return nil, strictjson.AtMember(m.Name, errUnknownMember)
		}
		if k.Keys, err = r.ParseKeys(m.Raw); err != nil {
			return nil, strictjson.At(m.Name, err)
		}
		if k.Keys.Name() == reversedName {
			return nil, strictjson.At(m.Name, errors.New("are reversed themselves"))
		}
	}
	if k.Keys == nil {
		return nil, errors.New(`missing member "keys"`)
	}
	return k, nil
}
