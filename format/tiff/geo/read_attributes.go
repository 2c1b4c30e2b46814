package geo

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/omnizarr/zarr/format/tiff/tag"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/meta"
)

// FromAttributes gives the tags for attributes as Attributes writes them:
// those of "geotiff" if it is there, otherwise those that "proj:code" and
// "spatial:transform" lead to, or what other programs write instead, and
// "gdal_metadata" in any case. There are none if there are no such attributes.
func FromAttributes(a *meta.Attributes) ([]tag.Field, error) {
	info := &Info{}
	read := func(name string, f func(json.RawMessage) error) error {
		if raw := a.Raw(name); raw != nil && !strictjson.IsNull(raw) {
			return strictjson.AtMember(name, f(raw))
		}
		return nil
	}
	var err error
	if a.Raw("geotiff") != nil {
		err = read("geotiff", info.readTags)
	}
	// Where the tags do not tell where it lies, as those of a part do not, others do.
	if err == nil && len(info.PixelScale)+len(info.Tiepoints)+len(info.Transformation) == 0 {
		var t *Transform
		if len(info.Keys) == 0 {
			err = read("proj:code", info.readCode)
		}
		if err == nil {
			err = read("spatial:transform", func(raw json.RawMessage) (err error) {
				t, err = readTransform(raw)
				return err
			})
		}
		if err == nil && t == nil {
			t = foreignTransform(a)
		}
		if err == nil && len(info.Keys) == 0 {
			info.foreignCode(a)
		}
		if err == nil && t != nil {
			point := false
			err = read("spatial:registration", func(raw json.RawMessage) error {
				s, err := strictjson.String(raw)
				point = s == "node"
				return err
			})
			info.place(*t, point)
		}
	}
	if err == nil {
		err = read("gdal_metadata", info.readItems)
	}
	if err != nil {
		return nil, err
	}
	return info.Fields()
}

// readCode sets the keys for a code such as "EPSG:32633".
func (i *Info) readCode(raw json.RawMessage) error {
	s, err := strictjson.String(raw)
	if err != nil {
		return err
	}
	digits, ok := strings.CutPrefix(s, "EPSG:")
	if !ok || i.setCode(digits) != nil {
		return fmt.Errorf("%s cannot be written: GeoTIFF takes codes of EPSG from 1024 to %d", strictjson.Quote(s), userDefined-1)
	}
	return nil
}

// setCode sets the keys for a code of EPSG.
func (i *Info) setCode(digits string) error {
	code, err := strconv.ParseUint(digits, 10, 16)
	if err != nil || code < 1024 || code >= userDefined {
		return errors.New("no such code")
	}
	model, key := uint16(modelProjected), ProjectedType
	if isGeodetic(int(code)) {
		model, key = modelGeographic, GeographicType
	}
	i.Keys = append(i.Keys, Key{ID: ModelType, Ints: []uint16{model}}, Key{ID: key, Ints: []uint16{uint16(code)}})
	return nil
}

func readTransform(raw json.RawMessage) (*Transform, error) {
	v, err := readNumbers(raw, 6)
	if err != nil {
		return nil, err
	}
	if len(v) != 6 {
		return nil, fmt.Errorf("%d numbers, not 6", len(v))
	}
	return &Transform{v[2], v[0], v[1], v[5], v[3], v[4]}, nil
}

// readNumbers reads a list of numbers, or a list of such lists as one.
func readNumbers(raw json.RawMessage, limit int) ([]float64, error) {
	var v []float64
	one := func(elem json.RawMessage) error {
		x, err := strconv.ParseFloat(string(elem), 64)
		if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("must be a number, not %s", strictjson.Excerpt(elem))
		}
		if len(v) == limit {
			return fmt.Errorf("more than %d numbers", limit)
		}
		v = append(v, x)
		return nil
	}
	err := strictjson.Each(raw, func(_ int, elem json.RawMessage) error {
		if elem[0] != '[' {
			return one(elem)
		}
		return strictjson.Each(elem, func(_ int, elem json.RawMessage) error { return one(elem) })
	})
	return v, err
}

// readTags reads the object "geotiff".
func (i *Info) readTags(raw json.RawMessage) error {
	members, err := strictjson.Split(raw)
	if err != nil {
		return err
	}
	i.Version, i.Revision = 1, 1
	for _, m := range members {
		var err error
		switch m.Name {
		case "KeyDirectoryVersion":
			i.Version, err = readShort(m.Raw)
		case "KeyRevision":
			i.Revision, err = readShort(m.Raw)
		case "KeyRevisionMinor":
			i.Minor, err = readShort(m.Raw)
		case "ModelPixelScale":
			i.PixelScale, err = readNumbers(m.Raw, 3)
		case "ModelTiepoint":
			i.Tiepoints, err = readNumbers(m.Raw, maxValues)
		case "ModelTransformation":
			i.Transformation, err = readNumbers(m.Raw, 16)
		case "GDAL_NODATA":
			i.NoData, err = strictjson.String(m.Raw)
		default:
			id, ok := KeyNamed(m.Name)
			if !ok {
				err = errors.New("there is no such key")
				break
			}
			var k Key
			k, err = readKey(id, m.Raw)
			i.Keys = append(i.Keys, k)
		}
		if err != nil {
			return strictjson.AtMember(m.Name, err)
		}
	}
	return nil
}

func readShort(raw json.RawMessage) (uint16, error) {
	n, err := strictjson.Int(raw)
	if err == nil && (n < 0 || n > math.MaxUint16) {
		err = fmt.Errorf("%d is not between 0 and %d", n, math.MaxUint16)
	}
	return uint16(n), err
}

// readKey reads the values of a key as its kind demands. Keys that are not
// known have text, integers if all numbers are, or numbers.
func readKey(id KeyID, raw json.RawMessage) (Key, error) {
	k := Key{ID: id}
	kind := keys[id].kind
	if raw[0] == '"' {
		if kind == short || kind == double {
			return k, fmt.Errorf("must be a number, not %s", strictjson.Excerpt(raw))
		}
		var err error
		k.Text, err = strictjson.String(raw)
		return k, err
	}
	if kind == text {
		return k, fmt.Errorf("must be a string, not %s", strictjson.Describe(raw))
	}
	list := raw
	if raw[0] != '[' {
		list = append(append(json.RawMessage{'['}, raw...), ']')
	}
	v, err := readNumbers(list, math.MaxUint16)
	if err != nil {
		return k, err
	}
	if len(v) == 0 {
		return k, errors.New("there is no value")
	}
	whole := true
	for _, x := range v {
		whole = whole && x == math.Trunc(x) && x >= 0 && x <= math.MaxUint16
	}
	if kind == double || !whole && kind != short {
		k.Floats = v
		return k, nil
	}
	if !whole {
		return k, fmt.Errorf("must be integers between 0 and %d, not %s", math.MaxUint16, strictjson.Excerpt(raw))
	}
	for _, x := range v {
		k.Ints = append(k.Ints, uint16(x))
	}
	return k, nil
}

// readItems reads "gdal_metadata".
func (i *Info) readItems(raw json.RawMessage) error {
	var items []jsonItem
	if err := strictjson.Decode(raw, &items); err != nil {
		return err
	}
	for _, item := range items {
		out := Item{Name: item.Name, Value: item.Value, Sample: -1, Role: item.Role, Domain: item.Domain}
		if item.Sample != nil {
			out.Sample = *item.Sample
		}
		i.Metadata = append(i.Metadata, out)
	}
	return nil
}
