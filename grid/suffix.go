package grid

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/omnizarr/zarr/internal/strictjson"
)

// SuffixKeys is the encoding "zarrs.default_suffix" of the library zarrs: the
// keys of "default" with something behind them, such as "c/0/1.tiff".
type SuffixKeys struct {
	DefaultKeys
	Suffix string
}

// Name is "zarrs.default_suffix".
func (k SuffixKeys) Name() string { return "zarrs.default_suffix" }

// MarshalJSON gives the chunk_key_encoding member of Zarr v3 metadata.
func (k SuffixKeys) MarshalJSON() ([]byte, error) {
	if err := errors.Join(checkSuffix(k.Suffix), checkSeparator(k.sep())); err != nil {
		return nil, strictjson.At("configuration", err)
	}
	dst := fmt.Appendf(nil, `{"name":"zarrs.default_suffix","configuration":{"separator":"%c","suffix":`, k.sep())
	return append(strictjson.AppendString(dst, k.Suffix), "}}"...), nil
}

// Append appends the key of the chunk at index to dst.
func (k SuffixKeys) Append(dst []byte, index []int) []byte {
	return append(k.DefaultKeys.Append(dst, index), k.Suffix...)
}

// Parse reads a key back and reports whether it is the key of a chunk.
func (k SuffixKeys) Parse(key string, index []int) bool {
	key, ok := strings.CutSuffix(key, k.Suffix)
	return ok && k.DefaultKeys.Parse(key, index)
}

// maxSuffix bounds what is repeated in every key.
const maxSuffix = 255

// checkSuffix refuses suffixes that lead somewhere else in the store.
func checkSuffix(s string) error {
	switch {
	case len(s) > maxSuffix:
		return strictjson.Errorf("suffix", "has %d bytes, at most %d are supported", len(s), maxSuffix)
	case strings.ContainsAny(s, "/\\") || strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return strictjson.Errorf("suffix", "%s holds a character that keys must not have there", strictjson.Quote(s))
	}
	return nil
}

func checkSeparator(sep byte) error {
	if sep != '/' && sep != '.' {
		return strictjson.At("separator", errSeparator)
	}
	return nil
}

// parseSuffixKeys reads the configuration of "zarrs.default_suffix".
func parseSuffixKeys(config json.RawMessage) (Keys, error) {
	members, err := members(config)
	if err != nil {
		return nil, err
	}
	k := SuffixKeys{DefaultKeys: DefaultKeys{Sep: '/'}}
	found := false
	for _, m := range members {
		text, err := strictjson.String(m.Raw)
		switch {
		case m.Name != "suffix" && m.Name != "separator":
			return nil, strictjson.AtMember(m.Name, errUnknownMember)
		case err == nil && m.Name == "separator" && text != "/" && text != ".":
			err = errSeparator
		}
		if err != nil {
			return nil, strictjson.At(m.Name, err)
		}
		if m.Name == "suffix" {
			k.Suffix, found = text, true
		} else {
			k.Sep = text[0]
		}
	}
	if !found {
		return nil, errors.New(`missing member "suffix"`)
	}
	return k, checkSuffix(k.Suffix)
}
