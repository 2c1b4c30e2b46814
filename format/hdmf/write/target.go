package write

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"runtime"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/internal/par"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/locate"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/held"
	"github.com/omnizarr/zarr/store/lock"
)

// The documents of nodes, in the order in which those of one node are stored: the
// one that makes it a node behind what it says, and behind both what repeats them.
var documents = []string{".zattrs", ".zarray", ".zgroup", "zarr.json", ".zmetadata"}

// isDocument says whether a key is that of a document of any node.
func isDocument(key string) bool { return slices.Contains(documents, path.Base(key)) }

// isRoot says whether a key is that of a document of the root.
func isRoot(key string) bool { return slices.Contains(documents, key) }

// target is a file that is being written.
type target struct {
	form
	where  locate.Location
	unlock func() error // gives the lock of the file back; nil if there is none
	held   *held.Store
	root   *zarr.Group
	opts   Options
	limits *par.Limiter // of the parts that are copied at once
	// touched are nodes that the consolidated metadata must tell of anew, even if
	// their documents are what they were.
	touched []string
	// later are arrays that are to be filled when all nodes are made; nil if each is
	// filled at once.
	later []work
	// objects are the arrays of a copy that hold values of any kind.
	objects []written
}

// openTarget finds the store at a URL. kept says which documents are held back.
func openTarget(ctx context.Context, url string, opts Options, create bool, kept func(string) bool) (*target, error) {
	if opts.Pickle && opts.NoPickle {
		return nil, errPickles
	}
	l := opts.Locate
	l.Create, l.ReadOnly = create, false
	l.Sync = l.Sync || create && opts.Sync // what changes a file flushes it when it is committed
	where, err := locate.Open(ctx, url, l)
	if err != nil {
		return nil, err
	}
	s, err := store.Sub(where.Store, where.Path)
	if err != nil {
		return nil, errors.Join(err, where.Discard())
	}
	t := &target{where: where, held: held.New(s, kept, documents), opts: opts}
	t.pickle, t.json = opts.Pickle, opts.NoPickle
	t.limits = par.NewLimiter(runtime.GOMAXPROCS(0)-1, maxWaiting)
	return t, nil
}

// maxWaiting bounds the memory of parts that are copied at once, besides the
// first.
const maxWaiting = 256 << 20

// begin makes room and a root. What was there is gone then.
func (t *target) begin(ctx context.Context) error {
	err := t.lockFile(ctx)
	if err == nil {
		err = t.clear(ctx)
	}
	if err == nil { // its document is held back, and nothing is made in what is unfinished
		t.root, err = zarr.CreateGroupIn(ctx, t.held, "", append(t.engine(), zarr.As(t.format()))...)
	}
	if err == nil {
		_, err = t.held.Base().Put(ctx, unfinished, nil, store.PutOptions{})
	}
	if err != nil {
		return errors.Join(err, t.discard())
	}
	return nil
}

// lockFile keeps other processes from writing the file.
func (t *target) lockFile(ctx context.Context) (err error) {
	t.unlock, err = lock.Take(ctx, t.where.Store, t.where.Path)
	return err
}

// close closes the file, and discard gives it up: an archive is left as it was.
func (t *target) close() error   { return errors.Join(t.release(), t.where.Close()) }
func (t *target) discard() error { return errors.Join(t.release(), t.where.Discard()) }

func (t *target) release() error {
	if t.unlock == nil {
		return nil
	}
	return t.unlock()
}

// format is the version of Zarr that goes with the layout.
func (t *target) format() string {
	if t.layout == hdmf.V2 {
		return "zarr2"
	}
	return "zarr3"
}

// engine are the options for nodes. In the layout V2 text is 0 where nothing was
// written, so that empty text is written too.
func (t *target) engine() []zarr.Option {
	list := slices.Clone(t.opts.Zarr)
	if t.layout == hdmf.V2 {
		list = append(list, zarr.KeepEmpty())
	}
	return list
}

// unfinished is a value that lies beside the nodes of a file until all of it is
// there: who finds it, and no root, may begin anew.
const unfinished = zarr.Unfinished

// mayClear says whether what is there may be removed: because the caller said so,
// or because it is what an interruption left.
func (t *target) mayClear(ctx context.Context) (bool, error) {
	if t.opts.Overwrite {
		return true, nil
	}
	for i, name := range []string{unfinished, ".zgroup", ".zarray", "zarr.json"} {
		_, _, err := t.held.Base().Get(ctx, name, store.All(), nil)
		there := err == nil
		if err != nil && !errors.Is(err, store.ErrNotExist) {
			return false, err
		}
		if there != (i == 0) {
			return false, nil
		}
	}
	return true, nil
}

// clear makes sure that nothing is there: what is left of another file would seem
// to be part of this one.
func (t *target) clear(ctx context.Context) error {
	base := t.held.Base()
	may, err := t.mayClear(ctx)
	if err != nil {
		return err
	}
	var keys []string
	for e, err := range base.List(ctx, "", "/") {
		if err != nil {
			return err
		}
		if e.Key == lock.Name { // our own
			continue
		}
		if !may {
			return &zarr.Error{Op: "create", URL: base.URL(), Err: fmt.Errorf("%w: %s", ErrExist, e.Key)}
		}
		keys = append(keys, e.Key)
	}
	// Without its documents it is no file any more.
	slices.SortStableFunc(keys, func(a, b string) int { return strings.Compare(rank(a), rank(b)) })
	for _, key := range keys {
		if err := base.Delete(ctx, key); err != nil {
			return err
		}
	}
	return nil
}

func rank(key string) string {
	if isRoot(key) {
		return "0"
	}
	return "1"
}

// finish stores what was held back, and closes the file.
func (t *target) finish(ctx context.Context, err error) error {
	if err == nil && !t.opts.Plain {
		err = t.root.Consolidate(ctx)
	}
	if err == nil {
		err = t.held.Flush(ctx, t.held.Changes())
	}
	if err == nil {
		err = t.held.Base().Delete(ctx, unfinished)
	}
	if err != nil {
		return errors.Join(err, t.discard())
	}
	return t.close()
}

// group makes a group.
func (t *target) group(ctx context.Context, at string, attrs []hdmf.Attribute, links []link, more ...hdmf.Attribute) error {
	g := t.root
	list, err := t.attributes(ctx, append(slices.Clone(attrs), more...), links)
	if err == nil && at != "/" {
		g, err = t.root.RequireGroup(ctx, at[1:])
	}
	if err == nil && list.Len() > 0 {
		err = g.SetAttributes(ctx, list)
	}
	return t.failed(at, err)
}

// dataset makes a dataset.
func (t *target) dataset(ctx context.Context, at string, attrs []hdmf.Attribute, src source) error {
	_, err := t.array(ctx, at, attrs, src)
	return t.failed(at, err)
}

func (t *target) array(ctx context.Context, at string, attrs []hdmf.Attribute, src source) (*zarr.Array, error) {
	list, err := t.attributes(ctx, attrs, nil)
	if err != nil {
		return nil, err
	}
	if s, ok := src.(interface{ copyAll() }); ok && t.layout == hdmf.V2 && (src.elem().kind == hdmf.Text || src.elem().kind == hdmf.Bytes) {
		s.copyAll() // empty text is written too, see engine
	}
	p, err := t.plan(ctx, src)
	if err != nil {
		return nil, err
	}
	spec, err := t.spec(p, src, list)
	if err != nil {
		return nil, err
	}
	a, err := t.root.CreateArray(ctx, at[1:], spec)
	if err != nil {
		return nil, err
	}
	if p.objects && t.later != nil {
		t.objects = append(t.objects, written{at, p.pickled, src.elem().fields != nil})
	}
	if k := a.DataType().Kind(); t.layout == hdmf.V2 && (k == dtype.String || k == dtype.Bytes) {
		if err := t.zeroFill(ctx, a.Path()+"/.zarray"); err != nil {
			return nil, err
		}
	}
	return a, t.fills(ctx, at, a, src)
}

// fills writes the elements of an array that was made, now or later.
func (t *target) fills(ctx context.Context, at string, a *zarr.Array, src source) error {
	if t.later != nil {
		t.later = append(t.later, work{path.Clean("/" + at), a, src})
		return nil
	}
	return t.fill(ctx, a, src)
}

// zeroFill gives text the fill value that hdmf-zarr gives to all objects, by which
// its newer version knows arrays of the older one. The engine takes it for empty
// text.
func (t *target) zeroFill(ctx context.Context, key string) error {
	text, _, err := t.held.Get(ctx, key, store.UpTo(meta.MaxBytes), nil)
	if err != nil {
		return err
	}
	members, err := strictjson.Object(text, strictjson.Options{})
	if err != nil {
		return err
	}
	*find(members, "fill_value") = json.RawMessage("0")
	_, err = t.held.Put(ctx, key, append(strictjson.Indent(nil, object(members)), '\n'), store.PutOptions{})
	return err
}

// fill copies the elements, some parts at once.
func (t *target) fill(ctx context.Context, a *zarr.Array, src source) error {
	const many = 64
	var parts []part
	run := func() error {
		size := 0
		for _, p := range parts {
			size = max(size, p.size)
		}
		err := t.limits.Run(ctx, len(parts), int64(2*size), func(i int) error { return t.part(ctx, a, src, parts[i]) })
		parts = parts[:0]
		return err
	}
	for p, err := range src.blocks(ctx) {
		if err != nil {
			return err
		}
		if parts = append(parts, p); len(parts) == many {
			if err := run(); err != nil {
				return err
			}
		}
	}
	return run()
}

// maxBatch is how many bytes of elements are made at once.
const maxBatch = 16 << 20

// part copies a part.
func (t *target) part(ctx context.Context, a *zarr.Array, src source, p part) error {
	s, err := src.read(ctx, p)
	if err != nil {
		return err
	}
	return t.put(ctx, a, p.box, s)
}

// put writes items to a box of an array, as many rows along its first axis at once
// as maxBatch has room for; the box of a scalar may have another rank.
func (t *target) put(ctx context.Context, a *zarr.Array, box nd.Box, s *items) error {
	typ := a.DataType()
	if len(box.Shape) != len(a.Metadata().Shape) {
		box = nd.Whole(a.Shape())
	}
	rows, row := 1, 1
	if len(box.Shape) > 0 {
		rows = box.Shape[0]
		for _, n := range box.Shape[1:] {
			row *= n
		}
	}
	step := rows
	if s.typ == nil || s.fields != nil || len(typ.Refs()) > 0 {
		step = max(maxBatch/max(row*typ.Size(), 1), 1)
	}
	w := &elements{form: &t.form}
	for from := 0; from < rows; from += step {
		n := min(step, rows-from)
		b := nd.Box{Start: slices.Clone(box.Start), Shape: slices.Clone(box.Shape)}
		if len(b.Shape) > 0 {
			b.Start[0] += from
			b.Shape[0] = n
		}
		v, err := w.view(ctx, typ, s, from*row, n*row, b.Shape)
		if err != nil {
			return err
		}
		if err := a.WriteFrom(ctx, zarr.Box(b.Start, b.Shape), v); err != nil {
			return err
		}
	}
	return nil
}

// schemas caches the texts of namespaces below a path.
func (t *target) schemas(ctx context.Context, at string, texts []hdmf.SchemaText) error {
	for _, s := range texts {
		if err := t.schema(ctx, path.Join(at, s.Namespace, s.Version, s.Source), s.Text); err != nil {
			return t.failed(at, err)
		}
	}
	return nil
}

// checkSchemas refuses texts that cannot be cached.
func checkSchemas(texts []hdmf.SchemaText) error {
	for _, s := range texts {
		if s.Err != nil {
			return fmt.Errorf("cached schema %s %s: %w", s.Namespace, s.Source, s.Err)
		}
		for _, name := range []string{s.Namespace, s.Version, s.Source} {
			if name == "" || strings.Contains(name, "/") {
				return fmt.Errorf("cached schema %q: %q cannot be the name of a node", s.Source, name)
			}
		}
		if !utf8.ValidString(s.Text) {
			return fmt.Errorf("cached schema %s %s: %w", s.Namespace, s.Source, errText)
		}
	}
	return nil
}

func (t *target) schema(ctx context.Context, at, text string) error {
	spec := zarr.ArraySpec{Shape: []int{}, DataType: "string", Codecs: json.RawMessage(`[` + textCodec + `,` + compressorV3 + `]`)}
	if t.layout == hdmf.V2 {
		spec = zarr.ArraySpec{Shape: []int{1}, DataType: objects, FillValue: json.RawMessage("0"), Codecs: json.RawMessage(`[{"name":"numcodecs.json2"}]`)}
		spec.Attributes = &meta.Attributes{}
		if err := spec.Attributes.Set(dtypeV2, "scalar"); err != nil {
			return err
		}
	}
	a, err := t.root.CreateArray(ctx, strings.TrimPrefix(at, "/"), spec)
	if err != nil {
		return err
	}
	return t.fills(ctx, at, a, &memory{Data: Text([]string{text}, spec.Shape...)})
}

// setLocation says where the schemas are.
func (t *target) setLocation(ctx context.Context, at string) error {
	attrs := t.root.Attributes()
	if err := attrs.Set(schemaLocation, strings.TrimPrefix(at, "/")); err != nil {
		return err
	}
	return t.root.SetAttributes(ctx, attrs)
}

// failed says which object could not be written, unless err does.
func (t *target) failed(at string, err error) error {
	var known *zarr.Error
	if err == nil || errors.As(err, &known) {
		return err
	}
	return &zarr.Error{Op: "write", URL: store.JoinURL(t.held.URL(), strings.TrimPrefix(at, "/")), Err: err}
}

// checkName refuses names that no member of a group can have.
func checkName(name string) error {
	if name == "" || name == "." || name == ".." || strings.Contains(name, "/") {
		return fmt.Errorf("%s cannot be the name of an object", strictjson.Quote(name))
	}
	return nil
}
