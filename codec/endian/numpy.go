package endian

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/dtype"
)

// NumpyName is the name of Numpy in a codecs list.
const NumpyName = "omnizarr.numpy"

// Numpy is the codec "omnizarr.numpy": elements as a NumPy description lays them
// out, whose fields may differ in byte order. Zarr v2 has such arrays, and "bytes"
// cannot say it.
type Numpy struct {
	// DType is the description, as in the dtype member of Zarr v2.
	DType json.RawMessage

	typ dtype.Type
	big []dtype.Unit
}

type numpyConfig struct {
	DType json.RawMessage `json:"dtype"`
}

// ParseNumpy reads the configuration.
func ParseNumpy(_ *codec.Registry, _ string, raw json.RawMessage) (codec.Codec, error) {
	var c numpyConfig
	if err := codec.ParseConfig(raw, &c); err != nil {
		return nil, err
	}
	if c.DType == nil {
		return nil, errors.New("configuration lacks dtype")
	}
	t, big, err := dtype.ParseNumpyUnits(c.DType)
	if err != nil {
		return nil, fmt.Errorf("configuration: dtype: %w", err)
	}
	return Numpy{c.DType, t, big}, nil
}

// Name is "omnizarr.numpy".
func (Numpy) Name() string { return NumpyName }

// MarshalJSON gives the entry for metadata.
func (c Numpy) MarshalJSON() ([]byte, error) {
	return codec.MarshalEntry(NumpyName, numpyConfig{c.DType})
}

// BindSerializer fits the codec to chunks, whose elements must have the layout
// that the description has.
func (c Numpy) BindSerializer(in codec.Spec) (codec.Serializer, error) {
	if in.Type.Size() != c.typ.Size() || !slices.Equal(in.Type.Units(), c.typ.Units()) {
		return nil, fmt.Errorf("dtype is not that of the array, %s", in.Type.Name())
	}
	bound, err := Codec{Endian: "little"}.BindSerializer(in)
	if err != nil || len(c.big) == 0 {
		return bound, err
	}
	s := bound.(*serializer)
	s.swap = c.big
	return s, nil
}
