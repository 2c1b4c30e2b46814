package hdmf

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/numeric"
	"github.com/omnizarr/zarr/internal/strictjson"
)

// ErrNoNumber says that an element is no number, or none of the kind that was asked
// for.
var ErrNoNumber = errors.New("is no number of this kind")

// Float is element i as a number.
func (v *Values) Float(i int) (float64, error) {
	if err := v.has(i); err != nil {
		return 0, err
	}
	if v.json != nil {
		return jsonFloat(v.json[i], i)
	}
	var out [1]float64
	if err := floats(out[:], v.elem(i), v.typ); err != nil {
		return 0, err
	}
	return out[0], nil
}

func jsonFloat(raw []byte, i int) (float64, error) {
	switch string(raw) {
	case "true":
		return 1, nil
	case "false":
		return 0, nil
	case `"NaN"`, `"Infinity"`, `"-Infinity"`:
		raw = raw[1 : len(raw)-1]
	}
	f, err := jsonNumber(raw)
	if err != nil {
		return 0, fmt.Errorf("element %d %w: it %w", i, ErrNoNumber, err)
	}
	return f, nil
}

// jsonNumber is a number of JSON, also a bare NaN or Infinity.
func jsonNumber(raw json.RawMessage) (float64, error) {
	var f float64
	if strictjson.IsNull(raw) || strictjson.Decode(raw, &f) != nil {
		return 0, fmt.Errorf("must be a number that fits 64 bits, not %s", strictjson.Excerpt(raw))
	}
	return f, nil
}

// Floats gives all elements as numbers; those of the largest integers are the
// nearest ones.
func (v *Values) Floats() ([]float64, error) {
	out := make([]float64, v.Len())
	if v.json == nil && v.typ != nil {
		return out, floats(out, v.gathered(), v.typ)
	}
	for i, raw := range v.json {
		var err error
		if out[i], err = jsonFloat(raw, i); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Ints gives all elements as integers. Floats are an error, and so are integers
// that do not fit.
func (v *Values) Ints() ([]int64, error) {
	out := make([]int64, v.Len())
	if v.json == nil && v.typ != nil {
		return out, ints(out, v.gathered(), v.typ)
	}
	for i, raw := range v.json {
		n, err := strconv.ParseInt(string(raw), 10, 64)
		if err != nil {
			return nil, fmt.Errorf("element %d %w: it must be an integer that fits 64 bits, not %s", i, ErrNoNumber, strictjson.Excerpt(raw))
		}
		out[i] = n
	}
	return out, nil
}

// gathered are the elements without gaps: those of a field are copied.
func (v *Values) gathered() []byte {
	size := v.typ.Size()
	if v.offset == 0 && v.stride == size {
		return v.data
	}
	out := make([]byte, 0, v.Len()*size)
	for i := range v.Len() {
		out = append(out, v.elem(i)...)
	}
	return out
}

type number interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64
}

// floats converts elements of a type.
func floats(dst []float64, src []byte, t dtype.Type) error {
	if !dtype.Floats(t, dst, src) {
		return fmt.Errorf("%s %w", t.Name(), ErrNoNumber)
	}
	return nil
}

func ints(dst []int64, src []byte, t dtype.Type) error {
	if t.Name() == "uint64" {
		all := numeric.Slice[uint64](src)
		if i := slices.IndexFunc(all, func(x uint64) bool { return x > math.MaxInt64 }); i >= 0 {
			return fmt.Errorf("element %d %w: %d does not fit", i, ErrNoNumber, all[i])
		}
	}
	if !dtype.Ints(t, dst, src) {
		return fmt.Errorf("%s %w", t.Name(), ErrNoNumber)
	}
	return nil
}

// SliceOf gives numbers as a slice of the Go type that has their memory, such as
// float64 for float64. Nothing is copied, unless they are a field of compounds.
func SliceOf[T number](v *Values) ([]T, error) {
	if v == nil || v.typ == nil {
		return nil, ErrNoNumber
	}
	if v.json != nil {
		return nil, fmt.Errorf("%s: %w", v.Name, ErrNoNumber)
	}
	if err := dtype.Check[T](v.typ); err != nil {
		return nil, err
	}
	return numeric.Slice[T](v.gathered()), nil
}
