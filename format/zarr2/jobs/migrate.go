package jobs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/codec/std"
	"github.com/omnizarr/zarr/format"
	"github.com/omnizarr/zarr/format/n5"
	formats "github.com/omnizarr/zarr/format/std"
	"github.com/omnizarr/zarr/format/translate"
	"github.com/omnizarr/zarr/format/zarr2"
	"github.com/omnizarr/zarr/internal/words"
	"github.com/omnizarr/zarr/job"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store"
)

// MigrateOptions say what Migrate does.
type MigrateOptions struct {
	// To is the format that the documents are to have: "zarr3", which is the
	// default, or "zarr2". With Consolidate, "" leaves the format as it is.
	To string
	// Keep leaves the documents of the other format where they are. A node with
	// both is read as Zarr v3.
	Keep bool
	// DryRun only finds out whether it can be done.
	DryRun bool
	// Consolidate writes consolidated metadata into the node, a group, also
	// where nothing else is to be done.
	Consolidate bool
	// Open are options for the nodes.
	Open []zarr.Option
	// Bound tells why a node cannot do with other documents, "" if it can; nil is fine.
	Bound func(ctx context.Context, n zarr.Node) (string, error)
}

// Migration is what Migrate did, or would do.
type Migration struct {
	to           string
	dryRun       bool
	Nodes        int  `json:"nodes"`        // that got a document of the other format
	Already      int  `json:"already"`      // that had it
	Consolidated bool `json:"consolidated"` // metadata was consolidated
	// Chunks are those that were not stored and are now, since the other format would
	// not give them the same elements.
	Chunks int `json:"chunks"`
	// Lost is what the other format has no words for, by node.
	Lost []string `json:"lost"`
	// Notes are what is said in another way, a line each.
	Notes []string `json:"notes,omitempty"`
}

// Lines tells it to people.
func (r Migration) Lines() (lines []string) {
	done := "✓"
	if r.dryRun {
		done = "✓ can be done:"
	}
	if r.Nodes > 0 {
		lines = append(lines, fmt.Sprintf("%s %s to %s", done, words.Counted(r.Nodes, "node"), r.to))
	}
	if r.Already > 0 && r.to != "" {
		lines = append(lines, fmt.Sprintf("%s %s already", words.Counted(r.Already, "node"), r.to))
	}
	if r.Chunks > 0 {
		lines = append(lines, fmt.Sprintf("%s %s written out that would read as something else", done, words.Counted(r.Chunks, "missing chunk")))
	}
	for _, text := range slices.Concat(r.Lost, r.Notes) {
		lines = append(lines, "  "+text)
	}
	if r.Consolidated {
		lines = append(lines, done+" metadata consolidated")
	}
	return lines
}

// formatThree is the name of Zarr v3.
const formatThree = "zarr3"

// Versions are the values of MigrateOptions.To.
func Versions() []string { return []string{formatThree, zarr2.Format} }

// ErrNoMigration is wrapped by the error for nodes that the other format cannot
// describe.
var ErrNoMigration = errors.New("cannot be migrated")

// Migrate changes a hierarchy from Zarr v2 to v3 or back without touching a
// chunk: the documents of the other format are written, then the old ones are
// removed. What documents tell xarray of missing values and dimensions is said in the
// terms of the other format, and OME-NGFF in the version that belongs to it: 0.5 in Zarr
// v3, 0.4 in Zarr v2. Zarr v2 has no fill value besides the missing one: chunks
// that are not stored, and would not read as before, are written out first. Whether every node has a description in the other format is found out
// before anything is written; if one does not, the error says which and why, for
// every such node.
//
// Nodes are written from the bottom up, so that an interruption leaves a
// hierarchy that opens, and Migrate goes on where it stopped.
func Migrate(ctx context.Context, s store.Store, path string, opts MigrateOptions) (Migration, error) {
	if opts.To == "" && !opts.Consolidate {
		opts.To = formatThree
	}
	if opts.To != "" && !slices.Contains(Versions(), opts.To) {
		return Migration{}, fmt.Errorf("format %s is no version of Zarr, only zarr3 and zarr2 are", opts.To)
	}
	s = translate.Raw(s)
	m := &migrator{ctx: ctx, store: s, to: opts.To, opts: opts, report: Migration{to: opts.To, dryRun: opts.DryRun, Lost: []string{}},
		docs: map[zarr.Node]meta.Node{}, absent: map[*zarr.Array][][]int{}}
	if err := m.collect(strings.Trim(path, "/")); err != nil || opts.DryRun {
		return m.report, err
	}
	return m.report, m.run()
}

type migrator struct {
	ctx    context.Context
	store  store.Store // without translation
	to     string
	opts   MigrateOptions
	root   zarr.Node
	nodes  []zarr.Node             // all, in path order
	work   []zarr.Node             // those that need another document
	docs   map[zarr.Node]meta.Node // as they are to be
	absent map[*zarr.Array][][]int // chunks that have to be written out
	report Migration
}

// open opens the node as it is now: Zarr v2 counts for what is not migrated yet.
func (m *migrator) open(path string, more ...zarr.Option) (zarr.Node, error) {
	opts := append(slices.Clone(m.opts.Open), zarr.BypassConsolidated())
	return zarr.OpenStore(m.ctx, m.store, path, append(opts, more...)...)
}

// collect finds the nodes that need another document, and whether they can have
// one.
func (m *migrator) collect(path string) error {
	var err error
	if m.root, err = m.open(path); err != nil {
		return err
	}
	if m.root.Format() == n5.Format {
		return &zarr.Error{Op: "migrate", URL: m.root.URL(), Err: fmt.Errorf("%w: is N5; Adopt makes it Zarr v3 too", ErrNoMigration)}
	}
	group, isGroup := m.root.(*zarr.Group)
	if !isGroup && m.opts.Consolidate {
		return &zarr.Error{Op: "consolidate", URL: m.root.URL(), Err: errors.New("is an array, not a group")}
	}
	var reasons []error
	var refused refusals
	stay := m.opts.To == "" && m.opts.Consolidate
	if stay {
		m.to = m.root.Format()
	}
	if m.opts.Bound != nil && !stay && m.root.Format() != m.to {
		why, err := m.opts.Bound(m.ctx, m.root)
		if err != nil {
			return err
		}
		if why != "" {
			return &zarr.Error{Op: "migrate", URL: m.root.URL(), Err: fmt.Errorf("%w to %s: %s; omnizarr copy --to %s writes it anew", ErrNoMigration, m.to, why, m.to)}
		}
	}
	see := func(n zarr.Node) {
		if stay || n.Format() == m.to {
			m.report.Already++
			return
		}
		if err := m.check(n); err != nil {
			refused.add(n, err)
			return
		}
		m.work = append(m.work, n)
		m.report.Nodes++
	}
	m.nodes = append(m.nodes, m.root)
	if isGroup {
		for n, err := range group.Walk(m.ctx) {
			if err != nil {
				reasons = append(reasons, err)
				continue
			}
			m.nodes = append(m.nodes, n)
		}
	}
	if !stay {
		if err := m.translate(); err != nil {
			return err
		}
	}
	for _, n := range m.nodes {
		see(n)
	}
	if isGroup {
		m.report.Consolidated = m.opts.Consolidate || group.Metadata().Consolidated != nil && len(m.work) > 0
	}
	return errors.Join(append(reasons, refused.errors(m.to)...)...)
}

// refusals are why nodes have no document in the other format: many of a hierarchy
// have the same reason.
type refusals []*refusal

type refusal struct {
	first zarr.Node
	err   error
	more  int
}

func (r *refusals) add(n zarr.Node, err error) {
	for _, same := range *r {
		if same.err.Error() == err.Error() {
			same.more++
			return
		}
	}
	*r = append(*r, &refusal{first: n, err: err})
}

// errors tell every reason once, and what can be done instead.
func (r refusals) errors(to string) (out []error) {
	for i, reason := range r {
		err := fmt.Errorf("%w to %s: %w", ErrNoMigration, to, reason.err)
		if reason.more > 0 {
			err = fmt.Errorf("%w (and %s like it)", err, words.Counted(reason.more, "more node"))
		}
		if i == len(r)-1 {
			differs := "are encoded with codecs of Zarr v3"
			if to == zarr2.Format {
				differs = "have the names of Zarr v2 and lie in no shards"
			}
			err = fmt.Errorf("%w; omnizarr copy --to %s makes a new one, whose chunks %s", err, to, differs)
		}
		out = append(out, &zarr.Error{Op: "migrate", URL: reason.first.URL(), Err: err})
	}
	return out
}

// check says why a node has no document in the other format.
func (m *migrator) check(n zarr.Node) error {
	switch n := n.(type) {
	case *zarr.Group:
		if m.to == zarr2.Format {
			_, _, err := zarr2.MarshalGroup(m.docs[n].(*meta.Group))
			return err
		}
	case *zarr.Array:
		doc := m.docs[n].(*meta.Array)
		if m.to == zarr2.Format {
			if _, _, err := zarr2.MarshalArray(doc); err != nil {
				return err
			}
			return m.findAbsent(n, doc)
		}
		for _, c := range doc.Codecs {
			if !std.Portable(c) {
				return fmt.Errorf("no codec for %s in Zarr v3", strings.TrimPrefix(c.Name, "numcodecs."))
			}
		}
		if name := doc.DataType.Name(); strings.HasPrefix(name, "omnizarr.") {
			return fmt.Errorf("no data type for %s in Zarr v3", strings.TrimPrefix(name, "omnizarr."))
		}
		return job.CodecError(n)
	}
	return nil
}

// run writes all documents, those of groups after what they hold, then removes
// the old ones. Of nodes that had the new document already, an interrupted run
// may have left the old one.
func (m *migrator) run() error {
	if err := m.fillIn(); err != nil {
		return err
	}
	slices.Reverse(m.work)
	slices.Reverse(m.nodes)
	for _, n := range m.work {
		if err := m.write(n); err != nil {
			return &zarr.Error{Op: "migrate", URL: n.URL(), Err: err}
		}
	}
	if m.report.Consolidated && !slices.Contains(m.work, m.root) {
		n, err := m.open(m.root.Path(), version(m.to))
		if err != nil {
			return err
		}
		if err := n.(*zarr.Group).Consolidate(m.ctx); err != nil {
			return err
		}
	}
	if m.opts.Keep || m.opts.To == "" && m.opts.Consolidate {
		return nil
	}
	old := m.nodes
	if m.to == zarr2.Format {
		old = m.work // a node with both documents is one of them
	}
	for _, n := range old {
		if err := m.remove(n); err != nil {
			return &zarr.Error{Op: "migrate", URL: n.URL(), Err: err}
		}
	}
	return nil
}

// write stores the document of a node in the new format. That of the root comes
// last, and with it consolidated metadata.
func (m *migrator) write(n zarr.Node) error {
	doc := m.docs[n]
	if g, ok := doc.(*meta.Group); ok {
		g = g.Clone()
		g.Consolidated = nil
		if m.report.Consolidated && n == m.root {
			var err error
			if g.Consolidated, err = m.consolidated(); err != nil {
				return err
			}
		}
		doc = g
	}
	if m.to == zarr2.Format {
		return formats.Registry().Open(m.store, zarr2.Format, format.Env{}).PutNode(m.ctx, n.Path(), doc, zarr2.Format, store.PutOptions{})
	}
	text, err := doc.Marshal()
	if err == nil {
		_, err = m.store.Put(m.ctx, job.DocumentOf(n), text, store.PutOptions{})
	}
	return err
}

// consolidated is the metadata of all nodes below the root.
func (m *migrator) consolidated() (*meta.Consolidated, error) {
	nodes := make(map[string]meta.Node, len(m.nodes))
	for _, n := range m.nodes {
		path := job.Path(m.root, n)[1:]
		nodes[path] = m.docs[n]
	}
	delete(nodes, "")
	return meta.NewConsolidated(nodes)
}

// version makes nodes of a version of Zarr.
func version(name string) zarr.Option {
	if name == zarr2.Format {
		return zarr.As("zarr2")
	}
	return zarr.As("zarr3")
}

// remove deletes the document of a node in the old format.
func (m *migrator) remove(n zarr.Node) error {
	if m.to == zarr2.Format {
		return m.store.Delete(m.ctx, job.DocumentOf(n))
	}
	return zarr2.Remove(m.ctx, m.store, n.Path())
}
