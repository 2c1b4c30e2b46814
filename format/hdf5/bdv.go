package hdf5

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/omnizarr/zarr/format/ngff"
	"github.com/omnizarr/zarr/hdf5"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store"
)

// bigDataViewer are files of BigDataViewer: datasets t00000/s00/0/cells of one time
// point, setup and resolution each, of which the group of every setup, s00, shows an
// image with axes t, z, y and x. Their integers of 16 bits have no sign, though their
// type says otherwise. A file with the ending .xml beside tells names and sizes.
type bigDataViewer struct {
	plain
	s      *Store
	times  uint64
	setups map[string]*setup // by the names of their groups
}

type setup struct {
	name    string
	factors [][3]float64 // of each resolution along x, y and z
	voxel   [3]float64   // along x, y and z
	unit    string
}

// bigDataViewer reads what the file says of its setups, nil if it has none.
func (s *Store) bigDataViewer(root *node) convention {
	if find(root.o, "t00000") == nil {
		return nil
	}
	c := &bigDataViewer{s: s, setups: map[string]*setup{}}
	links, err := root.o.Links()
	if err != nil {
		return nil
	}
	for _, l := range links {
		if number, ok := strings.CutPrefix(l.Name, "t"); ok && len(number) >= 5 {
			if k, err := strconv.ParseUint(number, 10, 32); err == nil && k < uint64(2*len(links)+1) {
				c.times = max(c.times, k+1)
			}
		}
		if number, ok := strings.CutPrefix(l.Name, "s"); !ok || len(number) < 2 || strings.Trim(number, "0123456789") != "" {
			continue
		}
		if factors := s.factors(find(root.o, l.Name, "resolutions")); factors != nil {
			c.setups[l.Name] = &setup{factors: factors, voxel: [3]float64{1, 1, 1}}
		}
	}
	if len(c.setups) == 0 {
		return nil
	}
	c.describe()
	return c
}

// factors reads by how much resolutions are smaller.
func (s *Store) factors(o *hdf5.Object) (out [][3]float64) {
	if o == nil || o.Kind != hdf5.KindDataset {
		return nil
	}
	d, err := o.Dataset()
	if err != nil || len(d.Space.Shape) != 2 || d.Space.Shape[1] != 3 || d.Space.Shape[0] > maxLevels || d.Type.Class != hdf5.Float {
		return nil
	}
	raw := make([]byte, int(3*d.Space.Shape[0])*d.Type.Size)
	if err := d.Read(raw, []uint64{0, 0}, d.Space.Shape); err != nil {
		return nil
	}
	for range d.Space.Shape[0] {
		var f [3]float64
		for k := range f {
			v, _ := s.f.Decode(d.Type, raw)
			x, _ := v.(float64)
			if !(x >= 1 && x < 1<<32) {
				return nil
			}
			f[k], raw = x, raw[d.Type.Size:]
		}
		out = append(out, f)
	}
	return out
}

// maxXML is how long the file beside may be.
const maxXML = 16 << 20

// describe reads the names and sizes of setups from the file beside, if there is one
// that can be read.
func (c *bigDataViewer) describe() {
	beside := strings.TrimSuffix(c.s.key, path.Ext(c.s.key)) + ".xml"
	text, _, err := c.s.in.Get(c.s.head.ctx, beside, store.UpTo(maxXML), nil)
	if err != nil {
		return
	}
	var doc struct {
		Setups []struct {
			ID    int    `xml:"id"`
			Name  string `xml:"name"`
			Voxel struct {
				Unit string `xml:"unit"`
				Size string `xml:"size"`
			} `xml:"voxelSize"`
		} `xml:"SequenceDescription>ViewSetups>ViewSetup"`
	}
	if xml.NewDecoder(bytes.NewReader(text)).Decode(&doc) != nil {
		return
	}
	for _, x := range doc.Setups {
		to := c.setups[fmt.Sprintf("s%02d", x.ID)]
		if to == nil {
			continue
		}
		to.name = strings.TrimSpace(x.Name)
		size := numbers(x.Voxel.Size)
		if len(size) != 3 || min(size[0], size[1], size[2]) <= 0 {
			continue
		}
		factor, unit, ok := ngff.ToUnit(1, x.Voxel.Unit)
		if !ok { // such as pixels
			factor, unit = 1, ""
		}
		for k := range size {
			to.voxel[k] = size[k] * factor
		}
		to.unit = unit
	}
}

// shown leaves out the datasets that make up images, which are reached by name, so
// that a copy has everything once.
func (c *bigDataViewer) shown(g *node, l hdf5.Link) (string, bool) {
	number, ok := strings.CutPrefix(l.Name, "t")
	return l.Name, g.path != "/" || !ok || len(number) < 5 || strings.Trim(number, "0123456789") != ""
}

// setup gives the setup whose group this is, nil if it is another group.
func (c *bigDataViewer) setup(g *node) (string, *setup) {
	name := strings.TrimPrefix(g.path, "/")
	return name, c.setups[name]
}

func (c *bigDataViewer) group(n *node, m *meta.Group) error {
	name, x := c.setup(n)
	if x == nil {
		return nil
	}
	image := ngff.Multiscales{Name: x.name, Axes: []ngff.Axis{{Name: "t", Type: "time"}}}
	for _, axis := range []string{"z", "y", "x"} {
		image.Axes = append(image.Axes, ngff.Axis{Name: axis, Type: "space", Unit: x.unit})
	}
	for i, f := range x.factors {
		if n, err := c.s.node(name + "/" + strconv.Itoa(i)); err != nil || n.mosaic == nil {
			break // an array that cannot be is no level, nor what is called like one
		}
		l := ngff.Level{Path: strconv.Itoa(i), Scale: []float64{1}, Translation: []float64{0}}
		for k := 2; k >= 0; k-- {
			l.Scale = append(l.Scale, x.voxel[k]*f[k])
			l.Translation = append(l.Translation, (f[k]-1)/2*x.voxel[k])
		}
		image.Levels = append(image.Levels, l)
	}
	if len(image.Levels) == 0 {
		return nil
	}
	return (&ngff.Metadata{Images: []ngff.Multiscales{image}}).Write(m.Attrs())
}

func (c *bigDataViewer) composes(g *node) (names []string) {
	if _, x := c.setup(g); x != nil {
		for i := range x.factors {
			if c.compose(g, strconv.Itoa(i)) != nil {
				names = append(names, strconv.Itoa(i))
			}
		}
	}
	return names
}

func (c *bigDataViewer) compose(g *node, name string) *mosaic {
	in, x := c.setup(g)
	if x == nil {
		return nil
	}
	i, err := strconv.Atoi(name)
	if err != nil || i < 0 || i >= len(x.factors) || strconv.Itoa(i) != name || find(g.o, name) != nil {
		return nil
	}
	return &mosaic{
		lead:     []uint64{c.times},
		path:     func(at []uint64) string { return fmt.Sprintf("t%05d/%s/%d/cells", at[0], in, i) },
		unsigned: true,
		names:    []string{"t", "z", "y", "x"},
	}
}
