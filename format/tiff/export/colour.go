package export

import (
	"errors"
	"slices"

	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/format/tiff/tag"
	"github.com/omnizarr/zarr/format/tiff/tile"
)

// The photometric interpretations that are written.
const (
	whiteIsZero = 0
	blackIsZero = 1
	rgb         = 2
	palette     = 3
	cmyk        = 5
	ycbcr       = 6
	cielab      = 8
)

// colours is how many samples a photometric interpretation has.
func colours(photometric int) int {
	switch photometric {
	case rgb, ycbcr, cielab:
		return 3
	case cmyk:
		return 4
	}
	return 1
}

// photometric says what samples mean: what they meant in the source, else three
// or four small ones are colours.
func (p *tiffImage) photometric() error {
	l := &p.layout
	l.Photometric = blackIsZero
	small := l.SampleFormat == 1 && (l.BitsPerSample == 8 || l.BitsPerSample == 16)
	v, known := p.sourceTag(tag.Photometric)
	switch {
	case known && len(v) == 1 && p.keeps(int(v[0])):
		l.Photometric = int(v[0])
	case small && (l.Samples == 3 || l.Samples == 4):
		l.Photometric = rgb
	}
	if l.Compression != tile.JPEG {
		return nil
	}
	if l.Photometric == palette {
		return errors.New("numbers of colours in a palette are not kept by JPEG")
	}
	if l.Samples == 3 && l.Photometric == rgb {
		l.Photometric = ycbcr
		p.encoding.Subsampling = [2]int{2, 2}
	}
	l.JPEGTables = l.AppendTables(nil, p.encoding)
	return nil
}

// keeps reports whether the copy has the photometric interpretation of its source.
// YCbCr is RGB by the time that it is read.
func (p *tiffImage) keeps(photometric int) bool {
	switch photometric {
	case whiteIsZero, blackIsZero:
		return true
	case palette:
		return p.colourMap() != nil
	case rgb, cmyk, cielab:
		return p.layout.Samples >= colours(photometric)
	}
	return false
}

// colourMap is the palette of the source, if it is one for the type of the copy:
// all reds, all greens, all blues. Samples of few bits have become bytes, whose
// palette is longer.
func (p *tiffImage) colourMap() []uint16 {
	v, _ := p.sourceTag(tag.ColorMap)
	bits := p.layout.BitsPerSample
	if p.layout.Samples != 1 || p.typ.Kind() != dtype.Uint || bits > 16 || len(v) == 0 || len(v)%3 != 0 || len(v)/3 > 1<<bits {
		return nil
	}
	out := make([]uint16, 3<<bits)
	for i, x := range v {
		n := len(v) / 3
		out[i/n<<bits+i%n] = uint16(x)
	}
	return out
}

// colourFields are the tags about colours, which every directory has.
func (p *tiffImage) colourFields() []tag.Field {
	l := &p.layout
	out := []tag.Field{tag.Shorts(tag.Photometric, uint16(l.Photometric))}
	if l.Photometric == palette {
		out = append(out, tag.Shorts(tag.ColorMap, p.colourMap()...))
	}
	if n := l.Samples - colours(l.Photometric); n > 0 {
		more := make([]uint16, n) // nothing is known of them
		if v, ok := p.sourceTag(tag.ExtraSamples); ok && len(v) == n {
			for i, x := range v {
				more[i] = uint16(x)
			}
		} else if _, known := p.sourceTag(tag.Photometric); !known && l.Photometric == rgb && n == 1 {
			more[0] = 2 // alpha that colours are not multiplied by
		}
		out = append(out, tag.Shorts(tag.ExtraSamples, more...))
	}
	if l.Photometric == ycbcr {
		s := p.encoding.Subsampling
		out = append(out, tag.Shorts(tag.YCbCrSubSampling, uint16(s[0]), uint16(s[1])),
			tag.Rationals(tag.ReferenceBlackWhite, 0, 1, 255, 1, 128, 1, 255, 1, 128, 1, 255, 1))
	}
	return slices.Clip(out)
}
