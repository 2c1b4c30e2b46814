package zarr2

import (
	"slices"

	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/meta"
)

// remarshal gives the documents of an array, and keeps the .zarray that was
// there where it still says the same: what other programs put into it stays, and
// so does a fill value of null.
func remarshal(was []byte, m *meta.Array) (zarray, zattrs []byte, err error) {
	zarray, zattrs, err = MarshalArray(m)
	if err != nil || was == nil {
		return zarray, zattrs, err
	}
	old, err := ParseArray(was, nil)
	if err != nil {
		return zarray, zattrs, nil // what was there is no array; it is replaced
	}
	if !slices.Equal(old.Grid.Uniform(), m.Grid.Uniform()) || m.NoFill && !old.NoFill {
		return zarray, zattrs, nil
	}
	same := old.Clone()
	same.Shape, same.Grid = m.Shape, m.Grid
	bare := m.Clone()
	bare.Attributes, bare.DimensionNames = nil, nil
	x, errX := same.Marshal()
	y, errY := bare.Marshal()
	if errX != nil || errY != nil || string(x) != string(y) {
		return zarray, zattrs, nil
	}
	if slices.Equal(old.Shape, m.Shape) {
		return was, zattrs, nil
	}
	members, err := strictjson.Object(was, strictjson.Options{})
	if err != nil {
		return nil, nil, err
	}
	for i := range members {
		if members[i].Name == "shape" {
			members[i].Raw = strictjson.AppendInts(nil, m.Shape)
		}
	}
	zarray, err = marshalObject(members)
	return zarray, zattrs, err
}
