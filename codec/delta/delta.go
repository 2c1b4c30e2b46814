// Package delta is the codec "numcodecs.delta": it stores the first element of a
// chunk, in C order, and of every other its difference from the one before.
//
// Integers wrap around, so that nothing is lost; floats are rounded twice and
// come back nearly, as they do in numcodecs, whose arithmetic this is bit by
// bit. To decode an element takes all before it.
package delta

import (
	"encoding/json"
	"fmt"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/numeric"
	"github.com/omnizarr/zarr/internal/strictjson"
)

// Name is the name in metadata.
const Name = "numcodecs.delta"

// Codec is a parsed entry.
type Codec struct {
	// Type is the type of the elements.
	Type dtype.Type
	// Stored is the type of the differences.
	Stored dtype.Type

	config config
}

type config struct {
	DType  json.RawMessage `json:"dtype"`
	AsType json.RawMessage `json:"astype"`
}

// Parse reads the configuration. Without astype, differences have the type of
// the elements.
func Parse(_ *codec.Registry, _ string, raw json.RawMessage) (codec.Codec, error) {
	var k Codec
	c := &k.config
	if err := codec.ParseConfig(raw, c); err != nil {
		return nil, err
	}
	if c.DType == nil {
		return nil, fmt.Errorf("configuration lacks dtype")
	}
	if c.AsType == nil || strictjson.IsNull(c.AsType) {
		c.AsType = c.DType
	}
	c.DType, c.AsType = numeric.Spelling(c.DType), numeric.Spelling(c.AsType)
	var err error
	if k.Type, _, err = dtype.ParseNumpy(c.DType); err != nil {
		return nil, fmt.Errorf("dtype: %w", err)
	}
	if k.Stored, _, err = dtype.ParseNumpy(c.AsType); err != nil {
		return nil, fmt.Errorf("astype: %w", err)
	}
	return k, nil
}

// Name is "numcodecs.delta".
func (Codec) Name() string { return Name }

// MarshalJSON gives the entry for metadata, always with astype.
func (c Codec) MarshalJSON() ([]byte, error) { return codec.MarshalEntry(Name, c.config) }

// BindArray fits the codec to chunks.
func (c Codec) BindArray(in codec.Spec) (codec.ArrayFilter, error) {
	if !same(in.Type, c.Type) {
		return nil, fmt.Errorf("dtype is %s, but the elements are %s", c.Type.Name(), in.Type.Name())
	}
	f := &filter{shape: in.Shape, out: in, size: c.Type.Size()}
	f.out.Type = c.Stored
	elem, stored, lag, err := c.numbers()
	if err != nil {
		return nil, err
	}
	durations := c.Type.Kind() == dtype.Duration
	f.diff, _, _ = kernelsFor(elem, lag, durations)
	f.narrow = numeric.Cast(stored, elem)
	f.exact = !elem.IsFloat() && !stored.IsFloat() && stored.Size() >= elem.Size()
	total := sumType(elem, stored)
	_, f.sum, f.start = kernelsFor(total, lag, durations)
	f.sumSize = total.Size() * lag
	f.widen, f.finish = numeric.Cast(total, stored), numeric.Cast(elem, total)
	if f.narrow != nil && !elem.IsFloat() && !stored.IsFloat() {
		f.back = numeric.Cast(elem, stored)
	}
	f.out.Fill = make([]byte, c.Stored.Size())
	return f, f.encode(nil, f.out.Fill, in.Fill)
}

// sumType is the type in which differences are added up: where floats are in
// play, that in which NumPy has both. Integers wrap around in the type of the
// elements, which is exact; NumPy takes float64 for uint64 and a signed type,
// and loses what that does not hold.
func sumType(elem, stored numeric.Type) numeric.Type {
	if !elem.IsFloat() && !stored.IsFloat() {
		return elem
	}
	return numeric.Promote(elem, stored)
}

// same reports whether differences of elements of type t may be taken as if they
// were of type named: integers of one size, also those that count time, lie in
// memory alike, and numcodecs views one as the other.
func same(t, named dtype.Type) bool {
	return dtype.Equal(t, named) ||
		t.Size() == named.Size() && integral(t) && (named.Kind() == dtype.Int || named.Kind() == dtype.Uint)
}

func integral(t dtype.Type) bool {
	switch t.Kind() {
	case dtype.Int, dtype.Uint, dtype.Time, dtype.Duration:
		return numeric.Named(t.Name()) != numeric.None || t.Size() == 8
	}
	return false
}

// numbers says what elements and differences are made of, and how many numbers
// an element has.
func (c Codec) numbers() (elem, stored numeric.Type, lag int, err error) {
	switch c.Type.Kind() {
	case dtype.Complex:
		elem, lag = half(c.Type), 2
		if c.Stored.Kind() == dtype.Complex {
			stored = half(c.Stored)
		}
	case dtype.Duration:
		// NumPy has no sum of durations and numbers.
		elem, lag = numeric.Int64, 1
		if dtype.Equal(c.Type, c.Stored) {
			stored = elem
		}
	default:
		elem, stored, lag = numeric.Named(c.Type.Name()), numeric.Named(c.Stored.Name()), 1
	}
	if elem == numeric.None {
		return 0, 0, 0, fmt.Errorf("cannot take differences of %s", c.Type.Name())
	}
	if stored == numeric.None {
		return 0, 0, 0, fmt.Errorf("cannot store differences of %s as %s", c.Type.Name(), c.Stored.Name())
	}
	return elem, stored, lag, nil
}

// half is the type of the parts of a complex number.
func half(t dtype.Type) numeric.Type {
	f, _ := dtype.FormatOf(t)
	return numeric.Named(f.Name())
}
