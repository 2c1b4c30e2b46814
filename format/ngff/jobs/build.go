package jobs

import (
	"context"
	"encoding/json"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/downsample"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/format/cf"
	"github.com/omnizarr/zarr/format/ngff"
	"github.com/omnizarr/zarr/job"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/job/landing"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/pyramid"
)

// plan is an image whose levels are known, and then made.
type plan struct {
	*image
	how    downsample.Method
	levels []level
	arrays []*zarr.Array
	lossy  bool // its codecs lose precision
}

// reader makes blocks of a level: of the source, or of the level before, of which it
// holds no more bytes than most says. chunks are those of the source, if they matter.
func (p *plan) reader(k int, most int64) (read func(context.Context, []int, nd.View) error, chunks []int, err error) {
	if k == 0 {
		return p.from.read, p.from.chunks(), nil
	}
	r, err := pyramid.NewReducer(p.arrays[k-1], p.how, p.levels[k].factors, p.missing(), most)
	if err != nil {
		return nil, nil, err
	}
	return r.Block, nil, nil
}

// missing is the value of elements that are not there, by what the source says of them:
// means, the largest and the least are of the others. NaN is none of them anyway.
func (p *plan) missing() []byte {
	d, ok := cf.Of(p.from.a)
	if !ok || p.how == downsample.Mode || p.how == downsample.Nearest {
		return nil
	}
	from, to := p.from.a.DataType(), p.from.typ
	elem := d.Missing()
	if elem == nil || dtype.Equal(from, to) {
		return elem
	}
	out := nd.Make(to.Size(), 1)
	if copying.Convert(to, out, from, nd.Of(elem, from.Size(), 1)) != nil {
		return nil // the copy has no such element
	}
	return out.Data
}

// builder makes the pyramids of a source.
type builder struct {
	opts    copying.Options
	version string
	found   *survey
	plans   []*plan
	track   *job.Tracker
	root    *zarr.Group
	landing *landing.Landing
	sum     copying.Summary
	parted  bool      // other processes have not done their parts yet
	free    sync.Pool // memory of blocks, which are filled as a whole
}

// land makes all nodes, and fills them unless that was done.
func (b *builder) land(ctx context.Context) error {
	own := append(slices.Clone(b.opts.Open), b.format().Options...)
	root, err := zarr.CreateGroupIn(ctx, b.landing.Store(), b.landing.Path(), own...)
	if err == nil {
		err = b.create(ctx, root)
	}
	if err == nil && b.opts.Spread != nil {
		return b.spread(ctx)
	}
	if err == nil {
		err = b.landing.Start(ctx)
	}
	if err != nil || b.landing.Already() {
		return err
	}
	return b.fill(ctx)
}

// newBuilder plans everything, so that what is wrong with the source or with what is
// asked for shows before anything is made.
func newBuilder(found *survey, o *Pyramid, opts copying.Options, version string) (*builder, error) {
	b := &builder{opts: opts, version: version, found: found, track: job.NewTracker(opts.Progress)}
	for _, img := range found.images {
		levels, how, err := img.steps(o)
		if err == nil {
			err = img.layout(levels, opts, version)
		}
		for i := range levels {
			if err == nil && i > 0 {
				_, err = downsample.NewSampler(img.from.typ.Name(), how, levels[i].factors, nil)
			}
			if err == nil {
				err = b.format().Try(levels[i].spec)
			}
		}
		if err != nil {
			return nil, &zarr.Error{Op: "make a pyramid of", URL: img.from.a.URL(), Err: err}
		}
		b.plans = append(b.plans, &plan{image: img, how: how, levels: levels})
	}
	return b, nil
}

// format is what the copy is written in.
func (b *builder) format() copying.Nodes { return formatOf(b.version) }

func formatOf(version string) copying.Nodes {
	if version == ngff.Old {
		return copying.Nodes{Format: formatOld, Options: []zarr.Option{zarr.As(formatOld)}}
	}
	return copying.Zarr3()
}

// create makes all groups and arrays, without elements.
func (b *builder) create(ctx context.Context, root *zarr.Group) error {
	b.root = root
	for _, at := range job.Paths(b.found.groups) {
		attrs := b.found.attrs[at]
		m := b.found.groups[at]
		if m == nil {
			m = &ngff.Metadata{}
		}
		if at == "/" && m.Plate == nil && m.Well == nil && m.Labels == nil {
			m.Layout = layout
		}
		if err := b.describe(ctx, at, attrs, m); err != nil {
			return err
		}
	}
	for _, p := range b.plans {
		g, err := b.group(ctx, p.path)
		if err != nil {
			return err
		}
		for i := range p.levels {
			a, err := g.CreateArray(ctx, p.levels[i].Path, p.levels[i].spec)
			if err != nil {
				return err
			}
			p.arrays = append(p.arrays, a)
		}
		if err := b.tell(ctx, p, nil); err != nil {
			return err
		}
	}
	return b.collect(ctx)
}

// group makes a group, and those above it.
func (b *builder) group(ctx context.Context, at string) (*zarr.Group, error) {
	if at == "/" {
		return b.root, nil
	}
	return b.root.RequireGroup(ctx, strings.Trim(at, "/"))
}

// describe sets the attributes of a group.
func (b *builder) describe(ctx context.Context, at string, attrs *meta.Attributes, m *ngff.Metadata) error {
	g, err := b.group(ctx, at)
	if err != nil {
		return err
	}
	m.Version = b.version
	if m.Images != nil || m.Labels != nil || m.Plate != nil || m.Well != nil || m.Layout > 0 || m.Series != nil {
		if err := m.Write(attrs); err != nil {
			return &zarr.Error{Op: "describe", URL: g.URL(), Err: err}
		}
	}
	return g.SetAttributes(ctx, attrs)
}

// tell describes an image, with how it is shown as soon as that is known.
func (b *builder) tell(ctx context.Context, p *plan, shown *ngff.OMERO) error {
	m := &ngff.Metadata{OMERO: shown, ImageLabel: p.label, Rest: p.rest}
	image := ngff.Multiscales{Name: p.said.Name}
	for _, a := range p.axes {
		image.Axes = append(image.Axes, a.Axis)
	}
	for _, l := range p.levels {
		image.Levels = append(image.Levels, l.Level)
	}
	for _, member := range p.said.Rest {
		if member.Name != "type" && member.Name != "metadata" {
			image.Rest = append(image.Rest, member)
		}
	}
	if len(p.levels) > 1 {
		name := p.how.String()
		if p.how == downsample.Average {
			name = "mean"
		}
		about, err := json.Marshal(map[string]any{"description": "each level is made of the one before", "method": name})
		if err != nil {
			return err
		}
		kind, err := json.Marshal(name)
		if err != nil {
			return err
		}
		image.Rest = append(image.Rest, meta.Member{Name: "type", Raw: kind}, meta.Member{Name: "metadata", Raw: about})
	}
	m.Images = []ngff.Multiscales{image}
	return b.describe(ctx, p.path, p.attrs.Clone(), m)
}

// collect lists the images of a group that is none itself, and keeps what described
// them before, as bioformats2raw does.
func (b *builder) collect(ctx context.Context) error {
	m := b.found.groups["/"]
	_, several := b.found.groups["/"]
	several = several && (m == nil || m.Plate == nil && m.Well == nil && m.Labels == nil)
	if !several && b.found.document == "" {
		return nil
	}
	list := &ngff.Metadata{}
	if several {
		list.Series = []string{}
		for _, p := range b.plans {
			if at := strings.Trim(p.path, "/"); p.label == nil || path.Base(path.Dir(p.path)) != "labels" {
				list.Series = append(list.Series, at)
			}
		}
	}
	return b.describe(ctx, "/"+collection, &meta.Attributes{}, list)
}

const (
	collection = "OME"              // the group beside the images of a collection
	document   = "METADATA.ome.xml" // in it
)
