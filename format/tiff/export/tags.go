package export

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/omnizarr/zarr/downsample"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/format/ngff"
	"github.com/omnizarr/zarr/format/tiff/geo"
	"github.com/omnizarr/zarr/format/tiff/imagej"
	"github.com/omnizarr/zarr/format/tiff/ome"
	"github.com/omnizarr/zarr/format/tiff/tag"
	"github.com/omnizarr/zarr/format/tiff/writer"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/nd"
)

// kept are tags of a source that say the same of the copy.
var kept = []tag.ID{269 /* DocumentName */, 271 /* Make */, 272 /* Model */, 285 /* PageName */, tag.DateTime,
	315 /* Artist */, 316 /* HostComputer */, 700 /* XMP */, 33432 /* Copyright */, 34675 /* ICCProfile */}

// fields are the tags of an image's first page that are not about its pixels.
func (p *tiffImage) fields() ([]tag.Field, error) {
	out := []tag.Field{tag.Text(tag.Software, "Omnizarr")}
	where, err := geo.FromAttributes(p.attrs)
	if err != nil {
		return nil, err
	}
	for _, f := range where {
		if f.ID != tag.GDALNoData || p.noData() == "" {
			out = append(out, f)
		}
	}
	for _, id := range kept {
		var text string
		if json.Unmarshal(p.sourceTags()[id.String()], &text) != nil || text == "" {
			continue
		}
		if id != 700 && id != 34675 {
			out = append(out, tag.Text(id, text))
		} else if raw, err := base64.StdEncoding.DecodeString(text); err == nil {
			out = append(out, tag.Bytes(id, raw))
		}
	}
	return out, nil
}

// pageFields are those of every page: how large and which way up it is shown.
func (p *tiffImage) pageFields() (out []tag.Field) {
	for _, id := range []tag.ID{tag.XResolution, tag.YResolution} {
		if v, ok := p.sourceTag(id); ok && len(v) == 1 && v[0] > 0 && v[0] <= math.MaxUint32 {
			n, d := fraction(v[0])
			out = append(out, tag.Rationals(id, n, d))
		}
	}
	for _, id := range []tag.ID{tag.ResolutionUnit, tag.Orientation} {
		if v, ok := p.sourceTag(id); ok && len(v) == 1 && v[0] > 0 && v[0] <= 8 {
			out = append(out, tag.Shorts(id, uint16(v[0])))
		}
	}
	return out
}

// fraction is a number as a fraction, with as many decimal digits as fit.
func fraction(v float64) (n, d uint32) {
	d = 1
	for v != math.Trunc(v) && d < 1e9 && v*10 <= math.MaxUint32 {
		v, d = v*10, d*10
	}
	return uint32(math.Round(v)), d
}

// noData is the text for the value of what is not stored, which every level has:
// empty if the value is zero, or none of the copy's type.
func (p *tiffImage) noData() string {
	fill := p.levels[0].FillValue()
	if p.typ.Kind() == dtype.Complex || p.typ.Kind() == dtype.Bool || nd.IsFill(nd.Of(fill, 1, len(fill)), []byte{0}) {
		return ""
	}
	text, err := geo.NoData(p.levels[0].Metadata().FillValue, p.levels[0].DataType().Name())
	if err != nil {
		return ""
	}
	if _, err := geo.FillValue(text, p.typ.Name()); err != nil {
		return ""
	}
	return text
}

// halver makes the next level: averages of numbers that leave out what has no
// value, unless the options say otherwise or the numbers are those of colours.
func (p *tiffImage) halver() (*downsample.Halver, error) {
	how := downsample.Average
	switch p.copy.format.Resampling {
	case "":
		if !copying.IsNumber(p.typ) || p.typ.Kind() == dtype.Bool || p.layout.Photometric == palette {
			how = downsample.Nearest
		}
	case "average":
	case "nearest":
		how = downsample.Nearest
	case "mode":
		how = downsample.Mode
	default:
		return nil, fmt.Errorf("resampling %q is not known, only average, nearest and mode", p.copy.format.Resampling)
	}
	var missing []byte
	if p.noData() != "" {
		missing = p.fill
	}
	return downsample.New(p.typ.Name(), how, missing)
}

// sourceTags are the tags that the source has, if it is a TIFF file or was one.
func (p *tiffImage) sourceTags() map[string]json.RawMessage {
	var from struct {
		Tags map[string]json.RawMessage `json:"tags"`
	}
	if ok, err := p.attrs.Get("tiff", &from); !ok || err != nil {
		return nil
	}
	return from.Tags
}

// sourceTag is the number that the source has in a tag, or the list of them.
func (p *tiffImage) sourceTag(id tag.ID) ([]float64, bool) {
	raw := p.sourceTags()[id.String()]
	var list []float64
	if json.Unmarshal(raw, &list) == nil && list != nil {
		return list, true
	}
	var v *float64
	if json.Unmarshal(raw, &v) != nil || v == nil {
		return nil, false
	}
	return []float64{*v}, true
}

// sourceDescription is what the source says about itself in words, which no
// program wrote for programs.
func (p *tiffImage) sourceDescription() string {
	var text string
	_ = json.Unmarshal(p.sourceTags()[tag.ImageDescription.String()], &text)
	if ome.IsOME(text) || imagej.Is(text) || imagej.IsShaped(text) {
		return ""
	}
	return text
}

// sourceImage is what OME-XML of the source says about this image, nil if there is
// none.
func (p *tiffImage) sourceImage() *ome.Image {
	var text string
	if json.Unmarshal(p.sourceTags()[tag.ImageDescription.String()], &text) != nil || !ome.IsOME(text) {
		return nil
	}
	md, err := ome.Parse(text)
	if err != nil {
		return nil
	}
	for i := range md.Images {
		if img := &md.Images[i]; img.Name == p.name || len(md.Images) == 1 {
			return img
		}
	}
	return nil
}

// describe adds to first pages what stacks their images are: OME-XML where it can
// say it, else tifffile's own form where there is something to say.
func (t *tiffCopy) describe() error {
	if t.format.COG {
		t.images[0].quote()
		return nil
	}
	md := &ome.Metadata{Creator: "Omnizarr"}
	said := false
	at := 0
	for _, p := range t.images {
		img, worth := p.ome(at)
		if img == nil {
			return t.describeShapes()
		}
		said = said || worth
		md.Images = append(md.Images, *img)
		at += len(p.pages)
	}
	if !said && len(t.images) == 1 {
		t.images[0].quote()
		return nil
	}
	text, err := ome.Marshal(md)
	if err != nil {
		return t.describeShapes()
	}
	first := t.images[0].pages[0]
	first.Fields = append(first.Fields, tag.Text(tag.ImageDescription, string(text)))
	return nil
}

// quote gives the first page the description that the source has.
func (p *tiffImage) quote() {
	if text := p.sourceDescription(); text != "" {
		first := p.pages[0]
		first.Fields = append(first.Fields, tag.Text(tag.ImageDescription, text))
	}
}

// ome describes an image whose pages begin with page first; nil if OME-XML
// cannot. worth says whether it tells more than the pages do.
func (p *tiffImage) ome(first int) (img *ome.Image, worth bool) {
	pixels, ok := ome.PixelType(p.typ.Name())
	if !ok || p.geographic() {
		return nil, false
	}
	img = &ome.Image{Name: p.name, DimensionOrder: "XY", Type: pixels, SizeX: p.sizes[0][1], SizeY: p.sizes[0][0],
		SizeZ: 1, SizeC: 1, SizeT: 1, Samples: p.layout.Samples, Interleaved: p.layout.Samples > 1}
	if img.Name == "" {
		img.Name = fmt.Sprintf("Image %d", first)
	}
	sizes := map[byte]*int{'z': &img.SizeZ, 'c': &img.SizeC, 't': &img.SizeT}
	scales := map[byte]*ome.Quantity{'z': &img.PhysicalZ, 't': &img.TimeIncrement, 'y': &img.PhysicalY, 'x': &img.PhysicalX}
	measure := func(a rasterAxis) {
		unit, ok := ngff.Symbol(a.unit)
		if q := scales[a.letter]; q != nil && ok && a.scale > 0 {
			*q = ome.Quantity{Value: a.scale, Unit: unit}
			worth = true
		}
	}
	for _, a := range slices.Backward(p.lead) {
		size := sizes[a.letter]
		if size == nil || strings.Contains(img.DimensionOrder, strings.ToUpper(string(a.letter))) {
			return nil, false
		}
		*size = a.length
		img.DimensionOrder += strings.ToUpper(string(a.letter))
		measure(a)
		worth = true
	}
	for _, c := range "ZCT" {
		if !strings.ContainsRune(img.DimensionOrder, c) {
			img.DimensionOrder += string(c)
		}
	}
	y, x := p.scaleY, p.scaleX
	y.letter, x.letter = 'y', 'x'
	measure(y)
	measure(x)
	for i := range img.SizeC {
		c := ome.Channel{Samples: img.Samples}
		if len(p.channels) == img.SizeC {
			c.Name, c.Color = p.channels[i].Label, p.channels[i].Color
			worth = true
		}
		img.Channels = append(img.Channels, c)
	}
	img.Description = p.sourceDescription()
	if from := p.sourceImage(); from != nil {
		img.Name, img.Description = from.Name, from.Description
		if len(from.Channels) == len(img.Channels) {
			img.Channels = from.Channels
		}
	}
	img.SizeC *= img.Samples
	img.Data = []ome.TiffData{{IFD: first, PlaneCount: len(p.pages)}}
	return img, worth
}

// geographic reports whether the image says where on the earth it is, which
// readers look for in files without OME-XML.
func (p *tiffImage) geographic() bool {
	for _, f := range p.pages[0].Fields {
		if f.ID == tag.ModelPixelScale || f.ID == tag.ModelTransformation || f.ID == tag.GeoKeyDirectory {
			return true
		}
	}
	return false
}

// describeShapes gives every image of several planes its shape, in the form that
// tifffile writes, and its levels theirs.
func (t *tiffCopy) describeShapes() error {
	if p := t.images[0]; len(t.images) == 1 && (len(p.lead) == 0 || len(p.lead) == 1 && (p.lead[0].letter == 'i' || p.lead[0].letter == 'q')) {
		p.quote()
		return nil // pages that are alike are one image in any case
	}
	for _, p := range t.images {
		pages := append([]*writer.Image{p.pages[0]}, p.pages[0].Levels...)
		for level, page := range pages {
			text, err := p.shapeText(level)
			if err != nil {
				return err
			}
			page.Fields = append(page.Fields, tag.Text(tag.ImageDescription, text))
		}
	}
	return nil
}

// shapeText describes the shape of a level as tifffile does.
func (p *tiffImage) shapeText(level int) (string, error) {
	shape, axes := []int{}, ""
	for _, a := range p.lead {
		shape = append(shape, a.length)
		axes += strings.ToUpper(string(a.letter))
	}
	shape = append(shape, p.sizes[level][0], p.sizes[level][1])
	axes += "YX"
	if n := p.layout.Samples; n > 1 {
		shape = append(shape, n)
		axes += "S"
	}
	text, err := json.Marshal(struct {
		Shape []int  `json:"shape"`
		Axes  string `json:"axes"`
	}{shape, axes})
	return string(text), err
}
