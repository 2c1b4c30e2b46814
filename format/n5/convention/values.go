package convention

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strconv"

	"github.com/omnizarr/zarr/internal/strictjson"
)

// errMalformed ends a walk through an array; nobody sees it.
var errMalformed = errors.New("malformed")

// member is one of the members of what may be an object.
func member(raw json.RawMessage, name string) json.RawMessage {
	members, err := strictjson.Split(raw)
	if err != nil {
		return nil
	}
	for _, m := range members {
		if m.Name == name {
			return m.Raw
		}
	}
	return nil
}

// text is a value that is a string, else empty.
func text(raw json.RawMessage) string {
	s, _ := strictjson.String(raw) // empty if it is none
	return s
}

// texts reads at most as many strings as an image has axes, nil if there is
// something else.
func texts(raw json.RawMessage) []string {
	var list []string
	err := strictjson.Each(raw, func(i int, elem json.RawMessage) error {
		s, err := strictjson.String(elem)
		if i == maxAxes {
			err = errMalformed
		}
		list = append(list, s)
		return err
	})
	if err != nil {
		return nil
	}
	return list
}

// firstOf is the first element of an array, nil if there is none.
func firstOf(raw json.RawMessage) (first json.RawMessage) {
	_ = strictjson.Each(raw, func(_ int, elem json.RawMessage) error { // what is no array has no elements
		first = elem
		return errMalformed
	})
	return first
}

// vector reads at most limit finite numbers, nil if there is something else.
func vector(raw json.RawMessage, limit int) []float64 {
	v := []float64{}
	err := strictjson.Each(raw, func(i int, elem json.RawMessage) error {
		x, err := strconv.ParseFloat(string(elem), 64)
		if err != nil || i == limit || math.IsInf(x, 0) || math.IsNaN(x) {
			return errMalformed
		}
		v = append(v, x)
		return nil
	})
	if err != nil {
		return nil
	}
	return v
}

func positive(v []float64) bool {
	return !slices.ContainsFunc(v, func(x float64) bool { return x <= 0 })
}

func nonzero(v []float64) bool {
	return slices.ContainsFunc(v, func(x float64) bool { return x != 0 })
}

// isList reports whether a value is an array of arrays.
func isList(raw json.RawMessage) bool {
	list := false
	_ = strictjson.Each(raw, func(_ int, elem json.RawMessage) error { // only the first is looked at
		list = elem[0] == '['
		return errMalformed
	})
	return list
}

// vectors reads an array of arrays of numbers, the first of them if it is long;
// nil if it is something else.
func vectors(raw json.RawMessage) [][]float64 {
	var list [][]float64
	bad := false
	_ = strictjson.Each(raw, func(i int, elem json.RawMessage) error { // what is no array has no elements
		if i == maxLevels {
			return errMalformed
		}
		v := vector(elem, maxAxes)
		bad = bad || v == nil
		list = append(list, v)
		return nil
	})
	if bad {
		return nil
	}
	return list
}
