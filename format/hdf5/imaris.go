package hdf5

import (
	"encoding/json"
	"fmt"
	"image/color"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/omnizarr/zarr/format/ngff"
	"github.com/omnizarr/zarr/hdf5"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/meta"
)

// imaris are files of Imaris: datasets of one time point, channel and resolution
// each, padded to whole chunks, of which the root shows an image with axes t, c, z, y
// and x. Attributes are arrays of letters, and are shown as text.
type imaris struct {
	plain
	s               *Store
	times, channels uint64
	levels          [][3]uint64 // the sizes along z, y and x
}

// maxLevels is how many resolutions an image may have.
const maxLevels = 64

// imaris reads what the file says of its image, nil if it is no file of Imaris.
func (s *Store) imaris(root *node) convention {
	if s.text(of(root.o), "ImarisDataSet") == "" {
		return nil
	}
	c := &imaris{s: s}
	for len(c.levels) < maxLevels {
		level := find(root.o, "DataSet", fmt.Sprint("ResolutionLevel ", len(c.levels)))
		if level == nil {
			break
		}
		first := find(level, "TimePoint 0", "Channel 0")
		if first == nil {
			break
		}
		if len(c.levels) == 0 {
			c.times, c.channels = numbered(level, "TimePoint "), numbered(find(level, "TimePoint 0"), "Channel ")
		}
		var size [3]uint64
		list := of(first)
		for i, name := range []string{"ImageSizeZ", "ImageSizeY", "ImageSizeX"} {
			size[i], _ = strconv.ParseUint(strings.TrimSpace(s.text(list, name)), 10, 48)
		}
		c.levels = append(c.levels, size)
	}
	if len(c.levels) == 0 {
		return nil
	}
	return c
}

// shown leaves out the datasets that make up the image, which are reached by name, so
// that a copy has everything once.
func (c *imaris) shown(g *node, l hdf5.Link) (string, bool) {
	return l.Name, g.path != "/" || l.Name != "DataSet" || c.compose(g, "0") == nil
}

// numbered counts the groups whose names are a word and numbers from 0 on.
func numbered(o *hdf5.Object, word string) uint64 {
	links, err := o.Links()
	if err != nil {
		return 0
	}
	count := uint64(0)
	for _, l := range links {
		if k, err := strconv.ParseUint(strings.TrimPrefix(l.Name, word), 10, 32); err == nil && strings.HasPrefix(l.Name, word) && k >= count {
			count = k + 1
		}
	}
	return min(count, uint64(len(links))*2+1) // a number that makes no sense is not followed
}

func (c *imaris) array(_ *node, m *meta.Array) error { return change(m.Attrs(), letters) }

func (c *imaris) group(n *node, m *meta.Group) error {
	if err := change(m.Attrs(), letters); err != nil {
		return err
	}
	if n.path != "/" {
		return nil
	}
	image, err := c.image()
	if err != nil || image == nil {
		return err
	}
	return image.Write(m.Attrs())
}

// letters joins a list of letters, nil of what is none.
func letters(raw json.RawMessage) json.RawMessage {
	list, ok := listed(raw)
	if !ok || len(list) == 0 {
		return nil
	}
	var b strings.Builder
	for _, x := range list {
		s, err := strictjson.String(x)
		if err != nil || len([]rune(s)) > 1 {
			return nil
		}
		b.WriteString(s)
	}
	return strictjson.AppendString(nil, b.String())
}

func (c *imaris) composes(g *node) []string {
	if g.path != "/" {
		return nil
	}
	var names []string
	for i := range c.levels {
		if c.compose(g, strconv.Itoa(i)) != nil {
			names = append(names, strconv.Itoa(i))
		}
	}
	return names
}

func (c *imaris) compose(g *node, name string) *mosaic {
	i, err := strconv.Atoi(name)
	if g.path != "/" || err != nil || i < 0 || i >= len(c.levels) || strconv.Itoa(i) != name || find(g.o, name) != nil {
		return nil
	}
	return &mosaic{
		lead: []uint64{c.times, c.channels},
		path: func(at []uint64) string {
			return fmt.Sprintf("DataSet/ResolutionLevel %d/TimePoint %d/Channel %d/Data", i, at[0], at[1])
		},
		extent: c.levels[i][:],
		names:  []string{"t", "c", "z", "y", "x"},
	}
}

// image describes the levels, nil if there is none.
func (c *imaris) image() (*ngff.Metadata, error) {
	info := c.info("Image")
	say := func(name string) string { return strings.TrimSpace(c.s.text(info, name)) }
	_, unit, _ := ngff.ToUnit(1, say("Unit"))
	m := ngff.Multiscales{Name: say("Name"), Axes: []ngff.Axis{{Name: "t", Type: "time"}, {Name: "c", Type: "channel"}}}
	for _, name := range []string{"z", "y", "x"} {
		m.Axes = append(m.Axes, ngff.Axis{Name: name, Type: "space", Unit: unit})
	}
	step := 1.0
	if seconds := c.interval(); seconds > 0 {
		step, m.Axes[0].Unit = seconds, "second"
	}
	for i := range c.levels {
		n, err := c.s.node(strconv.Itoa(i))
		if err != nil || n.mosaic == nil {
			break // an array that cannot be is no level, nor what is called like one
		}
		l := ngff.Level{Path: strconv.Itoa(i), Scale: []float64{step, 1}, Translation: []float64{0, 0}}
		for k, axis := range []string{"2", "1", "0"} {
			from, err1 := strconv.ParseFloat(say("ExtMin"+axis), 64)
			to, err2 := strconv.ParseFloat(say("ExtMax"+axis), 64)
			scale, at := 1.0, 0.0
			if size := float64(n.extent[2+k]); err1 == nil && err2 == nil && to > from && !math.IsInf(to-from, 0) && size > 0 {
				// Extents are those of the outer edges, positions those of centres.
				scale = (to - from) / size
				at = from + scale/2
			}
			l.Scale, l.Translation = append(l.Scale, scale), append(l.Translation, at)
		}
		m.Levels = append(m.Levels, l)
	}
	if len(m.Levels) == 0 {
		return nil, nil
	}
	out := &ngff.Metadata{Images: []ngff.Multiscales{m}, OMERO: &ngff.OMERO{}}
	for k := range min(c.channels, 1<<12) {
		out.OMERO.Channels = append(out.OMERO.Channels, c.channel(k))
	}
	return out, nil
}

// info gives the attributes of a group that tells of the image.
func (c *imaris) info(name string) []hdf5.Attribute {
	if o := find(c.s.f.Root(), "DataSetInfo", name); o != nil {
		return of(o)
	}
	return nil
}

// interval is how many seconds lie between time points, 0 if that is not said.
func (c *imaris) interval() float64 {
	if c.times < 2 {
		return 0
	}
	info := c.info("TimeInfo")
	at := func(k uint64) (time.Time, error) {
		return time.Parse("2006-01-02 15:04:05", strings.TrimSpace(c.s.text(info, fmt.Sprint("TimePoint", k))))
	}
	first, err1 := at(1)
	last, err2 := at(c.times)
	if err1 != nil || err2 != nil || !last.After(first) {
		return 0
	}
	return last.Sub(first).Seconds() / float64(c.times-1)
}

// channel is how a channel is called and shown.
func (c *imaris) channel(k uint64) ngff.Channel {
	var out ngff.Channel
	info := c.info(fmt.Sprint("Channel ", k))
	out.Label = strings.ToValidUTF8(strings.TrimSpace(c.s.text(info, "Name")), "\uFFFD")
	if rgb := numbers(c.s.text(info, "Color")); len(rgb) == 3 {
		part := func(x float64) uint8 { return uint8(math.Round(255 * min(max(x, 0), 1))) }
		out.Color = &color.NRGBA{R: part(rgb[0]), G: part(rgb[1]), B: part(rgb[2]), A: 255}
	}
	if r := numbers(c.s.text(info, "ColorRange")); len(r) == 2 && r[0] < r[1] {
		out.Window = &ngff.Window{Start: r[0], End: r[1], Min: r[0], Max: r[1]}
	}
	return out
}

// numbers reads those that text has between spaces, none if it has something else.
func numbers(text string) (out []float64) {
	for word := range strings.FieldsSeq(text) {
		x, err := strconv.ParseFloat(word, 64)
		if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
			return nil
		}
		out = append(out, x)
	}
	return out
}
