// Package copying writes arrays and hierarchies anew, with other chunks, shards,
// codecs or data type, in any format that has a Format.
package copying

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/coordinates"
	"github.com/omnizarr/zarr/job"
	"github.com/omnizarr/zarr/job/landing"
	"github.com/omnizarr/zarr/store"
)

// Options say what the copy looks like; the zero value keeps everything as it is
// in the source.
type Options struct {
	// To is what is written; the default is Zarr v3.
	To Format
	// Chunks and Shards are the shapes in the copy. In a hierarchy they are for
	// the arrays with as many axes; the others keep theirs. Either of them lays
	// the array out anew: without Shards it has none then.
	Chunks, Shards []int
	// Codecs is the JSON of a codecs list, for inner chunks if there are
	// shards. The default is the source's.
	Codecs json.RawMessage
	// DataType is what numbers are converted to, by value: a number that the
	// type does not have is an error, except that floats are rounded. Arrays of
	// other types keep theirs in a hierarchy, and are refused alone.
	DataType string
	// Pad makes every chunk a file by a header before it: one of pad.Names, see
	// package codec/pad. Arrays whose type that kind of file does not have get none
	// in a hierarchy, and are refused alone. The copy is written with the codecs of
	// package codec/std then.
	Pad string
	// Slice is what is copied of the array, as package coordinates reads it, and of those
	// in a hierarchy along the dimensions that it names: an index drops the dimension.
	// Coordinates are options for it.
	Slice       string
	Coordinates []coordinates.Option
	// Lossy allows codecs that lose precision where chunks are encoded anew; without it
	// they are ErrLossy.
	Lossy bool
	// NodesOnly leaves out what lies beside the nodes of the source and is no part of
	// them, such as a README or the tables of other programs.
	NodesOnly bool
	// Overwrite lets the copy take the place of nodes that are there. Without it a
	// copy goes only where nothing is, or where the same copy was begun.
	Overwrite bool
	// Verify reads the copy back and compares it with the source before it is done.
	// Where codecs lose precision, it is only decoded.
	Verify bool
	// Workers is how many blocks are worked on at once, and so how many are lost if the
	// copy is stopped. The default is the number of processors, and where a store is
	// far away as many more as it likes requests under way.
	Workers int
	// Memory bounds the bytes that the copy takes; default: a quarter of what the
	// process may use. A chunk or shard that needs more is zarr.ErrTooLarge. What the
	// source has in flight comes on top, see zarr.InFlight.
	Memory   int64
	Progress func(job.Progress) // called after every block
	// Then is called when the elements are copied, with the copy before it appears:
	// more nodes may be made in it, and its attributes changed. What it does belongs
	// to what was asked for, so that the same copy has it again.
	Then func(ctx context.Context, root zarr.Node, l *landing.Landing) error
	// Open are options for the nodes of the copy.
	Open []zarr.Option
	// Direct copies every array directly. Without it, one whose source would be decoded
	// several times goes by way of another array in the place of the copy, where that
	// spares much; it takes as much room there as the elements do. See Layout.Via.
	Direct bool
	// Spread makes the copy together with other processes; nil is alone.
	Spread *Spread

	waits bool // Workers was not said
}

// ErrNotEmpty says that the place of a copy holds something else.
var ErrNotEmpty = landing.ErrNotEmpty

// Format is what copies are written as. Nodes is one for formats whose groups and
// arrays the engine makes; others make files of their own.
type Format interface {
	// Name is what people call it, as in copy --to NAME.
	Name() string
	// Copy writes a node to a place. Its options have limits. What the engine reads and
	// writes of chunks is counted, and so are seconds: the rest of the summary is the
	// format's.
	Copy(ctx context.Context, src zarr.Node, to Place, opts Options) (Summary, error)
}

// Copy writes an array, or a group with everything below it, to a URL. Shapes, fill
// values, attributes and names of dimensions stay; chunks, shards, codecs and the
// type of numbers are what opts says. A hierarchy of Zarr gets consolidated metadata
// when it has more than one array.
//
// The array is written in blocks that are whole chunks or shards of the copy,
// so that no chunk is written twice. Blocks of which the source stores nothing
// are passed over. Until it is complete the copy does not open; one that was
// interrupted and is started again goes on, and ends with the same bytes; one that is
// there already is left as it is. See package landing.
func Copy(ctx context.Context, src zarr.Node, url string, opts Options) (Summary, error) {
	return copyTo(ctx, src, Place{URL: url}, opts)
}

// Into is Copy to a path of a store.
func Into(ctx context.Context, src zarr.Node, dst store.Store, path string, opts Options) (Summary, error) {
	return copyTo(ctx, src, Place{Store: dst, Path: path}, opts)
}

// complete puts the defaults in place of what is not said.
func (o Options) complete() (Options, error) {
	var err error
	if o.Spread != nil && o.Memory == 0 {
		o.Memory = SpreadMemory
	}
	o.waits = o.waits || o.Workers == 0
	if o.Workers, o.Memory, err = job.Limits(o.Workers, o.Memory); err != nil {
		return o, fmt.Errorf("copy: %w", err)
	}
	if o.To == nil {
		o.To = Zarr3()
	}
	if s, ok := o.To.(Spreader); o.Spread != nil && (!ok || !s.Spreads()) {
		return o, fmt.Errorf("copy to %s: %w; copy to a folder in parts, and that to the file", o.To.Name(), landing.ErrAlone)
	}
	if takes, ok := o.To.(PartTaker); o.Slice != "" && (!ok || !takes.TakesParts()) {
		return o, fmt.Errorf("copy to %s: it takes no slices; copy the part to a folder first", o.To.Name())
	}
	return o, nil
}

func copyTo(ctx context.Context, src zarr.Node, to Place, opts Options) (sum Summary, err error) {
	if opts, err = opts.complete(); err != nil {
		return sum, err
	}
	if err := landing.Apart(src, to); err != nil {
		return sum, err
	}
	var foreign Foreign
	if takes, ok := opts.To.(FileTaker); !ok || !takes.TakesFiles() {
		if foreign, err = FindForeign(ctx, src); err != nil {
			return sum, err
		}
	}
	sum, err = Measured(ctx, func(ctx context.Context) (Summary, error) { return opts.To.Copy(ctx, src, to, opts) })
	sum.Files = append([]string{}, sum.Files...)
	sum.NotCopied = append(append(append([]string{}, sum.NotCopied...), foreign.Left...), foreign.Files...)
	return sum, err
}

// Place is where a copy goes: a URL, or a path of a store.
type Place = landing.Place

// Copy writes a node as groups and arrays of the format.
func (f Nodes) Copy(ctx context.Context, src zarr.Node, to Place, opts Options) (sum Summary, err error) {
	// All that can be wrong with the source or the options shows before
	// anything is written.
	d, err := f.design(ctx, src, opts)
	if err != nil {
		return sum, err
	}
	foreign, err := FindForeign(ctx, src)
	if err != nil {
		return sum, err
	}
	if opts.NodesOnly {
		foreign.Left, foreign.Files = append(foreign.Left, foreign.Files...), nil
	}
	told, err := unsaid(ctx, src)
	if err != nil {
		return sum, err
	}
	defer func() { sum.NotCopied, sum.Notes = slices.Concat(sum.NotCopied, told, d.lost), d.plan.Notes }()
	l, err := landing.Begin(ctx, to, landing.Copy{Source: src, Request: f.request(opts), Overwrite: opts.Overwrite, Shared: opts.Spread != nil, Open: opts.Open})
	if err != nil {
		return sum, err
	}
	own := append(padOptions(d.header, opts.Open), f.Options...)
	c := &copier{src: src, opts: opts, format: f, design: d, foreign: foreign, landing: l, own: append(own, zarr.BypassConsolidated())}
	if err := c.land(ctx); err != nil || c.parted {
		return c.sum, l.Abandon(err)
	}
	c.sum.Already = l.Already()
	return c.sum, l.Finish(ctx)
}

// unsaid names what the group above an array says of it, which a copy of the array alone
// does not say.
func unsaid(ctx context.Context, src zarr.Node) ([]string, error) {
	a, ok := src.(*zarr.Array)
	if !ok {
		return nil, nil
	}
	l, err := coordinates.LevelOf(ctx, a)
	if err != nil || l == nil {
		return nil, err
	}
	known := len(l.Channels()) > 0
	for i, axis := range l.Image.Axes {
		known = known || axis.Unit != "" || l.Image.Levels[l.Number].Scale[i] != 1
	}
	if !known {
		return nil, nil
	}
	return []string{"pixel sizes and channels, which the group of the image says (--pyramid keeps them)"}, nil
}

// request is what a copy was asked to be, besides what its documents tell.
func (f Nodes) request(opts Options) any {
	return struct {
		To        string          `json:"to"`
		Chunks    []int           `json:"chunks,omitempty"`
		Shards    []int           `json:"shards,omitempty"`
		Codecs    json.RawMessage `json:"codecs,omitempty"`
		DataType  string          `json:"data_type,omitempty"`
		Pad       string          `json:"pad,omitempty"`
		Slice     string          `json:"slice,omitempty"`
		NodesOnly bool            `json:"nodes_only,omitempty"`
	}{f.Format, opts.Chunks, opts.Shards, opts.Codecs, opts.DataType, opts.Pad, opts.Slice, opts.NodesOnly}
}

// copier makes the nodes of a copy, in a landing.
type copier struct {
	src    zarr.Node
	opts   Options
	format Nodes
	*design
	foreign Foreign
	landing *landing.Landing
	own     []zarr.Option // of the nodes that are made
	sum     Summary
	parted  bool // other processes have not done their parts yet
}

// at is where the copy of the node at a path lies in the store.
func (c *copier) at(path string) string {
	return strings.Trim(c.landing.Path()+strings.TrimSuffix(path, "/"), "/")
}

// createArray makes an array.
func (c *copier) createArray(ctx context.Context, path string) (*zarr.Array, error) {
	a, err := zarr.CreateArrayIn(ctx, c.landing.Store(), c.at(path), c.specs[path], c.own...)
	if err != nil || !c.format.Forgets {
		return a, err
	}
	// A copy that goes on must write with the codecs that are read again.
	n, err := zarr.OpenStore(ctx, c.landing.Store(), c.at(path), c.own...)
	if err != nil {
		return nil, err
	}
	return n.(*zarr.Array), nil
}

// land makes all nodes, and then fills the arrays.
func (c *copier) land(ctx context.Context) error {
	made := make(map[string]*zarr.Group, len(c.groups))
	for _, path := range job.Paths(c.groups) {
		var err error
		if made[path], err = zarr.CreateGroupIn(ctx, c.landing.Store(), c.at(path), c.own...); err != nil {
			return err
		}
	}
	var work []Pair
	for _, path := range job.Paths(c.arrays) {
		dst, err := c.createArray(ctx, path)
		if err != nil {
			return err
		}
		work = append(work, Pair{Path: path, From: c.arrays[path], To: dst, Cut: c.cuts[path]})
	}
	// Behind the arrays: what these tell of images, a format need not say twice.
	for _, path := range job.Paths(c.groups) {
		if attrs := c.said.Groups[path].Attributes; attrs != nil {
			if err := made[path].SetAttributes(ctx, attrs); err != nil {
				return err
			}
		}
	}
	if err := c.fill(ctx, work); err != nil || c.landing.Already() || c.parted {
		return err
	}
	if err := c.more(ctx, made["/"], work); err != nil {
		return err
	}
	if len(c.arrays) > 1 && c.format.Consolidated {
		return made["/"].Consolidate(ctx)
	}
	return nil
}

// fill begins in the place, and copies the elements.
func (c *copier) fill(ctx context.Context, work []Pair) (err error) {
	if c.opts.Spread != nil {
		return c.share(ctx, work)
	}
	if err := c.landing.Start(ctx); err != nil || c.landing.Already() {
		return err
	}
	for i := range work {
		work[i].Begun = c.landing.Resumed()
	}
	c.sum, err = Elements(ctx, work, c.opts, c.landing)
	return err
}

// share is fill for one process of several.
func (c *copier) share(ctx context.Context, work []Pair) error {
	f, err := Fill(ctx, work, c.opts, c.landing)
	if err != nil {
		return err
	}
	c.landing.Share(c.opts.Spread.Of, f.Cut())
	if err := c.landing.Start(ctx); err != nil || c.landing.Already() {
		return err
	}
	if err := f.Find(ctx, c.landing.Resumed()); err != nil {
		return err
	}
	finish, err := c.opts.Spread.Land(ctx, &Work{
		Landing: c.landing, Stages: f.Stages(), Do: f.Do, Each: f.Each,
	}, &c.sum)
	part := c.sum.Part
	c.sum = f.Summary()
	c.sum.Part, c.parted = part, !finish
	return err
}

// more adds to a copy what is no element: files that are no part of a node, and what
// the caller makes.
func (c *copier) more(ctx context.Context, group *zarr.Group, work []Pair) (err error) {
	var root zarr.Node = group
	if group == nil {
		root = work[0].To
	}
	copies := map[string]*zarr.Array{}
	for _, p := range work {
		copies[p.Path] = p.To
	}
	if c.sum.Files, c.sum.NotCopied, err = c.foreign.copy(ctx, c.src, root, copies, c.opts.Memory); err != nil {
		return err
	}
	for _, key := range c.sum.Files {
		c.landing.Keep(c.at("/" + key))
	}
	if c.opts.Then != nil {
		return c.opts.Then(ctx, root, c.landing)
	}
	return nil
}
