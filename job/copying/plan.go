package copying

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/codec/pad"
	"github.com/omnizarr/zarr/internal/words"
	"github.com/omnizarr/zarr/job"
	"github.com/omnizarr/zarr/nd"
)

// Plan is what a copy is going to do. Nothing but metadata was read for it: what is
// stored of the source is not known, and what that compresses to neither.
type Plan struct {
	Arrays  int64 `json:"arrays"`
	AsBytes int64 `json:"arrays_as_bytes"` // those whose chunks are copied as they are stored
	Chunks  int64 `json:"chunks"`          // of the copy, or shards; -1 if more than can be counted
	// Elements is the bytes of all elements of the copy; Read of those that are decoded
	// from the source, some of them more than once; Written of those that are encoded.
	Elements int64 `json:"bytes_of_elements"`
	Read     int64 `json:"bytes_decoded"`
	Written  int64 `json:"bytes_encoded"`
	// Passes is how often a part of the source is decoded, on average of the array
	// where that is most often.
	Passes float64 `json:"passes"`
	Memory int64   `json:"memory"` // bytes that the copy may take
	// Lossy are the codecs that lose precision, each with the array and what is lost.
	Lossy []string `json:"lossy"`
	// Files are those of the source that are no part of a node and are copied along, as
	// far as somebody has looked; NotCopied is what the copy will not have.
	Files     []string `json:"files"`
	NotCopied []string `json:"not_copied"`
	Each      []Layout `json:"each"`
	// Linked are files that the source refers to, and that are copied beside it; what is
	// counted here, but Each, is of them too. Notes are what the copy will say besides.
	Linked []Linked `json:"linked,omitempty"`
	Notes  []string `json:"notes,omitempty"`
}

// Join counts in the plan of a file that is copied along.
func (p *Plan) Join(with Linked, plan Plan) {
	p.Linked = append(p.Linked, with)
	p.Arrays += plan.Arrays
	p.AsBytes += plan.AsBytes
	if p.Chunks < 0 || plan.Chunks < 0 {
		p.Chunks = -1
	} else {
		p.Chunks = add(p.Chunks, float64(plan.Chunks))
	}
	p.Elements = add(p.Elements, float64(plan.Elements))
	p.Read = add(p.Read, float64(plan.Read))
	p.Written = add(p.Written, float64(plan.Written))
	p.Passes = max(p.Passes, plan.Passes)
	for _, text := range plan.Lossy {
		p.Lossy = append(p.Lossy, with.From+text)
	}
}

// Layout is how one array is copied.
type Layout struct {
	Path    string  `json:"path"`
	Shape   []int   `json:"shape"`
	From    []int   `json:"from_chunks"` // nil where they differ
	To      []int   `json:"to_chunks"`
	Block   []int   `json:"block"` // what is in memory at once
	Reads   float64 `json:"reads"` // how often a part of the source is decoded, on average
	AsBytes bool    `json:"as_bytes"`
	// Via is the array by way of which it is copied, nil if it is copied directly.
	Via *Via `json:"via,omitempty"`
}

// often tells how often something is done.
func often(times float64) string {
	if times == 1 {
		return "once"
	}
	return fmt.Sprintf("%.3g times", times)
}

// times is how often a part of the source would be decoded on the direct way.
func (l Layout) times() float64 {
	if l.Via != nil {
		return l.Via.Direct
	}
	return l.Reads
}

// Planner is a Format that can tell what a copy will do before it does it.
type Planner interface {
	Format
	// Plan plans the copy of a node. Its options have limits.
	Plan(ctx context.Context, src zarr.Node, opts Options) (Plan, error)
}

// FileTaker is a Format whose copies can hold files that are no part of a node.
type FileTaker interface {
	Format
	TakesFiles() bool
}

// PartTaker is a Format whose copies can be of a part of an array.
type PartTaker interface {
	Format
	TakesParts() bool
}

// TakesParts says that folders and archives do.
func (Nodes) TakesParts() bool { return true }

// TakesFiles says that folders and archives do.
func (Nodes) TakesFiles() bool { return true }

// PlanOf says what Copy is going to do with the same options. Lossy codecs are named,
// not refused. A format that cannot tell has an empty plan.
func PlanOf(ctx context.Context, src zarr.Node, opts Options) (p Plan, err error) {
	if opts, err = opts.complete(); err != nil {
		return p, err
	}
	to, ok := opts.To.(Planner)
	if !ok {
		return Plan{Memory: opts.Memory}, nil
	}
	return to.Plan(ctx, src, opts)
}

// Plan says what Copy is going to do.
func (f Nodes) Plan(ctx context.Context, src zarr.Node, opts Options) (Plan, error) {
	opts.Lossy = true
	d, err := f.design(ctx, src, opts)
	if err != nil {
		return Plan{}, err
	}
	for _, list := range []*[]string{&d.plan.Lossy, &d.plan.Files, &d.plan.NotCopied} {
		*list = append([]string{}, *list...) // of JSON
	}
	return d.plan, nil
}

// ErrLossy says that a copy would lose precision, which is done only when it is asked
// for.
var ErrLossy = errors.New("the copy would lose precision")

// design is all that is known of a copy before anything is written.
type design struct {
	groups map[string]*zarr.Group
	said   Said // by the groups of the copy
	arrays map[string]*zarr.Array
	specs  map[string]zarr.ArraySpec
	cuts   map[string][]zarr.Positions // of arrays that are not copied whole
	lost   []string                    // what the copy does not say any more
	header *pad.Format
	plan   Plan
}

// design finds all that can be wrong with the source or the options before anything
// is written.
func (f Nodes) design(ctx context.Context, src zarr.Node, opts Options) (d *design, err error) {
	d, f.made = &design{}, map[string]*zarr.Array{}
	if d.groups, d.arrays, err = job.Nodes(ctx, src); err != nil {
		return nil, err
	}
	if d.header, err = padding(opts.Pad); err != nil {
		return nil, err
	}
	if d.header != nil && f.Headers != "" {
		return nil, errors.New(f.Headers)
	}
	if d.cuts, err = cuts(ctx, src, d.arrays, opts); err != nil {
		return nil, err
	}
	if d.specs, d.lost, err = f.layouts(src, d.arrays, d.cuts, opts, d.header); err != nil {
		return nil, err
	}
	if d.said, err = f.Groups(d.groups); err != nil {
		return nil, err
	}
	d.plan.Notes = d.said.Notes
	for at, spec := range d.specs {
		if given := d.said.Names(at, spec.DimensionNames, len(spec.Shape)); given != nil {
			spec.DimensionNames = given
			d.specs[at] = spec
		}
	}
	if f.Describe != nil {
		if err := f.Describe(d.groups, d.specs); err != nil {
			return nil, err
		}
	}
	if err := d.measure(ctx, f, opts); err != nil {
		return nil, err
	}
	d.plan.NotCopied = d.lost
	if len(d.plan.Lossy) > 0 && !opts.Lossy {
		return nil, &zarr.Error{Op: "copy", URL: src.URL(), Err: fmt.Errorf("%w: %s; allow it (--lossy) or choose other codecs (--codecs)", ErrLossy, words.Some(d.plan.Lossy))}
	}
	return d, nil
}

// measure makes the plan of arrays that are made in memory.
func (d *design) measure(ctx context.Context, f Nodes, opts Options) error {
	p := &d.plan
	p.Memory, p.Passes = opts.Memory, 1
	for _, path := range job.Paths(d.arrays) {
		a := d.arrays[path]
		made, err := f.example(ctx, d.specs[path], padOptions(d.header, nil)...)
		if err != nil {
			return &zarr.Error{Op: "copy", URL: a.URL(), Err: err}
		}
		// Folders take values piece by piece, and most copies are folders.
		w := &blocks{Pair: Pair{Path: path, From: a, To: made, Cut: d.cuts[path]}, streams: true}
		workers := opts.Workers
		if opts.Spread != nil {
			workers = spreadWorkers
		}
		if err := w.lay(opts.Memory, workers); err != nil {
			return err
		}
		bytes := job.Weight(made, made.Shape())
		p.Arrays++
		p.Elements = add(p.Elements, float64(bytes))
		if n, ok := nd.Len(made.Metadata().Grid.Count()); ok && p.Chunks >= 0 {
			p.Chunks = add(p.Chunks, float64(n))
		} else {
			p.Chunks = -1
		}
		l := Layout{
			Path: path, Shape: made.Shape(), From: a.Metadata().Grid.Uniform(), To: made.Metadata().Grid.Uniform(),
			Block: w.held(), Reads: w.reads, AsBytes: w.asBytes,
		}
		read, written := float64(bytes)*w.reads, bytes
		if way := d.way(ctx, w, opts, workers); way != nil {
			l.Block, l.Reads, l.Via = way.second.held(), way.first.reads, way.plan(w.reads, bytes)
			read, written = float64(l.Via.Read), l.Via.Written
		}
		p.Each = append(p.Each, l)
		if w.asBytes {
			p.AsBytes++
			continue
		}
		p.Read = add(p.Read, read)
		p.Written = add(p.Written, float64(written))
		p.Passes = max(p.Passes, l.Reads)
		for _, text := range w.Losses() {
			p.Lossy = append(p.Lossy, path+" "+text)
		}
	}
	return nil
}

// way is that of an array by another one, nil if there is none. Parts do not wait for each
// other, so that a copy in parts has none, and says what that costs.
func (d *design) way(ctx context.Context, w *blocks, opts Options, workers int) *route {
	if opts.Direct {
		return nil
	}
	way := w.via(ctx, opts, workers)
	if way == nil || opts.Spread == nil || opts.Spread.Of == 0 {
		return way
	}
	d.plan.Notes = append(d.plan.Notes, fmt.Sprintf("%s: without --part it would go by way of %s, and the source be read %s instead of %s: parts do not wait for each other",
		w.Path, way.plan(w.reads, 0), often(way.first.reads), often(w.reads)))
	return nil
}

// add adds what may be more than can be counted.
func add(n int64, more float64) int64 { return int64(min(float64(n)+more, math.MaxInt64/2)) }

// Lines tells the plan in a few lines.
func (p Plan) Lines() []string {
	chunks := counted(p.Chunks, "chunk")
	if p.Chunks < 0 {
		chunks = "more chunks than can be counted"
	}
	first := fmt.Sprintf("%s, %s, %s of elements", counted(p.Arrays, "array"), chunks, words.Bytes(float64(p.Elements)))
	if p.AsBytes > 0 {
		first += fmt.Sprintf("; chunks of %s as the bytes that are stored", counted(p.AsBytes, "array"))
	}
	passes := "each part of the source once"
	if p.Passes > 1 {
		passes = fmt.Sprintf("parts of the source up to %.3g times", p.Passes)
	}
	out := []string{first, fmt.Sprintf("decode %s, %s; encode %s; memory up to %s",
		words.Bytes(float64(p.Read)), passes, words.Bytes(float64(p.Written)), words.Bytes(float64(p.Memory)))}
	worst := slices.SortedFunc(slices.Values(p.Each), func(x, y Layout) int { return cmp.Compare(y.times(), x.times()) })
	for _, l := range worst[:min(len(worst), 3)] {
		if l.Via != nil {
			out = append(out, fmt.Sprintf("%s: chunks %s become %s by way of %s, which take %s beside the copy until it is complete: the source is read %s instead of %s, these %s",
				l.Path, words.Times(l.From), words.Times(l.To), l.Via, words.Bytes(float64(l.Via.Written)/2), often(l.Reads), often(l.Via.Direct), often(l.Via.Reads)))
		} else if l.Reads > 1 {
			out = append(out, fmt.Sprintf("%s: chunks %s become %s by blocks of %s, read %s", l.Path, words.Times(l.From), words.Times(l.To), words.Times(l.Block), often(l.Reads)))
		}
	}
	for _, group := range []struct {
		title string
		list  []string
	}{{"loses precision", p.Lossy}, {"other files", p.Files}, {"not copied", p.NotCopied}} {
		if len(group.list) > 0 {
			out = append(out, group.title+": "+words.Some(group.list))
		}
	}
	for _, l := range p.Linked {
		out = append(out, fmt.Sprintf("linked: %s is copied to %s", l.From, l.To))
	}
	for _, note := range p.Notes {
		out = append(out, "note: "+note)
	}
	return out
}

// String is the plan in one text.
func (p Plan) String() string { return strings.Join(p.Lines(), "\n") }
