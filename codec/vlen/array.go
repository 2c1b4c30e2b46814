package vlen

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/numeric"
	"github.com/omnizarr/zarr/nd"
)

// Array is the codec "vlen-array": every value is a list of items of one type.
type Array struct {
	name  string
	dtype json.RawMessage // as numcodecs spells the type of an item; nil: not told
	item  dtype.Type
	big   []dtype.Unit // scalars of an item that are stored in big-endian order
}

type arrayConfig struct {
	DType json.RawMessage `json:"dtype,omitempty"`
}

// ParseArray reads the configuration. numcodecs names the type of the items;
// where it is missing, as zarrs leaves it out, they are stored little-endian.
func ParseArray(_ *codec.Registry, name string, raw json.RawMessage) (codec.Codec, error) {
	var c arrayConfig
	if err := codec.ParseConfig(raw, &c); err != nil {
		return nil, err
	}
	a := Array{name: name, dtype: c.DType}
	if c.DType == nil {
		return a, nil
	}
	var err error
	if a.item, a.big, err = dtype.ParseNumpyUnits(numeric.Spelling(c.DType)); err != nil {
		return nil, fmt.Errorf("dtype: %w", err)
	}
	if len(a.item.Refs()) > 0 {
		return nil, fmt.Errorf("dtype is %s, whose values have no fixed length", c.DType)
	}
	return a, nil
}

// Name is the name in the metadata.
func (a Array) Name() string { return a.name }

// MarshalJSON gives the entry for metadata.
func (a Array) MarshalJSON() ([]byte, error) {
	if a.dtype == nil {
		return codec.MarshalEntry(a.name, nil)
	}
	return codec.MarshalEntry(a.name, arrayConfig{a.dtype})
}

// Item is the type of the items of lists, nil if the configuration does not
// tell.
func (a Array) Item() dtype.Type { return a.item }

// BindSerializer fits the codec to chunks of lists.
func (a Array) BindSerializer(in codec.Spec) (codec.Serializer, error) {
	if in.Type.Kind() != dtype.List {
		return nil, fmt.Errorf("cannot write %s", in.Type.Name())
	}
	item := dtype.Inner(in.Type)
	if a.item != nil && !dtype.Equal(item, a.item) {
		return nil, fmt.Errorf("writes lists of %s, the array has lists of %s", a.item.Name(), item.Name())
	}
	size := item.Size()
	check := func(value []byte) error {
		if len(value)%size != 0 {
			return fmt.Errorf("%d bytes, which is no list of items of %d", len(value), size)
		}
		return nil
	}
	return bind(in, form{check: check, swap: a.swap(size), canon: canonicalise(item)})
}

// swap changes the byte order of the items in a value, if it must be.
func (a Array) swap(size int) func(value []byte) {
	if len(a.big) == 0 {
		return nil
	}
	return func(value []byte) {
		for ; len(value) >= size; value = value[size:] {
			for _, u := range a.big {
				for k := range u.Count {
					at := u.Offset + k*u.Width
					slices.Reverse(value[at : at+u.Width])
				}
			}
		}
	}
}

// canonicalise mends the items of a value, if the type needs it.
func canonicalise(item dtype.Type) func(value []byte) error {
	canon, ok := item.(dtype.Canonicaliser)
	if !ok {
		return nil
	}
	size := item.Size()
	return func(value []byte) error {
		if err := canon.Canonicalise(nd.Of(value, size, len(value)/size)); err != nil {
			return fmt.Errorf("no list: %w", err)
		}
		return nil
	}
}
