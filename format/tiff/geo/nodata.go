package geo

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/omnizarr/zarr/internal/strictjson"
)

// FillValue gives the fill value of a Zarr array for GDAL's text of the value
// that stands for no data, such as "-9999" or "nan". Values that the data type
// does not have are an error: no element can be one of them.
func FillValue(text, dataType string) (json.RawMessage, error) {
	s := strings.TrimSpace(text)
	kind, bits := split(dataType)
	switch kind {
	case "int", "uint":
		if n, ok := integer(s, kind, bits); ok {
			return json.RawMessage(n), nil
		}
	case "bool":
		if v, err := strconv.ParseFloat(s, 64); err == nil && (v == 0 || v == 1) {
			return json.RawMessage(strconv.FormatBool(v == 1)), nil
		}
	case "float", "complex":
		size := bits
		if kind == "complex" {
			size /= 2
		}
		n, ok := float(s, size)
		if ok && kind == "complex" {
			n = "[" + n + ",0]"
		}
		if ok {
			return json.RawMessage(n), nil
		}
	}
	return nil, fmt.Errorf("%.40q is no value of %s", text, dataType)
}

// split takes a name such as "uint16" apart.
func split(dataType string) (kind string, bits int) {
	kind = strings.TrimRight(dataType, "0123456789")
	bits, _ = strconv.Atoi(dataType[len(kind):])
	return kind, bits
}

// integer gives the JSON of a whole number that fits; GDAL writes such numbers
// as floats sometimes.
func integer(s, kind string, bits int) (string, bool) {
	if bits != 8 && bits != 16 && bits != 32 && bits != 64 {
		return "", false
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || v != math.Trunc(v) || math.Abs(v) > 1<<64 {
		return "", false
	}
	if digits := strings.TrimPrefix(s, "+"); strings.Trim(digits, "-0123456789") != "" {
		s = strconv.FormatFloat(v, 'f', 0, 64)
	} else {
		s = digits
	}
	if kind == "uint" {
		if s = strings.TrimPrefix(s, "-"); v < 0 {
			return "", false
		}
		n, err := strconv.ParseUint(s, 10, bits)
		return strconv.FormatUint(n, 10), err == nil
	}
	n, err := strconv.ParseInt(s, 10, bits)
	return strconv.FormatInt(n, 10), err == nil
}

// float gives the JSON of a number in a format of so many bits.
func float(s string, bits int) (string, bool) {
	v, err := strconv.ParseFloat(s, 64)
	switch {
	case err != nil || bits != 16 && bits != 32 && bits != 64:
		return "", false
	case math.IsNaN(v):
		return `"NaN"`, true
	case math.IsInf(v, 1):
		return `"Infinity"`, true
	case math.IsInf(v, -1):
		return `"-Infinity"`, true
	case bits == 16 && math.Abs(v) >= 65520, bits == 32 && math.IsInf(float64(float32(v)), 0):
		return "", false // it would become infinite
	}
	return strconv.FormatFloat(v, 'g', -1, max(32, bits)), true
}

// NoData gives GDAL's text for a fill value of a Zarr array. Complex numbers
// must be real.
func NoData(fill json.RawMessage, dataType string) (string, error) {
	kind, bits := split(dataType)
	text := strings.TrimSpace(string(fill))
	if kind == "complex" {
		bits /= 2
		if list, ok := pair(fill); ok && (list[1] == "0" || list[1] == "0.0") {
			text = list[0]
		}
	}
	switch text {
	case `"NaN"`, "NaN":
		return "nan", nil
	case `"Infinity"`, "Infinity":
		return "inf", nil
	case `"-Infinity"`, "-Infinity":
		return "-inf", nil
	case "true":
		return "1", nil
	case "false":
		return "0", nil
	}
	if hex, ok := strings.CutPrefix(text, `"0x`); ok && (kind == "float" || kind == "complex") {
		if n, err := strconv.ParseUint(strings.TrimSuffix(hex, `"`), 16, 64); err == nil && bits >= 32 {
			v := math.Float64frombits(n)
			if bits == 32 {
				v = float64(math.Float32frombits(uint32(n)))
			}
			return strings.ToLower(strings.TrimPrefix(strconv.FormatFloat(v, 'g', -1, bits), "+")), nil
		}
	}
	if _, err := strconv.ParseFloat(text, 64); err != nil {
		return "", fmt.Errorf("the fill value %s has no form that GDAL knows", strictjson.Excerpt(fill))
	}
	return text, nil
}

// pair takes an array of two values apart.
func pair(raw json.RawMessage) (list [2]string, ok bool) {
	n := 0
	err := strictjson.Each(raw, func(i int, elem json.RawMessage) error {
		if n++; i < 2 {
			list[i] = string(elem)
		}
		return nil
	})
	return list, err == nil && n == 2
}
