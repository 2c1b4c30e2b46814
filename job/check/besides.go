package check

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/translate"
	"github.com/omnizarr/zarr/internal/words"
	"github.com/omnizarr/zarr/job"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/journal"
	"github.com/omnizarr/zarr/store/lock"
)

// What is said of values that repair removes.
const (
	orphanText    = "a chunk outside of the array's shape, which nothing reads"
	temporaryText = "a temporary file that a writer left, which nothing reads"
)

// commit tells of a commit that was interrupted: what seems to be wrong may be right
// once it is completed.
func (v *verifier) commit(ctx context.Context) {
	s, err := store.Sub(translate.Raw(v.root.Store()), v.root.Path())
	if err != nil {
		return
	}
	switch j, err := journal.Read(ctx, s); {
	case err != nil:
		v.problem("/", journal.Name, err.Error())
	case j != nil && lock.Busy(s, ""):
		v.note("/", journal.Name, "somebody edits this now: documents of nodes may not tell of the last commits yet")
	case j != nil:
		v.problem("/", journal.Name, "a commit was interrupted when it was decided; editing the file or omnizarr repair completes it")
	}
}

// inspect asks formats for what they keep besides nodes.
func (v *verifier) inspect(ctx context.Context, root zarr.Node) error {
	for _, look := range v.opts.Inspect {
		more, err := look(ctx, root, v.add)
		if err != nil {
			return err
		}
		g, ok := root.(*zarr.Group)
		for _, path := range more {
			if !ok {
				// An array that is all of a file: the others are beside it in the store.
				n, err := zarr.OpenStore(ctx, root.Store(), path, v.opts.Open...)
				v.unlistedNode(ctx, path, n, err)
				continue
			}
			n, err := g.Open(ctx, path)
			v.unlistedNode(ctx, path, n, err)
		}
	}
	return nil
}

func (v *verifier) unlistedNode(ctx context.Context, path string, n zarr.Node, err error) {
	if err != nil {
		_, text := job.Reason(err)
		v.add("/"+strings.Trim(path, "/"), text)
		return
	}
	v.node(ctx, n)
}

// add is a problem that may have been told already, in other words around it.
func (v *verifier) add(path, problem string) {
	if !v.first() {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, p := range v.report.Problems {
		if strings.Contains(p.Problem, problem) || strings.Contains(problem, p.Problem) {
			return
		}
	}
	v.report.Problems = append(v.report.Problems, Problem{Path: path, Problem: problem})
}

// besides looks at what lies in the folder of a hierarchy besides nodes and
// their chunks. Stores that cannot list have told so where it matters.
func (v *verifier) besides(ctx context.Context, root zarr.Node) {
	v.commit(ctx)
	v.strays(ctx, root)
	v.hidden(ctx, root)
}

// strays tells of orphans, and once for each file or folder that is somebody's own.
func (v *verifier) strays(ctx context.Context, root zarr.Node) {
	type place struct{ path, name string }
	var order []place
	foreign := map[place]int{}
	rests, err := v.rests(ctx, root)
	if err != nil && ctx.Err() == nil && !errors.Is(err, store.ErrNoList) {
		_, text := job.Reason(err)
		v.problem("/", "", text)
	}
	for s, err := range job.Strays(ctx, root) {
		if err != nil {
			if ctx.Err() == nil && !errors.Is(err, store.ErrNoList) {
				_, text := job.Reason(err)
				v.problem("/", "", text)
			}
			return
		}
		if s.Orphan {
			v.caused(Orphan, s.Path, s.Key, orphanText)
			continue
		}
		name, _, folder := strings.Cut(s.Key, "/")
		if folder {
			name += "/"
		}
		if slices.ContainsFunc(rests, func(r Rest) bool { return r.is(s.Path, name) }) {
			continue
		}
		p := place{s.Path, name}
		if foreign[p]++; foreign[p] == 1 {
			order = append(order, p)
		}
	}
	for _, p := range order {
		text := "belongs to no node"
		if strings.HasSuffix(p.name, "/") {
			text += ", " + words.Counted(foreign[p], "file")
		}
		v.note(p.path, p.name, text)
	}
}

// hidden tells of what listings pass over.
func (v *verifier) hidden(ctx context.Context, root zarr.Node) {
	prefix := strings.TrimSuffix(job.DocumentOf(root), job.Document)
	nodes := map[string]bool{}
	for _, p := range v.seen {
		nodes[p] = true
	}
	for e, err := range store.Hidden(ctx, translate.Raw(root.Store()), prefix) {
		if err != nil {
			if ctx.Err() == nil {
				_, text := job.Reason(err)
				v.problem("/", "", text)
			}
			return
		}
		path, key := job.Nearest(nodes, e.Key[len(prefix):])
		age := v.opts.Now.Sub(e.Modified)
		p, known := Problem{Path: path, Key: key, Around: true}, &v.report.Problems
		switch {
		case e.Why == store.Temporary && (e.Owner == store.OwnerAlive || e.Owner == store.OwnerUnknown && age < DeadAfter):
			p.Problem, known = "a temporary file, of a writer that may be at work", &v.report.Notes
		case e.Why == store.Temporary:
			p.Problem, p.Cause = temporaryText, Leftover
		case e.Why == store.NoFile:
			p.Problem, known = string(e.Why), &v.report.Notes
		default:
			p.Problem = linkText(e)
		}
		v.mu.Lock()
		*known = append(*known, p)
		v.mu.Unlock()
	}
}

func linkText(e store.HiddenEntry) string {
	text := "a " + string(e.Why)
	if e.Why == store.LeadsOut {
		text += " of the store and is not followed"
	}
	if e.Target != "" {
		text += fmt.Sprintf(": to %s", e.Target)
	}
	return text
}

func (v *verifier) note(path, key, text string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.report.Notes = append(v.report.Notes, Problem{Path: path, Key: key, Problem: text})
}
