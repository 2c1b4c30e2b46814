package api

import (
	"context"
	"path"
	"strings"
	"time"

	"github.com/omnizarr/zarr/serve/source"
)

// Matches are the nodes that a search found.
type Matches struct {
	Matches  []Match `json:"matches"`
	Complete bool    `json:"complete"` // there are no others
}

// Match is a node of a source.
type Match struct {
	Source string `json:"source"`
	Child
}

// How far a search goes.
const (
	mostSearched = 20_000 // names
	mostGroups   = 4_000  // that are listed
	searchTime   = 3 * time.Second
)

// search finds nodes by a part of their names, or of their paths if it has a slash, level
// by level. It gives up when it has looked at many.
func (s *server) search(r *request) error {
	q := strings.ToLower(strings.TrimSpace(r.text("q")))
	if q == "" || len(q) > 1000 {
		return wrong("q: what is looked for, of at most 1000 characters")
	}
	limit, err := r.integer("limit", 50, 1, 500)
	if err != nil {
		return err
	}
	sources := s.set.All()
	if r.query.Has("source") {
		one, err := r.source()
		if err != nil {
			return err
		}
		sources = []*source.Source{one}
	}
	ctx, cancel := context.WithTimeout(r.Context(), searchTime)
	defer cancel()
	out, err := s.find(ctx, sources, q, limit)
	if r.Context().Err() != nil {
		return r.Context().Err()
	}
	if err != nil {
		out.Complete = false // the time is over
	}
	return r.json(out)
}

// find looks through sources, all of them at the same depth before any goes deeper.
func (s *server) find(ctx context.Context, sources []*source.Source, q string, limit int) (Matches, error) {
	type place struct {
		source *source.Source
		path   string
	}
	out := Matches{Matches: []Match{}, Complete: true}
	var queue []place
	for _, src := range sources {
		queue = append(queue, place{src, "/"})
	}
	names, groups := 0, 0
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		if groups++; groups > mostGroups || names > mostSearched {
			out.Complete = false
			break
		}
		list, err := at.source.Names(ctx, at.path)
		if ctx.Err() != nil {
			return out, ctx.Err()
		}
		if err != nil {
			out.Complete = false // something may lie there
		}
		names += len(list)
		for _, name := range list {
			below := path.Join(at.path, name)
			text := strings.ToLower(name)
			if strings.Contains(q, "/") {
				text = strings.ToLower(below)
			}
			if strings.Contains(text, q) {
				if len(out.Matches) == limit {
					out.Complete = false
					return out, nil
				}
				if c := s.child(ctx, at.source, below); c != nil {
					out.Matches = append(out.Matches, Match{at.source.Name(), *c})
				}
			}
			queue = append(queue, place{at.source, below})
		}
	}
	return out, ctx.Err()
}
