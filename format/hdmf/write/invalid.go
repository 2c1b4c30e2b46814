package write

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/format/hdmf/check"
	"github.com/omnizarr/zarr/format/hdmf/schema"
	"github.com/omnizarr/zarr/internal/par"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/held"
	"github.com/omnizarr/zarr/store/mem"
)

// Invalid says that a file or an object was not made, since it would not be as its
// schemas say.
type Invalid struct {
	URL      string
	Findings []check.Finding // at least one
}

// shownFindings is how many the message names.
const shownFindings = 3

// Error names the file and the first findings, with their places and rules.
func (e *Invalid) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "create %s: it would not be as its schemas say: ", e.URL)
	for i, f := range e.Findings[:min(len(e.Findings), shownFindings)] {
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(f.String())
	}
	if more := len(e.Findings) - shownFindings; more > 0 {
		fmt.Fprintf(&b, "; and %d more", more)
	}
	return b.String()
}

// check finds what is wrong with a tree: it is written into memory and checked there as
// any file is.
func (b *builder) check(ctx context.Context, url string, root *Group, opts Options) error {
	catalog, err := catalogOf(opts.Schemas)
	if err != nil {
		return err
	}
	opts.Schemas, opts.Plain = nil, true
	t := &target{held: held.New(mem.New(), isRoot, documents), opts: opts}
	t.layout, t.pickle, t.json, t.place = opts.Layout, opts.Pickle, opts.NoPickle, b.refer
	if t.root, err = zarr.CreateGroupIn(ctx, t.held, "", append(t.engine(), zarr.As(t.format()))...); err != nil {
		return err
	}
	f, err := b.try(ctx, t, catalog, func() error { return b.all(ctx, root) })
	if err != nil {
		return err
	}
	defer f.Close()
	findings, err := check.File(ctx, f, check.Options{Schema: catalog, Alone: true})
	return invalid(url, findings, err)
}

// checkNew finds what is wrong with an object that is to be added, in the same way, in
// front of the file as it is. What it refers to may be added later.
func (e *Editor) checkNew(ctx context.Context, at string, b *builder, make func() error) error {
	if e.opts.Unchecked {
		return nil
	}
	catalog, _ := e.file.Schemas(ctx) // what cannot be used is not asked for
	if catalog == nil || len(catalog.Namespaces()) == 0 {
		return ctx.Err()
	}
	t := &target{held: held.New(e.held, func(string) bool { return true }, documents), opts: e.opts}
	t.form = e.form
	n, err := zarr.OpenStore(ctx, t.held, "", append(t.engine(), zarr.BypassConsolidated())...)
	if err != nil {
		return err
	}
	t.root = n.(*zarr.Group) // as that of the editor
	f, err := b.try(ctx, t, catalog, make)
	if err != nil {
		return err
	}
	defer f.Close()
	o, err := f.Object(ctx, at)
	if err != nil {
		return err
	}
	findings, err := check.Object(ctx, o, check.Options{Schema: catalog, Alone: true})
	findings = slices.DeleteFunc(findings, func(f check.Finding) bool { return f.Rule == check.DanglingLink || f.Rule == check.DanglingReference })
	return invalid(store.JoinURL(e.held.URL(), at[1:]), findings, err)
}

// try makes nodes in a target in memory, but for most numbers, which no rule is about,
// and gives the file that it is then.
func (b *builder) try(ctx context.Context, t *target, catalog *schema.Catalog, make func() error) (*hdmf.File, error) {
	t.limits, t.later = par.NewLimiter(0, maxWaiting), []work{}
	before := b.target
	defer func() { b.target = before }()
	b.target = t
	if err := make(); err != nil {
		return nil, err
	}
	for _, w := range t.later {
		if !counts(catalog, w) {
			continue
		}
		if err := t.fill(ctx, w.to, w.src); err != nil {
			return nil, t.failed(w.at, err)
		}
	}
	n, err := zarr.OpenStore(ctx, t.held, "", append(t.engine(), zarr.BypassConsolidated())...)
	if err != nil {
		return nil, err
	}
	return hdmf.Of(ctx, n.(*zarr.Group)), nil
}

// invalid makes an error of findings, but for warnings.
func invalid(url string, findings []check.Finding, err error) error {
	findings = slices.DeleteFunc(findings, func(f check.Finding) bool { return f.Warning })
	if err == nil && len(findings) > 0 {
		err = &Invalid{URL: url, Findings: findings}
	}
	return err
}

// catalogOf makes a catalog of schemas of which nothing is wrong.
func catalogOf(texts []hdmf.SchemaText) (*schema.Catalog, error) {
	var all error
	c := hdmf.Catalog(texts, func(_ hdmf.SchemaText, err error) { all = errors.Join(all, err) })
	if all = errors.Join(all, errors.Join(c.Problems()...)); all != nil {
		return nil, fmt.Errorf("schemas: %w", all)
	}
	return c, nil
}

// fewNumbers is up to how many bytes numbers are always looked at.
const fewNumbers = 1 << 20

// counts says whether the elements of an array matter to the schemas: numbers do if
// they are rows of tables.
func counts(catalog *schema.Catalog, w work) bool {
	e := w.src.elem()
	if e.typ == nil || e.fields != nil {
		return true
	}
	if n, ok := nd.Len(w.to.Shape()); ok && n <= fewNumbers/max(e.typ.Size(), 1) {
		return true
	}
	attrs := w.to.Attributes()
	var namespace, name string // stay empty of what is no text
	_, _ = attrs.Get("namespace", &namespace)
	if ok, _ := attrs.Get("neurodata_type", &name); !ok {
		_, _ = attrs.Get("data_type", &name)
	}
	typ, err := catalog.Type(namespace, name)
	return err == nil && (typ.Is("", "VectorIndex") || typ.Is("", "DynamicTableRegion"))
}
