package tiff

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/omnizarr/zarr/format/ngff"
	"github.com/omnizarr/zarr/format/tiff/geo"
	"github.com/omnizarr/zarr/format/tiff/imagej"
	"github.com/omnizarr/zarr/format/tiff/tag"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/meta"
)

// attributes are what the file says about a node: the tags of its first page,
// where on the earth it is, and how its levels belong together. Levels have
// only what differs from their group.
func (f *File) attributes(ctx context.Context, n node) (*meta.Attributes, error) {
	if n.series == nil {
		return nil, nil
	}
	first, sub := n.series.first()
	if first < 0 {
		return nil, nil
	}
	fields, err := f.fields(ctx, first, sub, maxAttributes, isTable)
	if err != nil {
		return nil, err
	}
	a := &meta.Attributes{}
	// Of tags that make no sense, what does is taken; they are there as they are.
	where, _ := geo.Parse(fields)
	if n.level == nil {
		if err := setMultiscales(a, n.series, where, fields); err != nil {
			return nil, err
		}
	}
	if err := setGeo(a, where, n); err != nil {
		return nil, err
	}
	if n.level != nil && len(n.series.levels) > 1 {
		return a, nil
	}
	if err := errors.Join(setAxes(a, n, where), setChannels(a, n, fields)); err != nil {
		return nil, err
	}
	if err := setImageJ(a, fields); err != nil {
		return nil, err
	}
	about := map[string]any{"tags": tagsJSON(fields)}
	if name := n.series.name; name != "" {
		about["name"] = name
	}
	if err := a.Set("tiff", about); err != nil {
		return nil, err
	}
	return a, setDescribed(a, n.series)
}

// maxAttributes is how many bytes the values of tags may have together to become
// attributes.
const maxAttributes = 1 << 20

// isTable reports whether a tag is no attribute: the tables of tiles, which may be
// long, and the tables of JPEG, which the codec has.
func isTable(id tag.ID) bool {
	switch id {
	case tag.StripOffsets, tag.StripByteCounts, tag.TileOffsets, tag.TileByteCounts, tag.JPEGTables, tag.SubIFDs:
		return true
	}
	return false
}

// first is the page that tells about the series.
func (s *series) first() (page, sub int) {
	l := &s.levels[0]
	for _, n := range l.pages {
		if n >= 0 {
			return int(n), l.sub
		}
	}
	return -1, -1
}

// tagsJSON gives tags by name, in their order, without tables.
func tagsJSON(fields []tag.Field) json.RawMessage {
	b := []byte{'{'}
	seen := map[tag.ID]bool{}
	for _, f := range fields {
		if seen[f.ID] || isTable(f.ID) {
			continue
		}
		seen[f.ID] = true
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = fmt.Appendf(b, "%q:", f.ID)
		b = appendValues(b, f)
	}
	return append(b, '}')
}

// appendValues appends the values of a field: text as text, bytes without a
// meaning as base64, one number alone, several in a list, null for what is too
// long.
func appendValues(b []byte, f tag.Field) []byte {
	switch {
	case len(f.Raw) == 0:
		return append(b, "null"...)
	case f.Type == tag.ASCII:
		text, _ := json.Marshal(validText(f.Text())) // text has no other errors
		return append(b, text...)
	case (f.Type == tag.Byte || f.Type == tag.Undefined) && len(f.Raw) > 16:
		b = append(b, '"')
		b = base64.StdEncoding.AppendEncode(b, f.Raw)
		return append(b, '"')
	}
	if f.Len() != 1 {
		b = append(b, '[')
	}
	floats, _ := f.Floats()
	for i, v := range floats {
		if i > 0 {
			b = append(b, ',')
		}
		n, err := f.Uint(i)
		switch {
		case err == nil:
			b = strconv.AppendUint(b, n, 10)
		case math.IsNaN(v):
			b = append(b, `"NaN"`...)
		case math.IsInf(v, 1):
			b = append(b, `"Infinity"`...)
		case math.IsInf(v, -1):
			b = append(b, `"-Infinity"`...)
		default:
			b = strconv.AppendFloat(b, v, 'g', -1, 64)
		}
	}
	if f.Len() != 1 {
		b = append(b, ']')
	}
	return b
}

// validText takes text that is not UTF-8 for Latin-1, which it was before
// there was any other.
func validText(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	out := make([]rune, len(s))
	for i := range len(s) {
		out[i] = rune(s[i])
	}
	return string(out)
}

// setGeo adds where on the earth the image is, if the file says it.
func setGeo(a *meta.Attributes, info *geo.Info, n node) error {
	if info == nil {
		return nil
	}
	full := n.series.levels[0].kind
	members, err := info.Attributes(full.width, full.height)
	if n.level != nil && len(n.series.levels) > 1 {
		members, err = info.LevelAttributes(full.width, full.height, n.level.kind.width, n.level.kind.height)
	}
	if err != nil {
		return nil
	}
	for _, m := range members {
		if err := a.Set(m.Name, m.Raw); err != nil {
			return err
		}
	}
	return nil
}

// setImageJ adds what ImageJ's own tags hold, as far as it can be read.
func setImageJ(a *meta.Attributes, fields []tag.Field) error {
	var counts, data tag.Field
	for _, f := range fields {
		switch f.ID {
		case tag.IJMetadataCounts:
			counts = f
		case tag.IJMetadata:
			data = f
		}
	}
	if len(counts.Raw) == 0 || len(data.Raw) == 0 {
		return nil
	}
	info, err := imagej.ParseMetadata(counts, data)
	if err != nil {
		return nil // it is among the tags
	}
	members, err := info.Attributes()
	if err != nil || len(members) == 0 {
		return err
	}
	object := map[string]json.RawMessage{}
	for _, m := range members {
		object[m.Name] = m.Raw
	}
	return a.Set("imagej", object)
}

// setDescribed adds attributes that the description has. What was found out about
// the file goes first.
func setDescribed(a *meta.Attributes, s *series) error {
	size := 0
	for _, m := range s.more {
		if size += len(m.Name) + len(m.Raw); size > maxAttributes {
			break
		}
		if a.Raw(m.Name) != nil {
			continue
		}
		if err := a.Set(m.Name, strictjson.QuoteBare(m.Raw)); err != nil {
			return err
		}
	}
	return nil
}

// setMultiscales adds how the levels of a group belong together.
func setMultiscales(a *meta.Attributes, s *series, where *geo.Info, fields []tag.Field) error {
	m := ngff.Multiscales{Name: s.name}
	axes := s.measured()
	onEarth(axes, where)
	for _, x := range axes {
		m.Axes = append(m.Axes, x.ngff(strings.Contains(letters(axes), "c")))
	}
	full := s.levels[0].kind
	for i, l := range s.levels {
		scale := make([]float64, len(axes))
		for j, x := range axes {
			if scale[j] = x.scale; scale[j] == 0 {
				scale[j] = 1 // in pixels
			}
			switch x.letter {
			case 'y':
				scale[j] *= float64(full.height) / float64(l.kind.height)
			case 'x':
				scale[j] *= float64(full.width) / float64(l.kind.width)
			}
		}
		m.Levels = append(m.Levels, ngff.Level{Path: fmt.Sprint(i), Scale: scale})
	}
	if m.Check() != nil {
		return nil // axes that OME-NGFF does not have
	}
	all := &ngff.Metadata{Images: []ngff.Multiscales{m}}
	if channels := s.shown(fields); channels != nil {
		all.OMERO = &ngff.OMERO{Channels: channels}
	}
	return all.Write(a)
}

// onEarth gives rows and columns without a scale that of a map, if its axes are
// theirs and it is measured in lengths.
func onEarth(axes []axis, where *geo.Info) {
	if where == nil {
		return
	}
	t, ok := where.Transform()
	unit := where.Unit()
	if !ok || t[2] != 0 || t[4] != 0 || unit != "meter" && unit != "foot" {
		return
	}
	for i := range axes {
		x := &axes[i]
		switch {
		case x.scale != 0:
		case x.letter == 'y':
			x.scale, x.unit = math.Abs(t[5]), unit
		case x.letter == 'x':
			x.scale, x.unit = math.Abs(t[1]), unit
		}
	}
}

// setAxes adds the distances of pixels to an array that has no levels to hold
// them.
func setAxes(a *meta.Attributes, n node, where *geo.Info) error {
	if n.level == nil || n.series.bare {
		return nil
	}
	axes := n.series.measured()
	onEarth(axes, where)
	var list []map[string]string
	scale := make([]float64, len(axes))
	known := false
	for i, x := range axes {
		entry := map[string]string{"name": string(x.letter)}
		if x.unit != "" {
			entry["unit"] = x.unit
		}
		list = append(list, entry)
		scale[i] = x.scale
		if known = known || x.scale != 0; x.scale == 0 {
			scale[i] = 1
		}
	}
	if !known {
		return nil
	}
	return errors.Join(a.Set("axes", list), a.Set("scale", scale))
}

// measured are the axes of the series with units that OME-NGFF knows; others,
// such as pixels, are left out.
func (s *series) measured() []axis {
	out := s.all()
	for i := range out {
		x := &out[i]
		if v, unit, ok := ngff.ToUnit(x.scale, x.unit); ok && x.scale != 0 {
			x.scale, x.unit = v, unit
		} else {
			x.unit = ""
		}
	}
	return out
}

// ngff gives the axis as OME-NGFF has it. Samples are channels, unless there are
// channels beside them.
func (x axis) ngff(channels bool) ngff.Axis {
	name := string(x.letter)
	out := ngff.Axis{Name: name, Type: ngff.AxisType(name), Unit: x.unit}
	if x.letter == 's' && channels {
		out.Type = ""
	}
	return out
}
