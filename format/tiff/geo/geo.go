// Package geo reads and writes the tags of GeoTIFF: where on earth an image
// lies. It turns them into attributes of Zarr and back: an object "geotiff" that
// keeps everything, and the conventions "proj:" and "spatial:" for readers that
// know nothing of GeoTIFF. It reads and writes no file.
package geo

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/omnizarr/zarr/format/tiff/tag"
)

// Info is what the tags say.
type Info struct {
	Version, Revision, Minor uint16 // of the directory of keys: 1, 1 and 0
	Keys                     []Key  // no key twice

	PixelScale     []float64 // along x, y and z
	Tiepoints      []float64 // six numbers each: a point in the image, the same in the world
	Transformation []float64 // 4 x 4 matrix, row by row

	Metadata []Item // GDAL's own items
	NoData   string // GDAL's text of the value that stands for no data; may be empty
}

// Key is a GeoKey. It has either integers, or numbers, or text.
type Key struct {
	ID     KeyID
	Ints   []uint16
	Floats []float64
	Text   string
}

// maxValues bounds what all keys together hold: several may refer to the same
// numbers.
const maxValues = 1 << 20

// Parse reads the tags among fields; others are ignored. Info is nil if there is
// none of them. If something is wrong it is the first such thing that the error
// tells, and Info has all that could be read.
func Parse(fields []tag.Field) (*Info, error) {
	p := parser{tags: map[tag.ID]tag.Field{}}
	for _, f := range fields {
		switch f.ID {
		case tag.ModelPixelScale, tag.ModelTiepoint, tag.ModelTransformation, tag.GeoKeyDirectory, tag.GeoDoubleParams,
			tag.GeoASCIIParams, tag.GDALMetadata, tag.GDALNoData:
			p.tags[f.ID] = f
		}
	}
	if len(p.tags) == 0 {
		return nil, nil
	}
	p.model()
	p.directory()
	if f, ok := p.tags[tag.GDALMetadata]; ok {
		var err error
		p.info.Metadata, err = parseMetadata(f.Text())
		p.fail(err)
	}
	if f, ok := p.tags[tag.GDALNoData]; ok {
		p.info.NoData = strings.TrimSpace(f.Text())
	}
	if p.err != nil {
		return &p.info, fmt.Errorf("GeoTIFF: %w", p.err)
	}
	return &p.info, nil
}

// parser collects what it can and keeps the first error.
type parser struct {
	tags   map[tag.ID]tag.Field
	info   Info
	values int
	err    error
}

func (p *parser) fail(err error) {
	if p.err == nil {
		p.err = err
	}
}

// numbers gives the values of a tag, nil if it is not there or wrong.
func (p *parser) numbers(id tag.ID, check func(n int) bool) []float64 {
	f, ok := p.tags[id]
	if !ok {
		return nil
	}
	v, err := f.Floats()
	if err != nil {
		p.fail(err)
		return nil
	}
	if !check(len(v)) {
		p.fail(fmt.Errorf("tag %d (%v) has %d values", id, id, len(v)))
		return nil
	}
	if i := infinite(v); i >= 0 {
		p.fail(fmt.Errorf("tag %d (%v): value %d is %v", id, id, i, v[i]))
		return nil
	}
	return v
}

// infinite finds what is no number; -1: all are.
func infinite(v []float64) int {
	for i, x := range v {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return i
		}
	}
	return -1
}

func (p *parser) model() {
	p.info.PixelScale = p.numbers(tag.ModelPixelScale, func(n int) bool { return n == 2 || n == 3 })
	p.info.Tiepoints = p.numbers(tag.ModelTiepoint, func(n int) bool { return n > 0 && n%6 == 0 })
	p.info.Transformation = p.numbers(tag.ModelTransformation, func(n int) bool { return n == 16 })
}

// directory reads the keys.
func (p *parser) directory() {
	f, ok := p.tags[tag.GeoKeyDirectory]
	if !ok {
		return
	}
	if f.Type != tag.Short {
		p.fail(fmt.Errorf("tag %d (%v) has type %d, not %d", f.ID, f.ID, f.Type, tag.Short))
		return
	}
	d := make([]uint16, f.Len())
	for i := range d {
		v, _ := f.Uint(i)
		d[i] = uint16(v)
	}
	if len(d) < 4 {
		p.fail(fmt.Errorf("tag %d (%v) has %d values, 4 are needed", f.ID, f.ID, len(d)))
		return
	}
	p.info.Version, p.info.Revision, p.info.Minor = d[0], d[1], d[2]
	if d[0] != 1 {
		p.fail(fmt.Errorf("version %d of the keys is not known", d[0]))
		return
	}
	n := int(d[3])
	if have := (len(d) - 4) / 4; n > have {
		p.fail(fmt.Errorf("%d keys are announced, there is room for %d", n, have))
		n = have
	}
	floats := p.numbers(tag.GeoDoubleParams, func(int) bool { return true })
	seen := map[KeyID]bool{}
	for i := range n {
		e := d[4+4*i:]
		key := Key{ID: KeyID(e[0])}
		if seen[key.ID] {
			p.fail(fmt.Errorf("key %d (%v) is there twice", e[0], key.ID))
			continue
		}
		seen[key.ID] = true
		if err := p.key(&key, tag.ID(e[1]), int(e[2]), int(e[3]), d, floats); err != nil {
			p.fail(fmt.Errorf("key %d (%v): %w", e[0], key.ID, err))
			continue
		}
		p.info.Keys = append(p.info.Keys, key)
	}
}

// key finds the values of a key: count of them, from offset on in a tag.
func (p *parser) key(k *Key, where tag.ID, count, offset int, directory []uint16, floats []float64) error {
	if where == 0 {
		k.Ints = []uint16{uint16(offset)}
		return k.settle()
	}
	raw := p.tags[tag.GeoASCIIParams].Raw
	have, ok := map[tag.ID]int{tag.GeoKeyDirectory: len(directory), tag.GeoDoubleParams: len(floats), tag.GeoASCIIParams: len(raw)}[where]
	if !ok {
		return fmt.Errorf("its values are in tag %d", where)
	}
	if offset+count > have {
		return fmt.Errorf("%d values from %d on, tag %d (%v) has %d", count, offset, where, where, have)
	}
	if count == 0 && where != tag.GeoASCIIParams {
		return errors.New("it has no value")
	}
	if p.values += count; p.values > maxValues {
		return fmt.Errorf("more than %d values of all keys", maxValues)
	}
	switch where {
	case tag.GeoKeyDirectory:
		k.Ints = directory[offset : offset+count]
	case tag.GeoDoubleParams:
		k.Floats = floats[offset : offset+count]
	default:
		s, _, _ := strings.Cut(string(raw[offset:offset+count]), "\x00")
		k.Text = strings.ToValidUTF8(strings.TrimSuffix(s, "|"), "\ufffd")
	}
	return k.settle()
}

// settle makes sure that values are what the key demands.
func (k *Key) settle() error {
	kind := keys[k.ID].kind
	isText := k.Ints == nil && k.Floats == nil
	switch {
	case kind == text && !isText:
		return errors.New("it has numbers, not text")
	case kind != text && kind != anything && isText:
		return errors.New("it has text, not numbers")
	case kind == double && k.Ints != nil:
		for _, v := range k.Ints {
			k.Floats = append(k.Floats, float64(v))
		}
		k.Ints = nil
	case kind == short && k.Floats != nil:
		return errors.New("it has floating-point numbers, not integers")
	}
	return nil
}

// Key finds a key, nil if it is not there.
func (i *Info) Key(id KeyID) *Key {
	for n := range i.Keys {
		if i.Keys[n].ID == id {
			return &i.Keys[n]
		}
	}
	return nil
}

// code is the value of a key that has one integer, 0 if it has not.
func (i *Info) code(id KeyID) int {
	if k := i.Key(id); k != nil && len(k.Ints) == 1 {
		return int(k.Ints[0])
	}
	return 0
}

// Values of keys.
const (
	modelProjected  = 1
	modelGeographic = 2
	pixelIsArea     = 1
	pixelIsPoint    = 2
	userDefined     = 32767
)

// EPSG is the code of the coordinate reference system, such as 32633; ok is
// false if the keys describe one that has no code.
func (i *Info) EPSG() (code int, ok bool) {
	code = i.code(ProjectedType)
	if code == 0 && i.code(ModelType) != modelProjected {
		code = i.code(GeographicType)
	}
	return code, code >= 1024 && code < userDefined
}

// Name is what people call the coordinate reference system, such as "WGS 84 /
// UTM zone 33N", or empty.
func (i *Info) Name() string {
	for _, id := range []KeyID{Citation, PCSCitation, GeogCitation} {
		if k := i.Key(id); k != nil && k.Text != "" {
			return k.Text
		}
	}
	return ""
}

// Unit is the unit of the coordinates as far as the keys tell: "meter", "foot",
// "degree", or empty.
func (i *Info) Unit() string {
	if i.code(ModelType) == modelGeographic {
		if unit := i.code(2054); unit == 0 || unit == 9102 {
			return "degree"
		}
		return ""
	}
	switch i.code(3076) {
	case 9001:
		return "meter"
	case 9002:
		return "foot"
	}
	return ""
}
