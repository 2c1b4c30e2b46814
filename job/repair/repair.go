// Package repair mends what verify finds wrong with a hierarchy and can be mended
// without losing anything: commits that were interrupted are completed, and what else
// interrupted writers left is brought to its end by their formats; consolidated metadata
// is written anew, chunks outside of arrays and temporary files of writers that are gone
// are removed, and chunks that do not decode are set aside if somebody asks for it.
//
// Make finds out what there is to do and changes nothing; Do does it. Each step looks
// again at what it changes. A repair that is interrupted leaves what it has not come
// to as it was, and is simply begun anew. What it does not know it leaves alone.
package repair

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/std"
	"github.com/omnizarr/zarr/format/translate"
	"github.com/omnizarr/zarr/internal/words"
	"github.com/omnizarr/zarr/job"
	"github.com/omnizarr/zarr/job/check"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/journal"
)

// Aside is the folder at the root of a hierarchy that chunks are set aside in, by
// their paths and keys.
const Aside = ".omnizarr-repaired"

// What actions do.
const (
	Complete    = "complete"    // a commit that was interrupted
	Finish      = "finish"      // what else an interrupted writer left
	Consolidate = "consolidate" // write consolidated metadata anew
	Remove      = "remove"      // what nothing reads
	SetAside    = "set aside"   // a chunk that cannot be read, which is then missing
)

// Plan is what there is to do.
type Plan struct {
	Actions []Action `json:"actions"`
	// Left are problems that repair cannot mend.
	Left []check.Problem `json:"left"`

	store store.Store
	path  string
	opts  Options
}

// Action is a step of a plan.
type Action struct {
	Path   string `json:"path"`          // of the node
	Key    string `json:"key,omitempty"` // below it
	Action string `json:"action"`
	Reason string `json:"reason"`
	// Needs is the flag without which the step is not done.
	Needs string `json:"needs,omitempty"`

	cause check.Cause
}

// Options say how to repair; the zero value is fine.
type Options struct {
	// SetAside allows that chunks are set aside that do not decode. They are missing
	// then, and read as the fill value.
	SetAside bool
	// NoChunks leaves chunks unread: those that do not decode are not found.
	NoChunks bool
	Workers  int
	Progress func(job.Progress)
	// Open are options for nodes.
	Open []zarr.Option
	// Apart are groups that need not be in consolidated metadata, see
	// check.VerifyOptions.
	Apart []string
	// Finishers know what writers of their formats leave, if the node is a file as they
	// know it; URL is where they find it.
	Finishers []check.Finisher
	URL       string
	// Now is the time that the age of temporary files is counted from; default: now.
	Now time.Time
}

// ErrFormat says that hierarchies of a format cannot be repaired.
var ErrFormat = errors.New("cannot be repaired")

// Make finds out what there is to do for the node at a path of a store and all below
// it. The store stays the caller's, and must be open until the plan is done.
func Make(ctx context.Context, s store.Store, at string, opts Options) (*Plan, error) {
	at = strings.Trim(at, "/")
	p := &Plan{Actions: []Action{}, Left: []check.Problem{}, store: s, path: at, opts: opts}
	s, at, err := p.committed(ctx)
	if err != nil {
		return nil, err
	}
	root, err := zarr.OpenStore(ctx, s, at, append(slices.Clone(opts.Open), zarr.BypassConsolidated())...)
	if err != nil {
		if !droppable(ctx, translate.Raw(s), path.Join(at, job.Document)) {
			return nil, err
		}
		_, why := job.Reason(err)
		p.Actions = append(p.Actions, Action{Path: "/", Key: job.Document, Action: Consolidate, Reason: strings.TrimPrefix(why, job.Document+": "), cause: check.Broken})
		return p, nil
	}
	defer root.Close() // not its store
	if f := std.Registry().Find(root.Format()); f != nil && f.File != nil {
		return nil, fmt.Errorf("%s %w: verify tells what is wrong with it", f.Title, ErrFormat)
	}
	report, err := check.Verify(ctx, root, check.VerifyOptions{
		Workers: opts.Workers, Progress: opts.Progress, Open: opts.Open, Apart: opts.Apart, NoChunks: opts.NoChunks, Now: opts.Now,
		Finishers: opts.Finishers,
	})
	if err != nil {
		return nil, err
	}
	broken := false
	for _, x := range report.Problems {
		broken = broken || x.Cause == check.Broken
	}
	for _, x := range report.Notes {
		if x.Cause == check.Unfinished {
			p.Actions = append(p.Actions, Action{Path: x.Path, Key: x.Key, Action: Finish, Reason: x.Problem, cause: x.Cause})
		}
	}
	for _, x := range report.Problems {
		a := Action{Path: x.Path, Key: x.Key, Reason: x.Problem, cause: x.Cause}
		switch x.Cause {
		case check.Unfinished:
			a.Action = Finish
		case check.Orphan, check.Leftover:
			a.Action = Remove
		case check.Corrupt:
			a.Action = SetAside
			a.Reason = x.Problem + "; it is missing then and reads as the fill value, its bytes stay in " + Aside
			if !opts.SetAside {
				a.Needs = "--remove-corrupt"
			}
		case check.Stale:
			a.Path, a.Key, a.Action, a.Reason = x.Group, "", Consolidate, x.Path+": "+strings.TrimPrefix(x.Problem, "consolidated metadata: ")
			if at := slices.IndexFunc(p.Actions, func(b Action) bool { return b.Action == Consolidate && b.Path == a.Path }); at >= 0 {
				p.Actions[at].Reason += "; " + a.Reason
				continue
			}
			if broken { // it would say again what it says now, or nothing of what does not open
				p.Left = append(p.Left, x)
				continue
			}
		default:
			p.Left = append(p.Left, x)
			continue
		}
		p.Actions = append(p.Actions, a)
	}
	slices.SortStableFunc(p.Actions, func(a, b Action) int { return order(a) - order(b) })
	return p, nil
}

// committed gives the store and the path to look at: those of the plan, but as they are
// once a commit is completed that was interrupted.
func (p *Plan) committed(ctx context.Context) (store.Store, string, error) {
	if err := p.above(ctx, func(store.Store, string) error { return nil }); err != nil {
		return nil, "", err
	}
	s, err := store.Sub(translate.Raw(p.store), p.path)
	if err != nil {
		return nil, "", err
	}
	j, err := journal.Read(ctx, s)
	if err == nil && j != nil {
		_, err = j.Left(ctx, s)
	}
	switch {
	case errors.Is(err, journal.ErrUnknown) || errors.Is(err, journal.ErrChanged):
		p.Left = append(p.Left, check.Problem{Path: "/", Key: journal.Name, Problem: err.Error()})
		return p.store, p.path, nil
	case err != nil:
		return nil, "", err
	case j == nil:
		return p.store, p.path, nil
	}
	p.Actions = append(p.Actions, Action{Path: "/", Key: journal.Name, Action: Complete,
		Reason: "a commit of " + words.Counted(len(j.Changes), "document") + " was interrupted when it was decided: not all of them are stored"})
	s, err = journal.Over(ctx, s, j)
	return s, "", err
}

// order is when a step has its turn. Consolidated metadata comes behind what it tells
// of; who finishes something keeps it true himself.
func order(a Action) int {
	return slices.Index([]string{Complete, Remove, SetAside, Consolidate, Finish}, a.Action)
}

// Do does what the plan says, but for steps that need something. It gives what it has
// done, also with an error: lock.ErrBusy if somebody is at work on the hierarchy.
func (p *Plan) Do(ctx context.Context) (done []Action, err error) {
	own := slices.IndexFunc(p.Actions, func(a Action) bool { return a.Action == Finish })
	if own < 0 {
		own = len(p.Actions)
	}
	if done, err = p.locked(ctx, p.Actions[:own]); err != nil || own == len(p.Actions) {
		return done, err
	}
	// Finishers are writers as any other, who keep others out.
	for _, f := range p.opts.Finishers {
		if err := p.finish(ctx, f); err != nil {
			return done, fmt.Errorf("%s %s: %w", Finish, p.Actions[own].Path, err)
		}
	}
	return append(done, p.Actions[own:]...), nil
}

// finish lets a format do what there still is to do.
func (p *Plan) finish(ctx context.Context, f check.Finisher) error {
	n, err := p.open(ctx, "")
	if err != nil {
		return err
	}
	defer n.Close() // not its store
	rests, err := f.Rests(ctx, n)
	if err != nil || len(rests) == 0 {
		return err
	}
	return f.Finish(ctx, p.opts.URL, p.opts.Open)
}

// locked does steps while nobody else can write.
func (p *Plan) locked(ctx context.Context, steps []Action) (done []Action, err error) {
	release, err := p.alone(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, release()) }()
	for _, a := range steps {
		if a.Needs != "" {
			continue
		}
		did, err := p.step(ctx, a)
		if err != nil {
			return done, fmt.Errorf("%s %s: %w", a.Action, strings.TrimSuffix(a.Path+" "+a.Key, " "), err)
		}
		if did {
			done = append(done, a)
		}
	}
	return done, nil
}

// key is that of a step in the store.
func (p *Plan) key(a Action) string {
	return strings.TrimPrefix(path.Join(p.path, a.Path, a.Key), "/")
}

// step does one step, and reports whether there still was anything to do.
func (p *Plan) step(ctx context.Context, a Action) (bool, error) {
	raw := translate.Raw(p.store)
	if a.Action == Complete {
		s, err := store.Sub(raw, p.path)
		if err != nil {
			return false, err
		}
		return journal.Finish(ctx, s)
	}
	if a.cause == check.Leftover {
		return true, store.Sweep(ctx, raw, p.key(a))
	}
	if a.cause == check.Broken {
		if err := drop(ctx, raw, p.key(a)); err != nil {
			return false, err
		}
	}
	n, err := p.open(ctx, a.Path)
	if err != nil {
		return false, err
	}
	defer n.Close() // not its store
	if a.Action == Consolidate {
		group, ok := n.(*zarr.Group)
		if !ok {
			return false, zarr.ErrNotGroup
		}
		return true, group.Consolidate(ctx)
	}
	arr, ok := n.(*zarr.Array)
	if !ok {
		return false, zarr.ErrNotArray
	}
	if a.Action == Remove {
		if _, inside, ok := chunk(arr, a.Key); inside || !ok {
			return false, nil // the array has grown meanwhile
		}
		return true, raw.Delete(ctx, p.key(a))
	}
	return p.setAside(ctx, raw, arr, a)
}

// setAside keeps the bytes of a chunk in another place, and removes the chunk then. One
// that somebody has written anew meanwhile is left.
func (p *Plan) setAside(ctx context.Context, raw store.Store, arr *zarr.Array, a Action) (bool, error) {
	c, inside, ok := chunk(arr, a.Key)
	if !inside || !ok {
		return false, nil
	}
	if err := arr.CheckChunk(ctx, c); !errors.Is(err, zarr.ErrData) {
		return false, ctx.Err()
	}
	data, _, err := raw.Get(ctx, p.key(a), store.All(), nil)
	if err != nil {
		return false, err
	}
	to := path.Join(p.path, Aside, a.Path, a.Key)
	for n := 2; ; n++ { // what was set aside before stays
		_, err := raw.Put(ctx, to, data, store.PutOptions{IfAbsent: true})
		if err == nil {
			break
		}
		if !errors.Is(err, store.ErrPrecondition) {
			return false, err
		}
		if old, _, err := raw.Get(ctx, to, store.All(), nil); err == nil && slices.Equal(old, data) {
			break // by a repair that came no further
		}
		to = path.Join(p.path, Aside, a.Path, fmt.Sprintf("%s~%d", a.Key, n))
	}
	return true, raw.Delete(ctx, p.key(a))
}

// open opens a node by its own document.
func (p *Plan) open(ctx context.Context, at string) (zarr.Node, error) {
	opts := append(slices.Clone(p.opts.Open), zarr.BypassConsolidated())
	return zarr.OpenStore(ctx, p.store, strings.Trim(path.Join(p.path, at), "/"), opts...)
}

// chunk is the one of an array that a key names, and whether it lies inside.
func chunk(arr *zarr.Array, key string) (c zarr.ChunkInfo, inside, ok bool) {
	m := arr.Metadata()
	c = zarr.ChunkInfo{Index: make([]int, len(m.Shape)), Key: key}
	if !m.Keys.Parse(key, c.Index) {
		return c, false, false
	}
	for i, n := range m.Grid.Count() {
		if c.Index[i] >= n {
			return c, false, true
		}
		start, length := m.Grid.Span(i, c.Index[i])
		c.Box.Start, c.Box.Shape = append(c.Box.Start, start), append(c.Box.Shape, min(length, m.Shape[i]-start))
	}
	return c, true, true
}
