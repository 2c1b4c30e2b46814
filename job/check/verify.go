// Package check finds what is wrong with a hierarchy: Verify reads and decodes
// everything, Validate holds metadata against the rules.
package check

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/translate"
	"github.com/omnizarr/zarr/internal/words"
	"github.com/omnizarr/zarr/job"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/journal"
)

// Report is what Verify found.
type Report struct {
	OK      bool `json:"ok"`
	Arrays  int  `json:"arrays"`
	Chunks  int  `json:"chunks"`  // in the grids of all arrays, stored or not
	Missing int  `json:"missing"` // of them not stored, which is no problem
	// Checked is how many chunks were read, where only a sample was.
	Checked int `json:"checked,omitempty"`
	// Problems are in the order of their paths and keys, and so are notes: what is
	// worth knowing and does not make the data wrong.
	Problems []Problem `json:"problems"`
	Notes    []Problem `json:"notes,omitempty"`
	// Left is how many chunks of arrays are not stored, by their paths, of a part.
	Left map[string]int `json:"missing_by_array,omitempty"`
}

// Problem is something that cannot be read, or is not what it should be.
type Problem struct {
	Path    string `json:"path"`    // of the node, "/" for the one that was given
	Key     string `json:"key"`     // of the chunk or document below the node, "" for the node as a whole
	Problem string `json:"problem"` // what is wrong
	// Cause and Group are for who mends it. Group is the path of the group whose
	// consolidated metadata is stale.
	Cause Cause  `json:"-"`
	Group string `json:"-"`
	// Around says, in the report of a part, that it was found by looking around, and does
	// not count if something else is told of the same key.
	Around bool `json:"around,omitempty"`
}

// Cause is what kind of problem it is.
type Cause int

// The causes that job/repair knows.
const (
	Other    Cause = iota
	Corrupt        // a chunk whose bytes are not what its codecs expect
	Orphan         // a chunk outside of its array
	Leftover       // a temporary file of a writer that is gone
	Stale          // consolidated metadata
	Broken         // a node that does not open
	// Unfinished is what an interrupted writer left, see Finisher. It may be of a note.
	Unfinished
)

// VerifyOptions say how to verify; the zero value is fine.
type VerifyOptions struct {
	Workers  int                // chunks at once; default: the number of processors
	Memory   int64              // bytes of chunks at once; default 512 MiB
	Progress func(job.Progress) // called after every chunk
	// Open are options for the nodes, which are opened again to see their own
	// documents where a group has consolidated metadata.
	Open []zarr.Option
	// Apart are the paths of groups below the node, such as the cached schemas of a
	// file, that writers leave out of consolidated metadata with all below them.
	Apart []string
	// Sample is which part of the chunks is read, from 0 to 1; 0 is all. Which ones is
	// left to chance.
	Sample float64
	// FailMissing makes chunks that are not stored a problem, one for each array.
	FailMissing bool
	// Inspect are looks at what formats keep besides nodes, see kind.List.
	Inspect []Inspection
	// Finishers know what writers of their formats leave when they are interrupted.
	Finishers []Finisher
	// Part, from 1 on, reads one of Of shares of the chunks; 0 is all of them. The first
	// tells of everything else too. What it gives is joined by Join.
	Part, Of int
	// NoChunks leaves chunks unread.
	NoChunks bool
	// Now is the time that the age of temporary files is counted from; default: now.
	Now time.Time
}

// Inspection looks at what a format keeps besides nodes. It tells what is wrong there,
// and gives the paths of nodes below root that are not listed and are to be verified
// too.
type Inspection func(ctx context.Context, root zarr.Node, tell func(path, problem string)) (more []string, err error)

// DeadAfter is how long after its last change a temporary file is taken for one of a
// writer that is gone, where its name does not tell who that is.
const DeadAfter = 10 * time.Minute

// fewChunks is up to how many chunks of a grid are asked for one by one. In a
// larger grid only those that the store lists are read, so that a grid of
// 10¹² missing chunks takes no time.
const fewChunks = 1 << 12

// mostAsked is how many chunks are asked for one by one in a store that cannot
// list.
const mostAsked = 1 << 26

// Verify reads and decodes everything at and below a node. Chunks that are not
// stored are counted. Everything else that is not as it should be becomes a
// problem of the report: chunks that cannot be decoded, nodes that cannot be
// opened, consolidated metadata that differs from the nodes' own documents, links
// that lead out or nowhere, chunks outside of arrays, temporary files that writers
// left. What belongs to no node is noted. The error is only for work that could not be done to its end.
func Verify(ctx context.Context, node zarr.Node, opts VerifyOptions) (Report, error) {
	var err error
	if opts.Sample < 0 || opts.Sample > 1 {
		return Report{}, fmt.Errorf("a sample of %v: must be a part of all, from 0 to 1", opts.Sample)
	}
	if opts.Of < 0 || opts.Of > 0 && (opts.Part < 1 || opts.Part > opts.Of) {
		return Report{}, fmt.Errorf("part %d of %d: must be from 1 to their number", opts.Part, opts.Of)
	}
	if opts.Now.IsZero() {
		opts.Now = time.Now()
	}
	if opts.Workers, opts.Memory, err = job.Limits(opts.Workers, opts.Memory); err != nil {
		return Report{}, err
	}
	v := &verifier{root: node, opts: opts, report: Report{Problems: []Problem{}}, missing: map[string]int{}, track: job.NewTracker(opts.Progress)}
	v.pool = job.NewPool(ctx, store.AtOnce(opts.Workers, node.Store()), opts.Memory)
	fresh := v.fresh(ctx)
	v.node(ctx, fresh)
	failed := v.inspect(ctx, fresh)
	err = v.pool.Wait()
	if v.first() {
		v.besides(ctx, fresh)
	}
	if fresh != node {
		err = errors.Join(err, fresh.Close()) // not its store, which is that of node
	}
	err = cmp.Or(err, failed, ctx.Err())
	if opts.Of == 0 {
		v.report.complete(v.missing, opts.FailMissing)
	} else {
		v.report.Left = v.missing
		v.report.OK = len(v.report.Problems) == 0
	}
	return v.report, err
}

// complete says what only the whole tells, in order.
func (r *Report) complete(missing map[string]int, fail bool) {
	if fail {
		for path, n := range missing {
			r.Problems = append(r.Problems, Problem{Path: path, Problem: words.Counted(n, "chunk") + " not stored, which read as the fill value"})
		}
	}
	told := map[Problem]bool{}
	for _, p := range r.Problems {
		if !p.Around {
			told[Problem{Path: p.Path, Key: p.Key}] = true
		}
	}
	for _, list := range []*[]Problem{&r.Problems, &r.Notes} {
		*list = slices.DeleteFunc(*list, func(p Problem) bool { return p.Around && told[Problem{Path: p.Path, Key: p.Key}] })
		for i := range *list {
			(*list)[i].Around = false
		}
	}
	for _, list := range [][]Problem{r.Problems, r.Notes} {
		slices.SortStableFunc(list, func(a, b Problem) int {
			return cmp.Or(meta.ComparePaths(a.Path, b.Path), strings.Compare(a.Key, b.Key), strings.Compare(a.Problem, b.Problem))
		})
	}
	r.OK = len(r.Problems) == 0
}

// Join makes one report of those of all parts. FailMissing is that of VerifyOptions.
func Join(parts []Report, failMissing bool) Report {
	all, missing := Report{Problems: []Problem{}}, map[string]int{}
	for _, p := range parts {
		all.Arrays += p.Arrays
		all.Chunks, all.Missing = addCount(all.Chunks, p.Chunks), addCount(all.Missing, p.Missing)
		all.Checked += p.Checked
		all.Problems, all.Notes = append(all.Problems, p.Problems...), append(all.Notes, p.Notes...)
		for path, n := range p.Left {
			missing[path] = addCount(missing[path], n)
		}
	}
	all.complete(missing, failMissing)
	return all
}

// first reports whether this is the part that tells of all but chunks.
func (v *verifier) first() bool { return v.opts.Part <= 1 }

// mine reports whether a chunk is of this part. They are dealt out by their place, so that
// it does not matter which are stored.
func (v *verifier) mine(a *zarr.Array, c zarr.ChunkInfo) bool {
	if v.opts.Of == 0 {
		return true
	}
	k := 0
	for i, n := range a.Metadata().Grid.Count() {
		k = (k*(n%v.opts.Of) + c.Index[i]) % v.opts.Of
	}
	return k == v.opts.Part-1
}

type verifier struct {
	root   zarr.Node
	opts   VerifyOptions
	pool   *job.Pool
	track  *job.Tracker
	mu     sync.Mutex
	report Report
	// missing is how many chunks of arrays are not stored.
	missing map[string]int
	seen    []string // the paths of nodes
}

// fresh opens the root again without its consolidated metadata, so that every
// node is read from its own document.
func (v *verifier) fresh(ctx context.Context) zarr.Node {
	if _, ok := v.root.(*zarr.Group); !ok {
		return v.root
	}
	opts := append(slices.Clone(v.opts.Open), zarr.BypassConsolidated())
	s := v.root.Store()
	if v.root.Path() == "" { // with the commits that documents do not tell of yet
		if whole := journal.Committed(ctx, translate.Raw(s)); whole != nil {
			s = whole
		}
	}
	n, err := zarr.OpenStore(ctx, s, v.root.Path(), opts...)
	if err != nil {
		return v.root // it exists in somebody's consolidated metadata only
	}
	return n
}

func (v *verifier) problem(path, key, text string) { v.caused(Other, path, key, text) }

func (v *verifier) caused(by Cause, path, key, text string) {
	v.tell(Problem{Path: path, Key: key, Problem: text, Cause: by})
}

func (v *verifier) tell(p Problem) {
	if v.first() {
		v.found(p)
	}
}

// found is tell for what every part looks at itself.
func (v *verifier) found(p Problem) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.report.Problems = append(v.report.Problems, p)
}

// stale tells of nodes whose entries in the consolidated metadata of a group are
// wrong.
func (v *verifier) stale(group zarr.Node) func(path, text string) {
	return func(path, text string) {
		v.tell(Problem{Path: path, Key: job.Document, Problem: "consolidated metadata: " + text, Cause: Stale, Group: job.Path(v.root, group)})
	}
}

func (v *verifier) count(path string, chunks, missing int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.report.Chunks = addCount(v.report.Chunks, chunks)
	v.report.Missing = addCount(v.report.Missing, missing)
	if missing > 0 {
		v.missing[path] = addCount(v.missing[path], missing)
	}
}

// counted is count for what one part tells for all.
func (v *verifier) counted(path string, chunks, missing int) {
	if v.first() {
		v.count(path, chunks, missing)
	}
}

// addCount adds without going over: grids can be larger than numbers are.
func addCount(a, b int) int {
	if a > math.MaxInt-b {
		return math.MaxInt
	}
	return a + b
}

func (v *verifier) node(ctx context.Context, n zarr.Node) {
	v.seen = append(v.seen, job.Path(v.root, n))
	switch n := n.(type) {
	case *zarr.Array:
		v.array(ctx, n)
	case *zarr.Group:
		v.group(ctx, n)
	}
}

// group verifies all nodes below g. Where the store cannot list them, the
// consolidated metadata says what there is.
func (v *verifier) group(ctx context.Context, g *zarr.Group) {
	groups := []*zarr.Group{g}
	for n, err := range g.Walk(ctx) {
		if errors.Is(err, store.ErrNoList) {
			v.unlisted(ctx, g)
			return
		}
		if err != nil {
			v.broken(err)
			continue
		}
		v.seen = append(v.seen, job.Path(v.root, n))
		switch n := n.(type) {
		case *zarr.Array:
			v.array(ctx, n)
		case *zarr.Group:
			groups = append(groups, n)
		}
	}
	for _, g := range groups {
		if ctx.Err() == nil {
			consolidated(ctx, v.root, g, true, v.opts.Apart, v.stale(g))
		}
	}
}

// broken is the problem of a node that does not open.
func (v *verifier) broken(err error) {
	path, ok := job.BrokenPath(v.root, err)
	if !ok {
		v.problem(path, "", err.Error())
		return
	}
	key, text := job.Reason(err)
	if key == "" {
		key, text = job.CutDocument(text)
	}
	v.caused(Broken, path, key, text)
}

// unlisted verifies a group whose store cannot list.
func (v *verifier) unlisted(ctx context.Context, g *zarr.Group) {
	c := g.Metadata().Consolidated
	if c == nil {
		v.problem(job.Path(v.root, g), "", "the store cannot list keys and the group has no consolidated metadata: what lies below it is not known")
		return
	}
	consolidated(ctx, v.root, g, false, v.opts.Apart, v.stale(g))
	for path := range c.Paths("") {
		n, err := g.Open(ctx, path)
		if a, ok := n.(*zarr.Array); ok && err == nil {
			v.array(ctx, a)
		}
	}
}

// array hands the chunks of an array to the pool.
func (v *verifier) array(ctx context.Context, a *zarr.Array) {
	if v.first() {
		v.mu.Lock()
		v.report.Arrays++
		v.mu.Unlock()
	}
	path := job.Path(v.root, a)
	grid := a.Metadata().Grid
	total, ok := nd.Len(grid.Count())
	if !ok {
		total = math.MaxInt
	}
	if total == 0 {
		return
	}
	if v.opts.NoChunks {
		return
	}
	if err := job.CodecError(a); err != nil {
		v.counted(path, total, 0)
		v.problem(path, "", err.Error())
		return
	}
	if total <= fewChunks {
		v.ask(a, path, total)
		return
	}
	found := 0
	for c, err := range a.Stored(ctx) {
		if errors.Is(err, store.ErrNoList) && found == 0 {
			if total > mostAsked {
				v.counted(path, total, 0)
				v.problem(path, "", fmt.Sprintf("%d chunks are too many to ask for one by one, and the store cannot list", total))
				return
			}
			v.ask(a, path, total)
			return
		}
		if err != nil {
			_, text := job.Reason(err)
			v.problem(path, "", text)
			break
		}
		found++
		if !v.mine(a, c) {
			continue
		}
		v.track.Add(1)
		if !v.chunk(a, path, c) {
			return
		}
	}
	v.counted(path, total, total-found)
}

// ask reads every chunk of the grid.
func (v *verifier) ask(a *zarr.Array, path string, total int) {
	v.counted(path, total, 0)
	v.track.Add(int64(total / max(v.opts.Of, 1)))
	for c := range a.Grid() {
		if !v.mine(a, c) {
			continue
		}
		if !v.chunk(a, path, c) {
			return
		}
	}
}

// chunk reads one chunk; it reports whether to go on.
func (v *verifier) chunk(a *zarr.Array, path string, c zarr.ChunkInfo) bool {
	w := job.Weight(a, c.Box.Shape)
	if v.opts.Sample > 0 {
		if rand.Float64() >= v.opts.Sample {
			v.track.Done(path, 1, 0)
			return v.pool.Context().Err() == nil
		}
		v.mu.Lock()
		v.report.Checked++
		v.mu.Unlock()
	}
	return v.pool.Run(w, func(ctx context.Context) error {
		err := a.CheckChunk(ctx, c)
		switch {
		case err == nil:
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, zarr.ErrMissing):
			v.count(path, 0, 1)
		default:
			key, text := job.Reason(err)
			cause := Other
			if errors.Is(err, zarr.ErrData) {
				cause = Corrupt
			}
			v.found(Problem{Path: path, Key: key, Problem: text, Cause: cause})
		}
		v.track.Done(path, 1, w)
		return nil
	})
}
