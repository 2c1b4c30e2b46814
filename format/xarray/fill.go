package xarray

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/format"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/nd"
)

// EncodeFill gives the attribute _FillValue of Zarr v3 for a missing value, which is
// spelled as a fill value of format.MissingType: floats as base64 of their 64 bits, complex
// numbers as two of those, integers and truth values as they are.
func EncodeFill(t dtype.Type, fill json.RawMessage) (json.RawMessage, error) {
	elem, err := format.MissingType(t).ParseFill(fill, &nd.Heap{})
	if err != nil {
		return nil, err
	}
	switch t.Kind() {
	case dtype.Bool, dtype.Int, dtype.Uint:
		return fill, nil
	case dtype.Float:
		return strictjson.AppendString(nil, base64.StdEncoding.EncodeToString(elem)), nil
	case dtype.Complex:
		out := strictjson.AppendString([]byte{'['}, base64.StdEncoding.EncodeToString(elem[:8]))
		out = strictjson.AppendString(append(out, ','), base64.StdEncoding.EncodeToString(elem[8:]))
		return append(out, ']'), nil
	}
	return nil, errNoForm(t)
}

func errNoForm(t dtype.Type) error {
	return fmt.Errorf("xarray has no %s for the type %s", FillAttribute, t.Name())
}

// DecodeFill reads the attribute _FillValue of Zarr v3, as xarray does. xarray does
// not open arrays for which there is an error.
func DecodeFill(t dtype.Type, raw json.RawMessage) (json.RawMessage, error) {
	switch t.Kind() {
	case dtype.Bool:
		return json.RawMessage(strconv.FormatBool(truth(raw))), nil
	case dtype.Int, dtype.Uint:
		fill, ok := integer(raw)
		if !ok {
			return nil, fmt.Errorf("must be an integer, not %s", strictjson.Describe(raw))
		}
		_, err := t.ParseFill(fill, nil)
		return fill, err
	case dtype.Float:
		bits, err := decodeFloat(raw)
		if err != nil {
			return nil, err
		}
		return spellFloat(bits), nil
	case dtype.Complex:
		var parts []json.RawMessage
		err := strictjson.Each(raw, func(_ int, elem json.RawMessage) error {
			bits, err := decodeFloat(elem)
			parts = append(parts, spellFloat(bits))
			return err
		})
		if err != nil {
			return nil, err
		}
		if len(parts) != 2 {
			return nil, fmt.Errorf("%d numbers, must be 2", len(parts))
		}
		return json.RawMessage("[" + string(parts[0]) + "," + string(parts[1]) + "]"), nil
	}
	return nil, errNoForm(t)
}

func decodeFloat(raw json.RawMessage) (float64, error) {
	text, err := strictjson.String(raw)
	if err != nil {
		return 0, fmt.Errorf("must be base64 of 8 bytes, not %s", strictjson.Describe(raw))
	}
	bits, err := base64.StdEncoding.DecodeString(text)
	if err == nil && len(bits) != 8 {
		err = fmt.Errorf("%d bytes of base64, must be 8", len(bits))
	}
	if err != nil {
		return 0, err
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(bits)), nil
}

func spellFloat(x float64) json.RawMessage {
	switch {
	case math.IsNaN(x):
		return json.RawMessage(`"NaN"`)
	case math.IsInf(x, 1):
		return json.RawMessage(`"Infinity"`)
	case math.IsInf(x, -1):
		return json.RawMessage(`"-Infinity"`)
	}
	return strconv.AppendFloat(nil, x, 'g', -1, 64)
}

// truth is what Python takes a JSON value for.
func truth(raw json.RawMessage) bool {
	switch string(raw) {
	case "false", "null", `""`, "[]", "{}":
		return false
	}
	x, err := strconv.ParseFloat(string(raw), 64)
	return err != nil || x != 0
}

// integer is a number without its fraction.
func integer(raw json.RawMessage) (json.RawMessage, bool) {
	if !strictjson.IsNumber(raw) {
		return nil, false
	}
	if _, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
		return raw, true
	}
	if _, err := strconv.ParseUint(string(raw), 10, 64); err == nil {
		return raw, true
	}
	x, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || math.Abs(x) >= 1<<53 {
		return nil, false
	}
	return strconv.AppendInt(nil, int64(x), 10), true
}

// plainFill reads an attribute that holds a missing value as it is, which is how
// Zarr v2 has _FillValue, and both missing_value.
func plainFill(t dtype.Type, raw json.RawMessage) (json.RawMessage, error) {
	if raw == nil {
		return nil, nil
	}
	fill := raw
	switch t.Kind() {
	case dtype.Float:
		switch string(raw) {
		case "NaN", "Infinity", "-Infinity":
			fill = json.RawMessage(`"` + string(raw) + `"`)
		default:
			if !strictjson.IsNumber(raw) {
				return nil, fmt.Errorf("must be a number, not %s", strictjson.Describe(raw))
			}
		}
	case dtype.Bool:
		fill = json.RawMessage(strconv.FormatBool(truth(raw)))
	case dtype.Int, dtype.Uint:
		x, err := strconv.ParseFloat(string(raw), 64)
		if err != nil || x != math.Trunc(x) {
			return nil, errors.New("must be an integer")
		}
		var ok bool
		if fill, ok = integer(raw); !ok {
			return nil, errors.New("must be an integer")
		}
	case dtype.UTF32, dtype.String:
	default:
		return nil, errNoForm(t)
	}
	fill, ok := widen(format.MissingType(t), fill)
	if !ok {
		return nil, fmt.Errorf("no value of the type %s", t.Name())
	}
	return fill, nil
}

// widen spells a fill value of a type as one of its format.MissingType.
func widen(t dtype.Type, fill json.RawMessage) (json.RawMessage, bool) {
	heap := &nd.Heap{}
	elem, err := t.ParseFill(fill, heap)
	if err != nil {
		return nil, false
	}
	if f, ok := dtype.FormatOf(t); ok {
		if t.Kind() == dtype.Float {
			return spellFloat(f.Decode(pattern(elem))), true
		}
		half := len(elem) / 2
		re, im := f.Decode(pattern(elem[:half])), f.Decode(pattern(elem[half:]))
		return json.RawMessage("[" + string(spellFloat(re)) + "," + string(spellFloat(im)) + "]"), true
	}
	out, err := t.AppendFill(nil, elem, heap.Blobs())
	return out, err == nil
}

// narrow is the reverse of widen: it says if the type does not have the value.
func narrow(t dtype.Type, fill json.RawMessage) (json.RawMessage, bool) {
	heap := &nd.Heap{}
	elem, err := t.ParseFill(fill, heap)
	if err != nil {
		return nil, false
	}
	out, err := t.AppendFill(nil, elem, heap.Blobs())
	if err != nil {
		return nil, false
	}
	back, _ := widen(t, out)
	want, ok := widen(format.MissingType(t), fill)
	return out, ok && string(back) == string(want)
}

func pattern(elem []byte) uint64 {
	var b [8]byte
	copy(b[:], elem)
	return binary.LittleEndian.Uint64(b[:])
}

// Chosen is the fill value of an array of numbers, as Missing spells one, if it is
// neither zero nor NaN.
func Chosen(m *meta.Array) (fill json.RawMessage, ok bool) {
	switch m.DataType.Kind() {
	case dtype.Int, dtype.Uint, dtype.Float:
	default:
		return nil, false
	}
	fill, ok = widen(m.DataType, m.FillValue)
	x, err := strconv.ParseFloat(string(fill), 64)
	return fill, ok && string(fill) != `"NaN"` && (err != nil || x != 0)
}
