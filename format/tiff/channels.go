package tiff

import (
	"image/color"
	"math"

	"github.com/omnizarr/zarr/format/ngff"
	"github.com/omnizarr/zarr/format/tiff/imagej"
	"github.com/omnizarr/zarr/format/tiff/ome"
	"github.com/omnizarr/zarr/format/tiff/tag"
	"github.com/omnizarr/zarr/meta"
)

// omeChannels are the channels that OME-XML names or colours, nil if it does neither.
func omeChannels(img *ome.Image) []ngff.Channel {
	if img.Samples > 1 || len(img.Channels) != img.Size('C') {
		return nil
	}
	out, some := make([]ngff.Channel, len(img.Channels)), false
	for i, c := range img.Channels {
		out[i].Label = c.Name
		if c.Color != nil {
			shade := *c.Color
			shade.A = 255 // programs that leave it out mean the colour all the same
			out[i].Color = &shade
		}
		some = some || c.Name != "" || c.Color != nil
	}
	if !some {
		return nil
	}
	return out
}

// imageJChannels are the channels as ImageJ shows them: the ends of its tables of
// colours, and between which values. nil if it does not say.
func imageJChannels(s *series, info *imagej.Metadata, text string) []ngff.Channel {
	if s.how != "imagej" || s.hasSamples() {
		return nil
	}
	out := make([]ngff.Channel, s.count('c'))
	some := false
	for i := range out {
		if info != nil && len(info.LUTs) == len(out) && len(info.LUTs[i]) == 768 {
			t := info.LUTs[i]
			out[i].Color = &color.NRGBA{R: t[255], G: t[511], B: t[767], A: 255}
			some = true
		}
		if info != nil && len(info.Ranges) == 2*len(out) {
			out[i].Window = s.window(info.Ranges[2*i], info.Ranges[2*i+1])
		}
	}
	if d, err := imagej.Parse(text); err == nil && len(out) == 1 && out[0].Window == nil && d.Min != nil && d.Max != nil {
		out[0].Window = s.window(*d.Min, *d.Max)
	}
	for _, c := range out {
		some = some || c.Window != nil
	}
	if !some {
		return nil
	}
	return out
}

// window shows what lies between two values; its limits are those of the type, or
// the same if the type has no smallest and largest number that is of any use.
func (s *series) window(start, end float64) *ngff.Window {
	if math.IsNaN(start) || math.IsNaN(end) || math.IsInf(start, 0) || math.IsInf(end, 0) || !(start < end) {
		return nil
	}
	w := &ngff.Window{Start: start, End: end, Min: start, Max: end}
	if k := s.levels[0].kind; k.format == 1 && k.bits <= 16 {
		w.Min, w.Max = min(0, start), max(float64(uint(1)<<k.bits-1), end)
	}
	return w
}

// count is how many planes there are along an axis.
func (s *series) count(letter byte) int {
	n := 1
	for _, a := range s.axes {
		if a.letter == letter {
			n *= a.length
		}
	}
	return n
}

// shown are the channels of the series, nil if nothing is known of them.
func (s *series) shown(fields []tag.Field) []ngff.Channel {
	if s.channels != nil || s.how != "imagej" {
		return s.channels
	}
	var counts, data tag.Field
	text := ""
	for _, f := range fields {
		switch f.ID {
		case tag.IJMetadataCounts:
			counts = f
		case tag.IJMetadata:
			data = f
		case tag.ImageDescription:
			if f.Type == tag.ASCII {
				text = f.Text()
			}
		}
	}
	info, err := imagej.ParseMetadata(counts, data)
	if err != nil {
		info = nil
	}
	return imageJChannels(s, info, text)
}

// setChannels adds how channels are called and shown to an array that has no levels
// to hold it.
func setChannels(a *meta.Attributes, n node, fields []tag.Field) error {
	if n.level == nil || n.series.bare {
		return nil
	}
	channels := n.series.shown(fields)
	if channels == nil {
		return nil
	}
	return (&ngff.Metadata{Version: ngff.Old, OMERO: &ngff.OMERO{Channels: channels}}).Write(a)
}
