package jobs

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/ngff"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/job/check"
	"github.com/omnizarr/zarr/meta"
)

// rule is what the rules of OME-NGFF are called in reports.
const rule = "ome-ngff"

// Rules hold groups to what OME-NGFF says of them: their attributes, and the nodes
// below that these name.
func (*Kind) Rules() check.Rules { return check.Rules{Meaning: checkNode} }

// checkNode checks a group that is stored as Zarr. What other formats say is told in
// the words of OME-NGFF by us.
func checkNode(ctx context.Context, n zarr.Node, found *check.Findings) {
	g, ok := n.(*zarr.Group)
	if !ok || g.Format() != formatNew && g.Format() != formatOld {
		return
	}
	attrs := ours(g)
	m, err := ngff.Read(attrs)
	if list := unversioned(attrs); list != nil {
		found.Warn("", rule, "ome.version: there is none; it is to be "+ngff.Version)
		m, err = list, nil
	}
	if errors.Is(err, ngff.ErrNone) {
		return
	}
	c := &checker{g: g, found: found}
	if err != nil {
		c.problem("%v", err)
		return
	}
	c.version(m, attrs.Raw("ome") != nil)
	for i := range m.Images {
		c.image(ctx, fmt.Sprintf("multiscales[%d]", i), &m.Images[i], m)
	}
	if m.OMERO != nil {
		c.channels(m.OMERO)
	}
	c.label(ctx, m)
	for i, at := range m.Labels {
		c.names(ctx, fmt.Sprintf("labels[%d]", i), at, "an image", isImage)
	}
	c.plate(ctx, m.Plate)
	if m.Well != nil {
		for i, f := range m.Well.Images {
			c.names(ctx, fmt.Sprintf("well.images[%d].path", i), f.Path, "an image", isImage)
		}
	}
	c.collection(ctx, m)
}

// ours are the attributes of a group that are for OME-NGFF. Before version 0.5 they
// have common names, which mean something else in other groups.
func ours(g *zarr.Group) *meta.Attributes { return owned(g.Attributes(), g.Path()) }

func owned(attrs *meta.Attributes, at string) *meta.Attributes {
	if attrs.Raw("ome") != nil {
		return only(attrs, "ome")
	}
	out := &meta.Attributes{}
	name := path.Base(at)
	for _, own := range []struct {
		name string
		ok   bool
	}{
		{"multiscales", true}, {"omero", attrs.Raw("multiscales") != nil}, {"image-label", attrs.Raw("multiscales") != nil},
		{"labels", name == "labels" || at == ""}, {"plate", true}, {"well", true}, {"bioformats2raw.layout", true}, {"series", name == "OME"},
	} {
		raw := attrs.Raw(own.name)
		if raw == nil || !own.ok || !looksRight(own.name, raw) {
			continue
		}
		_ = out.Set(own.name, raw) // what was read can be written
	}
	return out
}

// unversioned are labels that do not say which version they are, as ome-zarr-py writes
// them; nil if attributes say something else.
func unversioned(attrs *meta.Attributes) *ngff.Metadata {
	var ome struct {
		Version *string
		Labels  []string
	}
	if ok, err := attrs.Get("ome", &ome); !ok || err != nil || ome.Version != nil || ome.Labels == nil {
		return nil
	}
	return &ngff.Metadata{Version: ngff.Version, Labels: ome.Labels}
}

// looksRight reports whether a value can be what an attribute of OME-NGFF holds at all.
func looksRight(name string, raw []byte) bool {
	first := raw[0]
	switch name {
	case "labels", "series":
		return first == '['
	case "multiscales":
		return first == '[' || first == '{'
	case "plate", "well":
		return first == '{'
	}
	return true
}

// checker checks one group.
type checker struct {
	g     *zarr.Group
	found *check.Findings
}

func (c *checker) problem(format string, args ...any) {
	c.found.Problem("", rule, fmt.Sprintf(format, args...))
}

// version checks that what is written is for the version of Zarr that it is in.
func (c *checker) version(m *ngff.Metadata, inside bool) {
	switch {
	case inside && c.g.Format() == formatOld:
		c.problem("version %s is for Zarr v3, this is Zarr v2", m.Version)
	case !inside && c.g.Format() == formatNew:
		c.problem(`the metadata is of version 0.4 or older, for Zarr v2; in Zarr v3 it is that of 0.5, in the attribute "ome"`)
	}
}

// image checks the levels of an image.
func (c *checker) image(ctx context.Context, at string, m *ngff.Multiscales, all *ngff.Metadata) {
	if m.Identity {
		c.problem("%s.coordinateTransformations[0]: type \"identity\" is neither scale nor translation", at)
	}
	for i, a := range m.Axes {
		switch {
		case a.Type == "":
			c.found.Warn("", rule, fmt.Sprintf("%s.axes[%d]: %s has no type", at, i, strictjson.Quote(a.Name)))
		case a.Type == "space" || a.Type == "time":
			if _, ok := ngff.Symbol(a.Unit); a.Unit != "" && !ok {
				c.found.Warn("", rule, fmt.Sprintf("%s.axes[%d].unit: %s is none of the units that the specification has", at, i, strictjson.Quote(a.Unit)))
			}
		}
	}
	var finest, before *zarr.Array
	seen := map[string]int{}
	for i := range m.Levels {
		l := &m.Levels[i]
		in := fmt.Sprintf("%s.datasets[%d]", at, i)
		if first, ok := seen[l.Path]; ok {
			c.problem("%s.path: %s is that of level %d too", in, strictjson.Quote(l.Path), first)
			continue
		}
		seen[l.Path] = i
		if i > 0 {
			c.scales(in, &m.Levels[i-1], l)
		}
		a := c.level(ctx, in, m, l)
		if a == nil {
			continue
		}
		if finest == nil {
			finest = a
		} else if a.DataType().Name() != finest.DataType().Name() {
			c.problem("%s: its data type is %s, that of %s is %s", in, a.DataType().Name(), m.Levels[0].Path, finest.DataType().Name())
		}
		if before != nil && len(a.Shape()) == len(before.Shape()) && !smaller(a.Shape(), before.Shape()) {
			c.problem("%s: its shape %v is not smaller than %v, that of the level before", in, a.Shape(), before.Shape())
		}
		before = a
	}
	if finest == nil || len(finest.Shape()) != len(m.Axes) {
		return
	}
	if all.OMERO != nil {
		c.count(m, finest, len(all.OMERO.Channels))
	}
	if all.ImageLabel != nil && !isInteger(finest.DataType().Name()) {
		c.problem("image-label: labels are integers, and %s is %s", m.Levels[0].Path, finest.DataType().Name())
	}
}

// level opens the array of a level and checks it by itself; nil if there is none.
func (c *checker) level(ctx context.Context, in string, m *ngff.Multiscales, l *ngff.Level) *zarr.Array {
	n, err := c.g.Open(ctx, l.Path)
	if errors.Is(err, zarr.ErrNoNode) {
		c.problem("%s.path: there is no array %s", in, strictjson.Quote(l.Path))
		return nil
	}
	if err != nil {
		return nil // the node itself is told
	}
	a, ok := n.(*zarr.Array)
	if !ok {
		c.problem("%s.path: %s is a group, not an array", in, strictjson.Quote(l.Path))
		return nil
	}
	if len(a.Shape()) != len(m.Axes) {
		c.problem("%s: %s has %d dimensions, there are %d axes", in, l.Path, len(a.Shape()), len(m.Axes))
		return a
	}
	names := a.DimensionNames()
	if names == nil {
		if a.Format() == formatNew {
			c.found.Warn(l.Path, rule, "its dimensions have no names; they are to be those of the axes")
		}
		return a
	}
	for i, name := range names {
		if name != m.Axes[i].Name {
			c.problem("%s: the dimensions of %s are called %s, the axes %s", in, l.Path, strings.Join(names, ", "), axisNames(m.Axes))
			break
		}
	}
	return a
}

// scales checks that levels become coarser.
func (c *checker) scales(in string, before, l *ngff.Level) {
	for i, s := range l.Scale {
		if s < before.Scale[i] {
			c.problem("%s: its scale %v is finer than %v, that of the level before", in, l.Scale, before.Scale)
			return
		}
	}
}

// count compares how many channels are described with how many there are.
func (c *checker) count(m *ngff.Multiscales, a *zarr.Array, described int) {
	i := slices.IndexFunc(m.Axes, func(x ngff.Axis) bool { return x.Type == "channel" })
	there := 1
	if i >= 0 {
		there = a.Shape()[i]
	}
	if described != there {
		c.problem("omero.channels: %d are described, the image has %d", described, there)
	}
}

// channels checks what readers need to show them.
func (c *checker) channels(o *ngff.OMERO) {
	for i, ch := range o.Channels {
		in := fmt.Sprintf("omero.channels[%d]", i)
		if ch.Color == nil {
			c.problem("%s: there is no color", in)
		}
		w := ch.Window
		if w == nil {
			c.problem("%s: there is no window", in)
			continue
		}
		for _, limit := range []struct {
			name  string
			value float64
		}{{"start", w.Start}, {"end", w.End}, {"min", w.Min}, {"max", w.Max}} {
			if limit.value != limit.value {
				c.problem("%s.window: there is no %s", in, limit.name)
			}
		}
	}
}

// label checks where a label image says that it comes from.
func (c *checker) label(ctx context.Context, m *ngff.Metadata) {
	if m.ImageLabel == nil {
		return
	}
	if m.Images == nil {
		c.problem("image-label: there are no multiscales beside it")
	}
	if s := m.ImageLabel.Source; s != nil && s.Image != "" {
		to := path.Join("/", c.g.Path(), s.Image)
		if strings.Count(path.Clean(s.Image), "..") > strings.Count("/"+c.g.Path(), "/") {
			return // beyond what was opened
		}
		n, err := zarr.OpenStore(ctx, c.g.Store(), strings.Trim(to, "/"), zarr.ReadOnly())
		if errors.Is(err, zarr.ErrNoNode) || err == nil && !isImage(n) {
			c.problem("image-label.source.image: there is no image at %s", to)
		}
	}
}

// plate checks the wells of a plate.
func (c *checker) plate(ctx context.Context, p *ngff.Plate) {
	if p == nil {
		return
	}
	runs := map[int]bool{}
	for _, a := range p.Acquisitions {
		runs[a.ID] = true
	}
	for i, w := range p.Wells {
		in := fmt.Sprintf("plate.wells[%d].path", i)
		n := c.names(ctx, in, w.Path, "a well", isWell)
		if n == nil {
			continue
		}
		m, err := ngff.Read(ours(n.(*zarr.Group)))
		if err != nil {
			continue // told there
		}
		for _, f := range m.Well.Images {
			if f.Acquisition != nil && len(runs) > 0 && !runs[*f.Acquisition] {
				c.problem("%s: the acquisition %d of its image %s is none of the plate", in, *f.Acquisition, f.Path)
			}
		}
	}
}

// collection checks the images of a group of several, as bioformats2raw lays them out.
func (c *checker) collection(ctx context.Context, m *ngff.Metadata) {
	if m.Series != nil {
		above, err := zarr.OpenStore(ctx, c.g.Store(), strings.Trim(path.Dir("/"+c.g.Path()), "/"), zarr.ReadOnly())
		if err != nil {
			return
		}
		for i, at := range m.Series {
			child, err := above.(*zarr.Group).Open(ctx, at)
			if errors.Is(err, zarr.ErrNoNode) || err == nil && !isImage(child) {
				c.problem("series[%d]: there is no image %s beside this group", i, strictjson.Quote(at))
			}
		}
	}
	if m.Layout > 0 && m.Layout != layout {
		c.problem("bioformats2raw.layout: %d is not %d", m.Layout, layout)
	}
}

// names checks that a path leads to a group of a kind, and gives it; nil if not.
func (c *checker) names(ctx context.Context, in, at, what string, is func(zarr.Node) bool) zarr.Node {
	n, err := c.g.Open(ctx, at)
	switch {
	case errors.Is(err, zarr.ErrNoNode):
		c.problem("%s: there is nothing at %s", in, strictjson.Quote(at))
	case err == nil && !is(n):
		c.problem("%s: what is at %s is not %s", in, strictjson.Quote(at), what)
	case err == nil:
		return n
	}
	return nil
}

// isImage reports whether a group says that it is an image.
func isImage(n zarr.Node) bool { return says(n, "multiscales") }

func isWell(n zarr.Node) bool { return says(n, "well") }

// says reports whether a group has a member of OME-NGFF, right or wrong.
func says(n zarr.Node, name string) bool {
	g, ok := n.(*zarr.Group)
	if !ok {
		return false
	}
	attrs := g.Attributes()
	if ome := attrs.Raw("ome"); ome != nil {
		members, _ := strictjson.Split(ome)
		return slices.ContainsFunc(members, func(m strictjson.Member) bool { return m.Name == name })
	}
	return attrs.Raw(name) != nil
}

// smaller reports whether a shape is nowhere longer than another, and shorter somewhere.
func smaller(shape, than []int) bool {
	less := false
	for i, n := range shape {
		if n > than[i] {
			return false
		}
		less = less || n < than[i]
	}
	return less
}

func isInteger(dataType string) bool {
	return strings.HasPrefix(dataType, "int") || strings.HasPrefix(dataType, "uint")
}

func axisNames(axes []ngff.Axis) string { return strings.Join(axisList(axes), ", ") }

func axisList(axes []ngff.Axis) []string {
	names := make([]string, len(axes))
	for i, a := range axes {
		names[i] = a.Name
	}
	return names
}
