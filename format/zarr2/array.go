package zarr2

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/format/xarray"
	"github.com/omnizarr/zarr/grid"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/nd"
)

// ParseArray reads a .zarray document, and the .zattrs beside it (nil if there
// is none), as the document of the same array in Zarr v3. Members that Zarr v2
// does not know are passed over, as its other readers do.
func ParseArray(zarray, zattrs []byte) (*meta.Array, error) {
	raw, err := splitArray(zarray)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", arrayName, err)
	}
	m := &meta.Array{}
	if err := raw.read(m); err != nil {
		return nil, fmt.Errorf("%s: %w", arrayName, err)
	}
	if m.Attributes, err = parseAttributes(zattrs); err != nil {
		return nil, err
	}
	m.DimensionNames = dimensionNames(m)
	return m, nil
}

// document is the members of a .zarray by name.
type document map[string]json.RawMessage

func splitArray(zarray []byte) (document, error) {
	members, err := strictjson.Object(zarray, strictjson.Options{})
	if err != nil {
		return nil, err
	}
	d := make(document, len(members))
	for _, m := range members {
		d[m.Name] = m.Raw
	}
	if err := checkFormat(d["zarr_format"]); err != nil {
		return nil, err
	}
	for _, name := range []string{"shape", "chunks", "dtype", "order"} {
		if d[name] == nil {
			return nil, fmt.Errorf("missing member %q", name)
		}
	}
	for _, name := range []string{"compressor", "fill_value", "filters"} {
		if d[name] == nil {
			d[name] = json.RawMessage("null")
		}
	}
	return d, nil
}

func checkFormat(raw json.RawMessage) error {
	if raw == nil {
		return errors.New(`missing member "zarr_format"`)
	}
	n, err := strictjson.Int(raw)
	if err == nil && n != 2 {
		err = fmt.Errorf("%d, must be 2", n)
	}
	return strictjson.At("zarr_format", err)
}

// read fills m from the members, in an order in which each finds what it
// depends on.
func (d document) read(m *meta.Array) error {
	var err error
	if m.Shape, err = strictjson.Lengths(d["shape"], 0, nd.MaxRank); err != nil {
		return strictjson.At("shape", err)
	}
	chunks, err := strictjson.Lengths(d["chunks"], 0, nd.MaxRank)
	if err != nil {
		return strictjson.At("chunks", err)
	}
	if len(chunks) != len(m.Shape) {
		return strictjson.Errorf("chunks", "%d dimensions, the array has %d", len(chunks), len(m.Shape))
	}
	for i, n := range m.Shape {
		if n == 0 && chunks[i] == 0 {
			chunks[i] = 1 // zarr-python 2 makes the chunk of an empty array as long as the array
		}
	}
	if m.Grid, err = grid.NewRegular(m.Shape, chunks); err != nil {
		return strictjson.At("chunks", err)
	}
	if m.Keys, err = d.keys(); err != nil {
		return strictjson.At("dimension_separator", err)
	}
	list, err := parseCodecs(d["filters"], d["compressor"])
	if err != nil {
		return err
	}
	elem, err := parseElement(d["dtype"], list)
	if err != nil {
		return strictjson.At("dtype", err)
	}
	m.DataType = elem.typ
	m.NoFill = strictjson.IsNull(d["fill_value"]) && elem.typ.Kind() != dtype.Object
	if m.FillValue, err = elem.fillFromV2(d["fill_value"], list); err != nil {
		return strictjson.At("fill_value", err)
	}
	order, err := strictjson.String(d["order"])
	if err == nil && order != "C" && order != "F" {
		err = fmt.Errorf(`%s, must be "C" or "F"`, strictjson.Quote(order))
	}
	if err != nil {
		return strictjson.At("order", err)
	}
	m.Codecs, err = elem.chain(list, order == "F", len(m.Shape))
	return err
}

// keys reads the separator, which is "." where there is none.
func (d document) keys() (grid.Keys, error) {
	raw := d["dimension_separator"]
	if raw == nil || strictjson.IsNull(raw) {
		return grid.V2Keys{Sep: '.'}, nil
	}
	sep, err := strictjson.String(raw)
	if err != nil {
		return nil, err
	}
	if sep != "." && sep != "/" {
		return nil, fmt.Errorf(`%s, must be "." or "/"`, strictjson.Quote(sep))
	}
	return grid.V2Keys{Sep: sep[0]}, nil
}

// element is the type of an array with the byte order it is stored in.
type element struct {
	typ  dtype.Type
	big  []dtype.Unit // the scalars that are big-endian
	spec json.RawMessage
}

const objectCode = `"|O"`

// parseElement reads the dtype. That of an object array does not say what the
// objects are: the first filter does.
func parseElement(raw json.RawMessage, list []filter) (element, error) {
	if string(raw) != objectCode {
		t, big, err := dtype.ParseNumpyUnits(raw)
		if err == nil && len(t.Refs()) > 0 && (len(list) == 0 || !list[0].object()) {
			err = errors.New("has objects, but no filter says how they are stored")
		}
		return element{t, big, raw}, err
	}
	if len(list) == 0 {
		return element{}, errors.New("object array without a filter that says how objects are stored")
	}
	t, err := list[0].objects()
	return element{t, nil, raw}, err
}

// parseAttributes reads a .zattrs, which may be absent.
func parseAttributes(zattrs []byte) (*meta.Attributes, error) {
	if zattrs == nil {
		return nil, nil
	}
	attrs, err := meta.ParseAttributes(zattrs)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", attributesName, err)
	}
	return attrs, nil
}

// dimensionNames takes the names that xarray wrote, if they fit.
func dimensionNames(m *meta.Array) []*string {
	names, err := xarray.Dimensions(m)
	if err != nil || len(names) == 0 {
		return nil
	}
	return names
}

// ParseGroup reads a .zgroup document and the .zattrs beside it (nil if there is
// none).
func ParseGroup(zgroup, zattrs []byte) (*meta.Group, error) {
	members, err := strictjson.Object(zgroup, strictjson.Options{})
	if err == nil {
		var format json.RawMessage
		for _, m := range members {
			if m.Name == "zarr_format" {
				format = m.Raw
			}
		}
		err = checkFormat(format)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", groupName, err)
	}
	g := &meta.Group{}
	g.Attributes, err = parseAttributes(zattrs)
	return g, err
}
