package jobs

import (
	"context"
	"encoding/json"
	"fmt"
	"image/color"
	"math"
	"slices"
	"sort"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/ngff"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/nd"
)

// palette are the colours of channels that have none; all but the first of them alone.
var palette = []color.NRGBA{{255, 0, 0, 255}, {0, 255, 0, 255}, {0, 0, 255, 255}, {255, 0, 255, 255}, {0, 255, 255, 255}, {255, 255, 0, 255}}

// shownAtFirst is how many channels are.
const shownAtFirst = 3

// show says how channels are shown: as the source does, and else by the values of the
// smallest level, which are few.
func (img *image) show(ctx context.Context, smallest *zarr.Array) (*ngff.OMERO, error) {
	at := slices.IndexFunc(img.axes, func(a axis) bool { return a.Name == "c" })
	count := 1
	if at >= 0 {
		count = img.from.size[at]
	}
	if count > maxShown {
		return nil, nil
	}
	out := &ngff.OMERO{Channels: make([]ngff.Channel, count)}
	if img.omero != nil {
		out.Rest = img.omero.Rest
		if len(img.omero.Channels) == count {
			copy(out.Channels, img.omero.Channels)
		}
	}
	for i := range out.Channels {
		c := &out.Channels[i]
		if c.Label == "" && count > 1 {
			c.Label = fmt.Sprintf("Channel %d", i+1)
		}
		if c.Color == nil {
			shade := palette[i%len(palette)]
			if count == 1 {
				shade = color.NRGBA{255, 255, 255, 255}
			}
			c.Color = &shade
		}
		c.Color = &color.NRGBA{c.Color.R, c.Color.G, c.Color.B, 255} // no program expects another
		if c.Active == nil {
			on := i < shownAtFirst
			c.Active = &on
		}
		if w := c.Window; w != nil && !math.IsNaN(w.Start+w.End+w.Min+w.Max) {
			continue
		}
		w, err := window(ctx, smallest, img, at, i)
		if err != nil {
			return nil, err
		}
		if old := c.Window; old != nil && old.Start < old.End {
			w.Start, w.End = old.Start, old.End
			w.Min, w.Max = min(w.Min, w.Start), max(w.Max, w.End)
		}
		c.Window = w
	}
	if !slices.ContainsFunc(out.Rest, func(m meta.Member) bool { return m.Name == "rdefs" }) {
		z := 0
		if i := slices.IndexFunc(img.axes, func(a axis) bool { return a.Name == "z" }); i >= 0 {
			z = img.from.size[i] / 2
		}
		model := "greyscale"
		if count > 1 {
			model = "color"
		}
		raw, err := json.Marshal(map[string]any{"defaultT": 0, "defaultZ": z, "model": model})
		if err != nil {
			return nil, err
		}
		out.Rest = append(slices.Clip(out.Rest), meta.Member{Name: "rdefs", Raw: raw})
	}
	return out, nil
}

const (
	// maxShown is how many channels are described; more are no channels.
	maxShown = 1 << 10
	// maxLooked is how many elements of a channel are looked at.
	maxLooked = 1 << 22
	// dark and bright are the parts of the elements that are not told apart.
	dark, bright = 0.001, 0.999
)

// window finds between which values a channel is shown: bytes as they are, others by
// what most elements are.
func window(ctx context.Context, a *zarr.Array, img *image, axis, channel int) (*ngff.Window, error) {
	kind := a.DataType().Name()
	switch kind {
	case "uint8":
		return &ngff.Window{Start: 0, End: 255, Min: 0, Max: 255}, nil
	case "bool":
		return &ngff.Window{Start: 0, End: 1, Min: 0, Max: 1}, nil
	}
	start, shape := make([]int, len(a.Shape())), a.Shape()
	if axis >= 0 {
		start[axis], shape[axis] = channel, 1
	}
	// Of many planes those in the middle stand for the others.
	for i := range shape {
		if n, ok := nd.Len(shape); ok && n <= maxLooked {
			break
		}
		if i < len(shape)-2 {
			start[i], shape[i] = start[i]+shape[i]/2, 1
		}
	}
	if n, ok := nd.Len(shape); !ok || n > maxLooked { // levels that were not to be small
		for i := len(shape) - 2; i < len(shape); i++ {
			most := 1 << 11
			if shape[i] > most {
				start[i], shape[i] = (shape[i]-most)/2, most
			}
		}
	}
	data, err := zarr.ReadAs[float64](ctx, a, zarr.Box(start, shape))
	if err != nil {
		return nil, err
	}
	values := slices.DeleteFunc(data.Data, func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) })
	w := &ngff.Window{Start: 0, End: 1, Min: 0, Max: 1}
	if len(values) > 0 {
		sort.Float64s(values)
		last := float64(len(values) - 1)
		w.Min, w.Max = values[0], values[len(values)-1]
		w.Start, w.End = values[int(math.Floor(dark*last))], values[int(math.Ceil(bright*last))]
	}
	switch kind {
	case "int8":
		w.Min, w.Max = math.MinInt8, math.MaxInt8
	case "uint16":
		w.Min, w.Max = 0, math.MaxUint16
	case "int16":
		w.Min, w.Max = math.MinInt16, math.MaxInt16
	}
	if w.Start == w.End {
		w.End = w.Start + 1
		w.Max = max(w.Max, w.End)
	}
	return w, nil
}
