package write

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"

	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/internal/strictjson"
)

// Object is what groups and datasets have in common.
type Object struct {
	// Type is that of a schema, the zero value for an object without one.
	Type hdmf.Type
	// ID is the object id. An object with a type gets a random one if it has none.
	ID string
	// Attributes are what is said about the object: what has a JSON form, or a
	// hdmf.Reference, or lists and maps of these.
	Attributes map[string]any
}

// Group is a group that is to be made.
type Group struct {
	Object
	Groups   map[string]*Group
	Datasets map[string]*Dataset
	// Links are names in the group that stand for objects elsewhere.
	Links map[string]hdmf.Reference
}

// Dataset is a dataset that is to be made.
type Dataset struct {
	Object
	Data Data
	// Dims names the axes.
	Dims []string
	// Chunks is the shape of the chunks. The default cuts into chunks of about a
	// mebibyte.
	Chunks []int
	// Shards is the shape of what chunks are stored in together, a multiple of
	// theirs; nil stores each by itself, as the layout V2 always does.
	Shards []int
	// Codecs is the JSON of a list of Zarr v3 codecs that compress, in place of
	// what hdmf-zarr does by default.
	Codecs json.RawMessage
}

// Create makes a file at a URL. References and links name objects by their paths;
// in the layout V2 they get the ids of those that the tree has. The file becomes
// one at the very end.
//
// With schemas in the options the tree is checked against them before anything is
// stored. What is not as they say is told as an Invalid, unless Unchecked is set.
func Create(ctx context.Context, url string, root *Group, opts Options) error {
	if opts.Layout == 0 {
		opts.Layout = defaultLayout
	}
	if root == nil {
		return errors.New("a file without a root")
	}
	b := newBuilder(nil, "neurodata_type")
	if opts.DataType {
		b.key = "data_type"
	}
	if err := checkSchemas(opts.Schemas); err != nil {
		return err
	}
	for _, s := range opts.Schemas {
		if _, err := strictjson.Object([]byte(s.Text), strictjson.Options{}); err != nil {
			return fmt.Errorf("cached schema %s %s: is no JSON object, as files cache schemas, also those written in YAML: %w", s.Namespace, s.Source, err)
		}
	}
	if err := b.name("/", root, 0); err != nil {
		return err
	}
	if opts.Schemas != nil && !opts.Unchecked {
		if err := b.check(ctx, url, root, opts); err != nil {
			return err
		}
	}
	t, err := newTarget(ctx, url, opts)
	if err != nil {
		return err
	}
	if err := t.begin(ctx); err != nil {
		return err
	}
	b.target, t.place = t, b.refer
	b.file = hdmf.Of(ctx, t.root, hdmf.Zarr(opts.Zarr...))
	defer b.file.Close() // with the others that it refers to
	return t.finish(ctx, b.all(ctx, root))
}

// builder writes a tree.
type builder struct {
	*target
	key string            // the attribute that has the type
	ids map[string]string // by path, of all objects of the tree
	// links are those of the tree by their paths.
	links map[string]hdmf.Reference
	// file is what is written, by which others are found that it refers to; nil for
	// editors, and while a tree is checked.
	file *hdmf.File
}

func newBuilder(t *target, key string) *builder {
	return &builder{target: t, key: key, ids: map[string]string{}, links: map[string]hdmf.Reference{}}
}

// through gives what a reference leads to behind the links of the tree that are on
// its way: in the tree, or where a link leads out of it.
func (b *builder) through(r hdmf.Reference) hdmf.Reference {
	at := path.Clean("/" + r.Path)
	for range maxLinks {
		if _, is := b.ids[at]; is || len(b.links) == 0 {
			break
		}
		above, to := at, hdmf.Reference{}
		for ; above != "/" && to.Path == ""; above = path.Dir(above) {
			if to = b.links[above]; to.Path != "" {
				at = path.Clean("/" + to.Path + at[len(above):])
			}
		}
		if to.Path == "" {
			break
		}
		if to.Source != "" && to.Source != "." {
			return hdmf.Reference{Source: to.Source, Path: at}
		}
	}
	return hdmf.Reference{Source: ".", Path: at}
}

// maxLinks is how many links may lead to one another.
const maxLinks = 32

// name gives ids to all objects of the tree before any is written, and checks
// them. The tree stays as it is.
func (b *builder) name(at string, g *Group, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("%s: more than %d groups inside each other", at, maxDepth)
	}
	if g == nil {
		return fmt.Errorf("%s: %w", at, errNil)
	}
	b.ids[at] = g.id()
	if _, err := b.said(at, &g.Object); err != nil {
		return fmt.Errorf("%s: %w", at, err)
	}
	seen := map[string]bool{}
	check := func(name string) error {
		if seen[name] {
			return fmt.Errorf("%s: two members are called %q", at, name)
		}
		seen[name] = true
		return checkName(name)
	}
	for name, d := range g.Datasets {
		if err := check(name); err != nil {
			return err
		}
		if d == nil {
			return fmt.Errorf("%s: %w", path.Join(at, name), errNil)
		}
		b.ids[path.Join(at, name)] = d.id()
		_, err := d.source()
		if err == nil {
			_, err = b.said(path.Join(at, name), &d.Object)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", path.Join(at, name), err)
		}
	}
	for name, r := range g.Links {
		if err := check(name); err != nil {
			return err
		}
		if err := checkLink(r); err != nil {
			return fmt.Errorf("%s: link %q: %w", at, name, err)
		}
		b.links[path.Join(at, name)] = r
	}
	for name, sub := range g.Groups {
		if err := check(name); err != nil {
			return err
		}
		if err := b.name(path.Join(at, name), sub, depth+1); err != nil {
			return err
		}
	}
	return nil
}

var errNil = errors.New("there is nil where an object should be")

// id is the id of the object, a new one each time if it has a type but no id.
func (o *Object) id() string {
	if o.ID == "" && o.Type.Name != "" {
		return newID()
	}
	return o.ID
}

// newID makes a random UUID.
func newID() string {
	var b [16]byte
	rand.Read(b[:])
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// refer fills in the ids that a reference lacks.
func (b *builder) refer(ctx context.Context, r hdmf.Reference) (hdmf.Reference, error) {
	if r.Source == "" {
		r.Source = "."
	}
	if r.Source != "." {
		if b.layout == hdmf.V2 && b.file != nil {
			r = fillIDs(ctx, b.file, r)
		}
		return r, ctx.Err()
	}
	if r.ObjectID == "" {
		switch to := b.through(r); {
		case to.Source == ".":
			r.ObjectID = b.ids[to.Path]
		case b.layout == hdmf.V2 && b.file != nil:
			r.ObjectID = fillIDs(ctx, b.file, to).ObjectID
		}
	}
	if r.SourceObjectID == "" {
		r.SourceObjectID = b.ids["/"]
	}
	return r, nil
}

func (b *builder) all(ctx context.Context, root *Group) error {
	if err := b.group(ctx, "/", root); err != nil || b.opts.Schemas == nil {
		return err
	}
	if err := b.schemas(ctx, defaultLocation, b.opts.Schemas); err != nil {
		return err
	}
	return b.setLocation(ctx, defaultLocation)
}

// said are the attributes of the object at a path, its type and id among them.
func (b *builder) said(at string, o *Object) ([]hdmf.Attribute, error) {
	all := maps.Clone(o.Attributes)
	if all == nil {
		all = map[string]any{}
	}
	if o.Type.Name != "" {
		all["namespace"], all[b.key] = o.Type.Namespace, o.Type.Name
	}
	if id := b.ids[at]; id != "" {
		all["object_id"] = id
	}
	var list []hdmf.Attribute
	for _, name := range slices.Sorted(maps.Keys(all)) {
		a, err := attributeOf(name, all[name])
		if err != nil {
			return nil, err
		}
		list = append(list, a)
	}
	return list, nil
}

func (b *builder) group(ctx context.Context, at string, g *Group) error {
	attrs, err := b.said(at, &g.Object)
	if err != nil {
		return b.failed(at, err)
	}
	var links []link
	for _, name := range slices.Sorted(maps.Keys(g.Links)) {
		links = append(links, link{name, g.Links[name]})
	}
	if err := b.target.group(ctx, at, attrs, links); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(g.Datasets)) {
		if err := b.add(ctx, path.Join(at, name), g.Datasets[name]); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(g.Groups)) {
		if err := b.group(ctx, path.Join(at, name), g.Groups[name]); err != nil {
			return err
		}
	}
	return nil
}

// source is the data of d as what is written.
func (d *Dataset) source() (source, error) {
	src, err := d.Data.source(d.Chunks, d.Codecs)
	if err != nil || d.Shards == nil {
		return src, err
	}
	if err := checkShards(d.Shards, d.Chunks); err != nil {
		return nil, err
	}
	switch src := src.(type) {
	case *memory:
		src.outer = d.Shards
	case *recut:
		src.outer = d.Shards
	}
	return src, nil
}

// add makes a dataset.
func (b *builder) add(ctx context.Context, at string, d *Dataset) error {
	if d == nil {
		return b.failed(at, errNil)
	}
	attrs, err := b.said(at, &d.Object)
	if err == nil && d.Dims != nil {
		var a hdmf.Attribute
		a, err = attributeOf(dimensions, d.Dims)
		attrs = append(attrs, a)
	}
	var src source
	if err == nil {
		src, err = d.source()
	}
	if err == nil && d.Dims != nil && len(d.Dims) != len(src.shape()) {
		err = fmt.Errorf("%d names for the axes of shape %v", len(d.Dims), src.shape())
	}
	if err != nil {
		return b.failed(at, err)
	}
	return b.dataset(ctx, at, attrs, src)
}
