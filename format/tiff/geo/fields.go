package geo

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/omnizarr/zarr/format/tiff/tag"
)

// Fields gives the tags for a file, in the order of their numbers; keys are
// sorted, as the specification wants.
func (i *Info) Fields() ([]tag.Field, error) {
	fields, err := i.fields()
	if err != nil {
		return nil, fmt.Errorf("GeoTIFF: %w", err)
	}
	return fields, nil
}

func (i *Info) fields() ([]tag.Field, error) {
	var out []tag.Field
	for _, t := range []struct {
		id tag.ID
		v  []float64
		ok bool
	}{{tag.ModelPixelScale, i.PixelScale, len(i.PixelScale) == 2 || len(i.PixelScale) == 3},
		{tag.ModelTiepoint, i.Tiepoints, len(i.Tiepoints)%6 == 0},
		{tag.ModelTransformation, i.Transformation, len(i.Transformation) == 16}} {
		if len(t.v) == 0 {
			continue
		}
		if !t.ok || infinite(t.v) >= 0 {
			return nil, fmt.Errorf("tag %d (%v) cannot be %v", t.id, t.id, t.v[:min(len(t.v), 16)])
		}
		out = append(out, tag.Doubles(t.id, t.v...))
	}
	keys, err := i.directory()
	if err != nil {
		return nil, err
	}
	out = append(out, keys...)
	if len(i.Metadata) > 0 {
		text, err := marshalMetadata(i.Metadata)
		if err != nil {
			return nil, err
		}
		out = append(out, tag.Text(tag.GDALMetadata, text))
	}
	if i.NoData != "" {
		if strings.ContainsRune(i.NoData, 0) {
			return nil, errors.New("a NUL in the text for no data")
		}
		out = append(out, tag.Text(tag.GDALNoData, i.NoData))
	}
	return out, nil
}

// directory writes the keys and what they refer to.
func (i *Info) directory() ([]tag.Field, error) {
	if len(i.Keys) == 0 {
		return nil, nil
	}
	if len(i.Keys) > math.MaxUint16 {
		return nil, fmt.Errorf("%d keys are more than %d", len(i.Keys), math.MaxUint16)
	}
	keys := slices.Clone(i.Keys)
	slices.SortFunc(keys, func(a, b Key) int { return int(a.ID) - int(b.ID) })
	version := [3]uint16{1, 1, 0}
	if i.Version != 0 {
		version = [3]uint16{i.Version, i.Revision, i.Minor}
	}
	head := append(version[:], uint16(len(keys)))
	var ints []uint16
	var floats []float64
	text := ""
	// Offsets of lists of integers count from the beginning of the directory.
	behind := 4 + 4*len(keys)
	for n, k := range keys {
		if n > 0 && keys[n-1].ID == k.ID {
			return nil, fmt.Errorf("key %d (%v) is there twice", k.ID, k.ID)
		}
		var where tag.ID
		var count, offset int
		switch {
		case len(k.Ints) == 1:
			where, count, offset = 0, 1, int(k.Ints[0])
		case len(k.Ints) > 1:
			where, count, offset = tag.GeoKeyDirectory, len(k.Ints), behind+len(ints)
			ints = append(ints, k.Ints...)
		case len(k.Floats) > 0:
			if infinite(k.Floats) >= 0 {
				return nil, fmt.Errorf("key %d (%v) is no number", k.ID, k.ID)
			}
			where, count, offset = tag.GeoDoubleParams, len(k.Floats), len(floats)
			floats = append(floats, k.Floats...)
		default:
			if strings.ContainsRune(k.Text, 0) {
				return nil, fmt.Errorf("key %d (%v): a NUL in the text", k.ID, k.ID)
			}
			where, count, offset = tag.GeoASCIIParams, len(k.Text)+1, len(text)
			text += k.Text + "|"
		}
		if count > math.MaxUint16 || offset > math.MaxUint16 {
			return nil, fmt.Errorf("key %d (%v): %d values from %d on are too many", k.ID, k.ID, count, offset)
		}
		head = append(head, uint16(k.ID), uint16(where), uint16(count), uint16(offset))
	}
	out := []tag.Field{tag.Shorts(tag.GeoKeyDirectory, append(head, ints...)...)}
	if len(floats) > 0 {
		out = append(out, tag.Doubles(tag.GeoDoubleParams, floats...))
	}
	if text != "" {
		out = append(out, tag.Text(tag.GeoASCIIParams, text))
	}
	return out, nil
}
