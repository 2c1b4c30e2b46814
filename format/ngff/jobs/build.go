package jobs

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/codec"
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
	"github.com/omnizarr/zarr/store"
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
	free    sync.Pool // memory of blocks, which are filled as a whole
}

// land makes all nodes, and fills them unless that was done.
func (b *builder) land(ctx context.Context) error {
	own := append(slices.Clone(b.opts.Open), b.format().Options...)
	root, err := zarr.CreateGroupIn(ctx, b.landing.Store(), b.landing.Path(), own...)
	if err == nil {
		err = b.create(ctx, root)
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

// fill makes the elements of all levels, and then says how they are shown.
func (b *builder) fill(ctx context.Context) error {
	if text := b.found.document; text != "" {
		key := strings.TrimPrefix(b.root.Path()+"/"+collection+"/"+document, "/")
		if _, err := b.root.Store().Put(ctx, key, []byte(text), store.PutOptions{}); err != nil {
			return err
		}
		b.landing.Keep(key)
	}
	for _, p := range b.plans {
		for i, a := range p.arrays {
			if err := b.level(ctx, p, i); err != nil {
				return err
			}
			b.sum.Arrays++
			b.sum.Elements += job.Weight(a, a.Shape())
		}
		if p.label != nil {
			continue
		}
		shown, err := p.show(ctx, p.arrays[len(p.arrays)-1])
		if err != nil {
			return err
		}
		if err := b.tell(ctx, p, shown); err != nil {
			return err
		}
	}
	if b.opts.Verify {
		return b.verify(ctx)
	}
	return nil
}

// level fills a level block by block: the first of the source, others of the one before.
func (b *builder) level(ctx context.Context, p *plan, k int) error {
	dst := p.arrays[k]
	memory := copying.Usable(b.opts.Memory)
	share := memory / int64(b.opts.Workers)
	read, chunks, err := p.reader(k, share/4)
	if err != nil {
		return err
	}
	shape := dst.Shape()
	size := int64(dst.DataType().Size())
	block := blockShape(dst.Metadata().Grid.Uniform(), shape, chunks, share/4/size)
	part, err := b.parts(dst, chunks, share/4/size)
	if err != nil {
		return err
	}
	if part != nil {
		block = dst.Metadata().Grid.Uniform()
	}
	count := make([]int, len(shape))
	total := int64(1)
	for i, n := range shape {
		count[i] = (n + block[i] - 1) / block[i]
		total *= int64(count[i])
	}
	b.track.Add(total)
	at := job.Path(b.root, dst)
	pool := job.NewPool(ctx, b.opts.Workers, memory)
	grid, n := fmt.Sprint(block), -1
	for idx := make([]int, len(count)); ; {
		n++
		start, length := make([]int, len(shape)), make([]int, len(shape))
		for i := range idx {
			start[i] = idx[i] * block[i]
			length[i] = min(block[i], shape[i]-start[i])
		}
		bytes := job.Weight(dst, length)
		if b.landing.Done(at, grid, n) {
			b.sum.Resumed++
			b.track.Done(at, 1, bytes)
			if !nd.Next(idx, count) {
				return pool.Wait()
			}
			continue
		}
		number, index := n, slices.Clone(idx)
		weight := 4*bytes + share/4 // its elements, their bytes, and what they are made of
		if part != nil {
			weight = share
		}
		more := pool.Run(weight, func(ctx context.Context) error {
			var err error
			if give := b.giver(read, int(size)); part != nil {
				err = dst.WriteChunk(ctx, index, part, give)
			} else {
				err = write(ctx, dst, nd.Box{Start: start, Shape: length}, give)
			}
			if err != nil {
				return err
			}
			b.track.Done(at, 1, bytes)
			return b.landing.Mark(ctx, at, grid, number)
		})
		if !more || !nd.Next(idx, count) {
			return pool.Wait()
		}
	}
}

// lend gives memory for a block until free is called.
func (b *builder) lend(size int, shape []int) (v nd.View, free func()) {
	mem, _ := b.free.Get().(*[]byte)
	if mem == nil {
		mem = new([]byte)
	}
	n, _ := nd.Bytes(shape, size) // as much as was planned
	*mem = slices.Grow((*mem)[:0], n)[:n]
	return nd.Of(*mem, size, shape...), func() { b.free.Put(mem) }
}

// giver lends what a reader makes of boxes.
func (b *builder) giver(read func(context.Context, []int, nd.View) error, size int) codec.Giver {
	return func(ctx context.Context, box nd.Box) (nd.View, func(), error) {
		v, free := b.lend(size, box.Shape)
		err := read(ctx, box.Start, v)
		if err != nil {
			free()
		}
		return v, free, err
	}
}

// write writes a box at once.
func write(ctx context.Context, dst *zarr.Array, box nd.Box, give codec.Giver) error {
	v, free, err := give(ctx, box)
	if err != nil {
		return err
	}
	defer free()
	return dst.WriteFrom(ctx, zarr.Box(box.Start, box.Shape), v)
}

// parts is the shape of parts that shards are written in, nil if they are small enough
// to be written at once, or the store takes them only so.
func (b *builder) parts(dst *zarr.Array, from []int, most int64) ([]int, error) {
	chain, err := dst.Codec()
	if err != nil {
		return nil, err
	}
	shard := dst.Metadata().Grid.Uniform()
	n, ok := nd.Len(shard)
	if !chain.Streams() || !store.CanStream(dst.Store()) || ok && int64(n) <= most {
		return nil, nil
	}
	return copying.Rows(shard, chain.Inner().Spec().Shape, from, most), nil
}

// blockShape says how many elements are written at once: whole chunks, or shards, and
// so many of them that each chunk of the source is decoded once, as far as most
// elements allow.
func blockShape(chunk, shape, from []int, most int64) []int {
	out := slices.Clone(chunk)
	n := int64(1)
	for _, c := range out {
		n *= int64(c)
	}
	grow := func(i, to int) {
		times := (to + out[i] - 1) / out[i]
		times = min(times, (shape[i]+out[i]-1)/out[i])
		if times > 1 && n*int64(times) <= most {
			n *= int64(times)
			out[i] *= times
		}
	}
	for i := len(out) - 1; i >= 0 && from != nil; i-- {
		grow(i, from[i])
	}
	// Blocks of very small chunks would cost more than the chunks.
	for i := len(out) - 1; i >= 0 && n < smallBlock; i-- {
		grow(i, out[i]*int(smallBlock/max(n, 1)+1))
	}
	return out
}

// smallBlock is how many elements a block has at least, if there are as many.
const smallBlock = 1 << 18
