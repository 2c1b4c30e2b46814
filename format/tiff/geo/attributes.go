package geo

import (
	"encoding/json"
	"fmt"

	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/meta"
)

// The entries of "zarr_conventions" for the attributes that are written.
const (
	projConvention = `{"schema_url":"https://raw.githubusercontent.com/zarr-conventions/proj/refs/tags/v0.1/schema.json",` +
		`"spec_url":"https://github.com/zarr-conventions/proj/blob/v0.1/README.md","uuid":"f17cb550-5864-4468-aeb7-f3180cfb622f",` +
		`"name":"proj","description":"Coordinate reference system information for geospatial data"}`
	spatialConvention = `{"schema_url":"https://raw.githubusercontent.com/zarr-conventions/spatial/refs/tags/v0.1/schema.json",` +
		`"spec_url":"https://github.com/zarr-conventions/spatial/blob/v0.1/README.md","uuid":"689b58e2-cf7b-45e0-9fff-9cfc0883d6b4",` +
		`"name":"spatial","description":"Spatial coordinate information"}`
)

// Attributes gives the attributes of an image of a size whose dimensions are
// called y and x: "zarr_conventions", "proj:code" and "spatial:..." as far as
// the tags tell, then "geotiff", which keeps all tags, and "gdal_metadata".
func (i *Info) Attributes(width, height int) ([]meta.Member, error) {
	out, err := i.LevelAttributes(width, height, width, height)
	if err != nil {
		return nil, err
	}
	raw, err := i.appendTags()
	if err != nil {
		return nil, err
	}
	if raw != nil {
		out = append(out, meta.Member{Name: "geotiff", Raw: raw})
	}
	if len(i.Metadata) > 0 {
		raw, err := strictjson.Marshal(jsonItems(i.Metadata), false)
		if err != nil {
			return nil, err
		}
		out = append(out, meta.Member{Name: "gdal_metadata", Raw: raw})
	}
	return out, nil
}

// LevelAttributes gives the conventional attributes of an overview: the same
// image in fewer pixels.
func (i *Info) LevelAttributes(width, height, levelWidth, levelHeight int) ([]meta.Member, error) {
	if min(width, height, levelWidth, levelHeight) < 1 {
		return nil, fmt.Errorf("GeoTIFF: a level of %d x %d of an image of %d x %d", levelWidth, levelHeight, width, height)
	}
	var out []meta.Member
	conventions := ""
	add := func(name string, v any) error {
		raw, err := strictjson.Marshal(v, false)
		out = append(out, meta.Member{Name: name, Raw: raw})
		return err
	}
	if code, ok := i.EPSG(); ok {
		conventions = projConvention
		if err := add("proj:code", fmt.Sprintf("EPSG:%d", code)); err != nil {
			return nil, err
		}
	}
	if t, ok := i.Transform(); ok {
		if conventions != "" {
			conventions += ","
		}
		conventions += spatialConvention
		t = t.Scaled(float64(width)/float64(levelWidth), float64(height)/float64(levelHeight))
		for _, m := range []struct {
			name string
			v    any
		}{{"spatial:dimensions", []string{"y", "x"}}, {"spatial:shape", []int{levelHeight, levelWidth}},
			{"spatial:transform", t.Affine()}, {"spatial:bbox", t.BBox(levelWidth, levelHeight)}} {
			if err := add(m.name, m.v); err != nil {
				return nil, fmt.Errorf("GeoTIFF: %s: %w", m.name, err)
			}
		}
	}
	if conventions != "" {
		out = append([]meta.Member{{Name: "zarr_conventions", Raw: json.RawMessage("[" + conventions + "]")}}, out...)
	}
	return out, nil
}

// appendTags writes the object "geotiff": keys by name, then the other tags.
func (i *Info) appendTags() (json.RawMessage, error) {
	b := []byte{'{'}
	var failed error
	add := func(name string, v any) {
		if len(b) > 1 {
			b = append(b, ',')
		}
		raw, err := strictjson.Marshal(v, false)
		if err != nil && failed == nil {
			failed = fmt.Errorf("GeoTIFF: %s: %w", name, err)
		}
		b = append(strictjson.AppendString(b, name), ':')
		b = append(b, raw...)
	}
	if i.Version != 0 {
		add("KeyDirectoryVersion", i.Version)
		add("KeyRevision", i.Revision)
		add("KeyRevisionMinor", i.Minor)
	}
	for _, k := range i.Keys {
		switch {
		case len(k.Ints) == 1:
			add(k.ID.String(), k.Ints[0])
		case len(k.Ints) > 1:
			add(k.ID.String(), k.Ints)
		case len(k.Floats) == 1:
			add(k.ID.String(), k.Floats[0])
		case len(k.Floats) > 1:
			add(k.ID.String(), k.Floats)
		default:
			add(k.ID.String(), k.Text)
		}
	}
	if len(i.PixelScale) > 0 {
		add("ModelPixelScale", i.PixelScale)
	}
	if len(i.Tiepoints) == 6 {
		add("ModelTiepoint", i.Tiepoints)
	} else if len(i.Tiepoints) > 0 {
		add("ModelTiepoint", rows(i.Tiepoints, 6))
	}
	if len(i.Transformation) > 0 {
		add("ModelTransformation", rows(i.Transformation, 4))
	}
	if i.NoData != "" {
		add("GDAL_NODATA", i.NoData)
	}
	if len(b) == 1 {
		return nil, nil
	}
	return append(b, '}'), failed
}

// rows cuts a list into rows of n numbers.
func rows(v []float64, n int) [][]float64 {
	var out [][]float64
	for ; len(v) >= n; v = v[n:] {
		out = append(out, v[:n])
	}
	return out
}

// jsonItem is how an item is written.
type jsonItem struct {
	Name   string `json:"name"`
	Value  string `json:"value"`
	Sample *int   `json:"sample,omitempty"`
	Role   string `json:"role,omitempty"`
	Domain string `json:"domain,omitempty"`
}

func jsonItems(items []Item) []jsonItem {
	out := make([]jsonItem, len(items))
	for n := range items {
		item := &items[n]
		out[n] = jsonItem{Name: item.Name, Value: item.Value, Role: item.Role, Domain: item.Domain}
		if item.Sample >= 0 {
			out[n].Sample = &item.Sample
		}
	}
	return out
}
