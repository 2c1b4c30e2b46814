package zarr2

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/endian"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/format/xarray"
	"github.com/omnizarr/zarr/grid"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/meta"
)

// MarshalArray gives the .zarray and .zattrs documents of an array, or says why
// Zarr v2 has none for it. zattrs is nil for an array without attributes.
func MarshalArray(m *meta.Array) (zarray, zattrs []byte, err error) {
	chunks, ok := m.Grid.(*grid.Regular)
	if !ok {
		return nil, nil, fmt.Errorf("no grid %s in Zarr v2, only regular chunks", m.Grid.Name())
	}
	keys, ok := m.Keys.(grid.V2Keys)
	if !ok {
		return nil, nil, fmt.Errorf("no chunk keys of the encoding %s in Zarr v2, whose chunks are called 0.0 or 0/0", m.Keys.Name())
	}
	if len(m.Transformers) > 0 {
		return nil, nil, errors.New("no storage transformers in Zarr v2")
	}
	if len(m.Extra) > 0 {
		return nil, nil, fmt.Errorf("no member %s in Zarr v2", strictjson.Quote(m.Extra[0].Name))
	}
	c, err := split(m)
	if err != nil {
		return nil, nil, err
	}
	fill, err := c.elem.fillToV2(m.FillValue, c.list)
	if err != nil {
		return nil, nil, strictjson.At("fill_value", err)
	}
	if m.NoFill {
		fill = json.RawMessage("null")
	}
	separator := "."
	if keys.Sep == '/' {
		separator = "/"
	}
	filters, compressor := c.filters()
	zarray, err = marshalObject([]strictjson.Member{
		{Name: "zarr_format", Raw: json.RawMessage("2")},
		{Name: "shape", Raw: strictjson.AppendInts(nil, m.Shape)},
		{Name: "chunks", Raw: strictjson.AppendInts(nil, chunks.Uniform())},
		{Name: "dtype", Raw: c.elem.spec},
		{Name: "compressor", Raw: compressor},
		{Name: "fill_value", Raw: fill},
		{Name: "order", Raw: json.RawMessage(`"` + c.order + `"`)},
		{Name: "filters", Raw: filters},
		{Name: "dimension_separator", Raw: json.RawMessage(`"` + separator + `"`)},
	})
	if err != nil {
		return nil, nil, err
	}
	attrs := m.Attributes
	if m.DimensionNames != nil && dimensionNames(m) == nil {
		if attrs = attrs.Clone(); attrs == nil {
			attrs = &meta.Attributes{}
		}
		if err := attrs.Set(xarray.DimensionsAttribute, m.DimensionNames); err != nil {
			return nil, nil, err
		}
	}
	return zarray, marshalAttributes(attrs), nil
}

// MarshalGroup gives the .zgroup and .zattrs documents of a group, the latter nil
// if it has no attributes.
func MarshalGroup(g *meta.Group) (zgroup, zattrs []byte, err error) {
	for _, x := range g.Extra {
		return nil, nil, fmt.Errorf("no member %s in Zarr v2", strictjson.Quote(x.Name))
	}
	zgroup, err = marshalObject([]strictjson.Member{{Name: "zarr_format", Raw: json.RawMessage("2")}})
	return zgroup, marshalAttributes(g.Attributes), err
}

func marshalAttributes(a *meta.Attributes) []byte {
	if a.Len() == 0 {
		return nil
	}
	return append(strictjson.Indent(nil, a.Append(nil)), '\n')
}

// marshalObject gives an indented document.
func marshalObject(members []strictjson.Member) ([]byte, error) {
	text := appendObject(nil, members)
	if err := strictjson.Validate(text, strictjson.Options{}); err != nil {
		return nil, err
	}
	return append(strictjson.Indent(nil, text), '\n'), nil
}

// chain is a codecs list of Zarr v3, taken apart for Zarr v2.
type chain struct {
	elem  element
	order string
	list  []filter
}

func split(m *meta.Array) (chain, error) {
	c := chain{order: "C"}
	codecs := m.Codecs
	if codecs[0].Name == "transpose" {
		fortran, err := reverses(codecs[0], len(m.Shape))
		if err != nil {
			return c, err
		}
		if fortran {
			c.order = "F"
		}
		codecs = codecs[1:]
	}
	for len(codecs) > 0 && kinds[id(codecs[0].Name)] == arrayToArray {
		if err := c.add(codecs[0]); err != nil {
			return c, err
		}
		codecs = codecs[1:]
	}
	if len(codecs) == 0 {
		return c, errors.New("no codec turns arrays into bytes")
	}
	if err := c.serialize(m.DataType, codecs[0]); err != nil {
		return c, err
	}
	for _, x := range codecs[1:] {
		if err := c.add(x); err != nil {
			return c, err
		}
	}
	return c, nil
}

// reverses reports whether a transposition reverses all axes, which is what
// order F means; one that changes nothing does not.
func reverses(x meta.Extension, rank int) (bool, error) {
	var config struct{ Order codec.Order }
	err := strictjson.Unmarshal(x.Configuration, &config)
	order := config.Order.Of(rank)
	if err != nil || len(order) != rank {
		return false, errors.New("codec transpose: has no order that fits the array")
	}
	same, reversed := true, true
	for i, k := range order {
		same = same && k == i
		reversed = reversed && k == rank-1-i
	}
	if !same && !reversed {
		return false, fmt.Errorf("no axes in the order %v in Zarr v2, which has them in order or reversed", order)
	}
	return !same, nil
}

// id is the id of numcodecs for a name in Zarr v3.
func id(name string) string { return strings.TrimPrefix(name, prefix) }

// native are the names without the prefix of numcodecs whose bytes are those of
// the id of the same name.
var native = []string{"gzip", "zlib", "zstd", "blosc", "crc32c", "vlen-utf8", "vlen-bytes", "bitround", "bz2", "lz4", "lzma"}

// add appends a codec as a filter.
func (c *chain) add(x meta.Extension) error {
	if !strings.HasPrefix(x.Name, prefix) && !slices.Contains(native, x.Name) {
		return fmt.Errorf("no codec %s in Zarr v2", strictjson.Quote(x.Name))
	}
	f := filter{id: id(x.Name)}
	if x.Configuration != nil {
		var err error
		if f.config, err = strictjson.Split(x.Configuration); err != nil {
			return fmt.Errorf("codec %s: %w", x.Name, err)
		}
	}
	switch x.Name {
	case "zstd":
		// Frames say themselves whether they have a checksum. Readers need not be told, and
		// some refuse an array that does.
		f.config = slices.DeleteFunc(f.config, func(m strictjson.Member) bool { return m.Name == "checksum" })
	case "blosc":
		f.config = slices.DeleteFunc(f.config, func(m strictjson.Member) bool { return m.Name == "typesize" })
		for i, m := range f.config {
			if name, err := strictjson.String(m.Raw); m.Name == "shuffle" && err == nil {
				f.config[i].Raw = strconv.AppendInt(nil, int64(slices.Index(bloscShuffles, name)), 10)
			}
		}
	}
	c.list = append(c.list, f)
	return nil
}

// serialize takes the codec that turns elements into bytes, which Zarr v2 has as
// a byte order in the dtype, or as the filter for objects.
func (c *chain) serialize(t dtype.Type, x meta.Extension) error {
	c.elem.typ = t
	big := false
	switch {
	case x.Name == "bytes":
		big = strings.Contains(string(x.Configuration), `"big"`)
	case x.Name == endian.NumpyName:
		var config struct{ DType json.RawMessage }
		if err := strictjson.Unmarshal(x.Configuration, &config); err != nil {
			return err
		}
		_, units, err := dtype.ParseNumpyUnits(config.DType)
		c.elem.big, c.elem.spec = units, config.DType
		return err
	case kinds[id(x.Name)] == objectToBytes || kinds[id(x.Name)] == arrayToBytes && strings.HasPrefix(x.Name, prefix):
		if err := c.add(x); err != nil {
			return err
		}
	default:
		return fmt.Errorf("no codec %s in Zarr v2", strictjson.Quote(x.Name))
	}
	// The first filter that names its type says how elements are laid out
	// before it, the last one how they are behind it.
	if i := slices.IndexFunc(c.list, func(f filter) bool { return f.output() != nil && kinds[f.id] == arrayToArray }); i >= 0 {
		return c.describe(i, big)
	}
	return c.spell(big)
}

// describe takes the byte order from the filters, which must end in the one that
// the codec behind them writes.
func (c *chain) describe(first int, big bool) error {
	in := c.list[first].input()
	last := c.list[first].output()
	for _, f := range c.list[first+1:] {
		if out := f.output(); out != nil && kinds[f.id] == arrayToArray {
			last = out
		}
	}
	t, outBig, err := dtype.ParseNumpy(last)
	if err != nil {
		return err
	}
	wide := slices.ContainsFunc(t.Units(), func(u dtype.Unit) bool { return u.Width > 1 })
	if wide && outBig != big {
		return fmt.Errorf("filters give %s, which is not the byte order of the codec behind them", last)
	}
	if in == nil {
		return c.spell(big)
	}
	_, inBig, err := dtype.ParseNumpy(in)
	if err != nil {
		return err
	}
	return c.spell(inBig)
}

// spell writes down the dtype.
func (c *chain) spell(big bool) (err error) {
	t := c.elem.typ
	switch t.Kind() {
	case dtype.String, dtype.Bytes, dtype.Object, dtype.List:
		c.elem.spec = json.RawMessage(objectCode)
		if len(c.list) == 0 {
			return fmt.Errorf("no codec for %s in Zarr v2", t.Name())
		}
		return nil
	}
	if c.elem.spec, err = dtype.NumpyJSON(t, big); err != nil {
		return fmt.Errorf("no data type %s in Zarr v2: %w", t.Name(), err)
	}
	if big {
		_, c.elem.big, err = dtype.ParseNumpyUnits(c.elem.spec)
	}
	return err
}

// filters gives the filters and compressor members. What stands last is the
// compressor if anything compresses at all.
func (c *chain) filters() (filters, compressor json.RawMessage) {
	filters, compressor = json.RawMessage("null"), json.RawMessage("null")
	list := c.list
	if slices.ContainsFunc(list, func(f filter) bool { return slices.Contains(compressors, f.id) }) {
		compressor = list[len(list)-1].marshal()
		list = list[:len(list)-1]
	}
	if len(list) > 0 {
		filters = json.RawMessage{'['}
		for i, f := range list {
			if i > 0 {
				filters = append(filters, ',')
			}
			filters = append(filters, f.marshal()...)
		}
		filters = append(filters, ']')
	}
	return filters, compressor
}

func (f filter) marshal() json.RawMessage {
	id := strictjson.Member{Name: "id", Raw: strictjson.AppendString(nil, f.id)}
	return appendObject(nil, append([]strictjson.Member{id}, f.config...))
}
