package object

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/internal/pyjson"
	"github.com/omnizarr/zarr/internal/strictjson"
)

// maxFill bounds the fill value that a document in metadata may hold.
const maxFill = 1 << 20

// formatOf finds a codec by its name in Zarr v2 or v3.
func formatOf(name string, config json.RawMessage) (format, error) {
	parse := map[string]codec.Parser{"json2": ParseJSON, "msgpack2": ParseMsgPack, "pickle": ParsePickle}[strings.TrimPrefix(name, "numcodecs.")]
	if parse == nil {
		return nil, fmt.Errorf("codec %s does not write objects", clip(name))
	}
	c, err := parse(nil, name, config)
	if err != nil {
		return nil, fmt.Errorf("codec %s: %w", name, err)
	}
	return c.(Codec).format, nil
}

// FillFromV2 reads the fill_value of Zarr v2 metadata for structs with objects,
// which zarr-python writes as base64 of a document of the codec of the array, and
// returns the value in it as JSON. Floats that JSON lacks become strings.
func FillFromV2(codecName string, config, raw json.RawMessage) (json.RawMessage, error) {
	f, err := formatOf(codecName, config)
	if err != nil {
		return nil, err
	}
	var s string
	if err := strictjson.Unmarshal(raw, &s); err != nil {
		return nil, fmt.Errorf("fill value %s: must be base64", clip(string(raw)))
	}
	data, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		return nil, fmt.Errorf("fill value %s: must be base64", clip(string(raw)))
	}
	w := pyjson.Writer{Limit: maxFill}
	if err := f.decodeOne(data, &w); err != nil {
		return nil, fmt.Errorf("fill value: codec %s: %w", codecName, err)
	}
	return pyjson.AppendQuotingBare(nil, w.B), nil
}

// FillToV2 is the reverse of FillFromV2.
func FillToV2(codecName string, config, value json.RawMessage) (json.RawMessage, error) {
	f, err := formatOf(codecName, config)
	if err != nil {
		return nil, err
	}
	data, err := f.encodeOne(nil, value)
	if err != nil {
		return nil, fmt.Errorf("fill value: codec %s: %w", codecName, err)
	}
	return json.Marshal(base64.StdEncoding.EncodeToString(data))
}

// valueType is the type that NumPy gives an array of one value.
func valueType(value []byte) (string, error) {
	compact, err := pyjson.Compact(nil, value)
	if err != nil {
		return "", err
	}
	switch c := compact[0]; {
	case c == 't' || c == 'f':
		return "|b1", nil
	case c == '[':
		return "", errors.New("a list is no single value")
	case c == '"':
		s, err := pyjson.Unquote(compact)
		return "<U" + strconv.Itoa(max(utf8.RuneCount(s), 1)), err
	case c == 'n' || c == '{':
		return "|O", nil
	case pyjson.IsInteger(compact):
		return "<i8", nil
	}
	return "<f8", nil
}
