// Package jobs holds what can be done with OME-NGFF beyond reading it: images of any
// format become pyramids, and groups are checked.
package jobs

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/coordinates"
	"github.com/omnizarr/zarr/format/ngff"
	"github.com/omnizarr/zarr/job"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/job/landing"
	"github.com/omnizarr/zarr/kind"
)

// The formats of nodes that OME-NGFF is written in, and their versions of it.
const (
	formatNew, formatOld = "zarr3", "zarr2"
	layout               = 3 // of bioformats2raw's groups
)

// Kind is what programs can do with OME-NGFF, and what their flags said.
type Kind struct {
	// Describers tell what nodes of other formats say of images.
	Describers []kind.Describer

	asked         bool
	pyramid       Pyramid
	factors, axes string
}

var _ kind.Copier = (*Kind)(nil)

// Name is that of the convention.
func (*Kind) Name() string { return "ngff" }

// CopyFlags adds --pyramid, and what it can be told.
func (k *Kind) CopyFlags(flags *flag.FlagSet) {
	p := &k.pyramid
	flags.BoolVar(&k.asked, "pyramid", false, "make OME-Zarr of images: all resolutions, axes, units, channels")
	flags.StringVar(&p.Version, "ngff", "", "version of OME-NGFF for --pyramid: 0.5 on Zarr v3, or 0.4 on Zarr v2 for old viewers (default 0.5)")
	flags.IntVar(&p.Levels, "levels", 0, "how many resolutions --pyramid makes (0: until 256 pixels are left)")
	flags.StringVar(&k.factors, "factor", "", "how many pixels become one from level to level: 2, or 1,1,2,2 for every axis")
	flags.StringVar(&p.Method, "method", "", "how they become one: mean, mode, max, min, nearest (default: mean, mode for labels)")
	flags.BoolVar(&p.Labels, "labels", false, "images for --pyramid are labels, whose values are not mixed")
	flags.StringVar(&k.axes, "axes", "", "what the axes of an array are, for --pyramid: t,c,z,y,x")
}

// Copy makes pyramids where --pyramid was given.
func (k *Kind) Copy(ctx context.Context, r kind.CopyRequest) (sum copying.Summary, done bool, err error) {
	p, err := k.asks(r)
	if p == nil && err == nil {
		err = cuttable(ctx, r)
	}
	if p == nil || err != nil {
		return sum, false, err
	}
	sum, err = p.Copy(ctx, r.Source.Node, r.URL, r.Options)
	return sum, true, err
}

// Planned is what such a copy is planned as.
func (k *Kind) Planned(r kind.CopyRequest) (copying.Format, error) {
	p, err := k.asks(r)
	if p == nil && err == nil {
		err = cuttable(context.Background(), r)
	}
	if p == nil || err != nil {
		return nil, err
	}
	return planned{*p}, nil
}

// cuttable refuses parts of images with several levels, unless these are made anew: the
// same positions are other places in every level, and what the group says of axes and
// scales would be that of the whole.
func cuttable(ctx context.Context, r kind.CopyRequest) error {
	if _, ok := r.Source.Node.(*zarr.Group); !ok || r.Options.Slice == "" {
		return nil
	}
	groups, _, err := job.Nodes(ctx, r.Source.Node)
	if err != nil {
		return err
	}
	for _, at := range job.Paths(groups) {
		m, err := ngff.Read(groups[at].Attributes())
		if err != nil {
			continue // it is no image
		}
		for _, image := range m.Images {
			if len(image.Levels) > 1 {
				return &zarr.Error{Op: "copy a part of", URL: groups[at].URL(), Err: fmt.Errorf("it is an image in %d resolutions, in which the same positions are different places; --pyramid makes a part with resolutions of its own, and %s is an array that can be cut alone",
					len(image.Levels), strings.TrimSuffix(groups[at].URL(), "/")+"/"+image.Levels[0].Path)}
			}
		}
	}
	return nil
}

// asks is the pyramid that flags ask for, nil if they do not.
func (k *Kind) asks(r kind.CopyRequest) (*Pyramid, error) {
	p := k.pyramid
	if !k.asked {
		for name, given := range map[string]bool{"ngff": p.Version != "", "levels": p.Levels != 0, "factor": k.factors != "", "method": p.Method != "", "labels": p.Labels, "axes": k.axes != ""} {
			if given {
				return nil, kind.Usagef("--%s is for --pyramid", name)
			}
		}
		return nil, nil
	}
	to := r.Options.To.Name()
	switch {
	case to != formatNew && to != formatOld:
		return nil, kind.Usagef("--pyramid makes Zarr, not %s", to)
	case p.Version == "" && to == formatOld:
		p.Version = ngff.Old
	case p.Version == ngff.Version && to == formatOld:
		return nil, kind.Usagef("--ngff %s is for Zarr v3, not for --to %s", p.Version, to)
	case p.Version != "" && p.Version != ngff.Version && p.Version != ngff.Old:
		return nil, kind.Usagef("--ngff %s: must be one of %s, %s", p.Version, ngff.Version, ngff.Old)
	case r.Options.Pad != "":
		return nil, kind.Usagef("--pad is not for --pyramid")
	case p.Levels < 0:
		return nil, kind.Usagef("--levels %d: must be at least 1", p.Levels)
	case p.Method != "" && kind.Choice("method", p.Method, methods) != nil:
		return nil, kind.Usagef("%w", kind.Choice("method", p.Method, methods))
	}
	if k.factors != "" {
		for part := range strings.SplitSeq(k.factors, ",") {
			n, err := strconv.Atoi(strings.TrimSpace(part))
			if err != nil || n < 1 || n > 64 {
				return nil, kind.Usagef("--factor %s: must be numbers from 1 to 64", k.factors)
			}
			p.Factors = append(p.Factors, n)
		}
		if slices.Max(p.Factors) < 2 {
			return nil, kind.Usagef("--factor %s: nothing becomes smaller", k.factors)
		}
	}
	if k.axes != "" {
		for part := range strings.SplitSeq(k.axes, ",") {
			p.Axes = append(p.Axes, strings.TrimSpace(part))
		}
	}
	p.Describers = k.Describers
	name := path.Base(strings.TrimRight(strings.ReplaceAll(r.From, "\\", "/"), "/"))
	p.Name, _, _ = strings.Cut(name, ".")
	return &p, nil
}

var methods = []string{"mean", "mode", "max", "min", "nearest"}

// Help tells what pyramids are.
func (*Kind) Help(command string) (paragraph, examples string) {
	if command != "copy" {
		return "", ""
	}
	return `With --pyramid the copy is OME-Zarr: an image in several resolutions, each half of the
one before in rows and columns, and in planes where these are about as close to each
other, until 256 pixels are left. Levels that the source has are made anew of its
finest. Axes come in the order t, c, z, y, x, whatever it is in the source; others are
joined with the channels. Pixel sizes, units, channel names, colours and contrast are
those of the source (OME-XML, ImageJ, N5, GeoTIFF, OME-Zarr), contrast else by what
most pixels of the last level are. Labels, which are integers in a group "labels",
called so, or with --labels, are not mixed. Several images become a group of images, as
bioformats2raw makes them.`, `  omnizarr copy --pyramid cells.ome.tif cells.ome.zarr
  omnizarr copy --pyramid --ngff 0.4 em.n5/volume/s0 em.ome.zarr`
}

// Pyramid says what pyramids are made of images; the zero value is fine.
type Pyramid struct {
	// Version of OME-NGFF: "0.5", which is the default, on Zarr v3 or "0.4" on Zarr v2.
	Version string
	// Levels is how many there are, with the first; 0 is as many as it takes until no
	// axis that becomes shorter is longer than 256.
	Levels int
	// Factors is how many elements become one from level to level: a number for rows,
	// columns and planes that are not much farther apart, or one for every axis of the
	// copy. The default is 2.
	Factors []int
	// Method is mean, mode, max, min or nearest; the default is mode for labels and
	// truth values, else mean.
	Method string
	// Labels says that all images are labels.
	Labels bool
	// Axes are what those of arrays with as many are.
	Axes []string
	// Name is that of a source that is an image itself and has none.
	Name string
	// Describers tell what nodes of other formats say of images.
	Describers []kind.Describer
}

// Copy makes pyramids of an image, or of all images in a group, at a URL. Chunks,
// shards, codecs, the data type, memory and workers are as opts says; its format does
// not count.
func (p Pyramid) Copy(ctx context.Context, src zarr.Node, url string, opts copying.Options) (copying.Summary, error) {
	return copying.Measured(ctx, func(ctx context.Context) (copying.Summary, error) { return p.copy(ctx, src, url, opts) })
}

// complete puts the default in place of what is not said.
func (p *Pyramid) complete() {
	if p.Version == "" {
		p.Version = ngff.Version
	}
}

// look finds the images of a source.
func (p *Pyramid) look(ctx context.Context, src zarr.Node, opts copying.Options) (*survey, error) {
	s := &surveyor{describers: p.Describers, axes: p.Axes, labels: p.Labels, dataType: opts.DataType, name: p.Name, format: formatOf(p.Version), part: opts.Slice != ""}
	return s.look(ctx, src)
}

// part is what a slice leaves of a source, with what is not true of it any more.
func (p *Pyramid) part(ctx context.Context, src zarr.Node, opts copying.Options) (zarr.Node, []string, error) {
	if opts.Slice == "" {
		return src, nil, nil
	}
	a, err := finest(ctx, src)
	if err != nil {
		return nil, nil, err
	}
	attrs := a.Attributes()
	for _, d := range p.Describers {
		if said, ok := d.Describe(a); ok {
			attrs = said.Attributes
		}
	}
	if l, err := coordinates.LevelOf(ctx, a); err != nil {
		return nil, nil, err
	} else if l != nil {
		if attrs, err = l.Alone(attrs); err != nil {
			return nil, nil, err
		}
		p.Name = cmp.Or(l.Image.Name, p.Name)
	}
	return copying.Part(ctx, a, attrs, opts)
}

// finest is an array, or that of the finest level of a group that is an image.
func finest(ctx context.Context, src zarr.Node) (*zarr.Array, error) {
	g, ok := src.(*zarr.Group)
	if !ok {
		return src.(*zarr.Array), nil
	}
	if m, err := ngff.Read(g.Attributes()); err == nil && len(m.Images) == 1 && len(m.Images[0].Levels) > 0 {
		return g.Array(ctx, m.Images[0].Levels[0].Path)
	}
	return nil, &zarr.Error{Op: "copy", URL: src.URL(), Err: errors.New("a slice is of one array or image, this is a group: name the array")}
}

func (p Pyramid) copy(ctx context.Context, src zarr.Node, url string, opts copying.Options) (sum copying.Summary, err error) {
	if opts.Spread != nil && opts.Memory == 0 {
		opts.Memory = copying.SpreadMemory
	}
	if opts.Workers, opts.Memory, err = job.Limits(opts.Workers, opts.Memory); err != nil {
		return sum, fmt.Errorf("copy: %w", err)
	}
	p.complete()
	if err := landing.Apart(src, copying.Place{URL: url}); err != nil {
		return sum, err
	}
	foreign, err := copying.FindForeign(ctx, src)
	if err != nil {
		return sum, err
	}
	src, lost, err := p.part(ctx, src, opts)
	if err != nil {
		return sum, err
	}
	found, err := p.look(ctx, src, opts)
	if err != nil {
		return sum, err
	}
	found.lost = append(lost, found.lost...)
	b, err := newBuilder(found, &p, opts, p.Version)
	if err == nil {
		err = b.mayLose(ctx)
	}
	if err != nil {
		return sum, err
	}
	b.sum.Files, b.sum.NotCopied = []string{}, append(append([]string{}, foreign.Left...), found.lost...)
	for _, name := range foreign.Files {
		if name != collection+"/"+document {
			b.sum.NotCopied = append(b.sum.NotCopied, name)
		}
	}
	b.landing, err = landing.Begin(ctx, copying.Place{URL: url}, landing.Copy{Source: src, Request: p.request(opts), Overwrite: opts.Overwrite, Shared: opts.Spread != nil, Open: opts.Open})
	if err != nil {
		return sum, err
	}
	if err := b.land(ctx); err != nil || b.parted {
		return b.sum, b.landing.Abandon(err)
	}
	b.sum.Already = b.landing.Already()
	return b.sum, b.landing.Finish(ctx)
}

// request is what was asked for, besides what documents tell.
func (p Pyramid) request(opts copying.Options) any {
	return struct {
		Pyramid string          `json:"pyramid"`
		Method  string          `json:"method,omitempty"`
		Labels  bool            `json:"labels,omitempty"`
		Axes    []string        `json:"axes,omitempty"`
		Codecs  json.RawMessage `json:"codecs,omitempty"`
	}{p.Version, p.Method, p.Labels, p.Axes, opts.Codecs}
}
