package zarr2

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/omnizarr/zarr/codec/object"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/nd"
)

// fillFromV2 spells a fill value as Zarr v3 does. Null, which says that there is
// none, becomes zero, or what is empty.
func (e element) fillFromV2(raw json.RawMessage, list []filter) (json.RawMessage, error) {
	none := strictjson.IsNull(raw)
	switch e.typ.Kind() {
	case dtype.Object:
		return raw, nil // every JSON value is one
	case dtype.Int, dtype.Uint, dtype.Float:
		raw = unquotedFill(raw, e.typ.Kind())
	}
	zero := none || isZero(raw)
	switch e.typ.Kind() {
	case dtype.Bool:
		if !none && string(raw) != "0" && string(raw) != "1" {
			break
		}
		return json.RawMessage(strconv.FormatBool(string(raw) == "1")), nil
	case dtype.Int, dtype.Uint:
		raw = integral(raw)
	case dtype.Complex:
		if !zero && raw[0] != '[' {
			raw = json.RawMessage(`[` + string(raw) + `,0.0]`)
		}
	case dtype.Raw:
		if !zero {
			return e.rawFill(raw)
		}
	case dtype.Struct, dtype.Subarray:
		if !zero {
			return e.packedFill(raw, list)
		}
	case dtype.String, dtype.UTF32:
		if none {
			return json.RawMessage(`""`), nil
		}
		if _, err := strictjson.Int(raw); err == nil {
			raw = strictjson.AppendString(nil, string(raw)) // the number as text, as zarr-python has it
		}
		zero = false
	case dtype.Bytes:
		if zero {
			return json.RawMessage(`""`), nil
		}
	case dtype.List:
		return json.RawMessage("[]"), nil
	}
	if zero {
		return e.spell(make([]byte, e.typ.Size()))
	}
	heap := &nd.Heap{}
	elem, err := e.typ.ParseFill(raw, heap)
	if err != nil {
		return nil, err
	}
	return e.typ.AppendFill(nil, elem, heap.Blobs())
}

// unquotedFill takes a number out of its quotes, into which old versions of
// bioformats2raw put them; "5.0" is none for integers, as in NumPy.
func unquotedFill(raw json.RawMessage, k dtype.Kind) json.RawMessage {
	text, err := strictjson.String(raw)
	if err != nil || !strictjson.IsNumber(json.RawMessage(text)) || k != dtype.Float && strings.ContainsAny(text, ".eE") {
		return raw
	}
	return json.RawMessage(text)
}

func isZero(raw json.RawMessage) bool {
	n, err := strconv.ParseFloat(string(raw), 64)
	return err == nil && n == 0 && !math.Signbit(n)
}

// integral turns 5.0 into 5, as NumPy does.
func integral(raw json.RawMessage) json.RawMessage {
	if n, err := strconv.ParseFloat(string(raw), 64); err == nil && bytes.ContainsAny(raw, ".eE") && n == math.Trunc(n) && math.Abs(n) < 1<<53 {
		return strconv.AppendInt(nil, int64(n), 10)
	}
	return raw
}

// rawFill reads base64; text that is none stands for itself, as it did before
// base64 was used.
func (e element) rawFill(raw json.RawMessage) (json.RawMessage, error) {
	elem, err := e.typ.ParseFill(raw, nil)
	if err != nil {
		text, notText := strictjson.String(raw)
		if notText != nil || len(text) > e.typ.Size() || text == "" {
			return nil, err
		}
		elem = append([]byte(text), make([]byte, e.typ.Size()-len(text))...)
	}
	return e.typ.AppendFill(nil, elem, nil)
}

// packedFill reads base64 of an element as it is stored.
func (e element) packedFill(raw json.RawMessage, list []filter) (json.RawMessage, error) {
	if len(e.typ.Refs()) > 0 {
		f := list[0]
		value, err := object.FillFromV2(f.id, f.configuration(), raw)
		if err != nil {
			return nil, err
		}
		return e.spread(value)
	}
	text, err := strictjson.String(raw)
	if err != nil {
		return nil, err
	}
	elem, err := base64.StdEncoding.DecodeString(text)
	if err == nil && len(elem) != e.typ.Size() {
		err = fmt.Errorf("%d bytes, the type has %d", len(elem), e.typ.Size())
	}
	if err != nil {
		return nil, err
	}
	e.swap(elem)
	return e.spell(elem)
}

// maxSpelled is the size up to which fill values of structs are written out; a
// few bytes of metadata can ask for millions of numbers.
const maxSpelled = 1 << 12

// spell writes an element in memory as a fill value of Zarr v3.
func (e element) spell(elem []byte) (json.RawMessage, error) {
	if k := e.typ.Kind(); len(elem) > maxSpelled && (k == dtype.Struct || k == dtype.Subarray) && len(e.typ.Refs()) == 0 {
		return quoted(elem), nil
	}
	return e.typ.AppendFill(nil, elem, nil)
}

// spread gives the fill value of a struct with objects: every field has the
// value that stands alone, or its own of a list.
func (e element) spread(value json.RawMessage) (json.RawMessage, error) {
	fields := dtype.Fields(e.typ)
	var values []json.RawMessage
	if strictjson.Each(value, func(_ int, v json.RawMessage) error { values = append(values, v); return nil }) != nil {
		values = slices.Repeat([]json.RawMessage{value}, len(fields))
	}
	if len(values) != len(fields) {
		return nil, fmt.Errorf("%d values for %d fields", len(values), len(fields))
	}
	members := make([]strictjson.Member, len(fields))
	for i, f := range fields {
		field := element{typ: f.Type}
		raw, err := field.fillFromV2(values[i], nil)
		if err != nil {
			return nil, fmt.Errorf("field %s: %w", strictjson.Quote(f.Name), err)
		}
		members[i] = strictjson.Member{Name: f.Name, Raw: raw}
	}
	return appendObject(nil, members), nil
}

// gathered is the reverse of spread, for a fill value of zeros.
func (e element) gathered(raw json.RawMessage, f filter) (json.RawMessage, error) {
	zero, err := e.spread(json.RawMessage("0"))
	if err != nil {
		return nil, err
	}
	heap := &nd.Heap{}
	given, err := e.typ.ParseFill(raw, heap)
	if err != nil {
		return nil, err
	}
	if text, err := e.typ.AppendFill(nil, given, heap.Blobs()); err != nil || strings.Join(strings.Fields(string(text)), "") != string(zero) {
		return nil, errors.New("structs with objects can have no other fill value than zero in Zarr v2")
	}
	return object.FillToV2(f.id, f.configuration(), json.RawMessage("0"))
}

// swap changes an element between memory order and that in which it is stored.
func (e element) swap(elem []byte) {
	for _, u := range e.big {
		for i := range u.Count {
			slices.Reverse(elem[u.Offset+i*u.Width:][:u.Width])
		}
	}
}

// fillToV2 spells a fill value of Zarr v3 as Zarr v2 does.
func (e element) fillToV2(raw json.RawMessage, list []filter) (json.RawMessage, error) {
	heap := &nd.Heap{}
	elem, err := e.typ.ParseFill(raw, heap)
	if err != nil {
		return nil, err
	}
	switch e.typ.Kind() {
	case dtype.Float, dtype.Complex:
		return e.floatFill(elem)
	case dtype.Raw:
		if bytes.Equal(elem, make([]byte, len(elem))) && e.typ.Name() == "null_terminated_bytes" {
			return json.RawMessage(`""`), nil
		}
		return quoted(elem), nil
	case dtype.Struct, dtype.Subarray:
		if len(e.typ.Refs()) > 0 {
			return e.gathered(raw, list[0])
		}
		e.swap(elem)
		return quoted(elem), nil
	case dtype.Time, dtype.Duration:
		if string(raw) == `"NaT"` {
			return json.RawMessage(strconv.Itoa(math.MinInt64)), nil
		}
	case dtype.List:
		if len(heap.Blobs().Value(elem)) > 0 {
			return nil, errors.New("a list that is not empty cannot be a fill value of Zarr v2")
		}
		return json.RawMessage("null"), nil
	}
	return e.typ.AppendFill(nil, elem, heap.Blobs())
}

func quoted(elem []byte) json.RawMessage {
	return json.RawMessage(`"` + base64.StdEncoding.EncodeToString(elem) + `"`)
}

// floatFill spells floats; Zarr v2 has one NaN only.
func (e element) floatFill(elem []byte) (json.RawMessage, error) {
	text, err := e.typ.AppendFill(nil, elem, nil)
	if err != nil {
		return nil, err
	}
	if bytes.Contains(text, []byte("0x")) {
		return nil, fmt.Errorf("%s has bits that Zarr v2 cannot spell", text)
	}
	return text, nil
}
