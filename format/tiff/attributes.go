package tiff

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/omnizarr/zarr/format/ngff"
	"github.com/omnizarr/zarr/format/tiff/geo"
	"github.com/omnizarr/zarr/format/tiff/tag"
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
	fields, err := f.Fields(ctx, first, sub, maxAttribute)
	if err != nil {
		return nil, err
	}
	a := &meta.Attributes{}
	if n.level == nil {
		if err := setMultiscales(a, n.series); err != nil {
			return nil, err
		}
	}
	if err := setGeo(a, fields, n); err != nil {
		return nil, err
	}
	if n.level != nil && len(n.series.levels) > 1 {
		return a, nil
	}
	if err := setAxes(a, n); err != nil {
		return nil, err
	}
	return a, a.Set("tiff", map[string]json.RawMessage{"tags": tagsJSON(fields)})
}

// maxAttribute is how long the values of a tag may be to become an attribute.
const maxAttribute = 1 << 20

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

// tagsJSON gives tags by name, in their order. Tables of tiles, which may be
// long, and the tables of JPEG, which the codec has, are left out.
func tagsJSON(fields []tag.Field) json.RawMessage {
	b := []byte{'{'}
	seen := map[tag.ID]bool{}
	for _, f := range fields {
		switch f.ID {
		case tag.StripOffsets, tag.StripByteCounts, tag.TileOffsets, tag.TileByteCounts, tag.JPEGTables, tag.SubIFDs:
			continue
		}
		if seen[f.ID] {
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
		text, err := json.Marshal(validText(f.Text()))
		if err != nil {
			return append(b, "null"...)
		}
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
			b = fmt.Appendf(b, "%d", n)
		case math.IsNaN(v) || math.IsInf(v, 0):
			b = fmt.Appendf(b, "%q", strings.TrimPrefix(fmt.Sprint(v), "+"))
		default:
			text, _ := json.Marshal(v)
			b = append(b, text...)
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

// setGeo adds where on the earth the image is, if the file says it. Tags that make
// no sense are there as they are.
func setGeo(a *meta.Attributes, fields []tag.Field, n node) error {
	info, err := geo.Parse(fields)
	if err != nil || info == nil {
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

// setMultiscales adds how the levels of a group belong together.
func setMultiscales(a *meta.Attributes, s *series) error {
	m := ngff.Multiscales{Name: s.name}
	axes := s.measured()
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
	raw, err := ngff.Attributes(m)
	if err != nil {
		return err
	}
	return a.Set("ome", raw)
}

// setAxes adds the distances of pixels to an array that has no levels to hold
// them.
func setAxes(a *meta.Attributes, n node) error {
	if n.level == nil || n.series.bare {
		return nil
	}
	axes := n.series.measured()
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
