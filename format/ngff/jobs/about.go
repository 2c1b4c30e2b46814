package jobs

import (
	"context"
	"fmt"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/convention"
	"github.com/omnizarr/zarr/coordinates"
	"github.com/omnizarr/zarr/format/ngff"
	"github.com/omnizarr/zarr/internal/words"
)

// About tells of a group of images: the size of pixels, channels, levels; of plates,
// wells and labels what they hold; of an array that is an image by itself, or a level of
// one, how large its pixels are, and its channels.
func (k *Kind) About(ctx context.Context, n zarr.Node) *convention.About {
	g, ok := n.(*zarr.Group)
	if !ok {
		a := n.(*zarr.Array)
		if about := aboutLevel(ctx, a); about != nil {
			return about
		}
		return k.alone(a)
	}
	m, err := ngff.Read(g.Attributes())
	if err != nil {
		return nil
	}
	about := &convention.About{}
	line := func(name, format string, args ...any) {
		about.Lines = append(about.Lines, convention.Line{Name: name, Text: words.Visible(fmt.Sprintf(format, args...))})
	}
	for _, image := range m.Images {
		what := image.Name
		if m.ImageLabel != nil {
			what = strings.TrimSpace(what + " (labels)")
		}
		if what == "" {
			what = words.Counted(len(image.Levels), "level")
		}
		line("image", "%s", what)
		line("pixel size", "%s", pixelWords(&image))
		tellLevels(ctx, g, &image, about)
	}
	if m.OMERO != nil && len(m.OMERO.Channels) > 0 {
		line("channels", "%s", channelWords(m.OMERO.Channels))
	}
	if len(m.Labels) > 0 {
		line("labels", "%s", strings.Join(m.Labels, ", "))
	}
	if p := m.Plate; p != nil {
		line("plate", "%s: %s × %s, %s", words.Visible(p.Name), words.Counted(len(p.Rows), "row"), words.Counted(len(p.Columns), "column"), words.Counted(len(p.Wells), "well"))
	}
	if m.Well != nil {
		line("well", "%s", words.Counted(len(m.Well.Images), "image"))
	}
	if m.Layout > 0 || len(m.Series) > 0 {
		line("images", "%s", seriesWords(ctx, g, m.Series))
	}
	return about
}

// seriesWords names the images of a collection, by the list that it has, or that the group
// beside them has, or by what there is.
func seriesWords(ctx context.Context, g *zarr.Group, series []string) string {
	if beside, err := g.Group(ctx, collection); series == nil && err == nil {
		if m, err := ngff.Read(beside.Attributes()); err == nil {
			series = m.Series
		}
	}
	for i := 0; len(series) == i && i < imagesTold; i++ {
		if _, err := g.Group(ctx, fmt.Sprint(i)); err == nil {
			series = append(series, fmt.Sprint(i))
		}
	}
	var out []string
	for i, path := range series {
		if i == imagesTold {
			out = append(out, fmt.Sprintf("%d more", len(series)-i))
			break
		}
		if image, err := g.Group(ctx, path); err == nil {
			if m, err := ngff.Read(image.Attributes()); err == nil && len(m.Images) > 0 && m.Images[0].Name != "" {
				path += " (" + m.Images[0].Name + ")"
			}
		}
		out = append(out, path)
	}
	return strings.Join(out, ", ")
}

// aboutLevel tells of an array that is a level of an image, nil if it is none.
func aboutLevel(ctx context.Context, a *zarr.Array) *convention.About {
	l, err := coordinates.LevelOf(ctx, a)
	if err != nil || l == nil {
		return nil
	}
	about := &convention.About{}
	line := func(name, text string) {
		about.Lines = append(about.Lines, convention.Line{Name: name, Text: words.Visible(text)})
	}
	what := fmt.Sprintf("level %d of %d", l.Number+1, len(l.Image.Levels))
	if l.Image.Name != "" {
		what += " of " + l.Image.Name
	}
	line("image", what)
	line("pixel size", pixelWords(&ngff.Multiscales{Axes: l.Image.Axes, Levels: l.Image.Levels[l.Number:]}))
	if channels := l.Channels(); len(channels) > 0 {
		line("channels", channelWords(channels))
	}
	return about
}

// alone tells of an array that no group describes.
func (k *Kind) alone(a *zarr.Array) *convention.About {
	attrs := a.Attributes()
	for _, d := range k.Describers {
		if said, ok := d.Describe(a); ok {
			attrs = said.Attributes
		}
	}
	about := &convention.About{}
	line := func(name, text string) {
		about.Lines = append(about.Lines, convention.Line{Name: name, Text: words.Visible(text)})
	}
	if image := ngff.Described(attrs, a.DimensionNames()); image != nil && len(image.Axes) == len(a.Shape()) {
		line("pixel size", pixelWords(image))
	}
	if channels := ngff.Hints(attrs); len(channels) > 0 {
		line("channels", channelWords(channels))
	}
	if len(about.Lines) == 0 {
		return nil
	}
	return about
}

// pixelWords tells how large an element of the finest level is.
func pixelWords(image *ngff.Multiscales) string {
	var sizes []string
	for i, axis := range image.Axes {
		if axis.Type == "channel" {
			continue
		}
		size := fmt.Sprintf("%s %.6g", axis.Name, image.Levels[0].Scale[i])
		if axis.Unit != "" {
			size += " " + axis.Unit
		}
		sizes = append(sizes, size)
	}
	return strings.Join(sizes, ", ")
}

// tellLevels lists the levels of an image.
func tellLevels(ctx context.Context, g *zarr.Group, image *ngff.Multiscales, about *convention.About) {
	list := convention.List{Title: "levels"}
	for _, l := range image.Levels {
		row := [3]string{l.Path, "", pixelWords(&ngff.Multiscales{Axes: image.Axes, Levels: []ngff.Level{l}})}
		if a, err := g.Array(ctx, l.Path); err == nil {
			row[1] = words.Times(a.Shape()) + " " + a.DataType().Name()
		} else {
			row[1] = "cannot be opened"
			about.Broken = append(about.Broken, err)
		}
		list.Rows = append(list.Rows, row)
	}
	about.Lists = append(about.Lists, list)
}

// channelsTold and imagesTold are how many of them are named.
const (
	channelsTold = 12
	imagesTold   = 12
)

// channelWords names channels with their colours.
func channelWords(list []ngff.Channel) string {
	var out []string
	for i, c := range list {
		if i == channelsTold {
			out = append(out, fmt.Sprintf("%d more", len(list)-i))
			break
		}
		name := c.Label
		if name == "" {
			name = fmt.Sprint(i)
		}
		if c.Color != nil {
			name += fmt.Sprintf(" (#%02X%02X%02X)", c.Color.R, c.Color.G, c.Color.B)
		}
		out = append(out, name)
	}
	return strings.Join(out, ", ")
}
