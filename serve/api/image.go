package api

import (
	"context"
	"fmt"
	"image/color"
	"math"
	"path"
	"slices"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/ngff"
	"github.com/omnizarr/zarr/serve/levels"
	"github.com/omnizarr/zarr/serve/tiles"
)

// ImageInfo is what is known of an image.
type ImageInfo struct {
	Axes    []Axis `json:"axes"` // of level 0
	X       int    `json:"x"`
	Y       int    `json:"y"`
	Channel int    `json:"channel"` // the axis, or -1
	// Levels are the finest first.
	Levels   []Level   `json:"levels"`
	Channels []Channel `json:"channels"` // one without an axis of channels
	// RGB says that channels are colours, shown as they are.
	RGB      bool   `json:"rgb"`
	DataType string `json:"data_type"` // of tiles
	// Missing says that NaN is what is missing.
	Missing bool    `json:"missing,omitempty"`
	Labels  []Label `json:"labels"`
	// Up says that y grows upwards.
	Up  bool `json:"up"`
	Map *Map `json:"map,omitempty"`
	// Position is a good place to begin, on every axis.
	Position []int `json:"position"`
}

// Level is a resolution of an image.
type Level struct {
	Path   string `json:"path"`
	Shape  []int  `json:"shape"`
	Chunks []int  `json:"chunks"`
	Shards []int  `json:"shards,omitempty"`
	// Scale is how many indices of level 0 one of this is, along every axis.
	Scale []float64 `json:"scale"`
	// Made says that it is not stored, but made when it is asked for.
	Made bool `json:"made,omitempty"`
}

// Channel is how a channel is called and shown.
type Channel struct {
	Label  string      `json:"label"`
	Color  string      `json:"color"` // "#4aa8ff"
	Active bool        `json:"active"`
	Window *[2]float64 `json:"window,omitempty"` // what is shown black and in full colour
	Range  *[2]float64 `json:"range,omitempty"`  // what these may be
}

// Label is an image of labels that belongs to an image.
type Label struct {
	Path   string   `json:"path"`
	Name   string   `json:"name"`
	Colors [][2]any `json:"colors,omitempty"` // values and their colours
}

// imageMember tells what an image is.
func (s *server) imageMember(ctx context.Context, sp *spot, n *Node) (err error) {
	if slices.Contains(n.Views, ImageKind) {
		n.Image, err = s.imageInfo(ctx, sp)
	}
	return err
}

// imageInfo tells what an image is. It is found out once for each that is open.
func (s *server) imageInfo(ctx context.Context, sp *spot) (*ImageInfo, error) {
	o, done, err := s.image(ctx, sp)
	if err != nil {
		return nil, err
	}
	defer done()
	o.telling.Lock()
	defer o.telling.Unlock()
	if o.info == nil {
		if o.info, err = s.describeImage(ctx, sp, o.image); err != nil {
			return nil, sp.fail(err)
		}
	}
	return o.info, nil
}

func (s *server) describeImage(ctx context.Context, sp *spot, img *levels.Image) (*ImageInfo, error) {
	info := &ImageInfo{X: img.X, Y: img.Y, Channel: img.Channel, RGB: img.RGB, DataType: tiles.DataType(img)}
	info.Missing = info.DataType == "float32"
	for k, l := range img.Levels {
		level := Level{Path: sp.path, Shape: l.Shape(), Chunks: l.ChunkShape(), Shards: l.ShardShape(), Scale: l.Scale, Made: img.Made(k)}
		if l.Name != "" {
			level.Path = path.Join(sp.path, l.Name)
		}
		if level.Chunks == nil { // they differ
			level.Chunks = l.Shape()
		}
		info.Levels = append(info.Levels, level)
	}
	for _, c := range img.Complete(img.Shown) {
		out := Channel{Label: c.Label, Color: hex(*c.Color), Active: *c.Active}
		if w := c.Window; w != nil {
			out.Window = &[2]float64{w.Start, w.End}
			if w.Min < w.Max {
				out.Range = &[2]float64{w.Min, w.Max}
			}
		}
		if out.Label == "" {
			out.Label = nameOf(sp, img.Levels[0].Array)
		}
		info.Channels = append(info.Channels, out)
	}
	var err error
	if info.Axes, err = s.axes(ctx, img); err != nil {
		return nil, err
	}
	info.Map, info.Up = mapOf(img, info.Axes)
	if info.Labels, err = s.labels(ctx, sp, img); err != nil {
		return nil, err
	}
	// A chunk that cannot be read is told when it is looked at.
	info.Position, _ = img.Start(ctx)
	return info, ctx.Err()
}

func hex(c color.NRGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

// nameOf is what the numbers of an array without channels are called.
func nameOf(sp *spot, a *zarr.Array) string {
	for _, attr := range []string{"long_name", "standard_name"} {
		var text string
		if ok, err := a.Attributes().Get(attr, &text); ok && err == nil && text != "" {
			return text
		}
	}
	if sp.path == "/" {
		return sp.source.Name()
	}
	return path.Base(sp.path)
}

// How many images of labels are told of an image, and colours of each.
const (
	mostLabels = 64
	mostColors = 4096
)

// labels are the images of labels that OME-NGFF has beside the levels.
func (s *server) labels(ctx context.Context, sp *spot, img *levels.Image) ([]Label, error) {
	out := []Label{}
	if _, isGroup := img.Node.(*zarr.Group); !isGroup || img.Labels {
		return out, nil
	}
	at := path.Join(sp.path, "labels")
	list, err := sp.source.Node(ctx, at[1:])
	if err != nil {
		return out, ctx.Err() // there are none
	}
	m, err := ngff.Read(list.Attributes())
	if err != nil {
		return out, nil
	}
	for _, name := range m.Labels[:min(len(m.Labels), mostLabels)] {
		l := Label{Path: path.Join(at, name), Name: name}
		n, err := sp.source.Node(ctx, l.Path[1:])
		if err != nil {
			continue // a list may name what was removed
		}
		if own, err := ngff.Read(n.Attributes()); err == nil && own.ImageLabel != nil {
			for _, c := range own.ImageLabel.Colors[:min(len(own.ImageLabel.Colors), mostColors)] {
				if c.Color != nil {
					l.Colors = append(l.Colors, [2]any{c.Value, hex(*c.Color)})
				}
			}
		}
		out = append(out, l)
	}
	return out, ctx.Err()
}

// round drops what floats add to a number that people wrote.
func round(v float64) float64 {
	if v == 0 || math.IsInf(v, 0) || math.IsNaN(v) {
		return v
	}
	scale := math.Pow(10, 14-math.Ceil(math.Log10(math.Abs(v))))
	if r := math.Round(v*scale) / scale; !math.IsInf(r, 0) && !math.IsNaN(r) {
		return r
	}
	return v
}
