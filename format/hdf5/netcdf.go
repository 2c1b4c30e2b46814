package hdf5

import (
	"encoding/json"
	"errors"
	"math"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/format/xarray"
	"github.com/omnizarr/zarr/hdf5"
	"github.com/omnizarr/zarr/meta"
)

// scales are the dimension scales of HDF5: datasets whose axes have others for
// coordinates. Files of netCDF-4 are made of them, with some bookkeeping more.
type scales struct {
	plain
	s      *Store
	netcdf bool

	once sync.Once
	made map[uint64][]string // names of dimensions that were made up, by address

	mu      sync.Mutex
	numbers map[uint64]map[any]string // names of the dimensions in a group by their numbers, by the group's address
}

// The attributes that tell of dimensions.
const (
	scaleClass  = "CLASS"
	scaleName   = "NAME"
	scaleUsers  = "REFERENCE_LIST"
	scaleList   = "DIMENSION_LIST"
	scaleLabels = "DIMENSION_LABELS"
	ncDims      = "_Netcdf4Coordinates"
	ncDim       = "_Netcdf4Dimid"
	ncMadeBy    = "_NCProperties"
	ncStrict    = "_nc3_strict"
	// A dimension without a variable is a dataset with such a NAME.
	ncNoVariable = "This is a netCDF dimension but not a netCDF variable"
	// A variable that is called like a dimension, and is not its coordinate, has a name
	// with this in front.
	ncOther = "_nc4_non_coord_"
)

// isNetCDF reports whether a file is of netCDF-4: it says so, or one of the first
// datasets has a number among dimensions, or its name says so.
func isNetCDF(root *node, key string) bool {
	if list := of(root.o); said(list, ncMadeBy) != nil || said(list, ncStrict) != nil {
		return true
	}
	links, err := root.o.Links()
	if err != nil {
		return false
	}
	for _, l := range links[:min(len(links), 64)] {
		if x := find(root.o, l.Name); x != nil {
			if list := of(x); said(list, ncDim) != nil || said(list, ncDims) != nil {
				return true
			}
		}
	}
	end := strings.ToLower(path.Ext(key))
	return end == ".nc" || end == ".nc4" || end == ".cdf"
}

// isScale reports whether these are the attributes of the scale of a dimension.
func (c *scales) isScale(list []hdf5.Attribute) bool {
	return c.s.text(list, scaleClass) == "DIMENSION_SCALE"
}

func (c *scales) stored(g *node, name string) string {
	if !c.netcdf {
		return name
	}
	if _, err := g.o.Link(ncOther + name); err == nil {
		return ncOther + name
	}
	return name
}

func (c *scales) shown(g *node, l hdf5.Link) (string, bool) {
	if !c.netcdf {
		return l.Name, true
	}
	if other, ok := strings.CutPrefix(l.Name, ncOther); ok && other != "" {
		return other, true
	}
	x := find(g.o, l.Name)
	if x == nil || x.Kind != hdf5.KindDataset {
		return l.Name, true
	}
	list := of(x)
	return l.Name, !c.isScale(list) || !strings.HasPrefix(c.s.text(list, scaleName), ncNoVariable)
}

// show goes by the lengths of dimensions that can grow: a variable that has fewer rows
// than others is missing the last ones.
func (c *scales) show(n *node) {
	if !c.netcdf || !slices.Contains(n.d.Space.Max, hdf5.Unlimited) || n.d.Layout.Class != hdf5.Chunked {
		return
	}
	n.extent = slices.Clone(n.extent)
	for i, at := range c.lists(n, of(n.o)) {
		if at == 0 || i >= len(n.d.Space.Max) || n.d.Space.Max[i] != hdf5.Unlimited {
			continue
		}
		x, err := c.s.f.Object(at)
		if err != nil || x.Kind != hdf5.KindDataset {
			continue
		}
		if d, err := x.Dataset(); err == nil && len(d.Space.Shape) > 0 && d.Space.Shape[0] < math.MaxInt/2 {
			n.extent[i] = max(n.extent[i], d.Space.Shape[0])
		}
	}
	n.cut()
}

func (c *scales) hides(n *node, attribute string) bool {
	switch attribute {
	case scaleUsers, scaleList:
		return n.d != nil
	case scaleClass, scaleName:
		return n.d != nil && c.isScale(n.list)
	case ncDims, ncDim:
		return n.d != nil && c.netcdf
	case ncMadeBy, ncStrict:
		return n.path == "/" && c.netcdf
	}
	return false
}

// group gives attributes of one element as that element, as netCDF has them.
func (c *scales) group(_ *node, m *meta.Group) error {
	if !c.netcdf || m.Attributes == nil {
		return nil
	}
	return change(m.Attributes, only)
}

// only gives the only element of a list, nil of what is none.
func only(raw json.RawMessage) json.RawMessage {
	if list, ok := listed(raw); ok && len(list) == 1 && list[0][0] != '[' {
		return list[0]
	}
	return nil
}

func (c *scales) array(n *node, m *meta.Array) error {
	names := c.names(n)
	if c.netcdf || slices.ContainsFunc(names, func(s *string) bool { return s != nil }) {
		m.DimensionNames = names
	}
	if m.Attributes == nil || m.DimensionNames == nil {
		return nil
	}
	if c.netcdf {
		if err := change(m.Attributes, only); err != nil {
			return err
		}
	}
	return missing(m)
}

// missing says which value stands for a missing one as xarray does in Zarr.
func missing(m *meta.Array) error {
	raw := m.Attributes.Raw(xarray.FillAttribute)
	if raw == nil {
		return nil
	}
	if x := only(raw); x != nil {
		raw = x
	}
	switch string(raw) {
	case "NaN", "Infinity", "-Infinity": // bare in attributes, quoted in fill values
		raw = json.RawMessage(`"` + string(raw) + `"`)
	}
	if fill, err := xarray.EncodeFill(m.DataType, raw); err == nil {
		return m.Attributes.Set(xarray.FillAttribute, fill)
	}
	// There is no form for it, and xarray opens no array that has another.
	m.Attributes.Delete(xarray.FillAttribute)
	if m.DataType.Kind() == dtype.String && m.Attributes.Raw("missing_value") == nil {
		return m.Attributes.Set("missing_value", raw)
	}
	return nil
}

// names are those of the dimensions of a dataset, nil for one that has none.
func (c *scales) names(n *node) []*string {
	names := make([]*string, len(n.extent))
	list, labels := c.lists(n, n.list), c.labels(n)
	own := strings.TrimPrefix(path.Base(n.path), ncOther)
	for i := range names {
		name := ""
		switch {
		case i < len(list) && list[i] != 0:
			name = c.nameOf(n, list[i])
		case len(names) == 1 && c.isScale(n.list):
			name = own
		default:
			name = c.numbered(n, i)
		}
		if name == "" && i < len(labels) {
			name = labels[i]
		}
		if name != "" {
			names[i] = &name
		}
	}
	if c.netcdf && len(names) > 0 && !slices.ContainsFunc(names, func(s *string) bool { return s != nil }) {
		for i, name := range c.phony(n) {
			names[i] = &name
		}
	}
	return names
}

// lists gives the address of the first scale of each axis, 0 for none.
func (c *scales) lists(n *node, attrs []hdf5.Attribute) []uint64 {
	a := said(attrs, scaleList)
	if a == nil || a.Type.Class != hdf5.Sequence || a.Type.Base.Class != hdf5.Reference {
		return nil
	}
	var out []uint64
	for raw := a.Raw; len(raw) >= a.Type.Size && len(out) < len(n.extent); raw = raw[a.Type.Size:] {
		var at uint64
		if refs, err := c.s.f.Sequence(raw[:a.Type.Size], a.Type.Base.Size); err == nil && len(refs) >= a.Type.Base.Size {
			if r, err := c.s.f.Reference(a.Type.Base, refs[:a.Type.Base.Size]); err == nil {
				at = r.Address
			}
		}
		out = append(out, at)
	}
	return out
}

// labels are what a dataset calls its axes itself.
func (c *scales) labels(n *node) []string {
	a := said(n.list, scaleLabels)
	if a == nil || a.Type.Class != hdf5.String {
		return nil
	}
	var out []string
	for raw := a.Raw; len(raw) >= a.Type.Size && len(out) < len(n.extent); raw = raw[a.Type.Size:] {
		v, err := c.s.f.Decode(a.Type, raw[:a.Type.Size])
		text, _ := v.(string)
		if err != nil {
			text = ""
		}
		out = append(out, strings.ToValidUTF8(text, "\uFFFD"))
	}
	return out
}

// nameOf is what the scale at an address is called. It lies in the group of the
// dataset or in one above, or the whole file is looked through.
func (c *scales) nameOf(n *node, at uint64) string {
	for group := path.Dir(n.path); ; group = path.Dir(group) {
		if g, err := c.s.node(strings.TrimPrefix(group, "/")); err == nil {
			links, _ := g.o.Links()
			for _, l := range links {
				if l.Kind == hdf5.Hard && l.Address == at {
					return c.dimensionName(l)
				}
			}
		}
		if group == "/" || group == "." {
			break
		}
	}
	found, err := c.s.pathOf(at)
	if err != nil {
		return ""
	}
	return strings.TrimPrefix(path.Base(found), ncOther)
}

// dimensionName is what the dimension of a scale is called.
func (c *scales) dimensionName(l hdf5.Link) string {
	return strings.TrimPrefix(escape(l.Name), ncOther)
}

// numbered finds the name of an axis by the number of its dimension, which scales of
// several axes have in place of a list.
func (c *scales) numbered(n *node, axis int) string {
	a := said(n.list, ncDims)
	if !c.netcdf || a == nil || a.Type.Class != hdf5.Integer || len(a.Raw) < (axis+1)*a.Type.Size {
		return ""
	}
	want, err := c.s.f.Decode(a.Type, a.Raw[axis*a.Type.Size:])
	if err != nil {
		return ""
	}
	for group := path.Dir(n.path); ; group = path.Dir(group) {
		if g, err := c.s.node(strings.TrimPrefix(group, "/")); err == nil {
			if name, ok := c.numbersOf(g.o)[want]; ok {
				return name
			}
		}
		if group == "/" || group == "." {
			return ""
		}
	}
}

// numbersOf are the names of the dimensions in a group by their numbers. They are found
// once: every variable of the group may ask.
func (c *scales) numbersOf(g *hdf5.Object) map[any]string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if found, ok := c.numbers[g.Address()]; ok {
		return found
	}
	found := map[any]string{}
	links, err := g.Links()
	for _, l := range links {
		if l.Kind != hdf5.Hard {
			continue
		}
		var x *hdf5.Object
		var list []hdf5.Attribute
		if x, err = g.Follow(l); err == nil {
			list, err = x.Attributes()
		}
		if _, failed := errors.AsType[unread](err); failed {
			break
		}
		id := said(list, ncDim)
		if id == nil || id.Type.Class != hdf5.Integer || len(id.Raw) < id.Type.Size || !c.isScale(list) {
			continue
		}
		if number, err := c.s.f.Decode(id.Type, id.Raw); err == nil && found[number] == "" {
			found[number] = c.dimensionName(l)
		}
	}
	if _, failed := errors.AsType[unread](err); failed {
		return found // who asks again may have more luck
	}
	if c.numbers == nil {
		c.numbers = map[uint64]map[any]string{}
	}
	c.numbers[g.Address()] = found
	return found
}
