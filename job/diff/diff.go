// Package diff compares hierarchies by what they hold, however they are stored: nodes,
// shapes, types, attributes, names of dimensions and values. Chunks, shards and codecs
// may differ, and so may the format.
package diff

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/format/std"
	"github.com/omnizarr/zarr/internal/words"
	"github.com/omnizarr/zarr/job"
	"github.com/omnizarr/zarr/meta"
)

// Kind is in what two nodes differ.
type Kind string

// Of two hierarchies the second is looked at from the first: Missing is what it has
// not, Extra what it has besides.
const (
	Missing    Kind = "missing"
	Extra      Kind = "extra"
	Shape      Kind = "shape"
	DataType   Kind = "data_type"
	Attributes Kind = "attributes"
	Values     Kind = "values"
)

// Difference is one thing in which two hierarchies differ.
type Difference struct {
	Path   string `json:"path"`
	Kind   Kind   `json:"kind"`
	Detail string `json:"detail"`
}

// Report is what Nodes found, in the order of paths.
type Report struct {
	Equal       bool         `json:"equal"`
	Differences []Difference `json:"differences"`
}

// Options say how Nodes works; the zero value is fine.
type Options struct {
	Workers int   // blocks at once; default: the number of processors
	Memory  int64 // bytes of blocks at once; default job.DefaultMemory
	// Progress is called after every block.
	Progress func(job.Progress)
}

// Nodes compares two nodes and all that is below them. Values are compared where
// shapes and types agree: block by block, so that arrays may be larger than memory.
// Numbers are equal by value, and NaN is equal to NaN.
func Nodes(ctx context.Context, a, b zarr.Node, opts Options) (Report, error) {
	c := &comparison{opts: opts, track: job.NewTracker(opts.Progress)}
	var err error
	if c.opts.Workers, c.opts.Memory, err = job.Limits(opts.Workers, opts.Memory); err != nil {
		return Report{}, fmt.Errorf("diff: %w", err)
	}
	ours, err := nodes(ctx, a)
	if err != nil {
		return Report{}, err
	}
	theirs, err := nodes(ctx, b)
	if err != nil {
		return Report{}, err
	}
	c.ours, c.theirs = groups(ours), groups(theirs)
	if a.Format() != b.Format() {
		c.ourNames, c.theirNames = names(c.ours, b.Format()), names(c.theirs, a.Format())
	}
	for _, path := range job.Paths(ours) {
		other, ok := theirs[path]
		if !ok {
			c.add(path, Missing, "%s, only in the first", describe(ours[path]))
			continue
		}
		c.node(path, ours[path], other)
	}
	for _, path := range job.Paths(theirs) {
		if _, ok := ours[path]; !ok {
			c.add(path, Extra, "%s, only in the second", describe(theirs[path]))
		}
	}
	if err := c.values(ctx); err != nil {
		return Report{}, err
	}
	slices.SortStableFunc(c.found, func(x, y Difference) int { return meta.ComparePaths(x.Path, y.Path) })
	return Report{Equal: len(c.found) == 0, Differences: append([]Difference{}, c.found...)}, nil
}

// nodes are those of a hierarchy by path.
func nodes(ctx context.Context, root zarr.Node) (map[string]zarr.Node, error) {
	groups, arrays, err := job.Nodes(ctx, root)
	all := make(map[string]zarr.Node, len(groups)+len(arrays))
	for path, g := range groups {
		all[path] = g
	}
	for path, a := range arrays {
		all[path] = a
	}
	return all, err
}

// groups are the documents of those among nodes.
func groups(nodes map[string]zarr.Node) map[string]*meta.Group {
	out := map[string]*meta.Group{}
	for path, n := range nodes {
		if g, ok := n.(*zarr.Group); ok {
			out[path] = g.Metadata()
		}
	}
	return out
}

// describe says what a node is.
func describe(n zarr.Node) string {
	if a, ok := n.(*zarr.Array); ok {
		return fmt.Sprintf("an array, %s %s", words.Times(a.Shape()), a.DataType().Name())
	}
	return "a group"
}

// comparison is one that is under way.
type comparison struct {
	opts  Options
	track *job.Tracker
	found []Difference
	pairs []*pair // arrays whose values are to be compared
	// The documents of groups, by their paths.
	ours, theirs map[string]*meta.Group
	// What they call dimensions of arrays in the format of the other, by paths.
	ourNames, theirNames map[string][]string
}

func (c *comparison) add(path string, kind Kind, format string, args ...any) {
	c.found = append(c.found, Difference{path, kind, fmt.Sprintf(format, args...)})
}

// node compares what two nodes say of themselves.
func (c *comparison) node(path string, a, b zarr.Node) {
	x, isArray := a.(*zarr.Array)
	y, ok := b.(*zarr.Array)
	if isArray != ok {
		c.add(path, Missing, "%s in the first, %s in the second", describe(a), describe(b))
		return
	}
	if !isArray {
		c.group(path, a, b)
		return
	}
	p, missing := said(x)
	q, other := said(y)
	c.attributes(path, p, q)
	if !sameJSON(missing, other) {
		c.add(path, Attributes, "what stands for a missing value: %s and %s", orNone(missing), orNone(other))
	}
	if p, q := dimensionNames(x, c.ourNames[path]), dimensionNames(y, c.theirNames[path]); !slices.Equal(p, q) {
		c.add(path, Attributes, "names of dimensions: %s and %s", list(p), list(q))
	}
	same := true
	if !dtype.Equal(x.DataType(), y.DataType()) {
		same = false
		c.add(path, DataType, "%s and %s", x.DataType().Name(), y.DataType().Name())
	}
	if p, q := x.Shape(), y.Shape(); !slices.Equal(p, q) {
		same = false
		c.add(path, Shape, "%s and %s", words.Times(p), words.Times(q))
	}
	if same {
		c.pairs = append(c.pairs, newPair(path, x, y))
	}
}

// group compares the attributes of two groups. Of different formats, they may say the
// same by a convention that has a form for each.
func (c *comparison) group(path string, a, b zarr.Node) {
	p, q, before := a.Attributes(), b.Attributes(), c.found
	if c.attributes(path, p, q); a.Format() == b.Format() || len(c.found) == len(before) {
		return
	}
	plain := c.found
	for _, as := range [][2]*meta.Attributes{{restated(c.ours, path, b.Format()), q}, {p, restated(c.theirs, path, a.Format())}} {
		c.found = before
		if c.attributes(path, as[0], as[1]); len(c.found) == len(before) {
			return
		}
	}
	c.found = plain
}

// restated are the attributes of a group as a format says them.
func restated(groups map[string]*meta.Group, path, format string) *meta.Attributes {
	groups = maps.Clone(groups)
	groups[path] = groups[path].Clone()
	if f := std.Registry().Find(format); f != nil && f.Restate != nil {
		f.Restate(groups, path)
	}
	return groups[path].Attributes
}

// names are those that groups give to the dimensions of arrays in another format.
func names(groups map[string]*meta.Group, format string) map[string][]string {
	out := map[string][]string{}
	f := std.Registry().Find(format)
	if f == nil || f.Restate == nil {
		return out
	}
	changed := map[string]*meta.Group{}
	for path, g := range groups {
		changed[path] = g.Clone()
	}
	for path := range groups {
		_, _, names := f.Restate(changed, path)
		maps.Copy(out, names)
	}
	return out
}

// dimensionNames are those of an array, or others if no dimension has one.
func dimensionNames(a *zarr.Array, others []string) []string {
	names := a.DimensionNames()
	if strings.Join(names, "") == "" {
		return others
	}
	return names
}

func list(names []string) string {
	if names == nil {
		return "none"
	}
	return strings.Join(names, ", ")
}

// said is what the attributes of an array say beyond what its format uses them for,
// and which value stands for a missing one. An attribute that only repeats the names of
// dimensions, as some formats have it, says nothing.
func said(a *zarr.Array) (attrs *meta.Attributes, missing json.RawMessage) {
	m := a.Metadata().Clone()
	if f := std.Registry().Find(a.Format()); f != nil && f.Terms != nil {
		what, _ := f.Terms.Read(m, nil)
		missing = what.Missing
	}
	attrs = m.Attrs().Clone()
	for _, name := range attrs.Names() {
		var list []string
		if json.Unmarshal(attrs.Raw(name), &list) != nil || len(list) == 0 {
			continue
		}
		back := slices.Clone(list)
		slices.Reverse(back)
		if names := a.DimensionNames(); slices.Equal(list, names) || slices.Equal(back, names) {
			attrs.Delete(name)
		}
	}
	return attrs, missing
}

func orNone(raw json.RawMessage) string {
	if raw == nil {
		return "none"
	}
	return words.Compact(raw)
}

// longest is how much of an attribute is told.
const longest = 60

// attributes compares attributes by what they say.
func (c *comparison) attributes(path string, a, b *meta.Attributes) {
	names := append(slices.Clone(a.Names()), b.Names()...)
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		x, y := a.Raw(name), b.Raw(name)
		switch {
		case y == nil:
			c.add(path, Attributes, "%q: %s, only in the first", name, words.Cut(words.Compact(x), longest))
		case x == nil:
			c.add(path, Attributes, "%q: %s, only in the second", name, words.Cut(words.Compact(y), longest))
		case !sameJSON(x, y):
			c.add(path, Attributes, "%q: %s and %s", name, words.Cut(words.Compact(x), longest), words.Cut(words.Compact(y), longest))
		}
	}
}

// sameJSON reports whether two values mean the same: the order of members does not
// count, nor how a number is spelled.
func sameJSON(x, y json.RawMessage) bool {
	if bytes.Equal(x, y) {
		return true
	}
	a, err := decode(x)
	b, other := decode(y)
	return cmp.Or(err, other) == nil && reflect.DeepEqual(a, b)
}

// decode gives a JSON value whose numbers are whole ones as they are written, or
// floats.
func decode(raw json.RawMessage) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	return plain(v), nil
}

func plain(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name := range v {
			v[name] = plain(v[name])
		}
	case []any:
		for i := range v {
			v[i] = plain(v[i])
		}
	case json.Number:
		if n, err := v.Int64(); err == nil && -1<<53 < n && n < 1<<53 {
			return float64(n)
		}
		if f, err := v.Float64(); err == nil && strings.ContainsAny(v.String(), ".eE") {
			return f
		}
	}
	return v
}
